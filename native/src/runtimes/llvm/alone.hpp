// SPDX-License-Identifier: Apache-2.0
// One thread by itself, for questions that a breakpoint's condition asks thousands of times
// in a run: only the records on its own path are read, each time anew.
#pragma once

#include "model/facts.hpp"
#include "runtimes/llvm/teams.hpp"

#include <memory>
#include <optional>

namespace gdb_ompd::llvm {

inline constexpr const char *another_threads =
    "the OpenMP runtime's record of this thread is another thread's";

// A thread with what is read of teams for it.
struct ThreadAlone {
    std::unique_ptr<Teams> teams;
    OmpThread thread;
};

// The array of the runtime's threads by their global numbers; 0 once it has shut down.
// Throws Inconsistent.
[[nodiscard]] TargetAddr threads_array(AddressSpace &space);

// None for a thread that the runtime does not know (yet, or any more). Throws Inconsistent,
// also where the thread's own storage cannot be found. BOUNDARY is the event that it is at.
[[nodiscard]] std::optional<ThreadAlone> thread_alone(AddressSpace &space, const Places &places,
                                                      const NativeThread &thread,
                                                      Boundary boundary = {});

// Where it executes; none for a thread that is in no team, or that the runtime does not know.
[[nodiscard]] std::optional<Place> place_of(const std::optional<ThreadAlone> &thread);

}  // namespace gdb_ompd::llvm
