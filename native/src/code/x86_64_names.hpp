// SPDX-License-Identifier: Apache-2.0
// What Capstone calls the registers and instructions of x86-64.
#pragma once

#include "code/instruction.hpp"

#include <capstone/capstone.h>

#include <array>

namespace gdb_ompd::code::x86 {

inline constexpr std::array<std::array<x86_reg, 5>, 16> general_registers = {{
    {X86_REG_RAX, X86_REG_EAX, X86_REG_AX, X86_REG_AL, X86_REG_AH},
    {X86_REG_RCX, X86_REG_ECX, X86_REG_CX, X86_REG_CL, X86_REG_CH},
    {X86_REG_RDX, X86_REG_EDX, X86_REG_DX, X86_REG_DL, X86_REG_DH},
    {X86_REG_RBX, X86_REG_EBX, X86_REG_BX, X86_REG_BL, X86_REG_BH},
    {X86_REG_RSP, X86_REG_ESP, X86_REG_SP, X86_REG_SPL},
    {X86_REG_RBP, X86_REG_EBP, X86_REG_BP, X86_REG_BPL},
    {X86_REG_RSI, X86_REG_ESI, X86_REG_SI, X86_REG_SIL},
    {X86_REG_RDI, X86_REG_EDI, X86_REG_DI, X86_REG_DIL},
    {X86_REG_R8, X86_REG_R8D, X86_REG_R8W, X86_REG_R8B},
    {X86_REG_R9, X86_REG_R9D, X86_REG_R9W, X86_REG_R9B},
    {X86_REG_R10, X86_REG_R10D, X86_REG_R10W, X86_REG_R10B},
    {X86_REG_R11, X86_REG_R11D, X86_REG_R11W, X86_REG_R11B},
    {X86_REG_R12, X86_REG_R12D, X86_REG_R12W, X86_REG_R12B},
    {X86_REG_R13, X86_REG_R13D, X86_REG_R13W, X86_REG_R13B},
    {X86_REG_R14, X86_REG_R14D, X86_REG_R14W, X86_REG_R14B},
    {X86_REG_R15, X86_REG_R15D, X86_REG_R15W, X86_REG_R15B},
}};

constexpr std::array<Register, X86_REG_ENDING> number_registers() {
    std::array<Register, X86_REG_ENDING> numbers{};
    numbers.fill(no_register);
    for (std::size_t number = 0; number < general_registers.size(); ++number) {
        for (const x86_reg name : general_registers[number]) {
            if (name != X86_REG_INVALID) {
                numbers[name] = static_cast<Register>(number);
            }
        }
    }
    for (unsigned number = 0; number < 32; ++number) {
        const auto own = static_cast<Register>(first_vector_register + number);
        numbers[X86_REG_XMM0 + number] = own;
        numbers[X86_REG_YMM0 + number] = own;
        numbers[X86_REG_ZMM0 + number] = own;
    }
    return numbers;
}

inline constexpr auto register_numbers = number_registers();

inline Register number_of(unsigned reg) {
    return reg < register_numbers.size() ? register_numbers[reg] : no_register;
}

inline bool is_move(unsigned id) {
    switch (id) {
    case X86_INS_MOV:
    case X86_INS_MOVABS:
    case X86_INS_MOVQ:
    case X86_INS_MOVD:
    case X86_INS_MOVAPS:
    case X86_INS_MOVUPS:
    case X86_INS_MOVAPD:
    case X86_INS_MOVUPD:
    case X86_INS_MOVDQA:
    case X86_INS_MOVDQU:
    case X86_INS_VMOVAPS:
    case X86_INS_VMOVUPS:
    case X86_INS_VMOVAPD:
    case X86_INS_VMOVUPD:
    case X86_INS_VMOVDQA:
    case X86_INS_VMOVDQU:
    case X86_INS_VMOVDQA32:
    case X86_INS_VMOVDQA64:
    case X86_INS_VMOVDQU32:
    case X86_INS_VMOVDQU64:
    case X86_INS_VMOVQ:
    case X86_INS_VMOVD:
        return true;
    default:
        return false;
    }
}

inline bool is_exclusive_or(unsigned id) {
    switch (id) {
    case X86_INS_XOR:
    case X86_INS_XORPS:
    case X86_INS_XORPD:
    case X86_INS_PXOR:
    case X86_INS_VXORPS:
    case X86_INS_VXORPD:
    case X86_INS_VPXOR:
    case X86_INS_VPXORD:
    case X86_INS_VPXORQ:
        return true;
    default:
        return false;
    }
}

struct Conditional {
    unsigned jump, move, set;
    Condition condition;
};

inline constexpr std::array<Conditional, 12> conditionals{{
    {X86_INS_JE, X86_INS_CMOVE, X86_INS_SETE, Condition::equal},
    {X86_INS_JNE, X86_INS_CMOVNE, X86_INS_SETNE, Condition::unequal},
    {X86_INS_JB, X86_INS_CMOVB, X86_INS_SETB, Condition::below},
    {X86_INS_JAE, X86_INS_CMOVAE, X86_INS_SETAE, Condition::not_below},
    {X86_INS_JBE, X86_INS_CMOVBE, X86_INS_SETBE, Condition::below_or_equal},
    {X86_INS_JA, X86_INS_CMOVA, X86_INS_SETA, Condition::above},
    {X86_INS_JL, X86_INS_CMOVL, X86_INS_SETL, Condition::less},
    {X86_INS_JGE, X86_INS_CMOVGE, X86_INS_SETGE, Condition::not_less},
    {X86_INS_JLE, X86_INS_CMOVLE, X86_INS_SETLE, Condition::less_or_equal},
    {X86_INS_JG, X86_INS_CMOVG, X86_INS_SETG, Condition::greater},
    {X86_INS_JS, X86_INS_CMOVS, X86_INS_SETS, Condition::negative},
    {X86_INS_JNS, X86_INS_CMOVNS, X86_INS_SETNS, Condition::not_negative},
}};

}  // namespace gdb_ompd::code::x86
