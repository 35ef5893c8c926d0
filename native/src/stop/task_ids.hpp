// SPDX-License-Identifier: Apache-2.0
// Of threads' tasks what tells which is whose: their identities, from the current one out.
#pragma once

#include "model/facts.hpp"

#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace gdb_ompd {

struct TaskIds {
    std::vector<std::uint64_t> ids;  // the current task's, then those of its ancestors
    std::uint64_t function = 0;      // the current one's outlined function, 0 where it is not known
    bool is_explicit = false;        // the current one
};

// Of each thread, by GDB number, whose chain is in TASKS, innermost task first.
std::map<int, TaskIds> task_ids(std::span<const TaskFacts> tasks);

}  // namespace gdb_ompd
