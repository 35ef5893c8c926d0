// SPDX-License-Identifier: Apache-2.0
// The functions of tasks that the runtime does not keep, from stacks.
#include "stop/task_bodies.hpp"

#include <gtest/gtest.h>

namespace gdb_ompd {

namespace {

using Functions = std::map<std::uint64_t, std::uint64_t>;

constexpr int nobody = -1;

ChainTask task(std::uint64_t identity, std::optional<std::uint64_t> function = std::nullopt,
               int scheduling = nobody) {
    return {identity, TaskKind::explicit_, function,
            scheduling == nobody ? std::nullopt : std::optional(scheduling)};
}

ChainTask implicit(std::uint64_t identity) {
    return {identity, TaskKind::implicit, std::nullopt, std::nullopt};
}

CalledBody body(std::uint64_t function, std::string_view caller) {
    return {function, code::entry_point(caller)};
}

Functions told(std::vector<ChainTask> chain, std::vector<CalledBody> bodies) {
    return functions_by_stack(chain, bodies);
}

}  // namespace

TEST(TaskBodies, TheCallThatMakesATaskTellsIt) {
    EXPECT_EQ(told({task(1)}, {body(0x10, "GOMP_task")}), (Functions{{1, 0x10}}));
    EXPECT_EQ(told({task(1)}, {body(0x10, "GOMP_taskloop_ull")}), (Functions{{1, 0x10}}));
}

TEST(TaskBodies, AnotherCallDoesNot) {
    EXPECT_EQ(told({task(1)}, {body(0x10, "GOMP_taskgroup_end")}), Functions());
    EXPECT_EQ(told({task(1)}, {body(0x10, "")}), Functions());
    EXPECT_EQ(told({task(1)}, {body(0, "GOMP_task")}), Functions());
    EXPECT_EQ(told({task(1)}, {}), Functions());
}

TEST(TaskBodies, ATaskMayBeInAnother) {
    EXPECT_EQ(told({task(2), task(1), implicit(0)},
                   {body(0x20, "GOMP_task"), body(0x10, "GOMP_task"), body(0x30, "GOMP_parallel")}),
              (Functions{{1, 0x10}, {2, 0x20}}));
}

TEST(TaskBodies, WhatEndedWithAJumpHasLeftNoFrameButWasCalled) {
    EXPECT_EQ(told({task(2), task(1)}, {body(0, "GOMP_task"), body(0x10, "GOMP_task")}),
              (Functions{{1, 0x10}}));
    EXPECT_EQ(told({task(2, 0x20), task(1)}, {body(0, "GOMP_taskwait"), body(0x10, "GOMP_task")}),
              (Functions{{1, 0x10}}));
}

TEST(TaskBodies, AChildThatItsParentWaitsForIsInThatOnesFrames) {
    EXPECT_EQ(
        told({task(2, 0x20), task(1)}, {body(0x20, "GOMP_taskwait"), body(0x10, "GOMP_task")}),
        (Functions{{1, 0x10}}));
}

TEST(TaskBodies, WhatIsBelowATaskOfAnothersIsNotThatOnes) {
    EXPECT_EQ(
        told({task(2, 0x20), task(1)}, {body(0x20, "GOMP_taskgroup_end"), body(0x10, "GOMP_task")}),
        Functions());
}

TEST(TaskBodies, ARegionMayBeBegunInATask) {
    EXPECT_EQ(told({implicit(2), task(1)}, {body(0x30, "GOMP_parallel"), body(0x10, "GOMP_task")}),
              (Functions{{1, 0x10}}));
    EXPECT_EQ(told({implicit(2), task(1)}, {body(0x30, "qsort"), body(0x10, "GOMP_task")}),
              Functions());
    // A task that the thread executes at the end of the region.
    EXPECT_EQ(
        told({task(3, 0x30, 1), implicit(2), task(1)}, {body(0x30, ""), body(0x10, "GOMP_task")}),
        (Functions{{1, 0x10}}));
    // At its end, where its body is on the stack no more.
    EXPECT_EQ(told({implicit(2), task(1)}, {body(0x10, "GOMP_task")}), (Functions{{1, 0x10}}));
}

}  // namespace gdb_ompd
