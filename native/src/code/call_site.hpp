// SPDX-License-Identifier: Apache-2.0
// The arguments of a call that has not returned, worked out from the code before it.
//
// Argument registers are not preserved across a call, but what set them is in the
// caller's code, and made of what is still there: constants, the caller's stack and the
// registers that a callee preserves. Where several ways lead to the call, and the conditions
// on them do not tell by which of them it was reached, they must agree.
#pragma once

#include "base/target.hpp"
#include "code/arithmetic.hpp"
#include "code/function_code.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>

namespace gdb_ompd::code {

using ReadRegister = std::function<Value(Register)>;
using ReadMemory = std::function<Value(std::uint64_t, unsigned)>;

// Where a call is, and what is known there.
class CallSite {
public:
    // PRESERVED reads what the callee left as it was, AT_ENTRY an argument register as it
    // was at the function's start.
    CallSite(const FunctionCode &code, std::size_t call, const Architecture &architecture,
             ReadRegister preserved, ReadMemory memory, ReadRegister at_entry);

    // An integer argument of the call, counted from 0.
    [[nodiscard]] Value argument(std::size_t number);
    // What a register holds before it.
    [[nodiscard]] Value held_by(Register name);

private:
    struct Joint;
    struct Path;

    // Of a register, as many bytes as WANTED: those above them may be anything.
    [[nodiscard]] Value value(Register name, std::size_t before, Path path,
                              unsigned wanted = pointer_size);
    [[nodiscard]] Value merged(Register name, std::size_t position, Path path, unsigned wanted);
    [[nodiscard]] std::optional<std::uint64_t> kept_around(Register name, std::size_t position,
                                                           std::size_t way);
    [[nodiscard]] Value common(std::span<const Value> values, std::span<const std::size_t> ways,
                               std::size_t position, const Path &path);
    [[nodiscard]] Value result(std::size_t position, Register name, Path path, unsigned wanted);
    [[nodiscard]] std::optional<bool> holds(std::size_t position, Path path);
    [[nodiscard]] bool is_ruled_out(std::size_t way, std::size_t next, Path path);
    [[nodiscard]] Value operand(const Operand &operand, std::size_t position, const Path &path);
    [[nodiscard]] Value address(std::size_t position, const Path &path);
    [[nodiscard]] Value load(Value address, unsigned size) const;
    [[nodiscard]] std::uint64_t changed_by(std::size_t position) const;

    const FunctionCode &code_;
    std::size_t call_;
    CallingConvention convention_;
    std::uint64_t preserved_bits_;
    ReadRegister preserved_;
    ReadMemory memory_;
    ReadRegister at_entry_;
    int steps_ = 0;
};

// The register that gets a copy of all of NAME, no_register where there is none.
Register copy_of(Register name, const Instruction &instruction);

// Whether an instruction changes a register, by the rules of CONVENTION for what it calls.
bool writes(const Instruction &instruction, Register name, const CallingConvention &convention);

}  // namespace gdb_ompd::code
