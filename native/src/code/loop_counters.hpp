// SPDX-License-Identifier: Apache-2.0
// Where a worksharing loop of clang's has the variables that the user counts it with.
//
// Without optimisation clang keeps the number of the iteration on the stack, at a place that it
// describes. At the beginning of each iteration it computes the user's variables from that, and
// stores them where it describes nothing.
#pragma once

#include "code/function_code.hpp"

#include <cstdint>
#include <vector>

namespace gdb_ompd::code {

struct LoopCounter {
    std::uint64_t stored_at = 0;  // the instruction behind the store
    std::uint64_t loop_ends = 0;  // the jump back to the next iteration
    std::int64_t offset = 0;      // of the place, from the frame pointer
    std::uint8_t width = 0;       // bytes
};

// What is computed from the number of the iteration, which is at the offset ITERATION from the
// register FRAME_POINTER, and stored in each iteration at another offset from it.
[[nodiscard]] std::vector<LoopCounter>
loop_counters(const FunctionCode &code, Register frame_pointer, std::int64_t iteration);

}  // namespace gdb_ompd::code
