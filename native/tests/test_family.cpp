// SPDX-License-Identifier: Apache-2.0
// Which files are runtimes, and whose.
#include "runtimes/family.hpp"

#include <gtest/gtest.h>

namespace gdb_ompd {

namespace {

ElfImage open(const char *path) { return {path, std::nullopt, ""}; }

TEST(Family, IsToldByWhatAFileExports) {
    EXPECT_EQ(family_of(open(RUNTIME_SYMBOLS), false), Family::llvm);
    EXPECT_EQ(family_of(open(GNU_SYMBOLS), false), Family::gnu);
    EXPECT_EQ(family_of(open(SAMPLE_FIRST), false), std::nullopt);
    EXPECT_EQ(family_of(open(SAMPLE_FIRST), true), std::nullopt);
}

TEST(Family, OfWhichTheSymbolsAreMissing) {
    EXPECT_TRUE(is_stripped_runtime(open(RUNTIME_SYMBOLS)));
    EXPECT_TRUE(is_stripped_runtime(open(GNU_SYMBOLS)));
    EXPECT_FALSE(is_stripped_runtime(open(SAMPLE_FIRST)));
}

}  // namespace

}  // namespace gdb_ompd
