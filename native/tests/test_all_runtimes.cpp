// SPDX-License-Identifier: Apache-2.0
// Two runtimes in one process: which thread is in whose region, and what each has begun.
#include "stop/all_runtimes.hpp"

#include "base/errors.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gdb_ompd {

namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

// A runtime that says what it was given.
class Said : public RuntimeReader {
public:
    explicit Said(StopFacts facts) : facts_(std::move(facts)) {}

    const StopFacts &read(std::span<const NativeThread> /*natives*/) override { return facts_; }
    std::vector<TaskFacts> tasks(std::span<const int> gdb_nums) override {
        std::vector<TaskFacts> found;
        for (const int number : gdb_nums) {
            found.emplace_back();
            found.back().gdb_num = number;
        }
        return is_damaged ? throw Inconsistent("damaged") : found;
    }
    std::vector<TaskFacts> implicit_tasks(int /*region*/) override { return {}; }
    std::vector<IcvFacts> icvs(std::span<const int> /*gdb_nums*/,
                               std::span<const int> /*regions*/) override {
        return {};
    }
    std::vector<ControlVariable> control_variables() override { return {}; }
    Versions versions() override { return {}; }
    std::optional<Place> place(const NativeThread & /*thread*/) override { return {}; }
    bool knows(const NativeThread & /*thread*/) override { return false; }
    std::vector<Membership> memberships(const NativeThread & /*thread*/) override { return {}; }
    Fact<TaskKind> task_kind(const NativeThread & /*thread*/) override { return {}; }
    Fact<std::string> state(const NativeThread & /*thread*/) override { return {}; }
    std::optional<IcvFacts> icv(const NativeThread & /*thread*/,
                                std::string_view /*name*/) override {
        return {};
    }
    void end_stop() noexcept override {}

    bool is_damaged = false;

private:
    StopFacts facts_;
};

std::vector<NativeThread> threads(int count) {
    std::vector<NativeThread> found(static_cast<std::size_t>(count));
    for (int number = 1; NativeThread & thread : found) {
        thread.gdb_num = number++;
    }
    return found;
}

ThreadFacts stranger(int gdb_num) {
    ThreadFacts facts;
    facts.gdb_num = gdb_num;
    facts.kind = {ThreadKind::native};
    return facts;
}

// In LEVEL regions, number THREAD_NUM of the innermost and 0 of those around it.
ThreadFacts member(int gdb_num, int level, int thread_num) {
    ThreadFacts facts;
    facts.gdb_num = gdb_num;
    facts.kind = {ThreadKind::worker};
    facts.level = {level};
    facts.thread_num = {thread_num};
    facts.region = {level > 0 ? 1 : 0};
    for (int around = level; around >= 0; --around) {
        facts.memberships.push_back({around == level ? thread_num : 0, 2});
    }
    return facts;
}

RegionFacts region(std::vector<std::optional<int>> threads) {
    RegionFacts facts;
    facts.threads = std::move(threads);
    return facts;
}

// Of GDB's threads 1 to 4 the first runtime has 1 and 2 in its region, in which 2 has begun one of
// the other's with 3; 4 is no OpenMP thread.
class TwoRuntimes : public ::testing::Test {
protected:
    TwoRuntimes() {
        all.add(outer, "outer", {});
        all.add(inner, "inner", {});
    }

    Said outer{{{member(1, 1, 0), member(2, 1, 1), stranger(3), stranger(4)}, {region({1, 2})}}};
    Said inner{
        {{member(1, 0, 0), member(2, 1, 0), member(3, 1, 1), stranger(4)}, {region({2, 3})}}};
    AllRuntimes all{threads(4)};
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
    Said again{{{member(1, 1, 0), stranger(2), stranger(3), stranger(4)}, {region({1})}}};
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
