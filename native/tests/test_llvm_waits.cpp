// SPDX-License-Identifier: Apache-2.0
// Who holds a lock, who is queued for it and who is kept at a barrier, from a hand-made
// runtime's memory.
#include "llvm_memory.hpp"
#include "runtimes/llvm/capabilities.hpp"

#include <gtest/gtest.h>

namespace gdb_ompd::llvm {

namespace {

// The tag of a lock that is its own word, in its lowest byte, and the kinds of others.
constexpr std::uint64_t tas = 3;
constexpr std::uint64_t futex = 5;
constexpr std::uint64_t elided = 7;
constexpr std::uint64_t unknown_kind = 11;
constexpr std::uint64_t drdpa = 2;
constexpr std::uint64_t queuing = 4;
constexpr std::uint64_t nested_queuing = 7;
constexpr std::uint64_t nested_tas = 8;
constexpr std::uint64_t nobody_queued = 0xFFFFFFFF;  // -1: held
constexpr std::uint64_t locks_per_row = 1024;

constexpr std::uint64_t bump = 4;
constexpr std::uint64_t complete = 8 * bump;
constexpr std::uint64_t asleep = 1;

// Places of our own; those of one record do not overlap.
const PrivateFields fields({
    {"kmp_base_info_t.th_next_waiting", {0xF00, 4}},
    {"kmp_base_info_t.th_bar", {0xE00, 96}},
    {"kmp_base_info_t.th_sleep_loc", {0xE80, 8}},
    {"kmp_base_info_t.th_task_team", {0xE90, 8}},
    {"kmp_base_task_team_t.tt_found_tasks", {0, 8}},
    {"kmp_base_task_team_t.tt_unfinished_threads", {8, 8}},
    {"kmp_base_task_team_t.tt_active", {16, 8}},
    {"kmp_balign_t", {0, 32}},
    {"kmp_balign_t.bb", {8, 24}},
    {"kmp_bstate_t.b_arrived", {0, 8}},
    {"kmp_bstate_t.b_go", {8, 8}},
    {"kmp_base_team_t.t_bar", {0xE00, 48}},
    {"kmp_base_team_t.b", {0xE80, 8}},
    {"kmp_balign_team_t", {0, 16}},
    {"kmp_balign_team_t.b_arrived", {8, 8}},
    {"kmp_flag_64<false, true>.loc", {8, 8}},
    {"kmp_base_info_t.th_dispatch", {0xEC0, 8}},
    {"kmp_disp_t.th_doacross_buf_idx", {0, 4}},
    {"kmp_disp_t.th_doacross_flags", {8, 8}},
    {"kmp_disp_t.th_doacross_info", {16, 8}},
    {"kmp_taskdata_t.td_taskgroup", {0xE00, 8}},
    {"kmp_taskdata_t.td_incomplete_child_tasks", {0xE08, 4}},
    {"kmp_taskgroup_t.parent", {0, 8}},
    {"kmp_taskgroup_t.count", {8, 4}},
    {"kmp_indirect_lock_t", {0, 16}},
    {"kmp_indirect_lock_t.lock", {0, 8}},
    {"kmp_indirect_lock_t.type", {8, 4}},
    {"kmp_indirect_lock_table_t.table", {0, 8}},
    {"kmp_indirect_lock_table_t.nrow_ptrs", {8, 4}},
    {"kmp_indirect_lock_table_t.next_table", {16, 8}},
    {"kmp_base_queuing_lock_t.tail_id", {8, 4}},
    {"kmp_base_queuing_lock_t.head_id", {16, 4}},
    {"kmp_base_queuing_lock_t.owner_id", {24, 4}},
    {"kmp_base_queuing_lock_t.depth_locked", {32, 4}},
    {"kmp_base_tas_lock_t.poll", {8, 4}},
    {"kmp_base_tas_lock_t.depth_locked", {0, 4}},
    {"kmp_base_futex_lock_t.poll", {0, 4}},
    {"kmp_base_futex_lock_t.depth_locked", {8, 4}},
    {"kmp_indirect_locktag_t.locktag_queuing", {queuing, 0}},
    {"kmp_indirect_locktag_t.locktag_nested_queuing", {nested_queuing, 0}},
    {"kmp_indirect_locktag_t.locktag_nested_tas", {nested_tas, 0}},
    {"kmp_indirect_locktag_t.locktag_nested_futex", {nested_tas + 1, 0}},
});
constexpr std::uint64_t arrived_at = 0xE08;  // of a thread's plain barrier
constexpr std::uint64_t go = 0xE10;
constexpr std::uint64_t go_of_region = 0xE30;
constexpr std::uint64_t arrived_at_region = 0xE28;

// Three threads in one team, GDB's 1 to 3 and the runtime's 0 to 2. Their barriers were
// completed before.
class LlvmWaits : public ::testing::Test {
protected:
    LlvmWaits() {
        for (std::uint64_t i = 0; i < 3; ++i) {
            threads.push_back(memory.thread());
        }
        team = memory.team(threads, 1);
        for (std::uint64_t i = 0; i < 3; ++i) {
            memory.join(threads[i], team, i, memory.task(team));
            memory.put(threads[i] + memory.places.thread.pthread_id.offset, 0x7000 + i);
            memory.put(threads[i] + arrived_at, complete);
            memory.put(threads[i] + arrived_at_region, complete);
        }
        memory.put(team + 0xE08, complete);
        memory.put(team + 0xE18, complete);
    }

