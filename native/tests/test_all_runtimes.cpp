// SPDX-License-Identifier: Apache-2.0
// Two runtimes in one process: which thread is in whose region, and what each has begun.
#include "stop/all_runtimes.hpp"

#include "base/errors.hpp"
#include "said_runtime.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gdb_ompd {

namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

// Of GDB's threads 1 to 4 the first runtime has 1 and 2 in its region, in which 2 has begun one of
// the other's with 3; 4 is no OpenMP thread.
class TwoRuntimes : public ::testing::Test {
protected:
    TwoRuntimes() {
        all.add(outer, "outer", {});
        all.add(inner, "inner", {});
    }

    SaidRuntime outer{
        {{member(1, 1, 0), member(2, 1, 1), stranger(3), stranger(4)}, {team({1, 2})}}};
    SaidRuntime inner{
        {{member(1, 0, 0), member(2, 1, 0), member(3, 1, 1), stranger(4)}, {team({2, 3})}}};
    AllRuntimes all{made_threads(4), {}};
};

TEST_F(TwoRuntimes, EachThreadIsInTheRegionThatItExecutes) {
    EXPECT_THAT(
        all.by_runtime(std::vector{1, 2, 3, 4}),
        ElementsAre(Pair(0, ElementsAre(1)), Pair(1, ElementsAre(2, 3)), Pair(0, ElementsAre(4))));
    EXPECT_EQ(all.region_of(1), 1);
    EXPECT_EQ(all.region_of(3), 2);
    EXPECT_EQ(all.region_of(4), std::nullopt);
    EXPECT_TRUE(all.undecided().empty());
}

TEST_F(TwoRuntimes, RegionsAreNumberedOneBehindTheOther) {
    EXPECT_EQ(all.runtime_of_region(1), 0U);
    EXPECT_EQ(all.runtime_of_region(2), 1U);
    EXPECT_THAT(all.own_regions(1, std::vector{1, 2}), ElementsAre(1));
    EXPECT_THAT(all.known_to(1, std::vector{1, 2, 3, 4}), ElementsAre(1, 2, 3));
}

TEST_F(TwoRuntimes, WhatAThreadHasBegunIsThatOfBoth) {
    EXPECT_EQ(all.begun_by(1), 1);
    EXPECT_EQ(all.begun_by(2), 1);
    EXPECT_EQ(all.begun_by(3), 0);
    EXPECT_EQ(all.begun_by(4), 0);
}

TEST_F(TwoRuntimes, StacksDecideWhereBothHaveTheSameDepth) {
    SaidRuntime again{{{member(1, 1, 0), stranger(2), stranger(3), stranger(4)}, {team({1})}}};
    all.add(again, "again", {});
    EXPECT_THAT(all.undecided(), ElementsAre(1));
    EXPECT_EQ(all.runtime_of(0), 0U);
    all.choose({{1, 2}});
    EXPECT_EQ(all.runtime_of(0), 2U);
}

TEST_F(TwoRuntimes, TasksOfDamagedMemoryAreNotThoseOfTheOther) {
    inner.is_damaged = true;
    EXPECT_THAT(all.task_ids(std::vector{1, 2, 3}), ElementsAre(Pair(1, ::testing::_)));
}

}  // namespace

}  // namespace gdb_ompd
