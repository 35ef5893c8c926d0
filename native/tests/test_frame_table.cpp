// SPDX-License-Identifier: Apache-2.0
#include "code/frame_table.hpp"

#include <gtest/gtest.h>

#include <map>

namespace gdb_ompd::code {
namespace {

constexpr std::uint64_t base = 0x1000;

class FrameTables : public testing::Test {
protected:
    FrameTables() {
        words[base] = 0x3b031b01;
        words[base + 8] = 2;
        describe(0, 0x400, 0x20, 0x2000);
        describe(1, 0x440, 0x40, 0x2040);
    }

    void describe(unsigned number, std::uint64_t start, std::uint64_t size, std::uint64_t at) {
        put(base + 12 + 8 * std::uint64_t{number}, start - base);
        put(base + 16 + 8 * std::uint64_t{number}, at - base);
        put(at + 8, start - (at + 8));
        put(at + 12, size);
    }

    void put(std::uint64_t address, std::uint64_t value) {
        words[address] = static_cast<std::uint32_t>(value);
    }

    [[nodiscard]] std::optional<Range> around(std::uint64_t address) const {
        const auto read = [this](std::uint64_t at, unsigned size) -> std::optional<std::uint64_t> {
            const auto found = words.find(at);
            const auto upper = words.find(at + 4);
            if (found == words.end() || (size == 8 && upper == words.end())) {
                return std::nullopt;
            }
            return size == 8 ? std::uint64_t{upper->second} << 32U | found->second : found->second;
        };
        return FrameTable(read, {base, base + 28}).around(address);
    }

    std::map<std::uint64_t, std::uint32_t> words;
};

TEST_F(FrameTables, AFunctionIsFromItsFirstByteToItsLast) {
    for (const std::uint64_t inside : {0x440U, 0x47fU}) {
        const auto found = around(inside);
        ASSERT_TRUE(found);
        EXPECT_EQ(found->start, 0x440U);
        EXPECT_EQ(found->end, 0x480U);
    }
    EXPECT_EQ(around(0x41f)->start, 0x400U);
    for (const std::uint64_t outside : {0x3ffU, 0x420U, 0x43fU, 0x480U}) {
        EXPECT_FALSE(around(outside));
    }
}

TEST_F(FrameTables, WhereCodeMayBeLargeADistanceHasEightBytes) {
    put(0x2000 + 12, 0xffffffff);
    put(0x2000 + 16, 0x20);
    put(0x2000 + 20, 0);
    EXPECT_EQ(around(0x41f)->end, 0x420U);
    EXPECT_FALSE(around(0x420));
}

TEST_F(FrameTables, ADescriptionOfAnotherFunctionIsNone) {
    put(0x2040 + 8, 0x444 - 0x2048);
    EXPECT_FALSE(around(0x450));
    EXPECT_TRUE(around(0x410));
}

TEST_F(FrameTables, WhatCannotBeReadIsNone) {
    words.erase(0x2000 + 12);
    EXPECT_FALSE(around(0x410));
    words.erase(base + 12);
    EXPECT_FALSE(around(0x410));
}

TEST_F(FrameTables, AnotherEncodingHasNoFunctions) {
    words[base] = 0x3b031b02;
    EXPECT_FALSE(around(0x410));
}

}  // namespace
}  // namespace gdb_ompd::code
