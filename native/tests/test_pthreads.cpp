// SPDX-License-Identifier: Apache-2.0
// What the C library records of threads and mutexes, in memory made up by the test.
#include "llvm_memory.hpp"
#include "stop/pthreads.hpp"

#include <gtest/gtest.h>

namespace gdb_ompd {

namespace {

constexpr std::uint64_t page = 0x1000;

class Pthreads : public ::testing::Test {
protected:
    [[nodiscard]] llvm::Memory walk() const {
        return llvm::Memory(*memory.space).for_walk(Budget());
    }
    void map(std::uint64_t address, std::size_t size) {
        memory.target->map(address, std::vector<std::uint8_t>(size));
    }

    llvm::RuntimeMemory memory;
};

TEST_F(Pthreads, AMutexSaysWhoHoldsItAndWhetherItIsShared) {
    map(0x900000, 64);
    memory.put(TargetAddr{0x900008}, 4711);
    EXPECT_EQ(read_mutex(walk(), {0x900000}).owner, 4711U);
    EXPECT_FALSE(read_mutex(walk(), {0x900000}).is_shared);
    memory.put(TargetAddr{0x900008}, 0);
    memory.put(TargetAddr{0x900010}, 128);
    EXPECT_EQ(read_mutex(walk(), {0x900000}).owner, std::nullopt);
    EXPECT_TRUE(read_mutex(walk(), {0x900000}).is_shared);
    EXPECT_TRUE(read_mutex(walk(), {0x100}).is_shared);  // it cannot be read
}

TEST_F(Pthreads, ARwlockCountsItsReadersUnlessAWriterHasIt) {
    map(0x900000, 64);
    memory.put(TargetAddr{0x900000}, 2 << 3 | 2);  // a writer waits for two
    EXPECT_EQ(read_rwlock(walk(), {0x900000}).readers, 2U);
    memory.put(TargetAddr{0x900000}, 2 << 3 | 3);  // two wait for the writer
    EXPECT_EQ(read_rwlock(walk(), {0x900000}).readers, 0U);
}

TEST_F(Pthreads, ADescriptorSaysItsThreadsNumberAndStack) {
    constexpr std::uint64_t block = 0xA00000;
    constexpr std::uint64_t size = 8 * page;
    constexpr std::uint64_t descriptor = block + size - 0x900;
    map(block, size + page);
    memory.put(TargetAddr{descriptor + 720}, 4711);
    for (const auto &[offset, value] : {std::pair(0x690, block), {0x698, size}, {0x6A0, page}}) {
        memory.put(TargetAddr{descriptor + static_cast<std::uint64_t>(offset)}, value);
    }
    EXPECT_TRUE(has_own_number(walk(), {descriptor}, 4711));
    EXPECT_FALSE(has_own_number(walk(), {descriptor}, 4712));
    EXPECT_EQ(stack_of(walk(), {descriptor}), (StackRange{block + page, block + size}));
    memory.put(TargetAddr{descriptor + 0x6A0}, page + 1);  // no guard has that size
    EXPECT_EQ(stack_of(walk(), {descriptor}), std::nullopt);
    EXPECT_EQ(stack_of(walk(), {0x100}), std::nullopt);
}

TEST_F(Pthreads, TheInitialStackIsAllThatCanBeReadAroundAnAddressInIt) {
    map(0xB00000, 40 * page);
    EXPECT_EQ(initial_stack(walk(), {0xB00000 + 39 * page + 8}),
              (StackRange{0xB00000, 0xB00000 + 40 * page}));
    EXPECT_EQ(initial_stack(walk(), {0x100}), std::nullopt);
}

TEST_F(Pthreads, AStackThatEndedHasItsCallersInIt) {
    constexpr StackRange stack{0xC00000, 0xC08000};
    map(stack.begin, 0x8000);
    const std::vector<std::uint64_t> pointers{stack.begin - 16, stack.begin + 64};
    EXPECT_TRUE(ran_off(walk(), {stack.begin - 24}, stack, pointers));
    EXPECT_FALSE(ran_off(walk(), {stack.begin + 24}, stack, pointers));
    EXPECT_FALSE(ran_off(walk(), {stack.begin - 0x10000}, stack, pointers));
    EXPECT_FALSE(ran_off(walk(), {stack.begin - 24}, stack, {}));
    const std::vector<std::uint64_t> elsewhere{stack.begin - 16, stack.end + 64};
    EXPECT_FALSE(ran_off(walk(), {stack.begin - 24}, stack, elsewhere));
}

TEST_F(Pthreads, ACallOfTheKernelIsRightBeforeWhereItReturns) {
    map(0xD00000, 64);
    memory.put(TargetAddr{0xD00008}, 0x050F);
    EXPECT_TRUE(is_behind_system_call(walk(), {0xD0000A}));
    EXPECT_FALSE(is_behind_system_call(walk(), {0xD0000B}));
    memory.put(TargetAddr{0xD00010}, 0xD4000001);
    EXPECT_TRUE(is_behind_system_call(walk(), {0xD00014}));
    EXPECT_FALSE(is_behind_system_call(walk(), {0x100}));
}

}  // namespace

}  // namespace gdb_ompd
