// SPDX-License-Identifier: Apache-2.0
// One aarch64 instruction as Capstone gives it, translated.
#pragma once

#include "code/instruction.hpp"

#include <capstone/capstone.h>

#include <vector>

namespace gdb_ompd::code::aarch64 {

// Append what RAW does: one instruction of ours, or two that do the same together.
void translate(const cs_insn &raw, std::vector<Instruction> &out);

// What it computes, and what it compares or depends on, of one that is translated so far.
void note_computation(const cs_insn &raw, Instruction &out);

}  // namespace gdb_ompd::code::aarch64
