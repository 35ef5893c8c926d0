// SPDX-License-Identifier: Apache-2.0
// What an argument of a call was made of, as far as the code tells.
#pragma once

#include "code/function_values.hpp"

#include <cstddef>
#include <cstdint>

namespace gdb_ompd::code {

enum class Origin : std::uint8_t {
    unknown,
    condition,  // 1 where something holds, else 0
    variable,   // a number that the function was given, has loaded, or got of another
};

// Of an argument in a register of the call or jump at INDEX.
[[nodiscard]] Origin origin_of_argument(FunctionValues &values, std::size_t index,
                                        std::size_t argument);

}  // namespace gdb_ompd::code