    Capabilities capabilities(const PrivateFields &places = fields) {
        std::vector<KnownThread> known;
        for (int i = 0; i < 3; ++i) {
            known.push_back(
                {i + 1, threads.at(static_cast<std::size_t>(i)), static_cast<std::uint64_t>(i)});
        }
        return {memory.space, {memory.layout, places, memory.array(threads), table, {}}, known};
    }

    TargetAddr words(const std::vector<std::uint64_t> &values) {
        std::vector<TargetAddr> addresses;
        for (const std::uint64_t value : values) {
            addresses.push_back(TargetAddr{value});
        }
        return memory.array(addresses);
    }
    LockWord lock(std::uint64_t word) { return capabilities().lock(words({word}), Mutex::lock); }
    LockWord critical(std::uint64_t word) {
        return capabilities().lock(words({word}), Mutex::critical);
    }
    // A queuing lock; threads are numbered from 1.
    std::uint64_t queuing_lock(std::uint64_t head, std::uint64_t tail, std::uint64_t owner,
                               std::uint64_t kind = queuing, std::uint64_t depth = 0) {
        const TargetAddr record = words({0, tail, head, owner, depth});
        memory.put(record, record.value);
        return words({record.value, kind}).value;
    }
    void queue(std::size_t thread, std::uint64_t before) {
        memory.put(threads[thread - 1] + 0xF00, before);
    }

    void arrive(std::size_t number) { memory.put(threads[number] + arrived_at, complete + bump); }
    void sleep(std::size_t number, TargetAddr word, std::uint64_t value) {
        memory.put(word, value | asleep);
        memory.put(threads[number] + 0xE80, words({0, word.value}).value);
    }
    std::optional<bool> kept(int number, Phase phase = Phase::unknown,
                             std::vector<std::uint64_t> stack = {}) {
        return capabilities().kept_at_barrier(
            {number + 1, BarrierType::plain, phase, std::move(stack)});
    }
    std::optional<bool> begun(int number, bool primary_inside,
                              std::vector<std::uint64_t> stack = {}) {
        return capabilities().has_begun(
            {number + 1, BarrierType::forkjoin, Phase::unknown, std::move(stack)}, primary_inside);
    }

