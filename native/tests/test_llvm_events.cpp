// SPDX-License-Identifier: Apache-2.0
// Which region begins or ends at an event, and which task is announced, from memory.
#include "llvm_memory.hpp"
#include "runtimes/llvm/event_reader.hpp"

#include <gtest/gtest.h>

namespace gdb_ompd::llvm {
namespace {

constexpr std::uint64_t caller = 0x4444;

class LlvmEvents : public ::testing::Test {
protected:
    std::optional<EventRegion> region(const Announcement &said) {
        Teams teams(*memory.space, memory.places, memory.array({initial}));
        return event_region(teams, memory.layout, teams.thread(0).value(), said);
    }
    // What begins where the announcer has WORDS on its stack.
    std::optional<EventRegion> begun(const std::vector<TargetAddr> &words,
                                     const std::string &entry = "__kmpc_fork_call") {
        const TargetAddr stack = memory.array(words);
        const std::uint64_t end = stack.value + 8 * words.size();
        return region({true, entry, Announcer{{}, stack.value, end, {caller}}});
    }
    // A team of two that the initial thread may begin, with what called the runtime.
    TargetAddr team_to_begin(std::uint64_t from = caller) {
        const TargetAddr team = memory.team({TargetAddr{}, memory.thread()}, 1, root);
        memory.put(team + memory.places.team.caller.offset, from);
        memory.put(team, "kmp_base_team_t", "t_pkfn", 0x7000);
        return team;
    }
    TargetAddr icv(const char *name) {
        return task + memory.layout.access("kmp_taskdata_t", "td_icvs") +
               memory.layout.access("kmp_internal_control_t", name);
    }

    RuntimeMemory memory;
    TargetAddr initial = memory.thread();
    TargetAddr root = memory.team({initial}, 0);
    TargetAddr task = memory.task(root);

    void SetUp() override {
        memory.join(initial, root, 0, task);
        memory.put(icv("thread_limit"), 100);
        memory.put(icv("max_active_levels"), 1);
    }
};

TEST_F(LlvmEvents, TheTeamThatBeginsIsOnTheAnnouncersStack) {
    const TargetAddr team = team_to_begin();
    const auto found = begun({{0}, {7}, root, team, initial, {0x10}});
    ASSERT_TRUE(found);
    EXPECT_EQ(found->thread, initial);
    EXPECT_EQ(found->team, team);
    EXPECT_EQ(found->size, 2);
    EXPECT_EQ(found->level, 1);
    EXPECT_EQ(found->function, TargetAddr{0x7000});
    EXPECT_EQ(found->requested, 2);
}

TEST_F(LlvmEvents, OrInItsRegisters) {
    const TargetAddr team = team_to_begin();
    const auto found = region({true, "", Announcer{{1, team.value}, 0, 0, {}}});
    ASSERT_TRUE(found);
    EXPECT_EQ(found->team, team);
}

TEST_F(LlvmEvents, OfTwoTeamsTheOneIsBegunThatWasCalledForFromHere) {
    const TargetAddr earlier = team_to_begin(0x5555);
    const TargetAddr team = team_to_begin();
    EXPECT_EQ(begun({earlier, team})->team, team);
    memory.put(team + memory.places.team.caller.offset, 0x5555);
    EXPECT_EQ(begun({earlier, team})->team, root);  // neither: the team around is known
}

TEST_F(LlvmEvents, ATeamOfAnotherThreadOrParentIsNotBegun) {
    const TargetAddr team = team_to_begin();
    for (const auto &[field, value] :
         {std::pair("t_master_tid", std::uint64_t{1}), std::pair("t_parent", std::uint64_t{0}),
          std::pair("t_nproc", std::uint64_t{1})}) {
        const TargetAddr at = team + memory.layout.access("kmp_base_team_t", field);
        const std::uint64_t before = memory.space->read_uint(at, 8);
        memory.put(at, value);
        EXPECT_EQ(begun({team})->team, root) << field;
        memory.put(at, before);
    }
    EXPECT_EQ(begun({team + 4})->team, root);
    EXPECT_EQ(begun({team})->team, team);
}

TEST_F(LlvmEvents, AtAnEndTheThreadIsInItsTeam) {
    const TargetAddr team = memory.team({initial, memory.thread()}, 1, root);
    memory.put(team, "kmp_base_team_t", "t_pkfn", 0x7000);
    memory.join(initial, team, 0, task);
    const auto found = region({false, "", std::nullopt});
    ASSERT_TRUE(found);
    EXPECT_EQ(found->team, team);
    EXPECT_EQ(found->function, TargetAddr{0x7000});
    EXPECT_EQ(found->requested, std::nullopt);
}

TEST_F(LlvmEvents, ASerializedRegionThatEndsDoesNotKeepItsFunction) {
    const TargetAddr team = memory.team({initial}, 1, root);
    memory.put(team, "kmp_base_team_t", "t_pkfn", 0x7000);
    memory.join(initial, team, 0, task);
    EXPECT_EQ(region({false, "", std::nullopt})->function, TargetAddr{});
    EXPECT_EQ(region({true, "", std::nullopt})->function, TargetAddr{0x7000});
}

TEST_F(LlvmEvents, WhatWasAskedForIsKnownWhereNoLimitWasMet) {
    const TargetAddr team = team_to_begin();
    memory.put(icv("thread_limit"), 2);
    EXPECT_EQ(begun({team})->requested, std::nullopt);
    memory.put(icv("thread_limit"), 3);
    EXPECT_EQ(begun({team})->requested, 2);
    memory.put(icv("dynamic"), 1);
    EXPECT_EQ(begun({team})->requested, std::nullopt);
    EXPECT_EQ(begun({team}, "__kmpc_serialized_parallel")->requested, 1);
}

TEST_F(LlvmEvents, ASerializedRegionMayHaveMetTheLimitOfLevels) {
    const TargetAddr team = memory.team({initial}, 1, root);
    memory.join(initial, team, 0, task);
    EXPECT_EQ(region({true, "", std::nullopt})->requested, 1);
    memory.put(team, "kmp_base_team_t", "t_active_level", 1);
    EXPECT_EQ(region({true, "", std::nullopt})->requested, std::nullopt);
}

TEST_F(LlvmEvents, AThreadWithoutATeamIsInNoRegion) {
    memory.put(initial, "kmp_base_info_t", "th_team", 0);
    EXPECT_FALSE(region({false, "", std::nullopt}));
}

TEST_F(LlvmEvents, AStackThatCannotBeReadIsSaid) {
    EXPECT_THROW(static_cast<void>(region({true, "", Announcer{{}, 0x100, 0x200, {}}})),
                 Inconsistent);
}

// The file's functions, with which tasks and `teams` constructs are told.
class LlvmEventTasks : public LlvmEvents {
protected:
    static constexpr std::uint64_t bias = 0x10000000;

