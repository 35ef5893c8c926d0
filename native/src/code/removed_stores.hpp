// SPDX-License-Identifier: Apache-2.0
// Stores to parts of a function's own variables that the optimiser has removed: nothing reads them.
//
// The variable is then described as being in memory all along, where the part is as it was before.
#pragma once

#include "code/function_code.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace gdb_ompd::code {

// Bytes of a function's frame, from the stack pointer that its caller had before the call.
struct FrameBytes {
    std::int64_t begin = 0;
    std::uint32_t size = 0;
};

// A part of a variable, and the CODE that is to store it.
struct StoredPart {
    FrameBytes bytes;
    std::vector<Range> code;
};

// Which of the PARTS of a VARIABLE has bytes that its code stores nothing to, and that nothing
// behind the instruction HERE reads; none where each is stored, or may be by a pointer.
[[nodiscard]] std::optional<std::size_t> part_not_stored(FunctionReader &functions,
                                                         const FunctionCode &code, std::size_t here,
                                                         FrameBytes variable,
                                                         std::span<const StoredPart> parts);

}  // namespace gdb_ompd::code
