// SPDX-License-Identifier: Apache-2.0
// In whose region a thread is that has begun as many regions of one runtime as of another.
#pragma once

#include "stop/all_runtimes.hpp"
#include "stop/wait.hpp"
#include "stop/whole_stacks.hpp"

#include <map>

namespace gdb_ompd {

// By GDB numbers, of threads at these PLACES: the first runtime on a thread's stack that has called
// user code, or in which it begins a region or waits for its end. Nothing where there is none.
std::map<int, AllRuntimes::Position>
innermost_runtimes(const AllRuntimes &runtimes, const ThreadPlaces &places, WholeStacks &stacks);

}  // namespace gdb_ompd
