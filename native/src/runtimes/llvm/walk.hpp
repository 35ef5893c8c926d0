// SPDX-License-Identifier: Apache-2.0
// Whether a layout that no known release has makes sense of a live program.
//
// With a field's offset wrong, the runtime's records stop agreeing with each other: a thread
// is not in its team's list, a task's record not in its team's array. What is asked here is true at
// every instruction, also inside the runtime's own work (openmp/runtime/src, kmp_runtime.cpp,
// kmp_csupport.cpp). A thread enters a team before the team's level is known. A team is taken apart
// before its primary thread leaves it, and workers wait in a team that is being changed. So a team
// is judged by its parent once it has several threads or is a parent itself, and a worker's task
// only where it is the team's own. Every walk is bounded.
#pragma once

#include "model/facts.hpp"
#include "runtimes/llvm/layout.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gdb_ompd::llvm {

// What a layout says about a program that cannot be, a line each, and how many facts were
// looked at. A walk without any proves nothing either way: no thread is seen in a team.
struct Walk {
    std::vector<std::string> violations;
    int checked = 0;
};

// A thread whose record is known.
struct WalkedThread {
    int gdb_num = 0;
    std::uint64_t number = 0;  // its global one
    TargetAddr record;
    std::optional<std::uint64_t> pthread_id;
};

// Walks the threads, teams, tasks and ICVs that LAYOUT shows of a stopped program. Memory that
// cannot be read where the layout points is a violation, too. The more of OpenMP is under way,
// the more is looked at.
[[nodiscard]] Walk walk_records(AddressSpace &space, const Layout &layout,
                                std::span<const NativeThread> threads);
// The same of threads whose records were found.
[[nodiscard]] Walk walk_threads(AddressSpace &space, const Layout &layout,
                                std::span<const WalkedThread> threads);

}  // namespace gdb_ompd::llvm
