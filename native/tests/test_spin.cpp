// SPDX-License-Identifier: Apache-2.0
// Whether a thread stays in a loop that looks at one word, on code as compilers write it.
#include "code/spin.hpp"

#include <elf.h>
#include <gtest/gtest.h>

#include <map>
#include <string_view>

namespace gdb_ompd::code {
namespace {

constexpr std::uint64_t start = 0x1000;
constexpr std::uint64_t word = 0x5000;
constexpr Register awaited = 0;  // rax
constexpr Register place = 7;    // rdi

using Registers = std::map<Register, std::uint64_t>;

std::optional<bool> spins(std::string_view hex, std::uint64_t offset, const Registers &registers,
                          std::uint64_t in_memory) {
    const auto architecture = code::make_architecture(EM_X86_64);
    std::vector<std::byte> bytes;
    for (std::size_t at = 0; at + 1 < hex.size(); at += 2) {
        bytes.push_back(std::byte(std::stoul(std::string(hex.substr(at, 2)), nullptr, 16)));
    }
    std::vector<Instruction> instructions;
    architecture->decode(bytes, start, instructions);
    const FunctionCode code(start, start + bytes.size(), std::move(instructions));
    return keeps_spinning(
        code, start + offset,
        [&](Register number) -> Value {
            const auto found = registers.find(number);
            return found == registers.end() ? std::nullopt : Value{found->second};
        },
        [&](std::uint64_t address, unsigned size) -> Value {
            return address == word && size == 8 ? Value{in_memory} : std::nullopt;
        });
}

// pause; mov (%rdi),%rdx; cmp %rdx,%rax; jae; ret: GCC's doacross
constexpr std::string_view loads = "f390488b174839d073f6c3";
// cmp (%rdi),%rax; jae; ret
constexpr std::string_view compares_memory = "483b0773fbc3";

TEST(Spin, GoesOnWhileTheWordIsNotWhatIsAwaited) {
    const Registers registers{{awaited, 7}, {place, word}};
    for (const std::uint64_t offset : {0, 2, 5, 8}) {
        EXPECT_EQ(spins(loads, offset, registers, 7), true) << offset;
        EXPECT_EQ(spins(loads, offset, registers, 8), false) << offset;
    }
    EXPECT_EQ(spins(compares_memory, 0, registers, 7), true);
    EXPECT_EQ(spins(compares_memory, 3, registers, 8), false);
}

TEST(Spin, IsNotKnownWithoutTheRegisters) {
    EXPECT_EQ(spins(loads, 0, {{awaited, 7}}, 7), std::nullopt);
    EXPECT_EQ(spins(loads, 0, {{place, word}}, 7), std::nullopt);
    EXPECT_EQ(spins(loads, 0, {{awaited, 7}, {place, word + 8}}, 7), std::nullopt);
}

TEST(Spin, IsNotKnownInAnotherLoop) {
    const Registers registers{{awaited, 7}, {place, word}};
    for (const std::string_view other : {
             // What it reads by changes: mov (%rdi),%rdx; add $8,%rdi; cmp %rdx,%rax; jae
             "488b174883c7084839d073f4c3",
             // It writes: mov (%rdi),%rdx; mov %rax,(%rdi); cmp %rdx,%rax; jae
             "488b174889074839d073f5c3",
             // It calls: call; mov (%rdi),%rdx; cmp %rdx,%rax; jae
             "e800000000488b174839d073f3c3",
             // It may end otherwise: cmp (%rdi),%rax; je; cmp (%rdi),%rax; jae
             "483b077405483b0773f6c3",
             // It is no loop: mov (%rdi),%rdx; cmp %rdx,%rax; jae; ret
             "488b174839d07300c3",
         }) {
        EXPECT_EQ(spins(other, 0, registers, 7), std::nullopt) << other;
    }
    EXPECT_EQ(spins(loads, 10, registers, 7), std::nullopt);  // behind it
    EXPECT_EQ(spins(loads, 1, registers, 7), std::nullopt);   // in no instruction
}

}  // namespace
}  // namespace gdb_ompd::code
