// SPDX-License-Identifier: Apache-2.0
// Which function gives another one's address away: of what a compiler has outlined that is the
// function which the construct is written in, be its own name ".omp_task_entry." or stripped.
#pragma once

#include "code/function_code.hpp"

#include <cstdint>
#include <optional>

namespace gdb_ompd::code {

// Where the one function begins whose code takes the address of FUNCTION, and none but which calls
// it; none where there is none, or it is not known. Searches the code of FUNCTION's file: some
// 10 ms for 10 MB.
[[nodiscard]] std::optional<std::uint64_t> only_giver_of(FunctionReader &functions,
                                                         std::uint64_t function);

}  // namespace gdb_ompd::code
