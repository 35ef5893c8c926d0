// SPDX-License-Identifier: Apache-2.0
// The exported functions about threads and parallel regions.
#include "handles.hpp"
#include "imagined.hpp"

#include <cstring>

using namespace libgompd;

namespace {

constexpr ompd_word_t state_idle = 0x100;
constexpr ompd_word_t state_undefined = 0x102;
constexpr const char *state_name = "ompt_state_idle";

// Where a thread's errno is tells its thread pointer: how far the two are from each other is
// in the C library's code, and the same in every thread.
std::uint64_t thread_pointer_of(const Target &target, ompd_thread_context_t *thread) {
    const auto variable = target.symbol("errno", nullptr, thread);
    const auto function = target.symbol("__errno_location", nullptr);
    if (!variable || !function) {
        refuse(ompd_rc_unsupported);
    }
    const Ending ending = ImaginedThread(Interpreted(target)).call(*function);
    const auto distance = ImaginedThread::distance(ending.result);
    if (ending.how != Ending::How::returned || !distance) {
        refuse(ompd_rc_unsupported);
    }
    return *variable - static_cast<std::uint64_t>(*distance);
}

std::uint64_t thread_pointer_by(const Records &records, ompd_thread_id_t kind, ompd_size_t size,
                                const void *id) {
    ompd_thread_context_t *const thread = records.target().thread(kind, size, id);
    if (kind == ompd_thread_id_lwp) {
        return thread_pointer_of(records.target(), thread);
    }
    std::uint64_t pthread = 0;
    if (kind != ompd_thread_id_pthread) {
        refuse(ompd_rc_unsupported);
    }
    if (size != sizeof pthread) {
        refuse(ompd_rc_bad_input);
    }
    std::memcpy(&pthread, id, sizeof pthread);
    return records.thread_pointer_by_pthread(pthread);
}

// The kernel's number of a thread, by what the C library tells debuggers of its records.
std::uint32_t lwp_of(const Target &target, std::uint64_t pthread) {
    const auto description = target.symbol("_thread_db_pthread_tid", nullptr);
    if (!description) {
        refuse(ompd_rc_unsupported);
    }
    const auto field = target.bytes<12>(*description);  // bits, elements, offset
    constexpr std::uint32_t farthest = 4096;
    if (field.u32(0) != 32 || field.u32(4) != 1 || field.u32(8) > farthest) {
        refuse(ompd_rc_unsupported);
    }
    return target.bytes<4>(pthread + field.u32(8)).u32(0);
}

int order_of(std::uint64_t one, std::uint64_t other) {
    return one < other ? -1 : one > other ? 1 : 0;
}

template <class H>
ompd_rc_t compare(const H *one, const H *other, int *order, Kind kind,
                  std::uint64_t Handle::*by) noexcept {
    return answer([&] {
        const Handle &a = checked(one, kind);
        const Handle &b = checked(other, kind);
        require_places(order);
        if (a.space->target.context() != b.space->target.context()) {
            refuse(ompd_rc_bad_input);
        }
        *order = order_of(a.*by, b.*by);
    });
}

}  // namespace

LIBGOMPD_EXPORT ompd_rc_t ompd_get_thread_handle(ompd_address_space_handle_t *handle,
                                                 ompd_thread_id_t kind, ompd_size_t size,
                                                 const void *id, ompd_thread_handle_t **made) {
    return answer([&] {
        const Space &space = checked(handle);
        require_places(id, made);
        const Records records = space.records();
        const std::uint64_t record = records.record_of(thread_pointer_by(records, kind, size, id));
        // One that has had nothing to do with the runtime is OpenMP's only if the program
        // began in it.
        if (records.thread(record).is_blank() && !records.is_main(record)) {
            refuse(ompd_rc_unavailable);
        }
        give(made, {Kind::thread, &space, record, 0, 0, false});
    });
}

LIBGOMPD_EXPORT ompd_rc_t ompd_get_thread_in_parallel(ompd_parallel_handle_t *handle, int number,
                                                      ompd_thread_handle_t **made) {
    return answer([&] {
        const Handle &region = checked(handle, Kind::parallel);
        require_places(made);
        const RegionNow now = region_now(region);
        if (number < 0 || static_cast<std::uint32_t>(number) >= now.team.size) {
            refuse(ompd_rc_bad_input);
        }
        const std::uint64_t record = region.space->records().member(
            now.team, static_cast<std::uint32_t>(number), now.inside);
        if (record == 0) {
            refuse(ompd_rc_unavailable);
        }
        give(made, {Kind::thread, region.space, record, 0, 0, false});
    });
}

LIBGOMPD_EXPORT ompd_rc_t ompd_rel_thread_handle(ompd_thread_handle_t *handle) {
    return release(handle, Kind::thread);
}

LIBGOMPD_EXPORT ompd_rc_t ompd_thread_handle_compare(ompd_thread_handle_t *one,
                                                     ompd_thread_handle_t *other, int *order) {
    return compare(one, other, order, Kind::thread, &Handle::record);
}

