// SPDX-License-Identifier: Apache-2.0
// Which function gives another one's address away. Of what a compiler has outlined that is the
// function which the construct is written in, whether its own name is ".omp_task_entry." or
// stripped.
#pragma once

#include "code/function_code.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace gdb_ompd::code {

// What the code of one other function does with a function: it GIVES its address away, or calls it.
struct FunctionUse {
    std::uint64_t start = 0;
    bool gives = false;
};

// Whether the instruction INDEX of CODE, which is in MODULE, leaves the address of FUNCTION, or has
// it as its constant.
[[nodiscard]] bool takes_address(const Module &module, const FunctionCode &code, std::size_t index,
                                 std::uint64_t function);
// By whom in its file a function is used; nothing where that is not known. Searches the file's
// code, as what follows.
[[nodiscard]] std::vector<FunctionUse> uses_of(FunctionReader &functions, std::uint64_t function);
// Where the functions of MODULE begin that call the function of another file's whose address the
// dynamic linker has put at PLACE.
[[nodiscard]] std::vector<std::uint64_t> callers_through(FunctionReader &functions,
                                                         const Module &module, std::uint64_t place);

// Where the one function begins whose code takes the address of FUNCTION, and none but which calls
// it; none where there is none, or it is not known. Searches the code of FUNCTION's file: some
// 10 ms for 10 MB.
[[nodiscard]] std::optional<std::uint64_t> only_giver_of(FunctionReader &functions,
                                                         std::uint64_t function);

}  // namespace gdb_ompd::code
