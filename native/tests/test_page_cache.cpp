// SPDX-License-Identifier: Apache-2.0
#include "memory_target.hpp"

#include "base/page_cache.hpp"

#include <gtest/gtest.h>

#include <array>
#include <numeric>
#include <unistd.h>

namespace gdb_ompd {

namespace {

constexpr std::uint64_t base = 0x10000;

class Cache : public ::testing::Test {
protected:
    Cache() {
        std::vector<std::uint8_t> bytes(1024);
        std::iota(bytes.begin(), bytes.end(), std::uint8_t{0});
        target->map(base, bytes);
    }

    // The first byte of what is read; every byte must follow from it.
    std::uint8_t read(std::uint64_t address, std::size_t size) {
        std::vector<std::byte> out(size);
        EXPECT_TRUE(cache.read(TargetAddr{address}, out));
        for (std::size_t i = 0; i < size; ++i) {
            EXPECT_EQ(std::to_integer<std::uint8_t>(out[i]),
                      static_cast<std::uint8_t>(std::to_integer<std::uint8_t>(out[0]) + i));
        }
        return std::to_integer<std::uint8_t>(out.at(0));
    }

    std::shared_ptr<MemoryTarget> target = std::make_shared<MemoryTarget>();
    PageCache cache{target, 64};
};

TEST_F(Cache, ReadsALineOnce) {
    EXPECT_EQ(read(base + 3, 8), 3);
    EXPECT_EQ(read(base + 56, 8), 56);
    EXPECT_EQ(target->reads, 1);
    EXPECT_EQ(cache.target_reads(), 1U);
    EXPECT_EQ(cache.line_count(), 1U);
}

TEST_F(Cache, AssemblesAReadThatCrossesLines) {
    EXPECT_EQ(read(base + 60, 136), 60);
    EXPECT_EQ(cache.line_count(), 4U);
    EXPECT_EQ(target->reads, 4);
}

TEST_F(Cache, BigReadsGoPastTheCache) {
    EXPECT_EQ(read(base, 1024), 0);
    EXPECT_EQ(target->reads, 16);
    std::vector<std::byte> out(1025);
    EXPECT_THROW(cache.read(TargetAddr{base}, out), MemoryUnreadable);
    EXPECT_EQ(target->reads, 17);
    EXPECT_EQ(cache.line_count(), 16U);
}

TEST_F(Cache, FallsBackToTheExactRange) {
    target->map(0x20010, {40, 41, 42, 43});
    EXPECT_EQ(read(0x20010, 4), 40);
    EXPECT_EQ(read(0x20011, 2), 41);
    EXPECT_EQ(cache.line_count(), 0U);
    EXPECT_EQ(target->reads, 3);  // the line was tried once
    std::vector<std::byte> out(8);
    EXPECT_THROW(cache.read(TargetAddr{0x20010}, out), MemoryUnreadable);
}

TEST_F(Cache, CrossesFromAWholeLineIntoTheLastPart) {
    target->map(0x30000, {});
    std::vector<std::uint8_t> bytes(70);
    std::iota(bytes.begin(), bytes.end(), std::uint8_t{0});
    target->map(0x30000, bytes);
    EXPECT_EQ(read(0x30000 + 60, 10), 60);
    EXPECT_EQ(cache.line_count(), 1U);
}

TEST_F(Cache, DoesNotRetryAnInterruptedRead) {
    target->interrupt = true;
    std::vector<std::byte> out(8);
    EXPECT_THROW(cache.read(TargetAddr{base}, out), Interrupted);
    EXPECT_EQ(target->reads, 1);
    target->interrupt = false;
    EXPECT_EQ(read(base, 8), 0);
    EXPECT_EQ(cache.line_count(), 1U);
}

TEST_F(Cache, PatchesWhatItHolds) {
    EXPECT_EQ(read(base + 60, 8), 60);
    const std::array<std::byte, 8> data{std::byte{10}, std::byte{11}, std::byte{12}, std::byte{13},
                                        std::byte{14}, std::byte{15}, std::byte{16}, std::byte{17}};
    cache.write(TargetAddr{base + 60}, data);
    EXPECT_EQ(read(base + 60, 8), 10);
    EXPECT_EQ(target->reads, 2);
    cache.clear();
    EXPECT_EQ(read(base + 60, 8), 10);
    EXPECT_EQ(target->reads, 4);
}

TEST_F(Cache, AFailedWriteForgetsItsLines) {
    EXPECT_EQ(read(base, 8), 0);
    target->interrupt = true;
    const std::array<std::byte, 4> data{};
    EXPECT_THROW(cache.write(TargetAddr{base}, data), Interrupted);
    EXPECT_EQ(cache.line_count(), 0U);
}

TEST_F(Cache, IsBounded) {
    constexpr std::size_t line = std::size_t{1} << 20;
    PageCache big(target, line);
    target->map(0x100000000, std::vector<std::uint8_t>(line * 80));
    std::vector<std::byte> out(1);
    for (std::uint64_t i = 0; i < 80; ++i) {
        EXPECT_TRUE(big.read(TargetAddr{0x100000000 + i * line}, out));
        EXPECT_LE(big.line_count() * line, PageCache::max_bytes);
    }
    EXPECT_GT(big.line_count(), 0U);
}

#if defined(__linux__)

// Memory of this process, which the kernel gives: 32 lines of 64 bytes.
class CacheOfKernel : public Cache {
protected:
    CacheOfKernel() { cache.read_from_kernel(getpid()); }

