// SPDX-License-Identifier: Apache-2.0
// The hidden helper threads of LLVM's runtime, which execute target tasks that nobody waits for.
#pragma once

#include "runtimes/llvm/task_chain.hpp"

#include <optional>
#include <unordered_map>

namespace gdb_ompd::llvm {

class Helpers {
public:
    explicit Helpers(const TaskChains &chains) : chains_(&chains) {}

    // Whether THREAD is one, and executes nothing of the program's: while it executes a task it is
    // one of the program's workers.
    [[nodiscard]] bool is_one(const OmpThread &thread);
    // Whether a TEAM is theirs.
    [[nodiscard]] bool have(const Team &team);
    // Whether THREAD is in none of the program's teams. The helpers' own is one of them, with all
    // of its members, while one of them executes a task. In each, omp_get_thread_num() and the
    // others tell where it is in the team of that task.
    [[nodiscard]] bool is_outside(const OmpThread &thread);

private:
    [[nodiscard]] std::uint64_t count();
    [[nodiscard]] bool is_at_work(const Team &team);

    const TaskChains *chains_;
    std::optional<std::uint64_t> count_;               // none until it is asked
    std::unordered_map<std::uint64_t, bool> at_work_;  // by a team's address
};

}  // namespace gdb_ompd::llvm
