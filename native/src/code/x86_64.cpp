// SPDX-License-Identifier: Apache-2.0
// The processor x86-64, its instructions decoded by Capstone.
#include "code/architecture.hpp"
#include "code/decoder.hpp"
#include "code/x86_64_instruction.hpp"

#include <elf.h>

#include <algorithm>
#include <array>

namespace gdb_ompd::code {

namespace {

constexpr std::uint64_t vector_registers = 0xffffffff00000000U;

// The System V ABI for x86-64.
constexpr std::array<Register, 6> argument_registers{7, 6, 2, 1, 8, 9};
constexpr std::array<NamedRegister, 7> preserved_registers{
    {{"rbx", 3}, {"rsp", 4}, {"rbp", 5}, {"r12", 12}, {"r13", 13}, {"r14", 14}, {"r15", 15}}};
constexpr std::array<NamedRegister, 9> other_registers{{{"rax", 0},
                                                        {"rcx", 1},
                                                        {"rdx", 2},
                                                        {"rsi", 6},
                                                        {"rdi", 7},
                                                        {"r8", 8},
                                                        {"r9", 9},
                                                        {"r10", 10},
                                                        {"r11", 11}}};
constexpr std::array<std::string_view, 16> names{"rax", "rcx", "rdx", "rbx", "rsp", "rbp",
                                                 "rsi", "rdi", "r8",  "r9",  "r10", "r11",
                                                 "r12", "r13", "r14", "r15"};
constexpr std::array<std::uint8_t, 6> lengths_of_calls{5, 6, 2, 3, 4, 7};

class X86_64 final : public Architecture {
public:
    X86_64() : decoder_(CS_ARCH_X86, CS_MODE_64) {}

    [[nodiscard]] std::string_view name() const override { return "x86-64"; }
    [[nodiscard]] RelocationTypes relocations() const override {
        return {R_X86_64_64, R_X86_64_GLOB_DAT, R_X86_64_JUMP_SLOT, R_X86_64_RELATIVE};
    }
    [[nodiscard]] bool stores_are_moved() const override { return false; }
    [[nodiscard]] Register named(std::string_view name) const override {
        const auto *const found = std::ranges::find(names, name);
        return found != names.end() ? static_cast<Register>(found - names.begin())
                                    : numbered(name, "xmm", first_vector_register, 32);
    }
    [[nodiscard]] std::uint64_t call_clobbered() const override {
        // rax, rcx, rdx, rsi, rdi, r8 to r11 (System V ABI), and every vector register.
        return 0x0fc7U | vector_registers;
    }
    [[nodiscard]] CallingConvention convention() const override {
        return {argument_registers, preserved_registers, other_registers, 4, 5, 0, 8, 10};
    }
    [[nodiscard]] std::span<const std::uint8_t> call_lengths() const override {
        return lengths_of_calls;
    }
    void decode(std::span<const std::byte> code, std::uint64_t address,
                std::vector<Instruction> &out) const override {
        decoder_.each(code, address, [&](const cs_insn &raw) {
            Instruction &instruction = out.emplace_back();
            instruction.address = raw.address;
            instruction.length = static_cast<std::uint8_t>(raw.size);
            x86::translate(raw, instruction);
        });
    }

private:
    Decoder decoder_;
};

}  // namespace

std::unique_ptr<Architecture> make_x86_64() { return std::make_unique<X86_64>(); }

}  // namespace gdb_ompd::code
