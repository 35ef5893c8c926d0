// SPDX-License-Identifier: Apache-2.0
// What must be known of a processor to read its code.
#pragma once

#include "code/instruction.hpp"

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace gdb_ompd::code {

// The dynamic relocations that recovery understands, by number.
struct RelocationTypes {
    std::uint32_t absolute;
    std::uint32_t global_data;
    std::uint32_t jump_slot;
    std::uint32_t relative;
};

struct NamedRegister {
    std::string_view name;
    Register number = no_register;
};

// How functions call each other.
struct CallingConvention {
    std::span<const Register> arguments;       // integers, the first ones
    std::span<const NamedRegister> preserved;  // what a callee leaves as it was, by GDB's names
    std::span<const NamedRegister> others;     // that hold integers
    Register stack_pointer = no_register;
    Register frame_pointer = no_register;
    // What stubs of the linkage table work out a function's address in.
    std::uint64_t stub_registers = 0;
    unsigned pushed_by_call = 0;              // bytes
    Register fourth_of_kernel = no_register;  // the fourth argument of a call of the kernel
    Register returned = 0;                    // what a function gives back

    [[nodiscard]] std::uint64_t preserved_bits() const {
        std::uint64_t bits = 0;
        for (const NamedRegister &one : preserved) {
            bits |= bit_of(one.number);
        }
        return bits;
    }
};

// FIRST and N where NAME is PREFIX and a number N below COUNT; none for another name.
[[nodiscard]] Register numbered(std::string_view name, std::string_view prefix, Register first,
                                unsigned count);

class Architecture {
public:
    virtual ~Architecture() = default;

    [[nodiscard]] virtual std::string_view name() const = 0;
    [[nodiscard]] virtual RelocationTypes relocations() const = 0;
    // The register that GDB has all of under a name; none for a part of one.
    [[nodiscard]] virtual Register named(std::string_view name) const = 0;
    // Whether compilers put stores to neighbours together, out of their order.
    [[nodiscard]] virtual bool stores_are_moved() const = 0;
    // What a called function may change.
    [[nodiscard]] virtual std::uint64_t call_clobbered() const = 0;
    [[nodiscard]] virtual CallingConvention convention() const = 0;
    // The sizes that a call instruction can have, bytes.
    [[nodiscard]] virtual std::span<const std::uint8_t> call_lengths() const = 0;
    // Append the instructions of CODE; one that cannot be decoded ends them, or
    // is passed over with nothing known behind it.
    virtual void decode(std::span<const std::byte> code, std::uint64_t address,
                        std::vector<Instruction> &out) const = 0;
};

// By ELF's e_machine; null for one that is not known here.
std::unique_ptr<Architecture> make_architecture(unsigned machine);
// By the name that ElfHeaders has for it.
std::unique_ptr<Architecture> make_architecture(std::string_view machine);
std::unique_ptr<Architecture> make_x86_64();
std::unique_ptr<Architecture> make_aarch64();

}  // namespace gdb_ompd::code
