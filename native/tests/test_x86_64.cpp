// SPDX-License-Identifier: Apache-2.0
// What recovery is told of x86-64 instructions.
#include "code/architecture.hpp"

#include <gtest/gtest.h>

namespace gdb_ompd::code {

namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::uint64_t start = 0x10000;
constexpr Register rax = 0;
constexpr Register rcx = 1;
constexpr Register xmm0 = first_vector_register;
constexpr Register xmm1 = first_vector_register + 1;
constexpr Register xmm2 = first_vector_register + 2;

std::vector<Instruction> decode(const Bytes &bytes) {
    std::vector<Instruction> out;
    make_x86_64()->decode(std::as_bytes(std::span(bytes)), start, out);
    return out;
}

Instruction only(const Bytes &bytes) {
    const auto all = decode(bytes);
    EXPECT_EQ(all.size(), 1U);
    return all.at(0);
}

void expect_memory(const Memory &memory, Register base, std::int64_t displacement) {
    EXPECT_EQ(memory.base, base);
    EXPECT_EQ(memory.index, no_register);
    EXPECT_EQ(memory.displacement, displacement);
}

TEST(X86, AddressesAreRelativeToTheNextInstruction) {
    const Instruction lea = only({0x48, 0x8d, 0x05, 0x34, 0x12, 0, 0});  // lea rax, [rip+0x1234]
    EXPECT_EQ(lea.operation, Operation::address);
    EXPECT_EQ(lea.destination, rax);
    expect_memory(lea.memory, no_register, start + 7 + 0x1234);
}

void expect_constant(const Bytes &bytes, Register destination, std::int64_t value, unsigned width) {
    const Instruction move = only(bytes);
    EXPECT_EQ(move.operation, Operation::move);
    EXPECT_EQ(move.destination, destination);
    EXPECT_EQ(move.source, no_register);
    EXPECT_EQ(move.immediate, value);
    EXPECT_EQ(move.width, width);
    EXPECT_NE(move.writes & bit_of(destination), 0U);
}

TEST(X86, MovesConstants) {
    expect_constant({0xb8, 0x40, 0, 0, 0}, rax, 0x40, 4);  // mov eax, 0x40
    expect_constant({0x48, 0xb8, 0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11}, rax,
                    0x1122334455667788, 8);                  // movabs rax, 0x1122334455667788
    expect_constant({0xb0, 0x01}, rax, 1, 1);                // mov al, 1
    expect_constant({0x31, 0xc9}, rcx, 0, 64);               // xor ecx, ecx
    expect_constant({0x66, 0x0f, 0xef, 0xd2}, xmm2, 0, 64);  // pxor xmm2, xmm2
}

TEST(X86, MovesBetweenRegisters) {
    const Instruction general = only({0x89, 0xc8});  // mov eax, ecx
    EXPECT_EQ(general.operation, Operation::move);
    EXPECT_EQ(general.destination, rax);
    EXPECT_EQ(general.source, rcx);
    EXPECT_EQ(general.width, 4);
    const Instruction vector = only({0x66, 0x48, 0x0f, 0x6e, 0xc0});  // movq xmm0, rax
    EXPECT_EQ(vector.operation, Operation::move);
    EXPECT_EQ(vector.destination, xmm0);
    EXPECT_EQ(vector.source, rax);
}

void expect_access(const Bytes &bytes, Operation operation, unsigned width, Register base,
                   std::int64_t displacement) {
    const Instruction access = only(bytes);
    EXPECT_EQ(access.operation, operation);
    EXPECT_EQ(access.width, width);
    expect_memory(access.memory, base, displacement);
}

TEST(X86, LoadsAndStores) {
    const Bytes constant = {0x48, 0xc7, 0x05, 0, 1, 0, 0, 0xc8, 1, 0, 0};
    expect_access(constant, Operation::store, 8, no_register, start + 11 + 0x100);
    EXPECT_EQ(only(constant).source, no_register);  // mov qword ptr [rip+0x100], 0x1c8
    EXPECT_EQ(only(constant).immediate, 0x1c8);
    const Bytes load = {0x48, 0x8b, 0x05, 0, 1, 0, 0};  // mov rax, [rip+0x100]
    expect_access(load, Operation::load, 8, no_register, start + 7 + 0x100);
    EXPECT_EQ(only(load).destination, rax);
    const Bytes store = {0x48, 0x89, 0x08};  // mov [rax], rcx
    expect_access(store, Operation::store, 8, rax, 0);
    EXPECT_EQ(only(store).source, rcx);
    const Bytes vector = {0x0f, 0x11, 0x0d, 0, 1, 0, 0};  // movups [rip+0x100], xmm1
    expect_access(vector, Operation::store, 16, no_register, start + 7 + 0x100);
    EXPECT_EQ(only(vector).source, xmm1);
    const Bytes widened = {0x0f, 0xb6, 0x00};  // movzx eax, byte ptr [rax]
    expect_access(widened, Operation::load, 1, rax, 0);
    EXPECT_EQ(only(widened).destination, rax);
}

TEST(X86, ChangesMemoryInPlace) {
    const Bytes set = {0x48, 0x83, 0x08, 0x01};  // or qword ptr [rax], 1
    expect_access(set, Operation::store_or, 8, rax, 0);
    EXPECT_EQ(only(set).immediate, 1);
    const Bytes clear = {0x48, 0x83, 0x20, 0x00};  // and qword ptr [rax], 0
    expect_access(clear, Operation::store_and, 8, rax, 0);
    EXPECT_EQ(only(clear).immediate, 0);
    expect_access({0x48, 0x83, 0x38, 0x00}, Operation::compare, 8, rax, 0);  // cmp [rax], 0
    expect_access({0x48, 0xff, 0x00}, Operation::update, 8, rax, 0);         // inc [rax]
    expect_access({0x0f, 0x17, 0x00}, Operation::update, 8, rax, 0);         // movhps [rax], xmm0
    expect_access({0x0f, 0xae, 0x20}, Operation::update, 0, rax, 0);         // xsave [rax]
}

TEST(X86, ConstantsThatAreAddedToMemoryAreKnown) {
    EXPECT_EQ(only({0x83, 0x00, 0x03}).immediate, 3);                    // add dword ptr [rax], 3
    EXPECT_EQ(only({0x83, 0x28, 0x03}).immediate, -3);                   // sub dword ptr [rax], 3
    EXPECT_EQ(only({0xff, 0x08}).immediate, -1);                         // dec dword ptr [rax]
    EXPECT_EQ(only({0x01, 0x08}).immediate, 0);                          // add dword ptr [rax], ecx
    EXPECT_EQ(only({0x83, 0x08, 0x03}).operation, Operation::store_or);  // or dword ptr [rax], 3
}

TEST(X86, UnfollowedValuesAreNoConstants) {
    // mov word ptr [rax], es
    EXPECT_EQ(only({0x8c, 0x00}).operation, Operation::update);
    // add rax, [rip+0x100]: the sum is not what was loaded
    const Instruction sum = only({0x48, 0x03, 0x05, 0, 1, 0, 0});
    EXPECT_EQ(sum.operation, Operation::load);
    EXPECT_EQ(sum.destination, no_register);
    EXPECT_NE(sum.writes & bit_of(rax), 0U);
}

TEST(X86, MemoryHasAnIndexOrASegment) {
    const Instruction indexed = only({0x48, 0x8b, 0x04, 0xc8});  // mov rax, [rax+rcx*8]
    EXPECT_EQ(indexed.memory.base, rax);
    EXPECT_EQ(indexed.memory.index, rcx);
    EXPECT_EQ(indexed.memory.scale, 8);
    EXPECT_FALSE(indexed.memory.thread_local_segment);
    // mov rax, fs:0x28
    const Instruction canary = only({0x64, 0x48, 0x8b, 0x04, 0x25, 0x28, 0, 0, 0});
    EXPECT_TRUE(canary.memory.thread_local_segment);
}

TEST(X86, PushesAndPops) {
    const Instruction constant = only({0x6a, 0x40});  // push 0x40
    EXPECT_EQ(constant.operation, Operation::push);
    EXPECT_EQ(constant.source, no_register);
    EXPECT_EQ(constant.immediate, 0x40);
    const Instruction other = only({0x55});  // push rbp
    EXPECT_EQ(other.operation, Operation::push);
    EXPECT_NE(other.source, no_register);
    const Instruction pop = only({0x58});  // pop rax
    EXPECT_EQ(pop.operation, Operation::pop);
    EXPECT_EQ(pop.destination, rax);
    const Instruction leave = only({0xc9});
    EXPECT_EQ(leave.operation, Operation::pop);
    EXPECT_EQ(leave.destination, 5);  // rbp
}

void expect_flow(const Bytes &bytes, Operation operation, std::uint64_t target) {
    EXPECT_EQ(only(bytes).operation, operation);
    EXPECT_EQ(only(bytes).target, target);
}

TEST(X86, FlowHasATarget) {
    expect_flow({0xe8, 0x3b, 0, 0, 0}, Operation::call, start + 0x40);
    expect_flow({0xeb, 0xf6}, Operation::jump, start - 8);
    expect_flow({0xff, 0xd0}, Operation::call, 0);  // call rax
    expect_flow({0x75, 0x0e}, Operation::branch, start + 16);
    expect_flow({0xc3}, Operation::give_back, 0);
    expect_flow({0x0f, 0x0b}, Operation::trap, 0);  // ud2
}

TEST(X86, ACallOfTheKernelChangesRegisters) {
    const Instruction call = only({0x0f, 0x05});  // syscall
    EXPECT_NE(call.writes & bit_of(rax), 0U);
    EXPECT_NE(call.writes & bit_of(rcx), 0U);
    EXPECT_FALSE(call.ends_flow());
}

TEST(X86, MarkersDoNothing) {
    EXPECT_EQ(only({0xf3, 0x0f, 0x1e, 0xfa}).operation, Operation::nothing);  // endbr64
    EXPECT_EQ(only({0x90}).operation, Operation::nothing);
}

TEST(X86, StopsAtWhatCannotBeDecoded) {
    const auto code = decode({0x90, 0x06, 0xc3});  // nop; what was push es; ret
    ASSERT_EQ(code.size(), 1U);
    EXPECT_EQ(code[0].address, start);
}

}  // namespace

}  // namespace gdb_ompd::code
