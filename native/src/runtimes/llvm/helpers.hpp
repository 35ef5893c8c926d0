// SPDX-License-Identifier: Apache-2.0
// The hidden helper threads of LLVM's runtime, which execute target tasks that nobody waits for.
#pragma once

#include "runtimes/llvm/task_chain.hpp"

namespace gdb_ompd::llvm {

[[nodiscard]] bool has_helpers(const Memory &memory);

// Whether THREAD is one, and executes nothing of the program's: while it executes a task it is one
// of the program's workers, in its team, as omp_get_thread_num() and the others say.
[[nodiscard]] bool is_helper(const OmpThread &thread, const TaskChains &chains);

}  // namespace gdb_ompd::llvm
