// SPDX-License-Identifier: Apache-2.0
// One state from what the runtime recorded and what the stack shows.
#include "stop/task_ids.hpp"
#include "stop/thread_state.hpp"

#include <gtest/gtest.h>

namespace gdb_ompd {

namespace {

using code::WaitKind;
using State = std::optional<std::string_view>;

constexpr Shown user;
constexpr Shown without_task{.in_runtime = true};

Shown waits(WaitKind kind) { return {.kind = kind}; }
Shown in(std::string_view entry_point, std::string_view outside = {}) {
    return {.entry_point = entry_point, .outside = outside};
}
State state(State recorded, const Shown &shown, int level) {
    return state_of(shown, {recorded, false, level});
}

TEST(ThreadState, IsTheStacksWhereTheRuntimeRecordsNoneOrOneForSeveral) {
    EXPECT_EQ(state("work_parallel", waits(WaitKind::taskwait), 1), "wait_taskwait");
    EXPECT_EQ(state("wait_lock", waits(WaitKind::critical), 1), "wait_critical");
    EXPECT_EQ(state("wait_barrier_implementation", waits(WaitKind::barrier), 1), "wait_barrier");
    EXPECT_EQ(state({}, waits(WaitKind::ordered), 1), "wait_ordered");
    EXPECT_EQ(state("overhead", user, 1), "work_parallel");
    EXPECT_EQ(state("overhead", user, 0), "work_serial");
    EXPECT_EQ(state({}, user, 1), "work_parallel");
    EXPECT_EQ(state({}, user, 0), "work_serial");
    EXPECT_EQ(state({}, in("GOMP_parallel"), 0), "overhead");
    EXPECT_EQ(state({}, in("?"), 0), std::nullopt);
    EXPECT_EQ(state({}, in("?", the_runtime), 1), "overhead");
}

TEST(ThreadState, IsTheRuntimesWhereTheStackKnowsNoBetter) {
    constexpr std::string_view explicit_barrier = "wait_barrier_explicit",
                               own = "wait_barrier_implementation";
    EXPECT_EQ(state(explicit_barrier, waits(WaitKind::barrier), 1), explicit_barrier);
    EXPECT_EQ(state(own, waits(WaitKind::copyprivate), 1), own);
    EXPECT_EQ(state("overhead", in("__kmpc_fork_call"), 0), "overhead");
    EXPECT_EQ(state("work_reduction", user, 1), "work_reduction");
}

TEST(ThreadState, AWorkerBetweenItsWaitAndItsBodyIsNotIdle) {
    EXPECT_EQ(state("idle", in("?"), 1), "overhead");
    EXPECT_EQ(state("work_parallel", in("?"), 1), "work_parallel");
}

TEST(ThreadState, OfAWorkerInNoTaskIsWhatItWaitsFor) {
    constexpr std::string_view at_end = "wait_barrier_implicit_parallel";
    EXPECT_EQ(state({}, without_task, 1), at_end);
    EXPECT_EQ(state("work_parallel", without_task, 1), "work_parallel");
    EXPECT_EQ(state("idle", without_task, 1), at_end);
}

TEST(ThreadState, AWorkerInNoTaskIsInThePoolOrAtTheEndOfItsRegion) {
    const auto kind = [](State recorded, bool idle, std::optional<int> level) {
        return shown_of(without_task, {recorded, idle, level}).kind;
    };
    EXPECT_EQ(kind("idle", true, {}), WaitKind::idle);
    EXPECT_EQ(kind("wait_barrier_implicit_parallel", false, {}), WaitKind::region_barrier);
    EXPECT_EQ(kind({}, false, 1), WaitKind::region_barrier);
    EXPECT_EQ(kind("work_parallel", false, 1), WaitKind::none);
    const Shown jumped = shown_of(without_task, {{}, false, 0});
    EXPECT_EQ(jumped.kind, WaitKind::none);
    EXPECT_EQ(jumped.entry_point, "?");
}

TEST(ThreadState, ABlockedThreadIsAtNoBarrier) {
    const Shown found = shown_of(in({}, "read"), {"wait_barrier_implicit_parallel", false, 1});
    EXPECT_EQ(found.kind, WaitKind::none);
    EXPECT_EQ(found.outside, "read");
}

TEST(ThreadState, IsSaidToDifferFromTheStackWhereBothArePlain) {
    const auto differ = [](State recorded, const Shown &shown) {
        return disagreement(shown, {recorded, false, 1});
    };
    EXPECT_EQ(differ("wait_lock", waits(WaitKind::explicit_barrier)),
              "the runtime says it waits for lock, its stack for explicit barrier");
    EXPECT_EQ(differ("wait_taskwait", user),
              "the runtime says it waits (taskwait), its stack is in the user's code");
    EXPECT_NE(differ("wait_barrier_explicit", waits(WaitKind::lock)), "");
    EXPECT_EQ(differ("wait_lock", waits(WaitKind::critical)), "");
    EXPECT_EQ(differ("work_parallel", waits(WaitKind::taskwait)), "");
    EXPECT_EQ(differ("wait_barrier_explicit", in("__kmpc_fork_call")), "");
    EXPECT_EQ(differ({}, waits(WaitKind::lock)), "");
}

TaskFacts task(int gdb_num, int depth, std::uint64_t identity, int generating) {
    TaskFacts facts;
    facts.gdb_num = gdb_num;
    facts.depth = depth;
    facts.identity = identity;
    facts.generating = {generating};
    facts.kind = {depth == 0 ? TaskKind::explicit_ : TaskKind::implicit};
    return facts;
}

TEST(TaskIds, AreOfTheCurrentTaskAndItsAncestors) {
    std::vector<TaskFacts> chains{task(1, 0, 10, 2), task(1, 1, 11, 2), task(1, 2, 12, -1),
                                  task(4, 0, 20, -1)};
    chains[0].function = {TargetAddr{0x400}};
    const auto found = task_ids(chains);
    EXPECT_EQ(found.at(1).ids, (std::vector<std::uint64_t>{10, 12}));
    EXPECT_EQ(found.at(1).function, 0x400U);
    EXPECT_TRUE(found.at(1).is_explicit);
    EXPECT_EQ(found.at(4).ids, std::vector<std::uint64_t>{20});
    EXPECT_EQ(found.at(4).function, 0U);
}

}  // namespace

}  // namespace gdb_ompd
