// SPDX-License-Identifier: Apache-2.0
// Whether what a function has called has left a register as it was that a callee need not preserve.
//
// GCC keeps variables in such registers across the call of a function of the same file whose code
// does not write them.
#pragma once

#include "code/function_code.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace gdb_ompd::code {

// PCS are those of a stack's frames, innermost first, up to the frame whose register it is; none is
// of an inlined function. False where that is not known.
[[nodiscard]] bool is_kept(FunctionReader &functions, std::span<const std::uint64_t> pcs,
                           Register name);

// Whether the function that a call calls leaves it as it was, for certain.
[[nodiscard]] bool is_kept_by(FunctionReader &functions, const Instruction &call, Register name);

// Whether a register holds at the instruction HERE what an earlier call has left there, for
// certain: that is no variable's value, unless the call has returned it. GCC describes a variable
// by a register for all of its block if that is the only place that it has.
[[nodiscard]] bool is_left_by_call(FunctionReader &functions, const FunctionCode &code,
                                   std::size_t here, Register name);

// Whether a general register holds at the instruction HERE what the code WITHIN a block has put
// into it later than something else, or the caller has. What is computed from what it held is
// another value of a variable IS_CONSTANT alone.
[[nodiscard]] bool is_set_again(FunctionReader &functions, const FunctionCode &code,
                                const Range &within, std::size_t here, Register name,
                                bool is_constant);

// How many instructions WITHIN a block put something else into a general register, besides those
// that restore what the caller has in it.
[[nodiscard]] std::size_t times_set(FunctionReader &functions, const FunctionCode &code,
                                    const Range &within, Register name);

// Whether a register that is preserved holds at the instruction HERE what the caller has in it.
[[nodiscard]] bool is_callers(FunctionReader &functions, const FunctionCode &code, std::size_t here,
                              Register name);

// What a value is made of: registers, and places of the function's frame, from the stack pointer
// that its caller had before the call.
struct MadeOf {
    std::vector<Register> registers;
    std::vector<std::int64_t> slots;
};

// Whether a way leads from the instruction FROM to TO on which nothing that a value is made of is
// changed.
[[nodiscard]] bool may_stay(FunctionReader &functions, const FunctionCode &code, std::size_t from,
                            std::size_t to, const MadeOf &value);

}  // namespace gdb_ompd::code
