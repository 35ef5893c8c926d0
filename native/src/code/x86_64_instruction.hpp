// SPDX-License-Identifier: Apache-2.0
// One x86-64 instruction as Capstone gives it, translated.
#pragma once

#include "code/instruction.hpp"

#include <capstone/capstone.h>

namespace gdb_ompd::code::x86 {

void translate(const cs_insn &raw, Instruction &out);

}  // namespace gdb_ompd::code::x86
