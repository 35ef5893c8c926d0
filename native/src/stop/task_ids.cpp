// SPDX-License-Identifier: Apache-2.0
#include "stop/task_ids.hpp"

namespace gdb_ompd {

std::map<int, TaskIds> task_ids(std::span<const TaskFacts> tasks) {
    std::map<int, TaskIds> found;
    std::map<int, int> ancestors;  // the depth of the next one, by GDB number
    for (const TaskFacts &task : tasks) {
        const auto [next, is_first] = ancestors.emplace(task.gdb_num, 0);
        if (next->second != task.depth) {
            continue;
        }
        next->second = task.generating.value.value_or(-1);
        TaskIds &of_thread = found[task.gdb_num];
        if (is_first) {
            of_thread.function = task.function.value.value_or(TargetAddr{}).value;
            of_thread.is_explicit = task.kind.value == TaskKind::explicit_;
        }
        of_thread.ids.push_back(task.identity);
    }
    return found;
}

}  // namespace gdb_ompd
