// SPDX-License-Identifier: Apache-2.0
// What the code tells of variables that clang describes wrongly: where a worksharing loop has those
// that the user counts it with.
//
// Without optimisation clang keeps the number of the iteration on the stack, at a place that it
// describes. At the beginning of each iteration it computes the user's variables from that, and
// stores them where it describes nothing.
#pragma once

#include "code/architecture.hpp"
#include "code/function_code.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace gdb_ompd::code {

struct LoopCounter {
    std::uint64_t stored_at = 0;  // the instruction behind the store
    std::uint64_t loop_ends = 0;  // the jump back to the next iteration
    std::int64_t offset = 0;      // of the place, from the frame pointer
    std::uint8_t width = 0;       // bytes; 0 of an iterator, which a function has put forward
};

// What is computed from the number of the iteration, which is at the offset ITERATION from the
// frame pointer, and stored in each iteration at another offset from it. Or a function is given it,
// and the address of an object there.
[[nodiscard]] std::vector<LoopCounter> loop_counters(const FunctionCode &code,
                                                     const CallingConvention &convention,
                                                     std::int64_t iteration);

// Whether the function around PC has stored at an OFFSET from the register NAME on each way to
// there, or called something for which it took that place's address: before that a variable without
// a first value holds what was in memory.
[[nodiscard]] bool is_stored(FunctionReader &functions, std::uint64_t pc, std::string_view name,
                             std::int64_t offset);

// Whether the function computes what a register holds from what the same register held. With
// optimisation clang may describe a variable by several registers, and not see that one of them has
// got another content in this way.
[[nodiscard]] bool changes_in_place(const FunctionCode &code, Register name);

}  // namespace gdb_ompd::code
