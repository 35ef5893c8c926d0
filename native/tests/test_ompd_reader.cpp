// SPDX-License-Identifier: Apache-2.0
// The walk over the handles of any OMPD library: what is told, what fails, and what has no end.
#include "memory_target.hpp"
#include "runtimes/ompd_reader.hpp"
#include "scene_libompd.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

namespace gdb_ompd {

namespace {

constexpr std::array all{1, 2, 3, 4};

// Thread 1 has begun a region of threads 1 and 2; thread 2, in an explicit task, one of threads
// 2 and 3 inside. Thread 4 is idle, 5 is not OpenMP's.
Scene nested() {
    Scene scene;
    scene.threads = {
        {11, 1, 1, 0, 1}, {12, 2, 4, 0, 2, 0x77}, {13, 2, 5, 1, 1}, {14, -1, -1, 0, 1}};
    scene.regions = {{-1, 0, 0, {0}, {0}}, {0, 1, 1, {0, 1}, {1, 2}}, {1, 2, 2, {1, 2}, {4, 5}}};
    scene.tasks = {{0},
                   {1, 0, -1, true, false, 0x500},
                   {1, 0, -1, true, false, 0x500},
                   {1, 2, 2, false, true, 0x600},
                   {2, 3, -1, true, false, 0x700},
                   {2, 3, -1, true, false, 0x700}};
    return scene;
}

class Walk : public ::testing::Test {
protected:
    Walk() {
        reinterpret_cast<SceneUse>(library_->symbol("scene_use"))(&scene);
        for (int gdb_num = 1; gdb_num <= 5; ++gdb_num) {
            natives.push_back({gdb_num, 100U + static_cast<std::uint64_t>(gdb_num),
                               10U + static_cast<std::uint64_t>(gdb_num), false});
        }
    }

    const StopFacts &read() { return reader.read(natives); }
    const ThreadFacts &thread(int gdb_num) {
        return read().threads.at(static_cast<std::size_t>(gdb_num) - 1);
    }
    std::vector<TaskFacts> chain(int gdb_num) {
        read();
        return reader.tasks(std::array{gdb_num});
    }

    [[nodiscard]] std::unique_ptr<OmpdReader> new_reader() const {
        const auto target = std::make_shared<MemoryTarget>();
        return std::make_unique<OmpdReader>(library_,
                                            std::make_shared<AddressSpace>(target, Layout{}, 4096));
    }