    RuntimeMemory memory;
    std::vector<TargetAddr> threads;
    TargetAddr team;
    std::optional<TargetAddr> table;
};

TEST_F(LlvmWaits, ALockThatIsItsOwnWord) {
    EXPECT_EQ(lock(tas), (LockWord{.held = false, .keeps_owner = true}));
    EXPECT_EQ(lock(tas | 2U << 8U), (LockWord{.held = true, .owner = 2, .keeps_owner = true}));
    EXPECT_EQ(critical(futex | 2U * 3U << 8U), lock(futex | (2U * 3U + 1U) << 8U));  // others wait
    EXPECT_EQ(lock(futex | 2U * 3U << 8U).owner, 3);
    // By a thread that GDB does not know.
    EXPECT_EQ(lock(tas | 9U << 8U), (LockWord{.held = true, .keeps_owner = true, .stranger = 8}));
    EXPECT_EQ(lock(elided | 2U << 8U), (LockWord{.held = true, .keeps_owner = false}));
    EXPECT_EQ(lock(elided), (LockWord{.held = false, .keeps_owner = false}));
    EXPECT_EQ(lock(unknown_kind | 2U << 8U), LockWord{});
}

TEST_F(LlvmWaits, AnOwnerThatGdbDoesNotKnowHasEndedIfItsPthreadIsNoMore) {
    threads.push_back(memory.thread());
    memory.join(threads[3], team, 0);
    memory.put(threads[3] + memory.places.thread.pthread_id.offset, 0x7003);
    const LockWord word = lock(tas | 4U << 8U);
    ASSERT_EQ(word.stranger, 3U);
    EXPECT_TRUE(capabilities().has_ended(word, {0x7000, 0x7001, 0x7002}));
    EXPECT_FALSE(capabilities().has_ended(word, {0x7000, 0x7003}));
    EXPECT_FALSE(capabilities().has_ended(word, {}));
    EXPECT_FALSE(capabilities().has_ended(lock(tas | 1U << 8U), {0x7001}));
}

TEST_F(LlvmWaits, ACriticalThatNobodyHasEnteredIsFree) {
    EXPECT_EQ(critical(0), LockWord{.held = false});
}

TEST_F(LlvmWaits, AQueueIsFollowedToItsEndAndOnlyANestLockKeepsItsOwner) {
    queue(2, 3);
    const std::vector<int> both{2, 3};
    EXPECT_EQ(critical(queuing_lock(2, 3, 0)),
              (LockWord{.held = true, .queued = both, .keeps_owner = false}));
    EXPECT_EQ(critical(queuing_lock(2, 3, 1, nested_queuing, 2)),
              (LockWord{true, 1, both, true, 2}));
}

TEST_F(LlvmWaits, HeldWithoutAQueueAndFree) {
    const std::vector<int> nobody;
    EXPECT_EQ(critical(queuing_lock(nobody_queued, 0, 2)), (LockWord{true, 2, nobody, true, {}}));
    EXPECT_EQ(critical(queuing_lock(nobody_queued, 0, 0)), (LockWord{true, {}, nobody, false, {}}));
    EXPECT_EQ(critical(queuing_lock(0, 0, 2)), (LockWord{true, 2, nobody, true, {}}));
    EXPECT_EQ(critical(queuing_lock(0, 0, 0)), (LockWord{.held = false, .keeps_owner = false}));
}

TEST_F(LlvmWaits, ALockThatNobodyHasAndThatIsNotItsOwnRecordWasDestroyed) {
    const std::uint64_t in_pool = words({words({0x40, 0, 0, 0, 0}).value, queuing}).value;
    EXPECT_EQ(critical(in_pool),
              (LockWord{.held = false, .keeps_owner = false, .destroyed = true}));
}

TEST_F(LlvmWaits, AQueueThatIsARingOrHasStrangersIsNotKnown) {
    queue(2, 2);
    EXPECT_EQ(critical(queuing_lock(2, 3, 1)), (LockWord{true, 1, {}, true, {}}));
    EXPECT_EQ(critical(queuing_lock(40, 3, 1)), (LockWord{true, 1, {}, true, {}}));
}

TEST_F(LlvmWaits, ANestLockSaysHowOftenItIsSet) {
    const std::uint64_t record = words({2, tas | 3U << 8U}).value;
    EXPECT_EQ(critical(words({record, nested_tas}).value), (LockWord{true, 3, {}, true, 2}));
}

TEST_F(LlvmWaits, ALockOfAnotherKindOrThatCannotBeReadIsNotKnown) {
    EXPECT_EQ(critical(queuing_lock(2, 2, 1, drdpa)), LockWord{});
    EXPECT_EQ(capabilities().lock(TargetAddr{0x1000}, Mutex::critical), LockWord{});
}

// The second table's first row holds lock 0, which is free, and lock 1, which is held.
TEST_F(LlvmWaits, ANumberIsLookedUpInAllTables) {
    const std::uint64_t record = words({0, nobody_queued, nobody_queued, 2, 0}).value;
    const TargetAddr row = words({words({0, 0, 0, 0, 0}).value, queuing, record, queuing});
    const TargetAddr second = words({words({row.value}).value, 1, 0});
    table = words({0, 1, second.value});
    const std::uint64_t number = locks_per_row + 1;
    EXPECT_EQ(lock(number << 1U).owner, 2);
    EXPECT_EQ(lock((number - 1) << 1U).held, false);
    EXPECT_EQ(lock(2 * locks_per_row << 1U), LockWord{});
}

TEST_F(LlvmWaits, WithoutTheTableAndInARingOfTablesNothingIsKnown) {
    EXPECT_EQ(lock(4), LockWord{});
    const TargetAddr ring = words({0, 0, 0});
    memory.put(ring + 16, ring.value);
    table = ring;
    EXPECT_EQ(lock(4), LockWord{});
}

TEST_F(LlvmWaits, WhoHasToldItsArrivalIsKeptAndHasCome) {
    arrive(1);
    EXPECT_EQ(kept(1), true);
    EXPECT_TRUE(capabilities().has_come({2, BarrierType::plain, Phase::unknown, {}}));
    EXPECT_FALSE(capabilities().has_come({3, BarrierType::plain, Phase::unknown, {}}));
    EXPECT_FALSE(capabilities().has_come({9, BarrierType::plain, Phase::gathers, {}}));
}

TEST_F(LlvmWaits, WhoMayBeLeavingTheBarrierBeforeIsNotKnownToBeKept) {
    arrive(1);
    EXPECT_EQ(kept(2), std::nullopt);
    EXPECT_EQ(kept(0), std::nullopt);
    EXPECT_EQ(kept(2, Phase::released), false);
    EXPECT_EQ(kept(2, Phase::gathers), true);
}

// All have come, and nobody goes before the tasks are complete.
TEST_F(LlvmWaits, WhoWaitsForTasksIsKeptUntilNoThreadIsAtOneOrItIsLetGo) {
    const auto of_task_team = [&](std::uint64_t found, std::uint64_t unfinished,
                                  std::uint64_t active) {
        memory.put(threads[2] + 0xE90, words({found, unfinished, active}).value);
        return kept(2, Phase::released);
    };
    EXPECT_EQ(of_task_team(0, 3, 1), false);  // nobody has queued any
    EXPECT_EQ(of_task_team(1, 0, 1), false);
    EXPECT_EQ(of_task_team(1, 1, 0), false);  // an earlier barrier's
    EXPECT_EQ(of_task_team(1, 1, 1), true);
    EXPECT_EQ(kept(2), std::nullopt);  // maybe past it, where others have queued some
    EXPECT_EQ(begun(2, true), false);
    EXPECT_EQ(begun(2, true, {(threads[2] + go_of_region).value, bump}), true);
    memory.put(threads[2] + go, bump);
    EXPECT_EQ(kept(2, Phase::released), false);
    memory.put(threads[2] + go, 0);
    memory.put(threads[2] + 0xE90, 0x10);
    EXPECT_EQ(kept(2, Phase::released), std::nullopt);
}

TEST_F(LlvmWaits, WhoGathersStillButWasLetGoIsKeptNoMore) {
    memory.put(threads[2] + go, bump);
    EXPECT_EQ(kept(2, Phase::gathers), false);
    EXPECT_FALSE(capabilities().has_come({3, BarrierType::plain, Phase::gathers, {}}));
}

TEST_F(LlvmWaits, WhoSleepsUntilAMateComesIsKept) {
    sleep(0, threads[2] + arrived_at, complete);
    EXPECT_EQ(kept(0), true);
}

TEST_F(LlvmWaits, WhoIsBeingWokenOrSleepsForSomethingElseIsNot) {
    sleep(0, threads[2] + arrived_at, complete + bump);
    EXPECT_EQ(kept(0), std::nullopt);
    sleep(0, words({0}), 0);
    EXPECT_EQ(kept(0), std::nullopt);
}

TEST_F(LlvmWaits, AStackTellsWhoGathersTheOthers) {
    const std::uint64_t mate = (threads[2] + arrived_at).value;
    EXPECT_EQ(kept(0, Phase::unknown, {1, mate, complete + bump}), true);
    EXPECT_EQ(kept(0, Phase::unknown, {1, mate, complete}), std::nullopt);  // an earlier barrier's
    arrive(2);
    EXPECT_EQ(kept(0, Phase::unknown, {1, mate, complete + bump}), std::nullopt);
    EXPECT_TRUE(capabilities().has_come(
        {1, BarrierType::plain, Phase::unknown, {1, mate, complete + bump}}));
}

TEST_F(LlvmWaits, AWorkerThatWasWokenAndTellsNothingHasNotBegun) {
    EXPECT_EQ(begun(1, true), false);
    EXPECT_EQ(begun(1, false), std::nullopt);  // the region may be over
    memory.put(threads[1] + go_of_region, bump | asleep);
    EXPECT_EQ(begun(1, false), false);
    memory.put(threads[1] + arrived_at_region, complete + bump);
    EXPECT_EQ(begun(1, true), true);
    EXPECT_EQ(begun(2, true, {(threads[1] + arrived_at_region).value, complete + bump}), true);
    memory.put(team + 0xE80, 0x1234);  // its barriers are of another make
    EXPECT_EQ(begun(2, true), std::nullopt);
}

TEST_F(LlvmWaits, AWordOfAnotherBarrierSaysNothing) {
    arrive(1);
    EXPECT_EQ(capabilities().kept_at_barrier({2, BarrierType::forkjoin, Phase::unknown, {}}),
              std::nullopt);
}

TEST_F(LlvmWaits, MembersThatAreAbsentAreThoseWhosePthreadIsNoMore) {
    EXPECT_EQ(capabilities().absent(1, 0, {0x7000, 0x7002}),
              (std::vector<AbsentThread>{{1, 0x7001}}));
    EXPECT_TRUE(capabilities().absent(1, 0, {0x7000, 0x7001, 0x7002}).empty());
    EXPECT_TRUE(capabilities().absent(1, 9, {0x7000}).empty());
}

TEST_F(LlvmWaits, TaskgroupsAreListedFromTheInsideAndARingEnds) {
    const TargetAddr ring = words({0});
    memory.put(ring, ring.value);
    const TargetAddr inner = words({ring.value});
    const TargetAddr task = memory.task(team);
    memory.join(threads[0], team, 0, task);
    memory.put(task + 0xE00, inner.value);
    const auto found = capabilities().groups(1);
    ASSERT_GE(found.size(), 2U);
    EXPECT_LE(found.size(), 1024U);
    EXPECT_EQ(found[0], inner.value);
    EXPECT_EQ(found[1], ring.value);
}

TEST_F(LlvmWaits, TheInnermostTaskgroupCountsItsTasks) {
    const TargetAddr task = memory.task(team);
    memory.join(threads[0], team, 0, task);
    memory.put(task + 0xE00, 0);
    EXPECT_EQ(capabilities().tasks_of_group(1), 0);
    memory.put(task + 0xE00, words({0, 3}).value);
    EXPECT_EQ(capabilities().tasks_of_group(1), 3);
}

// A nest of 5..6 by 1 and 9..1 by -2, which the first thread is in: 10 iterations, of which
// POSTED have bits.
class LlvmDoacross : public LlvmWaits {
protected:
    static constexpr auto down = static_cast<std::uint64_t>(-2);

