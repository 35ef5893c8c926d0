// SPDX-License-Identifier: Apache-2.0
// Teams and memberships from memory: the rules of nesting, and damaged memory.
#include "llvm_memory.hpp"
#include "runtimes/llvm/teams.hpp"

#include <gtest/gtest.h>

namespace gdb_ompd::llvm {
namespace {

using Pairs = std::vector<std::pair<int, int>>;

Pairs pairs_of(const Team &team, int thread_num) {
    Pairs found;
    for (const Membership &each : memberships(team, thread_num)) {
        found.emplace_back(each.thread_num.value(), each.team_size.value());
    }
    return found;
}

class LlvmTeams : public ::testing::Test {
protected:
    Teams teams_of(const std::vector<TargetAddr> &threads, Boundary boundary = {}) {
        return {*memory.space, memory.places, memory.array(threads), boundary};
    }

    static std::string refusal_of(Teams teams, std::uint64_t gtid) {
        try {
            static_cast<void>(teams.thread(gtid));
        } catch (const Inconsistent &refusal) {
            return refusal.what();
        }
        return "";
    }

    RuntimeMemory memory;
    TargetAddr initial = memory.thread();
};

TEST_F(LlvmTeams, AThreadOutsideOfRegionsIsAloneAtLevel0) {
    memory.join(initial, memory.team({initial}, 0), 0);
    Teams teams = teams_of({initial});
    const auto thread = teams.thread(0);
    ASSERT_TRUE(thread && thread->team != nullptr);
    EXPECT_EQ(thread->team->levels(), 0);
    EXPECT_EQ(pairs_of(*thread->team, 0), (Pairs{{0, 1}}));
    EXPECT_EQ(innermost_region(thread->team), std::nullopt);
    EXPECT_EQ(thread->root, initial);
}

TEST_F(LlvmTeams, ThreeSerializedLevelsAreThreeRegionsOfOneTeam) {
    const TargetAddr root = memory.team({initial}, 0);
    const TargetAddr inner = memory.team({initial}, 3, root);
    memory.join(initial, inner, 0);
    Teams teams = teams_of({initial});
    const Team *team = teams.thread(0)->team;
    ASSERT_NE(team, nullptr);
    EXPECT_EQ(team->levels(), 3);
    EXPECT_EQ(pairs_of(*team, 0), Pairs(4, {0, 1}));
    EXPECT_EQ(innermost_region(team), (RegionKey{inner, 2}));
}

TEST_F(LlvmTeams, ANestedPrimaryKeepsItsNumberInTheOuterTeam) {
    const TargetAddr worker = memory.thread();
    const TargetAddr inner_worker = memory.thread();
    const TargetAddr root = memory.team({initial}, 0);
    const TargetAddr outer = memory.team({initial, worker}, 1, root);
    const TargetAddr inner = memory.team({worker, inner_worker}, 2, outer, 1);
    memory.join(initial, outer, 0);
    memory.join(worker, inner, 0);
    memory.join(inner_worker, inner, 1);
    Teams teams = teams_of({initial, worker, inner_worker});
    const auto thread = teams.thread(2);
    ASSERT_TRUE(thread && thread->team != nullptr);
    EXPECT_EQ(pairs_of(*thread->team, thread->thread_num), (Pairs{{1, 2}, {1, 2}, {0, 1}}));
    EXPECT_EQ(teams.thread(1)->team, thread->team);
}

// The runtime restores the number that it had outside before it takes it out of the team.
TEST_F(LlvmTeams, APrimaryThatEndsItsRegionIsOutsideOnceItHasItsNumberThere) {
    const TargetAddr worker = memory.thread();
    const TargetAddr inner_worker = memory.thread();
    const TargetAddr outer = memory.team({initial, worker}, 1, memory.team({initial}, 0));
    const TargetAddr inner = memory.team({worker, inner_worker}, 2, outer, 1);
    memory.join(initial, outer, 0);
    memory.join(worker, inner, 1);
    memory.join(inner_worker, inner, 1);
    Teams teams = teams_of({initial, worker, inner_worker});
    const auto thread = teams.thread(1);
    ASSERT_TRUE(thread && thread->team != nullptr);
    EXPECT_EQ(thread->team->address, outer);
    EXPECT_EQ(pairs_of(*thread->team, thread->thread_num), (Pairs{{1, 2}, {0, 1}}));
    EXPECT_EQ(teams.thread(2)->team, nullptr);
    Teams at_event = teams_of({initial, worker, inner_worker}, {worker, inner});
    EXPECT_EQ(at_event.thread(1)->team->address, inner);
    EXPECT_EQ(at_event.thread(2)->team->address, inner);
}

// __kmp_serialized_parallel: the team has the level of the region that it was used for before.
TEST_F(LlvmTeams, AThreadIsOutsideOfASerializedRegionUntilItsTeamHasItsLevel) {
    const TargetAddr worker = memory.thread();
    const TargetAddr outer = memory.team({initial, worker}, 1, memory.team({initial}, 0));
    memory.join(initial, outer, 0);
    for (const int level : {0, 1}) {
        for (const std::uint64_t number : {0, 1}) {
            memory.join(worker, memory.team({worker}, level, outer, 1), number);
            Teams teams = teams_of({initial, worker});
            const auto thread = teams.thread(1);
            ASSERT_TRUE(thread && thread->team != nullptr);
            EXPECT_EQ(thread->team->address, outer);
            EXPECT_EQ(pairs_of(*thread->team, thread->thread_num), (Pairs{{1, 2}, {0, 1}}));
        }
    }
    memory.join(worker, memory.team({worker}, 2, outer, 1), 0);
    EXPECT_EQ(teams_of({initial, worker}).thread(1)->team->level, 2);
}

// __kmp_free_team: the team is cut off, and the primary thread back in the task outside.
TEST_F(LlvmTeams, APrimaryIsOutsideOfATeamThatIsGivenBack) {
    const TargetAddr worker = memory.thread();
    const TargetAddr root = memory.team({initial}, 0);
    const TargetAddr outer = memory.team({initial, worker}, 1, root);
    const TargetAddr given_back = memory.team({worker, memory.thread()}, 0);
    const TargetAddr task = memory.task(outer, memory.task(root));
    memory.join(initial, outer, 0);
    memory.join(worker, given_back, 1, task);
    Teams teams = teams_of({initial, worker});
    const auto thread = teams.thread(1);
    ASSERT_TRUE(thread && thread->team != nullptr);
    EXPECT_EQ(thread->team->address, outer);
    EXPECT_EQ(pairs_of(*thread->team, thread->thread_num), (Pairs{{1, 2}, {0, 1}}));
    EXPECT_EQ(thread->task, task);
}

// __kmp_allocate_team: the primary thread has its task in it already, and its number 0.
TEST_F(LlvmTeams, APrimaryIsOutsideOfATeamThatIsBeingMade) {
    const TargetAddr worker = memory.thread();
    const TargetAddr root = memory.team({initial}, 0);
    const TargetAddr outer = memory.team({initial, worker}, 1, root);
    const TargetAddr made = memory.team({worker, memory.thread()}, 0);
    const TargetAddr task = memory.task(outer, memory.task(root));
    memory.join(initial, outer, 0);
    memory.join(worker, made, 0, memory.task(made, task));
    Teams teams = teams_of({initial, worker});
    const auto thread = teams.thread(1);
    ASSERT_TRUE(thread && thread->team != nullptr);
    EXPECT_EQ(pairs_of(*thread->team, thread->thread_num), (Pairs{{1, 2}, {0, 1}}));
    EXPECT_EQ(thread->task, task);
    EXPECT_EQ(teams.team_of(worker)->address, outer);
}

// __kmp_allocate_team: a team that is kept has the parent and level of its last region, and its
// primary thread has its task in it before it is in it.
TEST_F(LlvmTeams, AnInitialThreadIsOutsideOfAKeptTeamThatIsMadeReady) {
    const TargetAddr worker = memory.thread();
    const TargetAddr root = memory.team({initial}, 0);
    const TargetAddr kept = memory.team({initial, worker}, 2, root);
    const TargetAddr outside = memory.task(root);
    memory.join(initial, root, 0, memory.implicit(kept, outside));
    memory.join(worker, kept, 1);
    Teams teams = teams_of({initial, worker});
    const auto thread = teams.thread(0);
    ASSERT_TRUE(thread && thread->team != nullptr);
    EXPECT_EQ(thread->team->address, root);
    EXPECT_EQ(thread->task, outside);
    EXPECT_EQ(teams.thread(1)->team, nullptr);
}

// __kmp_allocate_team: one that is kept and grows has its primary thread in it with its new task.
TEST_F(LlvmTeams, AnInitialThreadIsOutsideOfAKeptTeamThatGrows) {
    const TargetAddr worker = memory.thread();
    const TargetAddr root = memory.team({initial}, 0);
    const TargetAddr serialized = memory.team({initial}, 1, root);
    const TargetAddr around = memory.task(serialized, memory.task(root));
    const TargetAddr kept = memory.team({initial, worker}, 0, root);
    memory.join(initial, kept, 0, memory.implicit(kept, around));
    Teams teams = teams_of({initial, worker});
    const auto thread = teams.thread(0);
    ASSERT_TRUE(thread && thread->team != nullptr);
    EXPECT_EQ(pairs_of(*thread->team, thread->thread_num), (Pairs{{0, 1}, {0, 1}}));
    EXPECT_EQ(thread->task, around);
}

// The same of its first team: it has the parent and no level, as a league has, and no function.
TEST_F(LlvmTeams, AnInitialThreadIsInNoLeagueWhereItsFirstTeamIsMade) {
    const TargetAddr worker = memory.thread();
    const TargetAddr root = memory.team({initial}, 0);
    const TargetAddr made = memory.team({initial, worker}, 0, root, 0, 0);
    const TargetAddr outside = memory.task(root);
    memory.join(initial, made, 0, outside);
    memory.join(worker, made, 1);
    Teams teams = teams_of({initial, worker});
    const auto thread = teams.thread(0);
    ASSERT_TRUE(thread && thread->team != nullptr);
    EXPECT_EQ(thread->team->address, root);
    EXPECT_EQ(thread->task, outside);
    EXPECT_EQ(teams.thread(1)->team, nullptr);
}

TEST_F(LlvmTeams, AWorkerIsIdleOnceItsPrimaryHasLeftTheTeam) {
    const TargetAddr worker = memory.thread();
    const TargetAddr root = memory.team({initial}, 0);
    const TargetAddr finished = memory.team({initial, worker}, 1, root);
    memory.join(initial, root, 0);
    memory.join(worker, finished, 1);
    Teams teams = teams_of({initial, worker});
    EXPECT_EQ(teams.thread(1)->team, nullptr);
    EXPECT_EQ(teams.thread(1)->root, initial);
    EXPECT_EQ(teams.team_of(worker)->address, finished);
}

TEST_F(LlvmTeams, AWorkerKeptInReserveByASmallerTeamIsIdle) {
    const TargetAddr worker = memory.thread();
    const TargetAddr reserve = memory.thread();
    const TargetAddr root = memory.team({initial}, 0);
    const TargetAddr team = memory.team({initial, worker}, 1, root);
    memory.join(initial, team, 0);
    memory.join(worker, team, 1);
    memory.join(reserve, team, 2);
    Teams teams = teams_of({initial, worker, reserve});
    EXPECT_NE(teams.thread(1)->team, nullptr);
    EXPECT_EQ(teams.thread(2)->team, nullptr);
}

TEST_F(LlvmTeams, WorkersOfALeaguesInitialTeamWaitForARegion) {
    const TargetAddr worker = memory.thread();
    const TargetAddr root = memory.team({initial}, 0);
    const TargetAddr league = memory.team({initial, worker}, 0, root);
    memory.join(initial, league, 0);
    memory.join(worker, league, 1);
    Teams teams = teams_of({initial, worker});
    EXPECT_NE(teams.thread(0)->team, nullptr);
    EXPECT_EQ(teams.thread(1)->team, nullptr);
}

TEST_F(LlvmTeams, AThreadAtARegionsEventIsItsPrimary) {
    const TargetAddr worker = memory.thread();
    const TargetAddr root = memory.team({initial}, 0);
    const TargetAddr begun = memory.team({TargetAddr{}, worker}, 1, root);
    memory.join(initial, root, 0);
    memory.join(worker, begun, 1);
    Teams teams = teams_of({initial, worker}, {initial, begun});
    ASSERT_NE(teams.thread(0)->team, nullptr);
    EXPECT_EQ(teams.thread(0)->team->address, begun);
    EXPECT_EQ(teams.thread(0)->thread_num, 0);
    EXPECT_EQ(teams.thread(1)->team, teams.thread(0)->team);
}

TEST_F(LlvmTeams, ParentsThatFormACycleAreRefused) {
    const TargetAddr first = memory.team({initial}, 1);
    const TargetAddr second = memory.team({initial}, 1, first);
    memory.put(first, "kmp_base_team_t", "t_parent", second.value);
    memory.join(initial, second, 0);
    EXPECT_NE(refusal_of(teams_of({initial}), 0).find("cycle"), std::string::npos);
}

TEST_F(LlvmTeams, ImpossibleTeamsAreRefused) {
    const std::pair<const char *, std::uint64_t> impossible[] = {
        {"t_nproc", 0}, {"t_nproc", 1U << 20U}, {"t_level", 1U << 30U}, {"t_level", 0xffffffff}};
    for (const auto &[field, value] : impossible) {
        const TargetAddr team = memory.team({initial}, 0);
        memory.put(team, "kmp_base_team_t", field, value);
        memory.join(initial, team, 0);
        EXPECT_NE(refusal_of(teams_of({initial}), 0).find("damaged"), std::string::npos) << field;
    }
}

TEST_F(LlvmTeams, AGlobalNumberWithoutAThreadIsNone) {
    memory.join(initial, memory.team({initial}, 0), 0);
    EXPECT_EQ(teams_of({initial, TargetAddr{}}).thread(1).has_value(), false);
}

TEST_F(LlvmTeams, MemoryThatIsNotThereIsNamed) {
    memory.join(initial, TargetAddr{0x5000}, 0);
    EXPECT_NE(refusal_of(teams_of({initial}), 0).find("Cannot access memory at address 0x5"),
              std::string::npos);
}

TEST_F(LlvmTeams, AnInterruptIsNotTakenForUnreadableMemory) {
    memory.join(initial, memory.team({initial}, 0), 0);
    Teams teams = teams_of({initial});
    memory.target->interrupt = true;
    EXPECT_THROW(static_cast<void>(teams.thread(0)), Interrupted);
}

TEST_F(LlvmTeams, TheCallerOfAnEnclosingSerializedRegionMayBeLost) {
    const TargetAddr root = memory.team({initial}, 0);
    const TargetAddr inner = memory.team({initial}, 3, root);
    const TargetAddr outermost = memory.record("ompt_lw_taskteam_t");
    const TargetAddr middle = memory.record("ompt_lw_taskteam_t", {{"parent", outermost.value}});
    memory.put(inner, "kmp_base_team_t", "ompt_serialized_team_info", middle.value);
    memory.put(inner + memory.places.team.caller.offset, 0x300);
    memory.put(middle + memory.places.serialized.caller.offset, 0x300);
    memory.put(outermost + memory.places.serialized.caller.offset, 0x100);
    memory.join(initial, inner, 0);
    Teams teams = teams_of({initial});
    const std::vector<TargetAddr> expected{{0x100}, {0}, {0x300}};
    EXPECT_EQ(teams.callers(*teams.thread(0)->team), expected);
}

TEST_F(LlvmTeams, AListOfSerializedRegionsWithoutEndIsRefused) {
    const TargetAddr team = memory.team({initial}, 2, memory.team({initial}, 0));
    const TargetAddr kept = memory.record("ompt_lw_taskteam_t");
    memory.put(kept, "ompt_lw_taskteam_t", "parent", kept.value);
    memory.put(team, "kmp_base_team_t", "ompt_serialized_team_info", kept.value);
    memory.join(initial, team, 0);
    Teams teams = teams_of({initial});
    EXPECT_THROW(static_cast<void>(teams.callers(*teams.thread(0)->team)), Inconsistent);
}

}  // namespace
}  // namespace gdb_ompd::llvm