LIBGOMPD_EXPORT ompd_rc_t ompd_get_thread_id(ompd_thread_handle_t *handle, ompd_thread_id_t kind,
                                             ompd_size_t size, void *id) {
    return answer([&] {
        const Handle &thread = checked(handle, Kind::thread);
        require_places(id);
        const Records records = thread.space->records();
        const std::uint64_t pthread = records.pthread_of(records.thread_pointer_of(thread.record));
        if (kind == ompd_thread_id_pthread) {
            if (size != sizeof pthread) {
                refuse(ompd_rc_bad_input);
            }
            std::memcpy(id, &pthread, sizeof pthread);
        } else if (kind == ompd_thread_id_lwp) {
            const std::uint64_t wide = lwp_of(thread.space->target, pthread);
            const auto narrow = static_cast<std::uint32_t>(wide);
            if (size != sizeof wide && size != sizeof narrow) {
                refuse(ompd_rc_bad_input);
            }
            std::memcpy(id, size == sizeof wide ? static_cast<const void *>(&wide) : &narrow, size);
        } else {
            refuse(ompd_rc_unsupported);
        }
    });
}

LIBGOMPD_EXPORT ompd_rc_t ompd_get_state(ompd_thread_handle_t *handle, ompd_word_t *state,
                                         ompd_wait_id_t *wait_id) {
    return answer([&] {
        const Handle &thread = checked(handle, Kind::thread);
        require_places(state);
        const Records records = thread.space->records();
        if (records.is_busy(records.thread(thread.record))) {
            return ompd_rc_unavailable;  // libgomp keeps no state: only the stack has it
        }
        *state = state_idle;
        if (wait_id != nullptr) {
            *wait_id = 0;
        }
        return ompd_rc_ok;
    });
}

LIBGOMPD_EXPORT ompd_rc_t ompd_enumerate_states(ompd_address_space_handle_t *handle,
                                                ompd_word_t current, ompd_word_t *next,
                                                const char **name, ompd_word_t *more) {
    return answer([&] {
        static_cast<void>(checked(handle));
        require_places(next, name, more);
        if (current != state_undefined) {
            refuse(ompd_rc_bad_input);
        }
        *name = lend(state_name);
        *next = state_idle;
        *more = 0;
    });
}

LIBGOMPD_EXPORT ompd_rc_t ompd_get_curr_parallel_handle(ompd_thread_handle_t *handle,
                                                        ompd_parallel_handle_t **made) {
    return answer([&] {
        const Handle &own = checked(handle, Kind::thread);
        require_places(made);
        const Thread thread = busy_thread(own);
        if (!thread.place.in_region()) {
            refuse(ompd_rc_unavailable);
        }
        give(made, {Kind::parallel, own.space, own.record, thread.place.team, 0, false});
    });
}

LIBGOMPD_EXPORT ompd_rc_t ompd_get_enclosing_parallel_handle(ompd_parallel_handle_t *handle,
                                                             ompd_parallel_handle_t **made) {
    return answer([&] {
        const Handle &region = checked(handle, Kind::parallel);
        require_places(made);
        const RegionNow now = region_now(region);
        if (!now.team.outer.in_region()) {
            refuse(ompd_rc_unavailable);
        }
        give(made, {Kind::parallel, region.space, region.record, now.team.outer.team, 0, false});
    });
}

LIBGOMPD_EXPORT ompd_rc_t ompd_get_task_parallel_handle(ompd_task_handle_t *handle,
                                                        ompd_parallel_handle_t **made) {
    return answer([&] {
        const Handle &task = checked(handle, Kind::task);
        require_places(made);
        if (task.team == 0) {
            refuse(ompd_rc_unavailable);
        }
        static_cast<void>(region_now(task));
        give(made, {Kind::parallel, task.space, task.record, task.team, 0, false});
    });
}

LIBGOMPD_EXPORT ompd_rc_t ompd_rel_parallel_handle(ompd_parallel_handle_t *handle) {
    return release(handle, Kind::parallel);
}

LIBGOMPD_EXPORT ompd_rc_t ompd_parallel_handle_compare(ompd_parallel_handle_t *one,
                                                       ompd_parallel_handle_t *other, int *order) {
    return compare(one, other, order, Kind::parallel, &Handle::team);
}

LIBGOMPD_EXPORT ompd_rc_t ompd_task_handle_compare(ompd_task_handle_t *one,
                                                   ompd_task_handle_t *other, int *order) {
    return answer([&] {
        const Handle &a = checked(one, Kind::task);
        const Handle &b = checked(other, Kind::task);
        require_places(order);
        if (a.space->target.context() != b.space->target.context()) {
            refuse(ompd_rc_bad_input);
        }
        // An initial task without a record is known by the thread that executes it.
        const auto key = [](const Handle &task) {
            return task.task != 0 ? task.task : task.record;
        };
        *order = order_of(key(a), key(b));
    });
}
