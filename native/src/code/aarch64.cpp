// SPDX-License-Identifier: Apache-2.0
// The processor aarch64, its instructions decoded by Capstone.
#include "code/aarch64_instruction.hpp"
#include "code/aarch64_registers.hpp"
#include "code/architecture.hpp"
#include "code/decoder.hpp"

#include <elf.h>

#include <array>

namespace gdb_ompd::code {

namespace {

constexpr std::uint64_t vector_registers = 0xffffffff00000000U;
// Compilers set the stack pointer by none that Capstone does not know.
constexpr std::uint64_t every_register = ~bit_of(aarch64::stack_pointer);
constexpr std::uint8_t instruction_size = 4;

// AAPCS64.
constexpr std::array<Register, 8> argument_registers{0, 1, 2, 3, 4, 5, 6, 7};
constexpr std::array<NamedRegister, 12> preserved_registers{{{"x19", 19},
                                                             {"x20", 20},
                                                             {"x21", 21},
                                                             {"x22", 22},
                                                             {"x23", 23},
                                                             {"x24", 24},
                                                             {"x25", 25},
                                                             {"x26", 26},
                                                             {"x27", 27},
                                                             {"x28", 28},
                                                             {"x29", 29},
                                                             {"sp", 31}}};
constexpr std::array<NamedRegister, 20> other_registers{
    {{"x0", 0},   {"x1", 1},   {"x2", 2},   {"x3", 3},   {"x4", 4},   {"x5", 5},   {"x6", 6},
     {"x7", 7},   {"x8", 8},   {"x9", 9},   {"x10", 10}, {"x11", 11}, {"x12", 12}, {"x13", 13},
     {"x14", 14}, {"x15", 15}, {"x16", 16}, {"x17", 17}, {"x18", 18}, {"x30", 30}}};
constexpr std::array<std::uint8_t, 1> lengths_of_calls{instruction_size};

class Aarch64 final : public Architecture {
public:
    Aarch64() : decoder_(CS_ARCH_ARM64, CS_MODE_LITTLE_ENDIAN) {}

    [[nodiscard]] std::string_view name() const override { return "aarch64"; }
    [[nodiscard]] RelocationTypes relocations() const override {
        return {R_AARCH64_ABS64, R_AARCH64_GLOB_DAT, R_AARCH64_JUMP_SLOT, R_AARCH64_RELATIVE};
    }
    [[nodiscard]] bool stores_are_moved() const override { return true; }
    [[nodiscard]] Register named(std::string_view name) const override {
        const Register vector = numbered(name, "v", first_vector_register, 32);
        return vector != no_register ? vector : numbered(name, "x", 0, 31);
    }
    [[nodiscard]] std::uint64_t call_clobbered() const override {
        // x0 to x18 and the link register (AAPCS64), and every vector register.
        return 0x4007ffffU | vector_registers;
    }
    [[nodiscard]] CallingConvention convention() const override {
        return {argument_registers,
                preserved_registers,
                other_registers,
                31,
                29,
                bit_of(16) | bit_of(17),
                0,
                3};
    }
    [[nodiscard]] std::span<const std::uint8_t> call_lengths() const override {
        return lengths_of_calls;
    }
    // All instructions have one size, so that the next is found behind one that
    // Capstone does not know (atomic ones, before its version 5).
    void decode(std::span<const std::byte> code, std::uint64_t address,
                std::vector<Instruction> &out) const override {
        while (code.size() >= instruction_size) {
            std::size_t known = 0;
            decoder_.each(code, address, [&](const cs_insn &raw) {
                known += raw.size;
                aarch64::translate(raw, out);
            });
            code = code.subspan(known);
            address += known;
            if (code.size() >= instruction_size) {
                Instruction &unknown = out.emplace_back();
                unknown.address = address;
                unknown.length = instruction_size;
                unknown.writes = every_register;
                code = code.subspan(instruction_size);
                address += instruction_size;
            }
        }
    }

private:
    Decoder decoder_;
};

}  // namespace

std::unique_ptr<Architecture> make_aarch64() { return std::make_unique<Aarch64>(); }

}  // namespace gdb_ompd::code