    Scene scene = nested();
    std::vector<NativeThread> natives;

private:
    std::shared_ptr<Library> library_ = std::make_shared<Library>(SCENE_LIBOMPD);
    std::unique_ptr<OmpdReader> reader_ = new_reader();

protected:
    OmpdReader &reader = *reader_;
};

std::vector<std::pair<int, int>> pairs(const std::vector<Membership> &memberships) {
    std::vector<std::pair<int, int>> found;
    for (const Membership &one : memberships) {
        found.emplace_back(one.thread_num.value_or(-1), one.team_size.value_or(-1));
    }
    return found;
}

TEST_F(Walk, TellsWhereEachThreadIs) {
    const ThreadFacts &inner = thread(3);
    EXPECT_EQ(inner.kind.value, ThreadKind::worker);
    EXPECT_EQ(inner.thread_num.value, 1);
    EXPECT_EQ(inner.team_size.value, 2);
    EXPECT_EQ(inner.level.value, 2);
    EXPECT_EQ(inner.active_level.value, 2);
    EXPECT_EQ(inner.region.value, 2);
    EXPECT_EQ(inner.task.value, TaskKind::implicit);
    EXPECT_EQ(inner.state.value, "work_parallel");
    EXPECT_EQ(pairs(inner.memberships), (std::vector<std::pair<int, int>>{{1, 2}, {1, 2}, {0, 1}}));
    EXPECT_EQ(thread(1).kind.value, ThreadKind::initial);
    EXPECT_EQ(thread(2).state.value, "wait_lock");
    EXPECT_EQ(thread(2).wait_id, 0x77U);
}

TEST_F(Walk, KnowsWhoIsIdleAndWhoIsNotOpenMPs) {
    EXPECT_TRUE(thread(4).idle);
    EXPECT_FALSE(thread(4).level.known());
    EXPECT_EQ(thread(4).level.failed, nullptr);  // there is nothing to know
    EXPECT_EQ(thread(5).kind.value, ThreadKind::native);
    EXPECT_EQ(thread(5).error, "");
}

TEST_F(Walk, AThreadOutsideOfRegionsIsAlone) {
    scene.threads[0] = {11, -1, 0, 0, 1};
    EXPECT_EQ(thread(1).level.value, 0);
    EXPECT_EQ(thread(1).team_size.value, 1);
    EXPECT_EQ(thread(1).task.value, TaskKind::initial);
    EXPECT_EQ(thread(1).region.value, 0);
}

TEST_F(Walk, ListsEachRegionOnceWithWhoIsInIt) {
    const auto &regions = read().regions;
    ASSERT_EQ(regions.size(), 2U);
    EXPECT_EQ(regions[0].parent.value, 0);
    EXPECT_EQ(regions[1].parent.value, 1);
    EXPECT_EQ(regions[1].level.value, 2);
    EXPECT_EQ(regions[1].threads, (std::vector<std::optional<int>>{2, 3}));
    EXPECT_EQ(regions[1].primary, 2);
    EXPECT_EQ(regions[1].function.value, TargetAddr{0x700});
}

TEST_F(Walk, FollowsTheChainOfTasks) {
    const auto tasks = chain(3);
    ASSERT_EQ(tasks.size(), 4U);
    EXPECT_EQ(tasks[0].kind.value, TaskKind::implicit);
    EXPECT_EQ(tasks[1].kind.value, TaskKind::explicit_);
    EXPECT_EQ(tasks[1].final_task.value, true);
    EXPECT_EQ(tasks[1].function.value, TargetAddr{0x600});
    EXPECT_EQ(tasks[1].scheduling.value, 2);
    EXPECT_EQ(tasks[1].generating.value, 2);
    EXPECT_EQ(tasks[1].region.value, 1);
    EXPECT_EQ(tasks[3].kind.value, TaskKind::initial);
    EXPECT_EQ(tasks[3].generating.value, -1);
    EXPECT_EQ(tasks[1].exit_frame.value, TargetAddr{0x1003});
}

TEST_F(Walk, OneTaskIsTheSameInTwoChains) {
    read();
    const auto tasks = reader.tasks(std::array{2, 3});
    ASSERT_EQ(tasks.size(), 8U);
    EXPECT_NE(tasks[0].identity, tasks[4].identity);
    for (std::size_t depth = 1; depth < 4; ++depth) {
        EXPECT_EQ(tasks[depth].identity, tasks[depth + 4].identity);
    }
}

TEST_F(Walk, ASchedulingTaskOutsideOfTheChainIsListedAfterIt) {
    scene.tasks.push_back({1, 1, -1, false, false, 0x800});
    scene.tasks[3].scheduling = 6;
    const auto tasks = chain(3);
    ASSERT_EQ(tasks.size(), 6U);  // and the task that generated the one which scheduled
    EXPECT_EQ(tasks[1].scheduling.value, 4);
    EXPECT_EQ(tasks[4].function.value, TargetAddr{0x800});
    EXPECT_EQ(tasks[5].generating.value, 3);
}

TEST_F(Walk, NoTaskSchedulesItself) {
    scene.tasks[3].scheduling = 3;
    EXPECT_STREQ(chain(3)[1].scheduling.failed, "ompd_get_scheduling_task_handle");
}

TEST_F(Walk, ImplicitTasksAreThoseOfTheRegion) {
    read();
    const auto tasks = reader.implicit_tasks(1);
    ASSERT_EQ(tasks.size(), 2U);
    EXPECT_EQ(tasks[0].gdb_num, 1);
    EXPECT_EQ(tasks[0].depth, 0);
    EXPECT_EQ(tasks[1].depth, 2);  // of thread 2, which executes another
    EXPECT_TRUE(reader.implicit_tasks(9).empty());
}

TEST_F(Walk, EachIcvIsListedOnceUnderItsOwnName) {
    read();
    const auto icvs = reader.icvs(std::array{3}, std::array{2});
    std::vector<std::string> names;
    for (const IcvFacts &one : icvs) {
        names.push_back(one.icv->name);
    }
    EXPECT_EQ(names,
              (std::vector<std::string>{"num-procs-var", "thread-num-var", "team-size-var",
                                        "levels-var", "active-levels-var", "final-task-var",
                                        "implicit-task-var", "nthreads-var", "run-sched-var"}));
    EXPECT_EQ(icvs[7].number.value, 105);  // a list: both
    EXPECT_EQ(icvs[7].text.value, "100,4");
    EXPECT_FALSE(icvs[8].number.known());
    EXPECT_EQ(icvs[8].text.value, "static");
}

TEST_F(Walk, AnIcvOfImplicitTasksIsAskedOfThatAroundAnExplicitOne) {
    scene.threads[1].task = 3;
    read();
    const auto icvs = reader.icvs(std::array{2}, {});
    const auto found = std::find_if(icvs.begin(), icvs.end(), [](const IcvFacts &one) {
        return one.icv->name == "nthreads-var";
    });
    EXPECT_EQ(found->number.value, 102);
}

TEST_F(Walk, TheNamesThatEveryLibraryHasAreEnough) {
    scene.aliases = true;
    EXPECT_EQ(thread(3).level.value, 2);
    EXPECT_EQ(thread(3).thread_num.value, 1);
    EXPECT_EQ(chain(3)[1].final_task.value, true);
}

TEST_F(Walk, ALibraryThatKnowsOnlyTheKernelsNumbers) {
    scene.id_kind = ompd_thread_id_lwp;
    for (auto &one : scene.threads) {
        one.id += 90;
    }
    for (const ompd_size_t size : {4U, 8U}) {
        const auto another = new_reader();
        scene.id_size = size;
        const StopFacts &facts = another->read(natives);
        EXPECT_EQ(facts.threads[2].level.value, 2);
        EXPECT_EQ(facts.regions.at(1).threads, (std::vector<std::optional<int>>{2, 3}));
        EXPECT_EQ(facts.threads[4].kind.value, ThreadKind::native);
    }
}

TEST_F(Walk, EndsOfChainsMayBeCalledUnsupported) {
    scene.end_is_unsupported = true;
    EXPECT_EQ(read().regions.size(), 2U);
    EXPECT_EQ(chain(3).size(), 4U);
    EXPECT_TRUE(thread(4).idle);
}

TEST_F(Walk, ARunningThreadIsNotAsked) {
    natives[2].running = true;
    EXPECT_EQ(thread(3).error, "the thread is running");
    EXPECT_FALSE(thread(3).level.known());
}

// Each function that fails leaves what it is asked for unknown, under its own name.
struct Fails {
    const char *function;
    const char *(*failed_of)(OmpdReader &, const StopFacts &);
};

const char *of_task(OmpdReader &reader, const char *(*which)(const TaskFacts &)) {
    return which(reader.tasks(std::array{3}).at(1));
}

const std::vector<Fails> failures{
    {"ompd_get_state",
     [](OmpdReader &, const StopFacts &facts) { return facts.threads[2].state.failed; }},
    {"ompd_enumerate_states",
     [](OmpdReader &, const StopFacts &facts) { return facts.threads[2].state.failed; }},
    {"ompd_get_curr_parallel_handle",
     [](OmpdReader &, const StopFacts &facts) { return facts.threads[2].level.failed; }},
    {"ompd_get_enclosing_parallel_handle",
     [](OmpdReader &, const StopFacts &facts) { return facts.threads[2].memberships_failed; }},
    {"ompd_get_curr_task_handle",
     [](OmpdReader &, const StopFacts &facts) { return facts.threads[2].task.failed; }},
    {"ompd_enumerate_icvs",
     [](OmpdReader &, const StopFacts &facts) { return facts.threads[2].thread_num.failed; }},
    {"ompd_get_icv_from_scope",
     [](OmpdReader &, const StopFacts &facts) { return facts.threads[2].thread_num.failed; }},
    {"ompd_get_thread_in_parallel",
     [](OmpdReader &, const StopFacts &facts) { return facts.regions[0].threads_failed; }},
    {"ompd_get_thread_id",
     [](OmpdReader &, const StopFacts &facts) { return facts.regions[0].threads_failed; }},
    {"ompd_get_task_in_parallel",
     [](OmpdReader &, const StopFacts &facts) { return facts.regions[0].function.failed; }},
    {"ompd_parallel_handle_compare",
     [](OmpdReader &, const StopFacts &facts) { return facts.threads[2].level.failed; }},
    {"ompd_get_task_function",
     [](OmpdReader &reader, const StopFacts &) {
         return of_task(reader, [](const TaskFacts &task) { return task.function.failed; });
     }},
    {"ompd_get_task_frame",
     [](OmpdReader &reader, const StopFacts &) {
         return of_task(reader, [](const TaskFacts &task) { return task.exit_frame.failed; });
     }},
    {"ompd_get_task_parallel_handle",
     [](OmpdReader &reader, const StopFacts &) {
         return of_task(reader, [](const TaskFacts &task) { return task.region.failed; });
     }},
    {"ompd_get_scheduling_task_handle",
     [](OmpdReader &reader, const StopFacts &) {
         return of_task(reader, [](const TaskFacts &task) { return task.scheduling.failed; });
     }},
    {"ompd_get_generating_task_handle",
     [](OmpdReader &reader, const StopFacts &) {
         return reader.tasks(std::array{3}).at(0).generating.failed;
     }},
};

TEST_F(Walk, WhatFailsIsNamed) {
    for (const Fails &each : failures) {
        scene = nested();
        const auto fresh = new_reader();
        scene.failures[each.function] = ompd_rc_error;
        const StopFacts &facts = fresh->read(natives);
        EXPECT_STREQ(each.failed_of(*fresh, facts), each.function);
        EXPECT_EQ(facts.threads.size(), natives.size()) << each.function;
        EXPECT_GT(scene.calls[each.function], 0);
    }
}

TEST_F(Walk, AThreadThatCannotBeReadIsARowWithTheReason) {
    scene.failures["ompd_get_thread_handle"] = ompd_rc_stale_handle;
    EXPECT_TRUE(thread(1).error.starts_with("ompd_get_thread_handle: ")) << thread(1).error;
    EXPECT_TRUE(read().regions.empty());
}

TEST_F(Walk, NothingIsToldWhereTheProcessCannotBeAsked) {
    scene.failures["ompd_process_initialize"] = ompd_rc_error;
    EXPECT_THROW(read(), OmpdError);
}

TEST_F(Walk, ATaskThatCannotBeComparedIsAnError) {
    read();
    scene.failures["ompd_task_handle_compare"] = ompd_rc_error;
    try {
        static_cast<void>(reader.tasks(std::array{3}));
        FAIL() << "tasks cannot be told apart";
    } catch (const OmpdError &error) {
        EXPECT_EQ(error.call(), "ompd_task_handle_compare");
    }
}

// Asked alone it is an error; among others it is a row, and they have theirs.
TEST_F(Walk, AThreadWhoseTaskIsNotKnownIsARowAmongOthers) {
    read();
    scene.failures["ompd_get_curr_task_handle"] = ompd_rc_error;
    EXPECT_THROW(static_cast<void>(reader.tasks(std::array{3})), OmpdError);
    const auto tasks = reader.tasks(std::array{1, 3});
    ASSERT_EQ(tasks.size(), 2U);
    EXPECT_NE(tasks[0].identity, tasks[1].identity);
    for (const TaskFacts &task : tasks) {
        EXPECT_STREQ(task.kind.failed, "ompd_get_curr_task_handle");
        EXPECT_EQ(task.generating.code, ompd_rc_error);
    }
}

TEST_F(Walk, AFailureIsForgottenOnceItIsOver) {
    scene.failures["ompd_enumerate_icvs"] = ompd_rc_error;
    EXPECT_FALSE(thread(3).level.known());
    scene.failures.clear();
    EXPECT_EQ(thread(3).level.value, 2);
}

TEST_F(Walk, RegionsInACircleEnd) {
    scene.regions[1].parent = 2;
    EXPECT_STREQ(thread(1).memberships_failed, "ompd_get_enclosing_parallel_handle");
    EXPECT_EQ(thread(1).level.value, 1);
}

// Of one thread, in the middle of the runtime's work: those of the others are known.
TEST_F(Walk, TasksInACircleEndUnknown) {
    scene.tasks[0].generating = 4;
    const auto tasks = chain(3);
    ASSERT_FALSE(tasks.empty());
    const auto last = std::find_if(tasks.begin(), tasks.end(), [](const TaskFacts &task) {
        return task.generating.value != task.depth + 1;
    });
    ASSERT_NE(last, tasks.end());
    EXPECT_STREQ(last->generating.failed, "ompd_get_generating_task_handle");
}

TEST_F(Walk, AnImpossibleTeamIsUnknown) {
    scene.regions[2].claimed_size = ompd_word_t{1} << 40;
    EXPECT_FALSE(thread(3).team_size.known());
    EXPECT_STREQ(thread(3).team_size.failed, "ompd_get_icv_from_scope");
    EXPECT_LT(scene.calls["ompd_get_thread_in_parallel"], 100);
}

TEST_F(Walk, ADeepNestEnds) {
    scene.regions.resize(5000);
    for (int i = 3; i < 5000; ++i) {
        scene.regions[static_cast<std::size_t>(i)] = {i - 1, i, 1, {1}, {4}};
    }
    scene.threads[1].region = 4999;
    EXPECT_NE(thread(2).memberships_failed, nullptr);
    EXPECT_LT(scene.calls["ompd_get_enclosing_parallel_handle"], 1200);
}

TEST_F(Walk, AllHandlesAreGivenBack) {
    read();
    static_cast<void>(reader.tasks(all));
    static_cast<void>(reader.implicit_tasks(1));
    static_cast<void>(reader.icvs(all, std::array{1, 2}));
    EXPECT_GT(scene.live_handles, 0);
    reader.end_stop();
    EXPECT_EQ(scene.live_handles, 0);
    static_cast<void>(reader.place(natives[2]));
    static_cast<void>(reader.memberships(natives[2]));
    static_cast<void>(reader.icv(natives[2], "levels-var"));
    EXPECT_EQ(scene.live_handles, 0);
}

TEST_F(Walk, OneThreadIsToldByItself) {
    const auto place = reader.place(natives[2]);
    ASSERT_TRUE(place);
    EXPECT_EQ(place->thread_num, 1);
    EXPECT_EQ(place->team_size, 2);
    EXPECT_EQ(place->level, 2);
    EXPECT_EQ(pairs(reader.memberships(natives[2])),
              (std::vector<std::pair<int, int>>{{1, 2}, {1, 2}, {0, 1}}));
    EXPECT_EQ(reader.task_kind(natives[2]).value, TaskKind::implicit);
    EXPECT_EQ(reader.state(natives[1]).value, "wait_lock");
    EXPECT_EQ(reader.icv(natives[2], "levels-var")->number.value, 2);
    EXPECT_FALSE(reader.icv(natives[2], "no-such-var"));
    EXPECT_FALSE(reader.place(natives[3]));
    EXPECT_TRUE(reader.knows(natives[3]));
    EXPECT_FALSE(reader.knows(natives[4]));
}

TEST_F(Walk, AThreadWhosePlaceCannotBeReadIsAnError) {
    scene.failures["ompd_get_curr_parallel_handle"] = ompd_rc_error;
    EXPECT_THROW(static_cast<void>(reader.place(natives[2])), OmpdError);
}

TEST_F(Walk, ControlVariablesAreNamesWithValues) {
    const auto variables = reader.control_variables();
    ASSERT_EQ(variables.size(), 1U);
    EXPECT_EQ(variables[0].name, "OMP_SCHEDULE");
    EXPECT_EQ(variables[0].value, "static");
}

TEST_F(Walk, VersionsAreAskedFor) {
    const Versions versions = reader.versions();
    EXPECT_EQ(versions.api, 201811);
    EXPECT_EQ(versions.library, "a scene");
    EXPECT_EQ(versions.omp.value, 201811);
    EXPECT_EQ(versions.omp_text.value, "OpenMP 5.0");
}

TEST_F(Walk, QueuedTasksAreNotKnown) { EXPECT_FALSE(reader.waiting_tasks()); }

}  // namespace

}  // namespace gdb_ompd
