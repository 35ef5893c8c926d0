// SPDX-License-Identifier: Apache-2.0
// A thread that reads a word again and again, until a comparison of it comes out otherwise.
#pragma once

#include "code/evaluation.hpp"

#include <cstdint>
#include <optional>

namespace gdb_ompd::code {

using ReadWord = std::function<Value(std::uint64_t, unsigned)>;

// Whether the loop around PC, which does nothing else, would go on now. None where PC is in no
// such loop, or what it reads and compares is not known. HELD_BY reads the thread's registers.
std::optional<bool> keeps_spinning(const FunctionCode &code, std::uint64_t pc,
                                   const ReadRegister &held_by, const ReadWord &memory);

}  // namespace gdb_ompd::code
