// SPDX-License-Identifier: Apache-2.0
// What a thread waits for by hand: the memory that a loop of the user's reads again and again.
#pragma once

#include "code/ahead.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace gdb_ompd {

// The addresses that the thread SELF with FRAMES, innermost first, reads in a loop which changes
// nothing and goes on until one of them is written, or some time has passed. There are none where
// it is in no such loop.
std::vector<std::uint64_t> polled(code::UserCalls &calls, std::span<const code::Frame> frames,
                                  const code::Ahead::Self &self);

}  // namespace gdb_ompd
