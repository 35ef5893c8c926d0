// SPDX-License-Identifier: Apache-2.0
// What a verdict on a hang is concluded from, as explain/facts.py has it.
#pragma once

#include "stop/stop.hpp"

#include "python_names.hpp"

#include <optional>
#include <vector>

namespace gdb_ompd {

// The model's TargetConstruct, None for none.
py::object to_target(const std::optional<TargetConstruct> &found, const PythonNames &names);

// One At for each of THREADS, which are ROWS of the model.
py::tuple to_ats(const ModelThreads &rows, const std::vector<ThreadInTarget> &threads,
                 const GatheredFacts &found, const PythonNames &names);
// The locks' addresses, each with its LockWord.
py::tuple to_lock_words(const GatheredFacts &found);

}  // namespace gdb_ompd
