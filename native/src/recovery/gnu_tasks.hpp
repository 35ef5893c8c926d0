// SPDX-License-Identifier: Apache-2.0
// Where GCC's libgomp calls the functions of tasks: at once, by what makes a task, or later, by
// whatever takes tasks from a queue.
#pragma once

#include "recovery/gnu_code.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace gdb_ompd::recovery {

struct GnuTaskCalls {
    std::map<std::uint64_t, Call> calls;  // by where they return to
    std::string problem;                  // why there are none
};

GnuTaskCalls gnu_task_calls(const GnuCode &code);

}  // namespace gdb_ompd::recovery
