// SPDX-License-Identifier: Apache-2.0
#include "handles.hpp"

namespace libgompd {

Thread busy_thread(const Handle &handle) {
    const Records records = handle.space->records();
    const Thread thread = records.thread(handle.record);
    if (!records.is_busy(thread)) {
        refuse(ompd_rc_unavailable);
    }
    return thread;
}

RegionNow region_now(const Handle &handle) {
    const Records records = handle.space->records();
    const Thread inside = records.thread(handle.record);
    const auto place =
        records.is_busy(inside) ? records.place_in(inside, handle.team) : std::nullopt;
    if (!place) {
        refuse(ompd_rc_stale_handle);
    }
    return {inside, records.team(handle.team), *place};
}

std::optional<Task> task_now(const Handle &handle) {
    const Records records = handle.space->records();
    if (handle.team != 0) {
        static_cast<void>(region_now(handle));
    }
    if (handle.task == 0) {
        return std::nullopt;
    }
    return records.task(handle.task);
}

bool is_implicit(const Handle &handle, const std::optional<Task> &task) {
    if (!task) {
        return true;
    }
    if (handle.team == 0) {
        return task->kind == TaskKind::implicit;
    }
    const Records records = handle.space->records();
    const bool is_in_team = records.number_of(records.team(handle.team), task->address).has_value();
    // The two say the same of every task, or this is no task any more.
    if (is_in_team != (task->kind == TaskKind::implicit)) {
        refuse(ompd_rc_stale_handle);
    }
    return is_in_team;
}

}  // namespace libgompd