    void begin(std::size_t number, std::uint64_t loops_begun, TargetAddr bounds,
               std::uint64_t posted = 0) {
        memory.put(threads.at(number) + 0xEC0,
                   words({loops_begun, words({posted}).value, bounds.value}).value);
    }
    TargetAddr nest(std::uint64_t loops = 2) { return words({loops, 0, 5, 6, 1, 5, 9, 1, down}); }
    std::optional<Sink> sink(std::uint64_t i, std::uint64_t j) {
        return capabilities().sink(1, words({i, j}));
    }
};

TEST_F(LlvmDoacross, AnIterationIsToComeUntilItsBitIsSet) {
    begin(0, 3, nest(), 1U << 7U);  // the second's third
    begin(1, 3, nest());
    begin(2, 2, TargetAddr{});
    EXPECT_EQ(sink(6, 5), (Sink{{1, 2}, false, {}}));
    EXPECT_EQ(sink(6, 7), (Sink{{1, 1}, true, {}}));
    EXPECT_EQ(sink(5, 9), (Sink{{0, 0}, true, {}}));
}

TEST_F(LlvmDoacross, WhoHasNoBoundsAnyMoreOrHasBegunALaterLoopHasLeft) {
    begin(0, 3, nest());
    begin(1, 3, TargetAddr{});
    begin(2, 4, nest());
    EXPECT_EQ(sink(5, 9), (Sink{{0, 0}, true, {2, 3}}));
}

TEST_F(LlvmDoacross, WhatIsNoIterationIsNotKnown) {
    begin(0, 1, nest());
    begin(1, 1, nest());
    begin(2, 1, nest());
    EXPECT_EQ(sink(7, 9), std::nullopt);
    EXPECT_EQ(sink(5, 11), std::nullopt);
    begin(0, 1, nest(65));
    EXPECT_EQ(sink(5, 9), std::nullopt);
    begin(0, 1, TargetAddr{});
    EXPECT_EQ(sink(5, 9), std::nullopt);
    EXPECT_EQ(capabilities(PrivateFields({})).sink(1, words({5, 9})), std::nullopt);
}

TEST_F(LlvmWaits, NothingIsKnownOfARuntimeWhosePlacesAreNot) {
    arrive(1);
    auto found = capabilities(PrivateFields({}));
    EXPECT_EQ(found.lock(words({tas}), Mutex::lock), LockWord{});
    EXPECT_EQ(found.kept_at_barrier({2, BarrierType::plain, Phase::gathers, {}}), std::nullopt);
    EXPECT_EQ(found.turn_is_to_come(1), std::nullopt);
    EXPECT_EQ(found.children(1, false), std::nullopt);
}

TEST(LlvmPrivateFields, RefuseWhatTheyDoNotHave) {
    EXPECT_THROW(static_cast<void>(PrivateFields({}).at("kmp_taskdata_t.td_ident")), UnknownField);
}

TEST(Budget, EndsAWalkByItsStepsAndByItsTime) {
    Budget steps(2, {});
    steps.step();
    EXPECT_THROW(steps.step(), BudgetSpent);
    EXPECT_THROW(steps.step(), BudgetSpent);
    Budget time(1000, std::chrono::nanoseconds(1));
    EXPECT_THROW(
        for (int i = 0; i < 100; ++i) { time.step(); }, BudgetSpent);
}

}  // namespace

}  // namespace gdb_ompd::llvm
