// SPDX-License-Identifier: Apache-2.0
// Task chains from memory: kinds, shared records of serialized regions, damage.
#include "llvm_memory.hpp"
#include "runtimes/llvm/task_chain.hpp"

#include <gtest/gtest.h>

#include <set>

namespace gdb_ompd::llvm {
namespace {

class LlvmTaskChain : public ::testing::Test {
protected:
    std::vector<ChainedTask> chain(Boundary boundary = {}) {
        teams.emplace(*memory.space, memory.places, memory.array({initial}), boundary);
        return TaskChains(*teams).chain(teams->thread(0).value());
    }
    std::vector<TaskKind> kinds(Boundary boundary = {}) {
        std::vector<TaskKind> found;
        for (const ChainedTask &task : chain(boundary)) {
            found.push_back(task.kind);
        }
        return found;
    }
    std::string refusal() {
        try {
            static_cast<void>(chain());
        } catch (const Inconsistent &error) {
            return error.what();
        }
        return "";
    }

    RuntimeMemory memory;
    std::optional<Teams> teams;
    TargetAddr initial = memory.thread();
    TargetAddr root = memory.team({initial}, 0);
};

using Kinds = std::vector<TaskKind>;

TEST_F(LlvmTaskChain, KindsFollowFlagsAndTeams) {
    const TargetAddr team = memory.team({initial, memory.thread()}, 1, root);
    const TargetAddr implicit = memory.task(team, memory.task(root));
    const TargetAddr task = memory.task(team, implicit, memory.layout.bit("tasktype"));
    memory.join(initial, team, 0, task);
    EXPECT_EQ(kinds(), (Kinds{TaskKind::explicit_, TaskKind::implicit, TaskKind::initial}));
    EXPECT_EQ(TaskChains(*teams).current_kind(teams->thread(0).value()), TaskKind::explicit_);
}

TEST_F(LlvmTaskChain, SerializedRegionsThatShareARecordHaveATaskEach) {
    const TargetAddr team = memory.team({initial}, 3, root);
    memory.join(initial, team, 0, memory.task(team, memory.task(root)));
    std::vector<int> nests;
    std::set<std::uint64_t> identities;
    for (const ChainedTask &task : chain()) {
        nests.push_back(task.nest);
        identities.insert(task.identity());
    }
    EXPECT_EQ(nests, (std::vector<int>{2, 1, 0, 0}));
    EXPECT_EQ(identities.size(), 4U);
    EXPECT_EQ(kinds(), (Kinds{TaskKind::implicit, TaskKind::implicit, TaskKind::implicit,
                              TaskKind::initial}));
}

TEST_F(LlvmTaskChain, ARegionThatAnExplicitTaskHasBegunKeepsTheTasksInformation) {
    const TargetAddr team = memory.team({initial}, 2, root);
    const TargetAddr outer = memory.task(team, memory.task(root));
    const TargetAddr task = memory.task(team, outer, memory.layout.bit("tasktype"));
    const TargetAddr kept = memory.record("ompt_lw_taskteam_t");
    memory.put(team, "kmp_base_team_t", "ompt_serialized_team_info", kept.value);
    const TargetAddr info = kept + memory.places.serialized.task_info;
    memory.put(info + memory.places.task_info.scheduling.offset, outer.value);
    memory.put(info + memory.places.task_info.exit_frame.offset, 0x77);
    memory.join(initial, team, 0, task);
    EXPECT_EQ(kinds(), (Kinds{TaskKind::implicit, TaskKind::explicit_, TaskKind::implicit,
                              TaskKind::initial}));
    const auto found = chain();
    EXPECT_EQ(found[1].exit_frame, TargetAddr{0x77});
    EXPECT_EQ(found[1].scheduling, outer);
    EXPECT_EQ(found[0].region, (RegionKey{team, 1}));
    EXPECT_EQ(found[2].region, (RegionKey{team, 0}));
}

// A region of GCC's code that ended in the second task has taken along what was kept of the first
// one (__kmp_join_call). Two of three regions may have been begun in either.
TEST_F(LlvmTaskChain, WhereWhatWasKeptIsLostTheOrderIsNotKnown) {
    const TargetAddr team = memory.team({initial}, 3, root);
    const TargetAddr outer = memory.task(team, memory.task(root));
    const std::uint64_t is_explicit = memory.layout.bit("tasktype");
    const TargetAddr first = memory.task(team, outer, is_explicit);
    const TargetAddr second = memory.task(team, first, is_explicit);
    const TargetAddr kept = memory.record("ompt_lw_taskteam_t");
    memory.put(team, "kmp_base_team_t", "ompt_serialized_team_info", kept.value);
    const TargetAddr info = kept + memory.places.serialized.task_info;
    memory.put(info + memory.places.task_info.scheduling.offset, outer.value);
    memory.join(initial, team, 0, second);
    std::vector<bool> placed;
    std::set<std::uint64_t> identities;
    for (const ChainedTask &task : chain()) {
        placed.push_back(task.is_placed);
        identities.insert(task.identity());
    }
    EXPECT_EQ(placed, (std::vector<bool>{false, false, false, false, true, true}));
    EXPECT_EQ(identities.size(), 6U);
    EXPECT_EQ(kinds().back(), TaskKind::initial);
    EXPECT_EQ(TaskChains(*teams).current_kind(teams->thread(0).value()), std::nullopt);
    EXPECT_EQ(teams->callers(teams->team(team)), std::vector<TargetAddr>(3));
}

// While OMPT is off nothing is kept; a task without a scheduling one is not the one it seems.
TEST_F(LlvmTaskChain, ATaskInNestedRegionsOfWhichNothingIsKeptHasNoPlace) {
    const TargetAddr team = memory.team({initial}, 2, root);
    const TargetAddr outer = memory.task(team, memory.task(root));
    memory.join(initial, team, 0, memory.task(team, outer, memory.layout.bit("tasktype")));
    for (const bool is_kept : {false, true}) {
        if (is_kept) {
            memory.put(team, "kmp_base_team_t", "ompt_serialized_team_info",
                       memory.record("ompt_lw_taskteam_t").value);
        }
        std::vector<bool> placed;
        for (const ChainedTask &task : chain()) {
            placed.push_back(task.is_placed);
        }
        EXPECT_EQ(placed, (std::vector<bool>{false, false, true, true}));
    }
}

TEST_F(LlvmTaskChain, TheTasksOfALeagueAndItsInitialTeamAreOne) {
    const TargetAddr league = memory.team({initial, memory.thread()}, 0, root);
    const TargetAddr inner = memory.team({initial}, 0, league);
    const TargetAddr of_league = memory.task(league, memory.task(root));
    memory.join(initial, inner, 0, memory.task(inner, of_league));
    EXPECT_EQ(kinds(), (Kinds{TaskKind::initial, TaskKind::initial}));
}

TEST_F(LlvmTaskChain, AThreadAtARegionsEventExecutesTheTaskThatMetIt) {
    const TargetAddr team = memory.team({initial}, 1, root);
    memory.join(initial, team, 0, memory.task(team, memory.task(root)));
    EXPECT_EQ(kinds({initial, team}), (Kinds{TaskKind::initial}));
    EXPECT_EQ(kinds(), (Kinds{TaskKind::implicit, TaskKind::initial}));
}

// Its record names the team before it has its task there, and after it has the one outside again.
TEST_F(LlvmTaskChain, APrimaryThreadExecutesTheImplicitTaskOfTheTeamItIsIn) {
    const TargetAddr outside = memory.task(root, {}, memory.layout.bit("tasktype"));
    const TargetAddr before = memory.task(root);  // which met an earlier region of the team
    for (const std::size_t size : {1, 2}) {
        std::vector<TargetAddr> threads{initial};
        threads.resize(size, memory.thread());
        const TargetAddr team = memory.team(threads, 1, root);
        const TargetAddr implicit = memory.task({}, before);  // it names no team yet
        memory.put(team, "kmp_base_team_t", "t_implicit_task_taskdata", implicit.value);
        memory.join(initial, team, 0, outside);
        EXPECT_EQ(kinds(), (Kinds{TaskKind::implicit, TaskKind::explicit_}));
        EXPECT_EQ(chain()[0].address, implicit);
        EXPECT_EQ(chain()[1].address, outside);
        EXPECT_EQ(TaskChains(*teams).current_kind(teams->thread(0).value()), TaskKind::implicit);
    }
}

// What a worker has of it, too, is its primary thread's.
TEST_F(LlvmTaskChain, AWorkerOfARegionThatBeginsWasMadeByTheTaskOfItsPrimaryThread) {
    const TargetAddr worker = memory.thread();
    const TargetAddr team = memory.team({worker, initial}, 1, root);
    const TargetAddr outside = memory.task(root, {}, memory.layout.bit("tasktype"));
    static_cast<void>(memory.implicit(team, memory.task(root)));
    memory.join(worker, team, 0, outside);
    memory.join(initial, team, 1, memory.task(team));
    EXPECT_EQ(kinds(), (Kinds{TaskKind::implicit, TaskKind::explicit_}));
}

// The task inside is the current one already where the team is not, and still where the thread
// has its number outside again.
TEST_F(LlvmTaskChain, APrimaryThreadThatIsOutsideExecutesTheTaskThatMetTheRegion) {
    const TargetAddr worker = memory.thread();
    const TargetAddr outer = memory.team({worker, initial}, 1, root);
    const TargetAddr inner = memory.team({initial, memory.thread()}, 2, outer, 1);
    const TargetAddr outside = memory.task(outer, {}, memory.layout.bit("tasktype"));
    const TargetAddr inside = memory.implicit(inner, outside);
    memory.join(worker, outer, 0);
    for (const TargetAddr team : {outer, inner}) {
        memory.join(initial, team, 1, inside);
        EXPECT_EQ(kinds(), (Kinds{TaskKind::explicit_}));
        EXPECT_EQ(TaskChains(*teams).current_kind(teams->thread(0).value()), TaskKind::explicit_);
    }
    memory.join(initial, inner, 0, inside);
    EXPECT_EQ(kinds(), (Kinds{TaskKind::implicit, TaskKind::explicit_}));
}

// One team's task is no other's outside, though the thread is the primary one of both.
TEST_F(LlvmTaskChain, APrimaryOfBothTeamsIsOutsideOfTheInnerOneUntilThatIsItsOwn) {
    const TargetAddr outer = memory.team({initial, memory.thread()}, 1, root);
    const TargetAddr implicit = memory.implicit(outer, memory.task(root));
    const TargetAddr task = memory.task(outer, implicit, memory.layout.bit("tasktype"));
    const std::vector<std::pair<TargetAddr, Kinds>> outsides{
        {implicit, {TaskKind::implicit, TaskKind::initial}},
        {task, {TaskKind::explicit_, TaskKind::implicit, TaskKind::initial}}};
    for (const auto &[outside, wanted] : outsides) {
        const TargetAddr inner = memory.team({initial, memory.thread()}, 2, outer);
        memory.join(initial, outer, 0, memory.implicit(inner, outside));
        EXPECT_EQ(kinds(), wanted);
    }
}

TEST_F(LlvmTaskChain, APrimaryInATaskOfItsTeamExecutesThatOne) {
    const TargetAddr team = memory.team({initial}, 1, root);
    const TargetAddr implicit = memory.implicit(team, {});
    memory.join(initial, team, 0, memory.task(team, implicit, memory.layout.bit("tasktype")));
    EXPECT_EQ(kinds(), (Kinds{TaskKind::explicit_, TaskKind::implicit}));
}

// Members of a league execute its task until they begin a region.
TEST_F(LlvmTaskChain, APrimaryOfALeaguesInitialTeamExecutesTheLeaguesTask) {
    const TargetAddr member = memory.team({initial}, 0, root);
    static_cast<void>(memory.implicit(member, {}));
    const TargetAddr of_league = memory.task(root);
    memory.join(initial, member, 0, of_league);
    EXPECT_EQ(chain()[0].address, of_league);
}

TEST_F(LlvmTaskChain, AWorkersImplicitTaskHasThePrimarysGeneratingTask) {
    const TargetAddr worker = memory.thread();
    const TargetAddr team = memory.team({worker, initial}, 1, root);
    const TargetAddr first = memory.task(root);
    const TargetAddr tasks = memory.record("kmp_taskdata_t");  // two, one behind the other
    for (int number = 0; number < 2; ++number) {
        const TargetAddr task = tasks + static_cast<std::uint64_t>(number) * 0x800;
        memory.put(task, "kmp_taskdata_t", "td_team", team.value);
        memory.put(task, "kmp_taskdata_t", "td_parent", number == 0 ? first.value : 0x666000);
    }
    memory.put(team, "kmp_base_team_t", "t_implicit_task_taskdata", tasks.value);
    memory.join(worker, team, 0, tasks);
    memory.join(initial, team, 1, tasks + 0x800);
    const auto found = chain();
    ASSERT_EQ(found.size(), 2U);
    EXPECT_EQ(found[1].address, first);
    const TaskChains chains(*teams);
    EXPECT_EQ(chains.implicit_tasks(teams->team(team), 0).size(), 2U);
    EXPECT_EQ(chains.thread_num_of(tasks + 0x800), 1);
    EXPECT_EQ(chains.thread_num_of(first), std::nullopt);
}

TEST_F(LlvmTaskChain, AncestorsInACircleAreRefusedAtOnce) {
    for (const int length : {1, 2, 5}) {
        const TargetAddr first = memory.task(root);
        TargetAddr task = first;
        for (int i = 1; i < length; ++i) {
            task = memory.task(root, task);
        }
        memory.put(first, "kmp_taskdata_t", "td_parent", task.value);
        memory.join(initial, root, 0, task);
        memory.target->reads = 0;
        EXPECT_NE(refusal().find("no end"), std::string::npos);
        EXPECT_LT(memory.target->reads, 50 * length);
    }
}

// Every task leads to another one, at a distance that comes back to none of them.
class Endless : public MemoryTarget {
public:
    bool read_memory(TargetAddr address, std::span<std::byte> out) override {
        if (address.value < tasks) {
            return MemoryTarget::read_memory(address, out);
        }
        std::ranges::fill(out, std::byte{});
        for (std::size_t i = 0; i < out.size(); i += 0x1000) {
            const std::uint64_t parent = address.value + i + 0x1000;
            std::memcpy(&out[i + parent_at], &parent, sizeof parent);
            std::memcpy(&out[i + team_at], &team, sizeof team);
        }
        return true;
    }
    static constexpr std::uint64_t tasks = 0x10'0000'0000;
    std::uint64_t team = 0;
    std::size_t parent_at = 0, team_at = 0;
};

TEST_F(LlvmTaskChain, AncestorsWithoutEndAreRefused) {
    const auto endless = std::make_shared<Endless>();
    memory.target = endless;
    memory.space = std::make_shared<AddressSpace>(endless, gdb_ompd::Layout{}, 4096);
    initial = memory.thread();
    root = memory.team({initial}, 0);
    endless->team = root.value;
    endless->parent_at = memory.places.task.parent.offset;
    endless->team_at = memory.places.task.team.offset;
    memory.join(initial, root, 0, TargetAddr{Endless::tasks});
    EXPECT_NE(refusal().find("no end"), std::string::npos);
}

TEST_F(LlvmTaskChain, ATaskWithoutATeamIsRefused) {
    memory.join(initial, root, 0, memory.task({}));
    EXPECT_NE(refusal().find("no team"), std::string::npos);
}

}  // namespace
}  // namespace gdb_ompd::llvm
