// SPDX-License-Identifier: Apache-2.0
// In whose region a thread is that has begun as many regions of one runtime as of another.
#pragma once

#include "stop/all_runtimes.hpp"
#include "stop/stacks.hpp"

namespace gdb_ompd {

// Chooses for each of them the first runtime on its stack that has called user code, or in which it
// begins a region or waits for its end, if there is one.
void choose_innermost(AllRuntimes &runtimes, Stacks &stacks);

}  // namespace gdb_ompd
