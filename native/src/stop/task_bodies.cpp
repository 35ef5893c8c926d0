// SPDX-License-Identifier: Apache-2.0
#include "stop/task_bodies.hpp"

namespace gdb_ompd {

namespace {

bool makes_task(const CalledBody &body) {
    return body.caller != nullptr && body.caller->makes_task;
}

// Whether a BODY may be that of the explicit TASK at PLACE, which another task has called.
bool fits(const CalledBody &body, const ChainTask &task, std::size_t place) {
    // A taskwait executes children of the task that calls it, and no other tasks.
    const bool is_child = body.caller != nullptr && body.caller->waits() &&
                          body.caller->kind == code::WaitKind::taskwait;
    const bool is_above_next = is_child || task.scheduling == static_cast<int>(place) + 1;
    return is_above_next && (body.function == 0 || body.function == task.function);
}

}  // namespace

std::map<std::uint64_t, std::uint64_t> functions_by_stack(std::span<const ChainTask> chain,
                                                          std::span<const CalledBody> bodies) {
    std::map<std::uint64_t, std::uint64_t> found;
    std::size_t next = 0;
    for (std::size_t place = 0; place < chain.size(); ++place) {
        const ChainTask &task = chain[place];
        const CalledBody body = next < bodies.size() ? bodies[next] : CalledBody();
        // At the end of a region, behind its body, the next one is that of the next task.
        if (task.kind == TaskKind::implicit && makes_task(body)) {
            continue;
        }
        ++next;
        if (task.has_no_function()) {
            if (!makes_task(body)) {
                break;
            }
            if (body.function != 0) {
                found.emplace(task.identity, body.function);
            }
        } else if (task.kind == TaskKind::explicit_
                       ? !fits(body, task, place)
                       : body.caller == nullptr || !body.caller->begins_region) {
            break;
        }
    }
    return found;
}

}  // namespace gdb_ompd
