// SPDX-License-Identifier: Apache-2.0
// A call's arguments from the code before it, on code as compilers write it.
#include "code/evaluation.hpp"

#include <elf.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace gdb_ompd::code {
namespace {

constexpr std::uint64_t start = 0x1000;

const std::map<std::uint64_t, std::uint64_t> words{{0x6fe8, 0x5555}, {0x6f00, 0x777},
                                                   {0x5000, 0x6000}, {0x5014, 0xffffffff},
                                                   {0x6f08, 0x888},  {0x6f18, 0x999}};

std::vector<std::byte> bytes_of(std::string_view hex) {
    std::vector<std::byte> bytes;
    for (std::size_t at = 0; at + 1 < hex.size(); at += 2) {
        bytes.push_back(std::byte(std::stoul(std::string(hex.substr(at, 2)), nullptr, 16)));
    }
    return bytes;
}

struct ArgumentCase {
    const char *name;
    const char *code;
    std::size_t number;
    Value expected;
    Value given;  // to the function
};

// An argument of the last call or jump of CODE.
Value argument(unsigned machine, const ArgumentCase &one,
               const std::map<Register, std::uint64_t> &registers) {
    const auto architecture = code::make_architecture(machine);
    const auto bytes = bytes_of(one.code);
    std::vector<Instruction> instructions;
    architecture->decode(bytes, start, instructions);
    const FunctionCode code(start, start + bytes.size(), std::move(instructions));
    const std::size_t last = code.instructions().size() - 1;
    FunctionValues values(code, *architecture);
    Evaluation here(values,
                    {last,
                     [&](Register name) -> Value {
                         const auto found = registers.find(name);
                         return found == registers.end() ? std::nullopt : Value{found->second};
                     },
                     [](std::uint64_t address, unsigned size) -> Former {
                         const auto found = words.find(address);
                         if (found == words.end()) {
                             return {};
                         }
                         return {size == 4 ? found->second & 0xffffffffU : found->second, false};
                     },
                     [&](Register) {
                         return Former{one.given, true};
                     }});
    return here.argument(last, one.number).value;
}

class X86Arguments : public testing::TestWithParam<ArgumentCase> {};

TEST_P(X86Arguments, AreWhatTheCodeSets) {
    // rbx, rsp, rbp, r14
    const std::map<Register, std::uint64_t> registers{
        {3, 0xb0b}, {4, 0x6f00}, {5, 0x7000}, {14, 3}};
    EXPECT_EQ(argument(EM_X86_64, GetParam(), registers), GetParam().expected);
}

std::string name_of(const testing::TestParamInfo<ArgumentCase> &info) { return info.param.name; }

const ArgumentCase x86_cases[] = {
    // mov $0x404060,%edi; call 0x2000
    {"constant", "bf60404000e8f60f0000", 0, 0x404060, std::nullopt},
    // lea lock(%rip),%rdi; call 0x2000; .set lock,0x4040d0
    {"relative", "488d3dc9304000e8f40f0000", 0, 0x4040d0, std::nullopt},
    // mov -0x18(%rbp),%rdi; call 0x2000
    {"variable", "488b7de8e8f70f0000", 0, 0x5555, std::nullopt},
    // lea -0x20(%rbp),%rdx; call 0x2000
    {"address_of_variable", "488d55e0e8f70f0000", 2, 0x6fe0, std::nullopt},
    // mov %rbx,%rdi; xor %eax,%eax; call 0x2000
    {"kept_register", "4889df31c0e8f60f0000", 0, 0xb0b, std::nullopt},
    // lea 0x4060(,%r14,8),%rdi; call 0x2000
    {"element", "4a8d3cf560400000e8f30f0000", 0, 0x4078, std::nullopt},
    // mov -0x18(%rbp),%rax; add $0x10,%rax; mov %rax,%rdi; call 0x2000
    {"sum", "488b45e84883c0104889c7e8f00f0000", 0, 0x5565, std::nullopt},
    // mov $0x5000,%eax; movslq 0x14(%rax),%rdi; call 0x2000
    {"sign_extended", "b80050000048637814e8f20f0000", 0, 0xffffffffffffffffU, std::nullopt},
    // mov %r14,%rax; shl $0x3,%rax; lea 0x100(%rax),%rdi; call 0x2000
    {"shifted", "4c89f048c1e003488db800010000e8ed0f0000", 0, 0x118, std::nullopt},
    // mov -0x18(%rbp),%eax; cltd; mov $3,%ecx; idiv %ecx; mov %edx,%edi; call 0x2000
    {"remainder", "8b45e899b903000000f7f989d7e8fb0e0000", 0, 2, std::nullopt},
    // imul $0x55555556,%r14,%rdi; mov %rdi,%rax; shr $63,%rax; shr $32,%rdi; add %eax,%edi; call
    {"third_by_product", "4969fe565555554889f848c1e83f48c1ef2001c7e8fb0e0000", 0, 1, std::nullopt},
    // movabs $0xaaaaaaaaaaaaaaab,%rcx; mov %rbx,%rax; mul %rcx; shr %rdx; mov %rdx,%rdi; call
    {"third_by_upper_half", "48b9abaaaaaaaaaaaaaa4889d848f7e148d1ea4889d7e8fb0e0000", 0, 0x3ae,
     std::nullopt},
    // mov %r14d,%edi; neg %edi; not %edi; dec %edi; xor $0x10,%edi; sar %edi; call 0x2000
    {"of_one_operand", "4489f7f7dff7d7ffcf83f710d1ffe8fb0e0000", 0, 8, std::nullopt},
    // mov %rbx,%rax; mov $1,%edx; divq -0x18(%rbp); mov %rdx,%rdi; call 0x2000
    {"dividend_of_two_words", "4889d8ba0100000048f775e84889d7e8fb0e0000", 0, std::nullopt,
     std::nullopt},
    // mov %rbx,%rax; xor %edx,%edx; mov $7,%ecx; div %rcx; mov %rax,%rdi; call 0x2000
    {"quotient", "4889d831d2b90700000048f7f14889c7e8fb0e0000", 0, 0x193, std::nullopt},
    // imul $0x18,%r14,%rax; lea 0x100(%rax),%rdi; call 0x2000
    {"product", "496bc618488db800010000e8f00f0000", 0, 0x148, std::nullopt},
    // xor %edi,%edi; call 0x2000
    {"cleared", "31ffe8f90f0000", 0, 0x0, std::nullopt},
    // mov -0x18(%rbp),%cl; mov $0x10,%edi; mov $0x20,%eax; test $1,%cl; cmovne %rax,%rdi; call
    {"chosen", "8a4de8bf10000000b820000000f6c101480f45f8e8e70f0000", 0, 0x20, std::nullopt},
    // mov $0x10,%edi; mov $0x20,%eax; cmpl $0x5556,-0x18(%rbp); cmovge %rax,%rdi; call 0x2000
    {"not_chosen", "bf10000000b820000000817de856550000480f4df8e8e60f0000", 0, 0x10, std::nullopt},
    // cmpl $0x5555,-0x18(%rbp); je 1f; mov $0x10,%edi; jmp 2f; 1: mov $0x20,%edi; 2: call
    {"by_a_branch", "817de8555500007407bf10000000eb05bf20000000e8e60f0000", 0, 0x20, std::nullopt},
    // the same with jne
    {"not_by_a_branch", "817de8555500007507bf10000000eb05bf20000000e8e60f0000", 0, 0x10,
     std::nullopt},
    // cmp $3,%r14; ja 1f; cmpb $0,-0x18(%rbp); jne 3f; mov $0x10,%edi; jmp 2f;
    // 3: mov $0x30,%edi; jmp 2f; 1: mov $0x20,%edi; 2: call 0x2000
    {"by_two_branches", "4983fe037714807de8007507bf10000000eb0cbf30000000eb05bf20000000e8dc0f0000",
     0, 0x30, std::nullopt},
    // mov %r14d,%eax; sub $5,%eax; js 1f; mov $0x10,%edi; jmp 2f; 1: mov $0x20,%edi; 2: call
    {"by_a_difference", "4489f083e8057807bf10000000eb05bf20000000e8e70f0000", 0, 0x20,
     std::nullopt},
    // cmp $3,%r8d; je 1f; mov $0x10,%edi; jmp 2f; 1: mov $0x20,%edi; 2: call 0x2000
    {"by_an_unknown_branch", "4183f8037407bf10000000eb05bf20000000e8e90f0000", 0, std::nullopt,
     std::nullopt},
    // cmp $3,%r14d; call 0x3000; je 1f; mov $0x10,%edi; jmp 2f; 1: mov $0x20,%edi; 2: call
    {"by_flags_of_a_callee", "4183fe03e8f71f00007407bf10000000eb05bf20000000e8e40f0000", 0,
     std::nullopt, std::nullopt},
    // mov %r14d,%eax; cmp $3,%eax; inc %eax; je 1f; mov $0x10,%edi; jmp 2f;
    // 1: mov $0x20,%edi; 2: call 0x2000
    {"by_flags_of_another", "4489f083f803ffc07407bf10000000eb05bf20000000e8e50f0000", 0,
     std::nullopt, std::nullopt},
    // cmpb $0,-0x18(%rbp); sete %al; movzbl %al,%eax; lea 0x4060(,%rax,8),%rdi; call 0x2000
    {"by_a_truth", "807de8000f94c00fb6c0488d3cc560400000e8e90f0000", 0, 0x4060, std::nullopt},
    // mov -0x18(%rbp),%dil; call 0x2000
    {"part_of_a_register", "408a7de8e8f70f0000", 0, std::nullopt, std::nullopt},
    // call 0x2000
    {"on_the_stack", "e8fb0f0000", 6, 0x777, std::nullopt},
    // mov $0x1,%edi; call 0x3000; call 0x2000
    {"destroyed", "bf01000000e8f61f0000e8f10f0000", 0, std::nullopt, std::nullopt},
    // mov $0x9,%ebx; call 0x3000; mov %rbx,%rdi; call 0x2000
    {"kept_over_call", "bb09000000e8f61f00004889dfe8ee0f0000", 0, 0x9, std::nullopt},
    // lea lock(%rip),%r12; mov %r12,%rdi; call 0x2000; what r12 is by now is not known
    {"set_kept_register", "4c8d25c93040004c89e7e8f10f0000", 0, 0x4040d0, std::nullopt},
    // lea lock(%rip),%r12; call 0x3000; mov %r12,%rdi; call 0x2000
    {"set_before_a_call", "4c8d25c9304000e8f41f00004c89e7e8ec0f0000", 0, 0x4040d0, std::nullopt},
    // jmp 0x2000
    {"given", "e9fb0f0000", 0, 0x42, 0x42},
    // mov %rsi,%rdi; jmp 0x2000
    {"given_second", "4889f7e9f80f0000", 0, 0x42, 0x42},
    // jmp 0x2000
    {"given_unknown", "e9fb0f0000", 0, std::nullopt, std::nullopt},
    // mov $0x1,%edi; je 1f; mov $0x2,%edi; 1: call 0x2000
    {"ways_differ", "bf010000007405bf02000000e8ef0f0000", 0, std::nullopt, std::nullopt},
    // mov $0x1,%edi; je 1f; mov $0x1,%edi; 1: call 0x2000
    {"ways_agree", "bf010000007405bf01000000e8ef0f0000", 0, 0x1, std::nullopt},
    // mov $0x1,%edi; mov $0x2,%eax; cmove %rax,%rdi; call 0x2000
    {"conditional", "bf01000000b802000000480f44f8e8ed0f0000", 0, std::nullopt, std::nullopt},
    // mov $0x10,%edi; 1: add $0x8,%rdi; jne 1b; call 0x2000
    {"loop", "bf100000004883c70875fae8f00f0000", 0, std::nullopt, std::nullopt},
    // lea lock(%rip),%r12; 1: mov %r12,%rdi; dec %r13d; jne 1b; call 0x2000; .set lock,0x4040d0
    {"kept_in_a_loop", "4c8d25c93040004c89e741ffcd75f8e8ec0f0000", 0, 0x4040d0, std::nullopt},
    // lea 8(%rbx),%r12; the same loop
    {"of_another_kept_in_a_loop", "4c8d63084c89e741ffcd75f8e8ef0f0000", 0, 0xb13, std::nullopt},
    // lea lock(%rip),%r12; 1: mov %r12,%rdi; add $8,%r12; dec %r13d; jne 1b; call 0x2000
    {"changed_in_a_loop", "4c8d25c93040004c89e74983c40841ffcd75f4e8e80f0000", 0, std::nullopt,
     std::nullopt},
    // lea 8(%rbx),%r12; 1: mov %r12,%rdi; inc %rbx; dec %r13d; jne 1b; call 0x2000
    {"of_one_changed_in_a_loop", "4c8d63084c89e748ffc341ffcd75f5e8ec0f0000", 0, std::nullopt,
     std::nullopt},
    // mov -0x18(%rbp),%r12; 1: mov %r12,%rdi; dec %r13d; jne 1b; call 0x2000
    {"of_memory_before_a_loop", "4c8b65e84c89e741ffcd75f8e8ef0f0000", 0, 0x5555, std::nullopt},
    // mov -0x18(%rbp),%r12; 1: mov %r12,%rdi; mov %r13,-0x18(%rbp); dec %r13d; jne 1b; call 0x2000
    {"of_memory_changed_in_a_loop", "4c8b65e84c89e74c896de841ffcd75f4e8eb0f0000", 0, std::nullopt,
     std::nullopt},
    // mov %rbx,%rdi; mov $0x1,%ebx; call 0x2000
    {"changed_since", "4889dfbb01000000e8f30f0000", 0, std::nullopt, std::nullopt},
    // push %rbx; mov %rdi,%rbx; call 0x2000
    {"copy", "534889fbe8f70f0000", 0, 0xb0b, std::nullopt},
    // je 1f; call 0x3000; 1: mov %rdi,%rbx; call 0x2000
    {"copy_merged", "7405e8f91f00004889fbe8f10f0000", 0, 0xb0b, std::nullopt},
    // mov $0x1,%edi; mov %rdi,%rbx; call 0x2000
    {"copy_of_constant", "bf010000004889fbe8f30f0000", 0, 0x1, std::nullopt},
    // mov %rdi,%rbx; mov $0x1,%ebx; call 0x2000
    {"copy_changed", "4889fbbb01000000e8f30f0000", 0, std::nullopt, std::nullopt},
    // mov %rdi,%rbx; call 0x3000; call 0x2000
    {"copy_before_call", "4889fbe8f81f0000e8f30f0000", 0, std::nullopt, std::nullopt},
    // mov %edi,%ebx; call 0x2000
    {"half_a_copy", "89fbe8f90f0000", 0, std::nullopt, std::nullopt},
    // mov $0x1,%edi; jmp *%rax; jmp 1f; 1: call 0x2000
    {"jump_table", "bf01000000ffe0eb00e8f20f0000", 0, std::nullopt, std::nullopt},
    // mov $0x1,%edi; mov $0x2,%dil; call 0x2000
    {"part_written", "bf0100000040b702e8f30f0000", 0, 0x2, std::nullopt},
    // lea 0x8(%rsp),%rdi; push %rax; call 0x2000
    {"stack_moved", "488d7c240850e8f50f0000", 0, 0x6f10, std::nullopt},
    // lea 0x8(%rsp),%rdi; push %rax; push $7; call 0x2000: the eighth argument
    {"pushed", "488d7c2408506a07e8f30f0000", 7, 0x888, std::nullopt},
    // push %rbp; mov %rsp,%rbp; mov %edi,-0x18(%rbp); call 0x3000; movslq -0x18(%rbp),%rdi; call
    {"part_kept_on_the_stack", "554889e5897de8e8f41f000048637de8e8eb0f0000", 0, 0x5555,
     std::nullopt},
    // push %rbp; mov %rsp,%rbp; mov %rdi,-0x18(%rbp); xor %edi,%edi; call 0x3000; mov
    // -0x18(%rbp),%rdi; call 0x2000
    {"kept_on_the_stack", "554889e548897de831ffe8ef1f0000488b7de8e8e60f0000", 0, 0x5555,
     std::nullopt},
    // mov $0x1,%edi; xchg %rdi,%rax; call 0x2000
    {"exchanged", "bf010000004897e8f40f0000", 0, std::nullopt, std::nullopt},
    // mov %fs:0x28,%rdi; call 0x2000
    {"thread_local", "64488b3c2528000000e8f20f0000", 0, std::nullopt, std::nullopt},
    // movzbl %bh,%edi; call 0x2000
    {"high_byte", "0fb6ffe8f80f0000", 0, std::nullopt, std::nullopt},
};
INSTANTIATE_TEST_SUITE_P(Compilers, X86Arguments, testing::ValuesIn(x86_cases), name_of);

class Aarch64Arguments : public testing::TestWithParam<ArgumentCase> {};

TEST_P(Aarch64Arguments, AreWhatTheCodeSets) {
    const std::map<Register, std::uint64_t> registers{{19, 0xb0b}, {31, 0x6f00}};
    EXPECT_EQ(argument(EM_AARCH64, GetParam(), registers), GetParam().expected);
}

const ArgumentCase aarch64_cases[] = {
    // mov x0,#5; bl
    {"constant", "a00080d200040094", 0, 0x5, std::nullopt},
    // mov x1,x19; bl
    {"kept_register", "e10313aa00040094", 1, 0xb0b, std::nullopt},
    // ldr x0,[sp,#8]; bl
    {"variable", "e00740f900040094", 0, 0x888, std::nullopt},
    // adrp x0,0x2000; add x0,x0,#16; bl
    {"relative", "000000b00040009100040094", 0, 0x2010, std::nullopt},
    // mov w0,#0x1234; movk w0,#0x5678,lsl #16; bl
    {"two_halves", "8046825200cfaa7200040094", 0, 0x56781234, std::nullopt},
    // mov x0,#1; bl; bl
    {"destroyed", "200080d20004009400040094", 0, std::nullopt, std::nullopt},
    // b
    {"given", "00040014", 0, 0x42, 0x42},
    // stp x29,x30,[sp,#-32]!; str x0,[sp,#24]; bl; ldr x0,[sp,#24]; bl
    {"kept_on_the_stack", "fd7bbea9e00f00f900040094e00f40f900040094", 0, 0x999, std::nullopt},
    // add x0,sp,#8; str x19,[sp,#-16]!; bl
    {"stack_moved", "e0230091f30f1ff800040094", 0, 0x6f18, std::nullopt},
    // bl: the ninth argument
    {"on_the_stack", "00040094", 8, 0x777, std::nullopt},
};
INSTANTIATE_TEST_SUITE_P(Compilers, Aarch64Arguments, testing::ValuesIn(aarch64_cases), name_of);

// The third argument of a function that is in its only call.
Value kept(const char *hex) {
    const auto architecture = code::make_architecture(EM_X86_64);
    const auto bytes = bytes_of(hex);
    std::vector<Instruction> instructions;
    architecture->decode(bytes, start, instructions);
    const FunctionCode code(start, start + bytes.size(), std::move(instructions));
    const auto calls = [](const Instruction &one) { return one.is_call(); };
    const auto call = std::ranges::find_if(code.instructions(), calls);
    FunctionValues values(code, *architecture);
    Evaluation here(values, {static_cast<std::size_t>(call - code.instructions().begin()),
                             [](Register name) { return name == 3 ? Value{0x77} : Value{}; },
                             [](std::uint64_t, unsigned) { return Former(); },
                             [](Register) { return Former(); }});
    return here.at_entry(architecture->convention().arguments[2]).value;
}

TEST(KeptArgument, IsInARegisterThatNothingChangesAgain) {
    // push rbx; mov rbx, rdx; call; pop rbx; ret
    EXPECT_EQ(kept("534889d3e8000000005bc3"), Value{0x77});
    // mov rdx, rax before; jz past the copy; mov ebx, 1 behind it: it is another, or may be
    EXPECT_EQ(kept("534889c24889d3e8000000005bc3"), std::nullopt);
    EXPECT_EQ(kept("5374034889d3e8000000005bc3"), std::nullopt);
    EXPECT_EQ(kept("534889d3bb01000000e8000000005bc3"), std::nullopt);
    EXPECT_EQ(kept("c34889d3e8000000005bc3"), std::nullopt);  // behind a return
    // A loop around the call: mov rbx, rdx; call; dec rbx; jnz to the call
    EXPECT_EQ(kept("534889d3e80000000048ffcb75f65bc3"), std::nullopt);
    EXPECT_EQ(kept("534889d3e80000000048ffc875f65bc3"), Value{0x77});  // of another register
}

// What a register held at the beginning of a function that is in its last call.
Value saved(Register name) {
    // push rbx; sub rsp, 16; mov [rsp+8], rdx; mov rdi, rsp; call; mov [rax+8], rdi; xor ebx, ebx;
    // xor edx, edx; call
    const auto bytes = bytes_of("534883ec1048895424084889e7e8000000004889780831db31d2e800000000");
    const auto architecture = code::make_x86_64();
    std::vector<Instruction> instructions;
    architecture->decode(bytes, start, instructions);
    const FunctionCode code(start, start + bytes.size(), std::move(instructions));
    FunctionValues values(code, *architecture);
    Evaluation here(values, {code.instructions().size() - 1,
                             [](Register held) { return held == 4 ? Value{0x6f00} : Value{}; },
                             [](std::uint64_t address, unsigned) {
                                 return Former{address, false};
                             },
                             [](Register) { return Former(); }});
    return here.at_entry(name).value;
}

TEST(SavedRegister, IsChangedByNoPointerAndNoCall) {
    EXPECT_EQ(saved(3), Value{0x6f10});
    EXPECT_EQ(saved(2), std::nullopt);  // a variable: the call was given what is beside it
}

TEST(FunctionCode, FollowsCallsAndJumps) {
    // 1000: je 1007; call 2000; 1007: call 3000; jmp *rax
    const auto architecture = code::make_x86_64();
    const auto bytes = bytes_of("7405e8f90f0000e8f41f0000ffe0");
    std::vector<Instruction> instructions;
    architecture->decode(bytes, start, instructions);
    const FunctionCode code(start, start + bytes.size(), std::move(instructions));
    ASSERT_EQ(code.instructions().size(), 4U);
    EXPECT_EQ(code.call_before(0x1007), 1U);
    EXPECT_EQ(code.call_before(0x1006), std::nullopt);
    EXPECT_EQ(code.at(2).target, 0x3000U);
    ASSERT_EQ(code.jumps_to(2).size(), 1U);
    EXPECT_EQ(code.call_leading_to(3), 0x100cU);
    EXPECT_EQ(code.call_leading_to(1), std::nullopt);
    EXPECT_TRUE(code.jumps_anywhere());
    EXPECT_EQ(code.successors(0), (std::vector<std::size_t>{2, 1}));
    EXPECT_TRUE(code.successors(3).empty());
}

}  // namespace
}  // namespace gdb_ompd::code
