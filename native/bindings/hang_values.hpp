// SPDX-License-Identifier: Apache-2.0
// What a verdict on a hang is concluded from, as explain/facts.py has it.
#pragma once

#include "stop/thread_facts.hpp"

#include "python_names.hpp"

#include <vector>

namespace gdb_ompd {

// One At for each of THREADS, which are ROWS of the model.
py::tuple to_ats(const ModelThreads &rows, const std::vector<KnownThread> &threads,
                 const GatheredFacts &found, const PythonNames &names);
// The locks' addresses, each with its LockWord.
py::tuple to_lock_words(const GatheredFacts &found);

}  // namespace gdb_ompd