    LlvmEventTasks() {
        Module mapped;
        mapped.elf = std::make_shared<ElfImage>(SAMPLE_FIRST, std::nullopt, "");
        mapped.bias = bias;
        mapped.name = SAMPLE_FIRST;
        modules.push_back(std::make_shared<Module>(mapped));
        reader.emplace(memory.space, memory.layout, modules,
                       std::make_shared<code::CodeMap>(modules, modules.front(), Modules{}));
    }
    [[nodiscard]] std::uint64_t function() const {
        return bias + modules.front()->elf->symbol("sample_function")->value;
    }
    // A kmp_task_t whose record says that it is explicit.
    std::uint64_t announced(std::uint64_t routine) {
        const TargetAddr record = memory.task(root, task, memory.layout.bit("tasktype"));
        const TargetAddr behind = record + memory.places.task_size;
        memory.put(behind + memory.places.routine.offset, routine);
        return behind.value;
    }

    Modules modules;
    std::optional<EventReader> reader;
};

TEST_F(LlvmEventTasks, ATaskIsWhatARegisterPointsToIfItIsTheOnlyOne) {
    const std::uint64_t one = announced(function());
    const std::uint64_t two = announced(function());
    const auto found = reader->announced_task(std::vector<std::uint64_t>{0, 12345, one, one});
    ASSERT_TRUE(found);
    EXPECT_EQ(found->record, TargetAddr{one - memory.places.task_size});
    EXPECT_EQ(found->routine, TargetAddr{function()});
    EXPECT_FALSE(reader->announced_task(std::vector{one, two}));
    EXPECT_FALSE(reader->announced_task(std::vector<std::uint64_t>{}));
}

TEST_F(LlvmEventTasks, WhatBeginsNoFunctionIsNoTasks) {
    EXPECT_TRUE(reader->is_users(TargetAddr{function()}));
    EXPECT_FALSE(reader->is_users(TargetAddr{function() + 1}));
    EXPECT_FALSE(reader->is_users(TargetAddr{bias}));
    EXPECT_FALSE(reader->announced_task(std::vector{announced(function() + 1)}));
}

TEST_F(LlvmEventTasks, AnImplicitTaskIsNotAnnounced) {
    const std::uint64_t one = announced(function());
    memory.put(TargetAddr{one - memory.places.task_size}, "kmp_taskdata_t", "td_flags", 0);
    EXPECT_FALSE(reader->announced_task(std::vector{one}));
}

}  // namespace
}  // namespace gdb_ompd::llvm