    int line(std::size_t number) {
        std::array<std::byte, 1> out{};
        const auto at = reinterpret_cast<std::uint64_t>(memory.data()) + 64 * number;
        EXPECT_TRUE(cache.read(TargetAddr{at}, out));
        return std::to_integer<int>(out[0]);
    }

    alignas(64) std::array<std::uint8_t, 64 * 96> memory{};
};

TEST_F(CacheOfKernel, BeginsWithTheLinesThatTheLastStopBeganWith) {
    for (const std::size_t number : {3, 7, 9}) {
        EXPECT_EQ(line(number), 0);
    }
    memory[64 * 7] = 1;
    cache.clear();
    EXPECT_EQ(line(9), 0);
    EXPECT_EQ(cache.line_count(), 3U);
    memory[64 * 7] = 2;  // it goes on: what was read holds until the stop ends
    EXPECT_EQ(line(7), 1);
    cache.clear();
    EXPECT_EQ(line(7), 2);
    EXPECT_EQ(cache.line_count(), 3U);  // a part of the lines was asked for: they may be again
    cache.clear();
    EXPECT_EQ(line(11), 0);
    cache.clear();
    EXPECT_EQ(line(11), 0);
    EXPECT_EQ(cache.line_count(), 1U);  // others were: no more of those before
    EXPECT_EQ(target->reads, 0);
}

// Such as code, in which the kernel's memory has the debugger's breakpoints.
TEST_F(CacheOfKernel, DoesNotBeginWithLinesThatTheDebuggerWasAskedFor) {
    target->map(reinterpret_cast<std::uint64_t>(memory.data()), std::vector<std::uint8_t>(2048, 9));
    cache.read_from_kernel(std::nullopt);
    EXPECT_EQ(line(7), 9);
    cache.clear();
    cache.read_from_kernel(getpid());
    EXPECT_EQ(line(3), 0);
    EXPECT_EQ(cache.line_count(), 1U);
}

TEST_F(CacheOfKernel, BeginsWithAFewLines) {
    for (std::size_t number = 0; number < 96; ++number) {
        EXPECT_EQ(line(number), 0);
    }
    cache.clear();
    EXPECT_EQ(line(0), 0);
    EXPECT_EQ(cache.line_count(), 64U);
}

#endif

TEST_F(Cache, ForgetsALineThatWasAskedForLast) {
    EXPECT_EQ(read(base, 8), 0);
    target->map(base, std::vector<std::uint8_t>(1024, 5));
    cache.clear();
    std::array<std::byte, 1> out{};
    EXPECT_TRUE(cache.read(TargetAddr{base}, out));
    EXPECT_EQ(std::to_integer<int>(out[0]), 5);
}

TEST_F(Cache, RefusesImpossibleLineSizes) {
    for (const std::size_t size : {0UL, 8UL, 100UL, std::size_t{2} << 20}) {
        EXPECT_THROW(PageCache(target, size), std::invalid_argument);
    }
}

}  // namespace

}  // namespace gdb_ompd
