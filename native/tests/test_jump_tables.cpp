// SPDX-License-Identifier: Apache-2.0
// Where a switch leads, on code as clang writes it.
#include "code/jump_tables.hpp"

#include <elf.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>

namespace gdb_ompd::code {
namespace {

constexpr std::uint64_t start = 0x1000;
constexpr std::uint64_t table = 0x5000;
constexpr std::uint64_t first_case = start + 0x19;
constexpr std::size_t jump = 7;  // the instruction

// mov %eax,%ebp; then COMPARED; ja to the ret; mov %ebp,%eax; lea table(%rip),%rcx;
// movslq (%rcx,%rax,4),%rax; add %rcx,%rax; jmp *%rax; four nops; ret
std::vector<std::uint64_t> cases(std::string_view compared, std::uint64_t last = first_case + 3,
                                 std::string_view behind = "90909090c3") {
    std::string hex("89c5");
    hex.append(compared).append("771689e8488d0df03f0000486304814801c8ffe0").append(behind);
    std::vector<std::byte> bytes;
    for (std::size_t at = 0; at + 1 < hex.size(); at += 2) {
        bytes.push_back(std::byte(std::stoul(hex.substr(at, 2), nullptr, 16)));
    }
    std::vector<Instruction> instructions;
    make_architecture(EM_X86_64)->decode(bytes, start, instructions);
    const FunctionCode code(start, start + bytes.size(), std::move(instructions));
    return cases_of(code, jump,
                    [&](std::uint64_t address, unsigned size) -> std::optional<std::uint64_t> {
                        if (size != 4 || address < table || address >= table + 16) {
                            return std::nullopt;
                        }
                        const std::uint64_t number = (address - table) / 4;
                        const std::uint64_t place = number == 3 ? last : first_case + number;
                        return (place - table) & 0xffff'ffff;
                    });
}

TEST(JumpTables, HaveAsManyCasesAsTheComparisonLeaves) {
    const std::vector<std::uint64_t> all{first_case, first_case + 1, first_case + 2,
                                         first_case + 3};
    EXPECT_EQ(cases("83f803"), all);                                      // cmp $3,%eax
    EXPECT_EQ(cases("83fd02"), std::vector(all.begin(), all.end() - 1));  // cmp $2,%ebp
}

TEST(JumpTables, AreNotKnownByAnotherComparison) {
    EXPECT_TRUE(cases("83f903").empty());  // cmp $3,%ecx
    EXPECT_TRUE(cases("39c890").empty());  // cmp %ecx,%eax; nop
}

TEST(JumpTables, LeadToInstructionsOfTheFunction) {
    EXPECT_TRUE(cases("83f803", start + 1).empty());
    EXPECT_TRUE(cases("83f804").empty());  // the fifth is not in the table
}

TEST(JumpTables, AreNotKnownWhereAnotherJumpLeadsBehindTheComparison) {
    EXPECT_TRUE(cases("83f803", first_case + 3, "9090ebea90c3").empty());
}

}  // namespace
}  // namespace gdb_ompd::code
