// SPDX-License-Identifier: Apache-2.0
// What an instruction computes of values that are known.
#pragma once

#include "code/instruction.hpp"

#include <cstdint>
#include <optional>

namespace gdb_ompd::code {

using Value = std::optional<std::uint64_t>;

// VALUE's low WIDTH bytes, as a signed number.
std::uint64_t extended(std::uint64_t value, unsigned width);

// None where the computation is not known, has two results or depends on a condition.
Value computed(const Instruction &instruction, std::uint64_t first, std::uint64_t second);

// The upper half of a product of numbers of that width.
std::uint64_t upper_half(const Computation &made, std::uint64_t first, std::uint64_t second);

// The quotient or the remainder; none where UPPER does not only extend the dividend's FIRST.
Value divided(const Computation &made, std::uint64_t upper, std::uint64_t first,
              std::uint64_t second, bool is_remainder);

// Whether CONDITION is true of what MADE has computed of FIRST and SECOND.
std::optional<bool> is_true(Condition condition, const Computation &made, std::uint64_t first,
                            std::uint64_t second);

}  // namespace gdb_ompd::code
