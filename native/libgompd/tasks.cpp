// SPDX-License-Identifier: Apache-2.0
// The exported functions about tasks.
#include "handles.hpp"

using namespace libgompd;

namespace {

// The task that a region was begun in, which is the parent of its implicit tasks.
Handle encountering(const Handle &inside, const Team &team, std::uint64_t parent,
                    const Thread &thread) {
    if (parent != 0) {
        const std::uint64_t outer = team.outer.in_region() ? team.outer.team : 0;
        return {Kind::task, inside.space, inside.record, outer, parent, false};
    }
    if (team.outer.in_region()) {
        refuse(ompd_rc_error);  // only the initial task has no record
    }
    const std::uint64_t first = inside.space->records().member(team, 0, thread);
    if (first == 0) {
        refuse(ompd_rc_unavailable);
    }
    return {Kind::task, inside.space, first, 0, 0, false};
}

// The task that encountered the construct of HANDLE's task, if that is known.
std::optional<Handle> generating(const Handle &handle) {
    const auto task = task_now(handle);
    const bool implicit = is_implicit(handle, task);
    if (handle.team == 0 && implicit) {
        return std::nullopt;  // the initial task
    }
    if (implicit) {
        const RegionNow now = region_now(handle);
        return encountering(handle, now.team, task->parent, now.inside);
    }
    if (task->parent != 0) {
        return Handle{Kind::task, handle.space, handle.record, handle.team, task->parent, false};
    }
    if (handle.team == 0 && task->kind == TaskKind::undeferred) {
        return Handle{Kind::task, handle.space, handle.record, 0, 0, false};
    }
    return std::nullopt;  // it has ended, and the runtime has forgotten it
}

// The task that was suspended on this thread for HANDLE's task, if there is one.
std::optional<Handle> scheduling(const Handle &handle) {
    const auto task = task_now(handle);
    if (is_implicit(handle, task)) {
        return std::nullopt;
    }
    if (task->kind == TaskKind::undeferred) {
        return generating(handle);  // it is executed at once
    }
    // Nothing has it but the thread's stack. Where an implicit task made it, it is executed
    // by a thread in its own implicit task: in a barrier, or where that waits for its children.
    // So is one whose creator has ended: in a barrier, or at the end of the taskgroup it is in.
    const bool is_left = task->parent == 0 && task->taskgroup == 0;
    if (!handle.is_executed || handle.team == 0 || (task->parent == 0 && !is_left)) {
        return std::nullopt;
    }
    const Records records = handle.space->records();
    const RegionNow now = region_now(handle);
    if (!is_left && !records.number_of(now.team, task->parent)) {
        return std::nullopt;
    }
    const std::uint64_t own = records.implicit_task(now.team, now.place.thread_num);
    return Handle{Kind::task, handle.space, handle.record, handle.team, own, false};
}

}  // namespace

LIBGOMPD_EXPORT ompd_rc_t ompd_get_curr_task_handle(ompd_thread_handle_t *handle,
                                                    ompd_task_handle_t **made) {
    return answer([&] {
        const Handle &own = checked(handle, Kind::thread);
        require_places(made);
        const Thread thread = busy_thread(own);
        const std::uint64_t team = thread.place.in_region() ? thread.place.team : 0;
        if (team != 0 && thread.task == 0) {
            refuse(ompd_rc_error);
        }
        give(made, {Kind::task, own.space, own.record, team, thread.task, true});
    });
}

LIBGOMPD_EXPORT ompd_rc_t ompd_get_generating_task_handle(ompd_task_handle_t *handle,
                                                          ompd_task_handle_t **made) {
    return answer([&] {
        const Handle &task = checked(handle, Kind::task);
        require_places(made);
        return give(made, generating(task));
    });
}

LIBGOMPD_EXPORT ompd_rc_t ompd_get_scheduling_task_handle(ompd_task_handle_t *handle,
                                                          ompd_task_handle_t **made) {
    return answer([&] {
        const Handle &task = checked(handle, Kind::task);
        require_places(made);
        return give(made, scheduling(task));
    });
}

LIBGOMPD_EXPORT ompd_rc_t ompd_get_task_in_parallel(ompd_parallel_handle_t *handle, int number,
                                                    ompd_task_handle_t **made) {
    return answer([&] {
        const Handle &region = checked(handle, Kind::parallel);
        require_places(made);
        const RegionNow now = region_now(region);
        if (number < 0 || static_cast<std::uint32_t>(number) >= now.team.size) {
            refuse(ompd_rc_bad_input);
        }
        const Records records = region.space->records();
        const std::uint64_t task =
            records.implicit_task(now.team, static_cast<std::uint32_t>(number));
        if (records.task(task).kind != TaskKind::implicit) {
            refuse(ompd_rc_unavailable);  // not made yet
        }
        const Thread thread = records.thread(region.record);
        const bool executed = thread.task == task;
        give(made, {Kind::task, region.space, region.record, region.team, task, executed});
    });
}

LIBGOMPD_EXPORT ompd_rc_t ompd_rel_task_handle(ompd_task_handle_t *handle) {
    return release(handle, Kind::task);
}

LIBGOMPD_EXPORT ompd_rc_t ompd_get_task_function(ompd_task_handle_t *handle,
                                                 ompd_address_t *entry) {
    return answer([&] {
        const Handle &own = checked(handle, Kind::task);
        require_places(entry);
        const auto task = task_now(own);
        // Kept only of tasks that were put into a queue.
        const bool is_kept = task && !is_implicit(own, task) && task->kind != TaskKind::undeferred;
        if (!is_kept || task->function == 0) {
            return ompd_rc_unavailable;
        }
        *entry = {ompd_segment_none, task->function};
        return ompd_rc_ok;
    });
}

LIBGOMPD_EXPORT ompd_rc_t ompd_get_task_frame(ompd_task_handle_t *handle, ompd_frame_info_t *exit,
                                              ompd_frame_info_t *enter) {
    return answer([&] {
        static_cast<void>(checked(handle, Kind::task));
        require_places(exit, enter);
        return ompd_rc_unavailable;  // libgomp records no frames
    });
}

LIBGOMPD_EXPORT ompd_rc_t ompd_get_tool_data(void *handle, ompd_scope_t scope, ompd_word_t *value,
                                             ompd_address_t *pointer) {
    return answer([&] {
        if (handle == nullptr) {
            refuse(ompd_rc_stale_handle);
        }
        require_places(value, pointer);
        static_cast<void>(scope);
        refuse(ompd_rc_unsupported);  // libgomp has no tools of OMPT's
    });
}
