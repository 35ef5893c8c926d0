// SPDX-License-Identifier: Apache-2.0
// The registers of aarch64 by Capstone's names: a number of ours, and a width.
#pragma once

#include "code/instruction.hpp"

#include <capstone/capstone.h>

#include <array>
#include <cstdint>

namespace gdb_ompd::code::aarch64 {

inline constexpr Register stack_pointer = 31;

// The zero registers have a width, but no number.
struct RegisterName {
    Register number = no_register;
    std::uint8_t width = 0;  // bytes
};

using RegisterNames = std::array<RegisterName, ARM64_REG_ENDING>;

constexpr void name_series(RegisterNames &names, unsigned first, unsigned count, Register number,
                           std::uint8_t width) {
    for (unsigned i = 0; i < count; ++i) {
        names[first + i] = {static_cast<Register>(number + i), width};
    }
}

constexpr RegisterNames name_registers() {
    RegisterNames names{};
    name_series(names, ARM64_REG_X0, 29, 0, 8);
    name_series(names, ARM64_REG_X29, 2, 29, 8);
    name_series(names, ARM64_REG_W0, 31, 0, 4);
    names[ARM64_REG_SP] = {stack_pointer, 8};
    names[ARM64_REG_WSP] = {stack_pointer, 4};
    names[ARM64_REG_XZR] = {no_register, 8};
    names[ARM64_REG_WZR] = {no_register, 4};
    name_series(names, ARM64_REG_B0, 32, first_vector_register, 1);
    name_series(names, ARM64_REG_H0, 32, first_vector_register, 2);
    name_series(names, ARM64_REG_S0, 32, first_vector_register, 4);
    name_series(names, ARM64_REG_D0, 32, first_vector_register, 8);
    name_series(names, ARM64_REG_Q0, 32, first_vector_register, 16);
    name_series(names, ARM64_REG_V0, 32, first_vector_register, 16);
    return names;
}

inline constexpr RegisterNames register_names = name_registers();

inline RegisterName named(unsigned reg) {
    return reg < register_names.size() ? register_names[reg] : RegisterName{};
}

}  // namespace gdb_ompd::code::aarch64
