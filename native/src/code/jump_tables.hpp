// SPDX-License-Identifier: Apache-2.0
// Where the jump of a switch leads: a table has a place for each of its cases, and a comparison
// before the jump tells how many these are.
#pragma once

#include "code/function_code.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace gdb_ompd::code {

// What a file has at an address that cannot change; none for other memory.
using ReadConstant =
    std::function<std::optional<std::uint64_t>(std::uint64_t address, unsigned size)>;

// The places that the JUMP leads to, an instruction of the function; none where they are not known.
[[nodiscard]] std::vector<std::uint64_t> cases_of(const FunctionCode &code, std::size_t jump,
                                                  const ReadConstant &read);

}  // namespace gdb_ompd::code
