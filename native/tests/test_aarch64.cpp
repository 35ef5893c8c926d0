// SPDX-License-Identifier: Apache-2.0
// What recovery is told of aarch64 instructions, and what it makes of the ones
// that x86-64 has not.
#include "code/architecture.hpp"
#include "code/effects.hpp"
#include "code/function_code.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

namespace gdb_ompd::code {

namespace {

using Words = std::vector<std::uint32_t>;
using Kind = Effect::Kind;

constexpr std::uint64_t start = 0x10000;
constexpr Register v0 = first_vector_register;
constexpr Register stack_pointer = 31;

std::vector<Instruction> decode(const Words &words) {
    std::vector<Instruction> out;
    make_aarch64()->decode(std::as_bytes(std::span(words)), start, out);
    return out;
}

Instruction only(std::uint32_t word) {
    const auto all = decode({word});
    EXPECT_EQ(all.size(), 1U);
    return all.at(0);
}

void expect_memory(const Memory &memory, Register base, std::int64_t displacement) {
    EXPECT_EQ(memory.base, base);
    EXPECT_EQ(memory.index, no_register);
    EXPECT_EQ(memory.displacement, displacement);
}

void expect_constant(std::uint32_t word, Register destination, std::int64_t value, unsigned width) {
    const Instruction move = only(word);
    EXPECT_EQ(move.operation, Operation::move);
    EXPECT_EQ(move.destination, destination);
    EXPECT_EQ(move.writes, bit_of(destination));
    EXPECT_EQ(move.source, no_register);
    EXPECT_EQ(move.immediate, value);
    EXPECT_EQ(move.width, width);
}

TEST(Aarch64, MovesConstants) {
    expect_constant(0x90000008, 8, start, 8);                  // adrp x8, its own page
    expect_constant(0xb0000868, 8, start + 0x10d000, 8);       // adrp x8, another
    expect_constant(0xd2803900, 0, 0x1c8, 8);                  // mov x0, #0x1c8
    expect_constant(0x92800020, 0, -2, 8);                     // mov x0, #-2
    expect_constant(0x52a00020, 0, 0x10000, 4);                // mov w0, #0x10000
    expect_constant(0xb2009fe0, 0, 0x00ff00ff00ff00ff, 8);     // mov x0, #0xff00ff00ff00ff
    expect_constant(0xaa1f03f3, 19, 0, 8);                     // mov x19, xzr
    expect_constant(0x6f00e400, v0, 0, 16);                    // movi v0.2d, #0
    expect_constant(0x4f000500, v0, 0x800000008, 16);          // movi v0.4s, #8
    expect_constant(0x0f000500, v0, 0x800000008, 8);           // movi v0.2s, #8
    expect_constant(0x6f008420, v0, ~0x0001000100010001, 16);  // mvni v0.8h, #1
}

TEST(Aarch64, InsertsIntoARegister) {
    const Instruction insert = only(0x72a00de9);  // movk w9, #0x6f, lsl #16
    EXPECT_EQ(insert.operation, Operation::insert);
    EXPECT_EQ(insert.destination, 9);
    EXPECT_EQ(insert.immediate, 0x6f);
    EXPECT_EQ(insert.shift, 16);
}

TEST(Aarch64, MovesBetweenRegisters) {
    const Instruction narrow = only(0x2a0103e0);  // mov w0, w1
    EXPECT_EQ(narrow.operation, Operation::move);
    EXPECT_EQ(narrow.source, 1);
    EXPECT_EQ(narrow.width, 4);
    const Instruction low = only(0x9e670100);  // fmov d0, x8
    EXPECT_EQ(low.operation, Operation::move);
    EXPECT_EQ(low.destination, v0);
    EXPECT_EQ(low.source, 8);
    EXPECT_EQ(low.width, 8);
    const Instruction both = only(0x4e080d00);  // dup v0.2d, x8
    EXPECT_EQ(both.operation, Operation::move);
    EXPECT_EQ(both.source, 8);
    EXPECT_EQ(both.second_source, 8);
    EXPECT_EQ(both.width, 8);
    const Instruction unfollowed = only(0x4ea11c20);  // mov v0.16b, v1.16b
    EXPECT_EQ(unfollowed.operation, Operation::other);
    EXPECT_EQ(unfollowed.writes, bit_of(v0));
}

TEST(Aarch64, AddsAreAddressesWhereTheyCanBe) {
    const Instruction address = only(0x9131d800);  // add x0, x0, #0xc76
    EXPECT_EQ(address.operation, Operation::address);
    EXPECT_EQ(address.destination, 0);
    expect_memory(address.memory, 0, 0xc76);
    expect_memory(only(0x91400420).memory, 1, 0x1000);  // add x0, x1, #1, lsl #12
    expect_memory(only(0xd1002020).memory, 1, -8);      // sub x0, x1, #8
    const Instruction near = only(0x10000080);          // adr x0, .+16
    EXPECT_EQ(near.operation, Operation::address);
    expect_memory(near.memory, no_register, start + 16);
    const Instruction narrow = only(0x31000793);  // adds w19, w28, #1
    EXPECT_EQ(narrow.operation, Operation::add);
    EXPECT_EQ(narrow.source, 28);
    EXPECT_EQ(narrow.immediate, 1);
    EXPECT_EQ(narrow.writes, bit_of(19));
    EXPECT_EQ(narrow.width, 4);
}

TEST(Aarch64, SetsBits) {
    const Instruction set = only(0xb240014a);  // orr x10, x10, #1
    EXPECT_EQ(set.operation, Operation::bit_or);
    EXPECT_EQ(set.destination, 10);
    EXPECT_EQ(set.source, 10);
    EXPECT_EQ(set.immediate, 1);
    EXPECT_EQ(set.width, 8);
}

void expect_access(std::uint32_t word, Operation operation, unsigned width, Register base,
                   std::int64_t displacement) {
    const Instruction access = only(word);
    EXPECT_EQ(access.operation, operation);
    EXPECT_EQ(access.width, width);
    expect_memory(access.memory, base, displacement);
}

TEST(Aarch64, AccessesAreOfEveryWidth) {
    expect_access(0xf947d908, Operation::load, 8, 8, 4016);                  // ldr x8, [x8, #4016]
    expect_access(0x39400420, Operation::load, 1, 1, 1);                     // ldrb w0, [x1, #1]
    expect_access(0x3dc00420, Operation::load, 16, 1, 16);                   // ldr q0, [x1, #16]
    expect_access(0x58000100, Operation::load, 8, no_register, start + 32);  // ldr x0, .+32
    expect_access(0xf9000149, Operation::store, 8, 10, 0);                   // str x9, [x10]
    expect_access(0x79000001, Operation::store, 2, 0, 0);                    // strh w1, [x0]
    expect_access(0x3c9f8000, Operation::store, 16, 0, -8);                  // stur q0, [x0, #-8]
    expect_access(0xc89ffc20, Operation::store, 8, 1, 0);                    // stlr x0, [x1]
    expect_access(0xc802fc20, Operation::update, 8, 1, 0);                   // stlxr w2, x0, [x1]
    expect_access(0x4c002820, Operation::update, 0, 1, 0);  // st1 {v0.4s-v3.4s}, [x1]
    EXPECT_EQ(only(0xb900041f).source, no_register);        // str wzr, [x0, #4]
    // ldursw x0, [x1, #-4]: what is loaded is not what the register then holds.
    EXPECT_EQ(only(0xb89fc020).operation, Operation::load);
    EXPECT_EQ(only(0xb89fc020).destination, no_register);
    EXPECT_EQ(only(0xf9800000).operation, Operation::other);  // prfm pldl1keep, [x0]
}

TEST(Aarch64, AnIndexHasAScale) {
    for (const std::uint32_t word : {0xf8627820, 0xf862d820}) {  // [x1, x2, lsl #3], w2, sxtw #3
        const Instruction load = only(word);
        EXPECT_EQ(load.operation, Operation::load);
        EXPECT_EQ(load.memory.base, 1);
        EXPECT_EQ(load.memory.index, 2);
        EXPECT_EQ(load.memory.scale, 8);
    }
}

TEST(Aarch64, TheBaseIsWrittenBack) {
    EXPECT_EQ(only(0xf8408420).writes, bit_of(0) | bit_of(1));  // ldr x0, [x1], #8
    expect_memory(only(0xf8408420).memory, 1, 0);
    EXPECT_EQ(only(0xf8008c01).writes, bit_of(0));  // str x1, [x0, #8]!
    expect_memory(only(0xf8008c01).memory, 0, 8);
}

TEST(Aarch64, PairsHaveASecondRegister) {
    const Instruction load = only(0xa9454c14);  // ldp x20, x19, [x0, #80]
    EXPECT_EQ(load.destination, 20);
    EXPECT_EQ(load.second_source, 19);
    EXPECT_EQ(load.writes, bit_of(20) | bit_of(19));
    const Instruction store = only(0xa9004c09);  // stp x9, x19, [x0]
    EXPECT_EQ(store.source, 9);
    EXPECT_EQ(store.second_source, 19);
    EXPECT_EQ(store.width, 8);
    EXPECT_EQ(only(0xad000400).width, 16);            // stp q0, q1, [x0]
    const Instruction first_zero = only(0xa900041f);  // stp xzr, x1, [x0]
    EXPECT_EQ(first_zero.source, no_register);
    EXPECT_EQ(first_zero.second_source, 1);
    const auto second_zero = decode({0xa9017c01});  // stp x1, xzr, [x0, #16]
    ASSERT_EQ(second_zero.size(), 2U);
    EXPECT_EQ(second_zero[0].source, 1);
    expect_memory(second_zero[0].memory, 0, 16);
    EXPECT_EQ(second_zero[1].source, no_register);
    expect_memory(second_zero[1].memory, 0, 24);
    EXPECT_EQ(second_zero[1].address, start);
}

void expect_flow(std::uint32_t word, Operation operation, std::uint64_t target) {
    EXPECT_EQ(only(word).operation, operation);
    EXPECT_EQ(only(word).target, target);
}

TEST(Aarch64, FlowHasATarget) {
    expect_flow(0x94000010, Operation::call, start + 64);    // bl .+64
    expect_flow(0x17fffffe, Operation::jump, start - 8);     // b .-8
    expect_flow(0xd61f0060, Operation::jump, 0);             // br x3
    expect_flow(0xd63f0060, Operation::call, 0);             // blr x3
    expect_flow(0x34000040, Operation::branch, start + 8);   // cbz w0, .+8
    expect_flow(0xb7080060, Operation::branch, start + 12);  // tbnz x0, #33, .+12
    expect_flow(0x54000080, Operation::branch, start + 16);  // b.eq .+16
    expect_flow(0xd65f03c0, Operation::give_back, 0);        // ret
    expect_flow(0xd4200020, Operation::trap, 0);             // brk #1
}

TEST(Aarch64, MarkersDoNothing) {
    for (const std::uint32_t word : {0xd503201f, 0xd503245f, 0xd503233f}) {  // nop, bti c, paciasp
        EXPECT_EQ(only(word).operation, Operation::nothing);
    }
    EXPECT_EQ(only(0xd503211f).writes, bit_of(17));  // pacia1716
}

TEST(Aarch64, AFrameIsPushedAndPopped) {
    const auto code = decode({0xa9bf7bfd, 0x910003fd, 0xa8c17bfd});
    ASSERT_EQ(code.size(), 3U);
    EXPECT_EQ(code[0].operation, Operation::push);  // stp x29, x30, [sp, #-16]!
    EXPECT_NE(code[0].source, no_register);
    EXPECT_EQ(code[1].operation, Operation::move);  // mov x29, sp
    EXPECT_EQ(code[1].source, stack_pointer);
    EXPECT_EQ(code[2].operation, Operation::pop);  // ldp x29, x30, [sp], #16
    EXPECT_EQ(code[2].writes, bit_of(29) | bit_of(30) | bit_of(stack_pointer));
}

TEST(Aarch64, OthersAreKnownByWhatTheyWrite) {
    EXPECT_EQ(only(0xf100041f).writes, 0U);                      // cmp x0, #1
    EXPECT_EQ(only(0xf100041f).operation, Operation::other);     // not empty: is_trivial() asks
    EXPECT_EQ(only(0x9a820020).writes, bit_of(0));               // csel x0, x1, x2, eq
    EXPECT_EQ(only(0x4c404000).writes, std::uint64_t{7} << v0);  // ld3 {v0, v1, v2}, [x0]
}

void expect_computation(std::uint32_t code, Arithmetic arithmetic, Register destination,
                        unsigned width) {
    const Computation made = only(code).computation;
    EXPECT_EQ(made.arithmetic, arithmetic);
    EXPECT_EQ(made.destination, destination);
    EXPECT_EQ(made.width, width);
}

TEST(Aarch64, ComputesWithTwoRegisters) {
    expect_computation(0x8b010000, Arithmetic::add, 0, 8);       // add x0, x0, x1
    expect_computation(0x4b020020, Arithmetic::subtract, 0, 4);  // sub w0, w1, w2
    expect_computation(0x9b027c20, Arithmetic::multiply, 0, 8);  // mul x0, x1, x2
    EXPECT_EQ(only(0x8b010000).computation.second.number, 1);
    expect_computation(0x8b020820, Arithmetic::unknown, no_register, 0);  // add x0, x1, x2, lsl #2
    expect_computation(0xd53bd041, Arithmetic::unknown, no_register, 0);  // mrs x1, tpidr_el0
    EXPECT_EQ(only(0xd53bd041).operation, Operation::thread_pointer);
    EXPECT_EQ(only(0xd53be040).operation, Operation::other);  // mrs x0, cntvct_el0
    expect_computation(0x93407c20, Arithmetic::first, 0, 8);  // sxtw x0, w1
    EXPECT_TRUE(only(0x93407c20).computation.first.is_signed);
}

TEST(Aarch64, ComparesForWhatDependsOnIt) {
    const Instruction compares = only(0xf100041f);  // cmp x0, #1
    EXPECT_TRUE(compares.sets_flags);
    EXPECT_EQ(compares.computation.arithmetic, Arithmetic::subtract);
    EXPECT_EQ(compares.computation.destination, no_register);
    EXPECT_EQ(compares.immediate, 1);
    EXPECT_EQ(only(0x6a01001f).computation.arithmetic, Arithmetic::bit_and);  // tst w0, w1
    EXPECT_EQ(only(0x54000049).condition, Condition::below_or_equal);         // b.ls .+8
    EXPECT_FALSE(only(0x54000049).compares);
    const Instruction chooses = only(0x9a820020);  // csel x0, x1, x2, eq
    EXPECT_EQ(chooses.condition, Condition::equal);
    EXPECT_EQ(chooses.computation.arithmetic, Arithmetic::choose);
    EXPECT_EQ(chooses.computation.second.number, 1);                        // where they are equal
    EXPECT_EQ(only(0x1a9f17e0).computation.arithmetic, Arithmetic::holds);  // cset w0, eq
    EXPECT_EQ(only(0x1a9f17e0).condition, Condition::equal);
}

TEST(Aarch64, BranchesOnARegisterLeaveTheConditions) {
    const Instruction zero = only(0x34000040);  // cbz w0, .+8
    EXPECT_TRUE(zero.compares);
    EXPECT_FALSE(zero.sets_flags);
    EXPECT_EQ(zero.condition, Condition::equal);
    EXPECT_EQ(zero.computation.width, 4);
    const Instruction bit = only(0x37180040);  // tbnz w0, #3, .+8
    EXPECT_EQ(bit.condition, Condition::unequal);
    EXPECT_EQ(bit.immediate, 8);
    EXPECT_EQ(bit.computation.arithmetic, Arithmetic::bit_and);
}

TEST(Aarch64, AddressesOfTwoPartsAreNamed) {
    const auto named = [](const Words &words, std::size_t index) {
        return FunctionCode(start, start + 4 * words.size(), decode(words)).named_address(index);
    };
    const std::uint64_t page = (start & ~0xfffULL) + 0x1000;
    const Words plain{0xb0000000, 0xd503201f, 0x91008000};  // adrp x0; nop; add x0, x0, #0x20
    EXPECT_EQ(named(plain, 2), page + 0x20);
    EXPECT_EQ(named(plain, 1), std::nullopt);
    // Not where another value may have come, or a call has been.
    EXPECT_EQ(named({0xb0000000, 0x910043e0, 0x91008000}, 2), std::nullopt);  // add x0, sp, #16
    EXPECT_EQ(named({0xb0000000, 0x94000010, 0x91008000}, 2), std::nullopt);  // bl
    EXPECT_EQ(named({0xb4000041, 0xb0000000, 0x91008000}, 2), std::nullopt);  // cbz x1: the last
}

TEST(Aarch64, GoesOnBehindWhatCannotBeDecoded) {
    const auto code = decode({0x00000000, 0xd65f03c0});  // udf #0; ret
    ASSERT_EQ(code.size(), 2U);
    EXPECT_EQ(code[0].operation, Operation::other);
    EXPECT_EQ(code[0].writes, ~bit_of(31));  // all but the stack pointer
    EXPECT_EQ(code[1].operation, Operation::give_back);
    EXPECT_EQ(code[1].address, start + 4);
}

// The effects of code that uses no more of the file than that nothing is there.
class Aarch64Effects : public ::testing::Test {
protected:
    std::vector<Effect> effects_of_code(const Words &words) {
        const auto code = decode(words);
        const std::span<const Instruction> piece(code);
        return effects_of({&piece, 1}, image, *architecture);
    }

