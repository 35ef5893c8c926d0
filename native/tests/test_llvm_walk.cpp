// SPDX-License-Identifier: Apache-2.0
// The walk that judges a layout: silent on sound records, plain about damaged ones.
#include "llvm_memory.hpp"
#include "runtimes/llvm/walk.hpp"

#include <gtest/gtest.h>

#include <array>

namespace gdb_ompd::llvm {
namespace {

constexpr std::uint64_t pthread_id = 0x7000'0000;

// A region of two threads: its primary thread executes an explicit task, its worker the
// implicit one.
class LlvmWalk : public ::testing::Test {
protected:
    LlvmWalk() {
        const TargetAddr root_task = sound_task(root, memory.record("kmp_taskdata_t"));
        memory.put(root, "kmp_base_team_t", "t_implicit_task_taskdata", root_task.value);
        memory.put(root_task, "kmp_taskdata_t", "td_parent", 0);
        const TargetAddr array = memory.record("kmp_taskdata_t");
        memory.put(team, "kmp_base_team_t", "t_implicit_task_taskdata", array.value);
        memory.put(team, "kmp_base_team_t", "t_active_level", 1);
        primary_task = sound_task(team, array);
        memory.put(primary_task, "kmp_taskdata_t", "td_parent", root_task.value);
        worker_task = sound_task(team, array + memory.places.task_size);
        explicit_task = sound_task(team, memory.record("kmp_taskdata_t"));
        memory.put(explicit_task, "kmp_taskdata_t", "td_flags", memory.layout.bit("tasktype"));
        memory.put(explicit_task, "kmp_taskdata_t", "td_parent", primary_task.value);
        memory.put(explicit_task + memory.places.task_size + memory.places.routine.offset, 0x7000);
        place(initial, 0, explicit_task);
        place(worker, 1, worker_task);
    }

    TargetAddr sound_task(TargetAddr of, TargetAddr record) {
        memory.put(record, "kmp_taskdata_t", "td_team", of.value);
        memory.put(record, "kmp_taskdata_t", "td_flags",
                   memory.layout.bit("tiedness") | memory.layout.bit("task_serial") |
                       memory.layout.bit("started"));
        const TargetAddr icvs = record + memory.layout.access("kmp_taskdata_t", "td_icvs");
        memory.put(icvs, "kmp_internal_control_t", "thread_limit", 8);
        const TargetAddr schedule = icvs + memory.layout.access("kmp_internal_control_t", "sched");
        memory.put(schedule, "kmp_r_sched_t", "r_sched_type", 33);
        return record;
    }
    // THREAD in the team, with its global number, the same, behind the one in the team.
    void place(TargetAddr thread, std::uint64_t number, TargetAddr task) {
        memory.join(thread, team, number << 32U | number, task);
        memory.put(thread + memory.places.thread.pthread_id.offset, pthread_id + number);
        threads.push_back({static_cast<int>(number) + 1, number, thread, pthread_id + number});
    }
    std::vector<std::string> violations() {
        return walk_threads(*memory.space, memory.layout, threads).violations;
    }
    // What is found wrong where FIELD of a record is VALUE.
    std::vector<std::string> with(TargetAddr record, const char *kind, const char *field,
                                  std::uint64_t value) {
        const TargetAddr at = record + memory.layout.access(kind, field);
        const std::uint64_t before = memory.space->read_uint(at, 8);
        memory.put(at, value);
        auto found = violations();
        memory.put(at, before);
        return found;
    }

    RuntimeMemory memory;
    TargetAddr initial = memory.thread();
    TargetAddr worker = memory.thread();
    TargetAddr root = memory.team({initial}, 0);
    TargetAddr team = memory.team({initial, worker}, 1, root);
    TargetAddr primary_task, worker_task, explicit_task;
    std::vector<WalkedThread> threads;
};

TEST_F(LlvmWalk, IsSilentOnSoundRecords) {
    const Walk walk = walk_threads(*memory.space, memory.layout, threads);
    EXPECT_EQ(walk.violations, std::vector<std::string>());
    EXPECT_GT(walk.checked, 40);
}

TEST_F(LlvmWalk, SaysWhatCannotBe) {
    const auto says = [](const std::vector<std::string> &lines, const std::string &line) {
        return std::ranges::find(lines, line) != lines.end();
    };
    const auto of_team = std::to_array<std::tuple<const char *, std::uint64_t, const char *>>({
        {"t_nproc", 0, "a team has no sensible size"},
        {"t_level", 5000, "a team is at no sensible level"},
        {"t_active_level", 3, "a team's active level is not so"},
        {"t_master_tid", 7, "a team's primary is not its parent's"},
        {"t_parent", 0, "a team without a parent is no initial thread's"},
        {"t_parent", team.value, "a team is its own ancestor"},
        {"t_pkfn", 17, "a team's function is no address"},
        {"ompt_serialized_team_info", 17, "what is kept of a serialized region is no address"},
    });
    for (const auto &[field, value, line] : of_team) {
        EXPECT_TRUE(says(with(team, "kmp_base_team_t", field, value), line)) << field;
    }
    const auto of_task = [&](TargetAddr task, const char *field, std::uint64_t value) {
        return with(task, "kmp_taskdata_t", field, value);
    };
    EXPECT_TRUE(
        says(of_task(explicit_task, "td_parent", 0), "an explicit task was generated by none"));
    EXPECT_TRUE(says(of_task(explicit_task, "td_parent", explicit_task.value),
                     "a task is its own ancestor"));
    EXPECT_TRUE(says(of_task(explicit_task, "td_team", 0), "a task belongs to no team"));
    EXPECT_TRUE(says(of_task(worker_task, "td_flags", 0), "an implicit task is not started"));
    EXPECT_TRUE(says(of_task(explicit_task, "td_flags", 0),
                     "a task in its team's array is explicit, or one outside of it implicit"));
    const TargetAddr icvs = explicit_task + memory.layout.access("kmp_taskdata_t", "td_icvs");
    EXPECT_TRUE(says(with(icvs, "kmp_internal_control_t", "thread_limit", 0),
                     "a task's ICV thread_limit is out of range"));
}

TEST_F(LlvmWalk, AnotherThreadsRecordIsNone) {
    threads.front().pthread_id = 5;
    threads.back().number = 3;
    EXPECT_EQ(violations(), (std::vector<std::string>{"a thread's record is another thread's",
                                                      "a thread's record has another number"}));
}

TEST_F(LlvmWalk, MemoryThatCannotBeReadIsAViolationOfAThread) {
    const auto lines = with(worker, "kmp_base_info_t", "th_team", 0x100);
    ASSERT_EQ(lines.size(), 1U);
    EXPECT_TRUE(lines.front().starts_with("thread 2: Cannot access memory at address 0x"))
        << lines.front();
}

TEST_F(LlvmWalk, WithoutAThreadInATeamNothingIsProved) {
    threads.clear();
    const Walk walk = walk_threads(*memory.space, memory.layout, threads);
    EXPECT_EQ(walk.checked, 0);
    EXPECT_TRUE(walk.violations.empty());
}

}  // namespace
}  // namespace gdb_ompd::llvm
