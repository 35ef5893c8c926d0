// SPDX-License-Identifier: Apache-2.0
// What a verdict on a hang is concluded from, as explain/facts.py has it.
#pragma once

#include "stop/team_targets.hpp"
#include "stop/thread_facts.hpp"

#include "python_names.hpp"

#include <optional>
#include <vector>

namespace gdb_ompd {

// The model's TargetConstruct, None for none.
py::object to_target(const std::optional<TargetConstruct> &found, const PythonNames &names);

// One At for each of THREADS, which are ROWS of the model, with their TARGETS.
py::tuple to_ats(const ModelThreads &rows, const std::vector<KnownThread> &threads,
                 const GatheredFacts &found, const PythonNames &names,
                 const std::vector<std::optional<TargetConstruct>> &targets);
// The locks' addresses, each with its LockWord.
py::tuple to_lock_words(const GatheredFacts &found);

}  // namespace gdb_ompd