    // Of the only effect of KIND.
    static const Effect *the(Kind kind, const std::vector<Effect> &effects) {
        const auto is = [kind](const Effect &effect) { return effect.kind == kind; };
        EXPECT_EQ(std::count_if(effects.begin(), effects.end(), is), 1);
        const auto found = std::find_if(effects.begin(), effects.end(), is);
        return found == effects.end() ? nullptr : &*found;
    }

    static void expect_store(const Effect &effect, std::uint64_t address,
                             std::optional<std::uint64_t> value) {
        EXPECT_EQ(effect.kind, Kind::store);
        EXPECT_EQ(effect.address, address);
        EXPECT_EQ(effect.width, 8);
        EXPECT_EQ(effect.value, value);
    }

    static constexpr std::uint64_t variable = 0x50000000;
    static constexpr std::uint32_t take_variable = 0xd2aa0008;  // mov x8, #0x50000000

    std::unique_ptr<Architecture> architecture = make_aarch64();
    ElfFile file{SAMPLE_FIRST};
    Image image{file, *architecture};
};

TEST_F(Aarch64Effects, LoadOrStoreSetsBits) {
    // ldr x9, [x8]; orr x9, x9, #1; str x9, [x8]
    const auto effects = effects_of_code({take_variable, 0xf9400109, 0xb2400129, 0xf9000109});
    const Effect *set = the(Kind::store_or, effects);
    ASSERT_NE(set, nullptr);
    EXPECT_EQ(set->address, variable);
    EXPECT_EQ(set->width, 8);
    EXPECT_EQ(set->value, 1U);
}

TEST_F(Aarch64Effects, BitsOfOneVariableInAnotherAreUnknown) {
    // ldr x9, [x8]; orr x9, x9, #1; str x9, [x8, #8]
    const auto effects = effects_of_code({take_variable, 0xf9400109, 0xb2400129, 0xf9000509});
    ASSERT_EQ(effects.size(), 2U);
    expect_store(effects[1], variable + 8, std::nullopt);
}

TEST_F(Aarch64Effects, ANarrowLoadDoesNotSetBitsOfAWord) {
    // ldrb w9, [x8]; orr x9, x9, #1; str x9, [x8]: the other bytes become 0
    const auto effects = effects_of_code({take_variable, 0x39400109, 0xb2400129, 0xf9000109});
    ASSERT_EQ(effects.size(), 2U);
    expect_store(effects[1], variable, std::nullopt);
}

TEST_F(Aarch64Effects, WhatWasLoadedIsGivenBackOnlyUnchanged) {
    // ldr x0, [x8]; ret
    const auto unchanged = effects_of_code({take_variable, 0xf9400100, 0xd65f03c0});
    const Effect *result = the(Kind::gives_back, unchanged);
    ASSERT_NE(result, nullptr);
    EXPECT_EQ(result->address, variable);
    // ldr x0, [x8]; orr x0, x0, #1; ret
    for (const Effect &effect :
         effects_of_code({take_variable, 0xf9400100, 0xb2400000, 0xd65f03c0})) {
        EXPECT_NE(effect.kind, Kind::gives_back);
    }
}

TEST_F(Aarch64Effects, PairsAreStoredWordByWord) {
    // mov x9, #2; stp x9, xzr, [x8]
    const auto mixed = effects_of_code({take_variable, 0xd2800049, 0xa9007d09});
    ASSERT_EQ(mixed.size(), 2U);
    expect_store(mixed[0], variable, 2);
    expect_store(mixed[1], variable + 8, 0);
    // mov x9, #2; dup v0.2d, x9; movi v1.2d, #0; stp q0, q1, [x8]
    const auto vectors =
        effects_of_code({take_variable, 0xd2800049, 0x4e080d20, 0x6f00e401, 0xad000500});
    ASSERT_EQ(vectors.size(), 4U);
    expect_store(vectors[0], variable, 2);
    expect_store(vectors[1], variable + 8, 2);
    expect_store(vectors[2], variable + 16, 0);
    expect_store(vectors[3], variable + 24, 0);
}

TEST_F(Aarch64Effects, PairsAreLoadedFromTwoPlaces) {
    // ldp x9, x8, [x8]
    const auto effects = effects_of_code({take_variable, 0xa9402109});
    ASSERT_EQ(effects.size(), 2U);
    EXPECT_EQ(effects[0].address, variable);
    EXPECT_EQ(effects[1].kind, Kind::load);
    EXPECT_EQ(effects[1].address, variable + 8);
}

TEST_F(Aarch64Effects, AWrittenBackBaseIsForgotten) {
    // str xzr, [x8], #8; str xzr, [x8]
    const auto effects = effects_of_code({take_variable, 0xf800851f, 0xf900011f});
    ASSERT_EQ(effects.size(), 1U);
    expect_store(effects[0], variable, 0);
}

TEST_F(Aarch64Effects, UnknownInstructionsForgetEverything) {
    // udf #0; str xzr, [x8]
    EXPECT_TRUE(effects_of_code({take_variable, 0x00000000, 0xf900011f}).empty());
}

}  // namespace

}  // namespace gdb_ompd::code
