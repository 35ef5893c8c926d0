// SPDX-License-Identifier: Apache-2.0
// Whether a thread has used up its stack.
#pragma once

#include "stop/whole_stacks.hpp"

#include <cstdint>
#include <optional>

namespace gdb_ompd {

// The size of the stack that a thread has run off with a FAULT; none if it has not. START is an
// address in it, of the initial thread, DESCRIPTOR the pthread_t of another.
std::optional<std::uint64_t> overflowed(WholeStacks &stacks, int gdb_num, TargetAddr fault,
                                        std::optional<TargetAddr> start, TargetAddr descriptor);

}  // namespace gdb_ompd
