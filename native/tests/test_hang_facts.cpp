// SPDX-License-Identifier: Apache-2.0
// What is told of threads that stand still, by stacks made by hand and a runtime whose records say
// what the test says.
#include "elf/address_space.hpp"
#include "memory_target.hpp"
#include "stop/beginning.hpp"
#include "stop/hang_facts.hpp"

#include <gtest/gtest.h>

namespace gdb_ompd {

namespace {

constexpr std::uint64_t runtime_bias = 0x900000, system_bias = 0xa00000, program_bias = 0xb00000,
                        bodies_bias = 0xc00000;
constexpr std::uint64_t stack = 0x7000, frame_size = 16;
constexpr std::uint64_t user = 0x1234;  // in no file: the user's, without a name

using Words = std::vector<std::uint64_t>;

// Records what it is asked with.
class Scripted final : public Capabilities {
public:
    bool tells = true;
    std::optional<bool> kept, begun, begun_with_words;
    std::set<BarrierType> come;
    StackOfThread asked, asked_of_come;
    LockWord word;

    [[nodiscard]] bool knows(int) const override { return true; }
    [[nodiscard]] bool tells_who_has_come() const override { return tells; }
    [[nodiscard]] LockWord lock(TargetAddr, Mutex) const override { return word; }
    [[nodiscard]] bool has_ended(const LockWord &, const std::set<std::uint64_t> &alive) override {
        return !alive.empty();
    }
    [[nodiscard]] std::optional<bool> kept_at_barrier(const StackOfThread &at) override {
        asked = at;
        return kept;
    }
    [[nodiscard]] bool has_come(const StackOfThread &at) override {
        asked_of_come = at;
        return come.contains(at.type);
    }
    [[nodiscard]] std::optional<bool> has_begun(const StackOfThread &at, bool) override {
        return at.words.empty() ? begun : begun_with_words;
    }
    [[nodiscard]] std::optional<bool> turn_is_to_come(int) const override { return true; }
    [[nodiscard]] std::optional<std::int64_t> children(int, bool undeferred) const override {
        return undeferred ? 3 : 2;
    }
    [[nodiscard]] Words groups(int) const override { return {0x50}; }
    [[nodiscard]] std::optional<std::int64_t> tasks_of_group(int) const override { return 4; }
    [[nodiscard]] std::vector<AbsentThread> absent(int, int,
                                                   const std::set<std::uint64_t> &) override {
        return {{1, 0x6000, true}};
    }
};

class Hangs : public testing::Test {
protected:
    Hangs() {
        const auto module = [](const char *file, std::uint64_t bias, const char *name) {
            return std::make_shared<Module>(Module{
                std::make_shared<ElfImage>(file, std::nullopt, ""), bias, name, 0, std::nullopt});
        };
        runtime = module(RUNTIME_SYMBOLS, runtime_bias, "/lib/libomp.so.5");
        const auto libc = module(SAMPLE_FIRST, system_bias, "/lib/libc.so.6");
        program = module(SAMPLE_SECOND, program_bias, "program");
        bodies = module(RUNTIME_SYMBOLS, bodies_bias, "bodies");
        const Modules all{program, libc, runtime, bodies};
        space = std::make_shared<AddressSpace>(memory, Layout{}, 16);
        code = std::make_shared<code::CodeMap>(all, program, Modules{runtime});
        waits = std::make_unique<WaitReader>(space, all, code, Modules{runtime});
        std::vector<std::uint8_t> words;
        for (int at = 0; at < 64; ++at) {
            words.insert(words.end(), {static_cast<std::uint8_t>(at), 0, 0, 0, 0, 0, 0, 0});
        }
        memory->map(stack, words);
        gathers = in("_ZL26__kmp_hyper_barrier_gatherv");
        released = in("_ZL27__kmp_hyper_barrier_releasev");
        joins = in("_Z18__kmp_join_barrierv");
        forks = in("_Z18__kmp_fork_barrierv");
        task = in("_ZL17__kmp_invoke_taskv");
        waiting = in("__kmp_wait");
        barrier = in("__kmpc_barrier");
        microtask = in("__kmp_invoke_microtask");
    }

    // Frames at those addresses, the innermost first, each with the same size.
    std::vector<code::Frame> at(const Words &pcs) {
        const auto pointer = waits->calls().functions().architecture()->convention().stack_pointer;
        std::vector<code::Frame> frames;
        for (const std::uint64_t pc : pcs) {
            frames.emplace_back().pc = pc;
            frames.back().registers[pointer] = stack + frame_size * frames.size();
        }
        return frames;
    }
    [[nodiscard]] std::uint64_t in(const char *function) const {
        return runtime_bias + runtime->elf->symbol(function)->value + 8;
    }
    HangFacts facts(const StandingThread &thread, const std::vector<code::Frame> &frames) {
        return hangs().read(thread, frames);
    }
    HangReader &hangs() {
        return reader.has_value() ? *reader
                                  : reader.emplace(*waits, process, readable, is_forked,
                                                   [](std::uint64_t) { return false; });
    }

    std::shared_ptr<MemoryTarget> memory = std::make_shared<MemoryTarget>();
    std::shared_ptr<AddressSpace> space;
    std::shared_ptr<Module> runtime, program, bodies;
    std::shared_ptr<const code::CodeMap> code;
    std::unique_ptr<WaitReader> waits;
    std::vector<ProcessThread> process{{1, 100, 0x4000}, {2, 101, 0x5000}};
    std::optional<std::vector<HangReader::Range>> readable;
    std::optional<bool> is_forked;
    std::optional<HangReader> reader;
    Scripted records;

    std::uint64_t gathers, released, joins, forks, task, waiting, barrier, microtask;
};

StandingThread standing(Capabilities *runtime, code::WaitKind kind) {
    StandingThread thread;
    thread.gdb_num = 1;
    thread.runtime = runtime;
    thread.kind = kind;
    thread.region = 1;
    return thread;
}

TEST_F(Hangs, ARuntimesWordsAreThoseUpToTheUsersFrame) {
    const auto thread = standing(&records, code::WaitKind::barrier);
    records.kept = true;
    const HangFacts found = facts(thread, at({waiting, released, barrier, user, user + 1}));
    EXPECT_EQ(found.blocked, std::optional(true));
    EXPECT_EQ(records.asked.phase, Phase::released);
    EXPECT_EQ(records.asked.words, (Words{2, 3, 4, 5, 6, 7}));
    EXPECT_EQ(found.children, std::optional<std::int64_t>(2));
    EXPECT_EQ(found.groups, Words{0x50});
    EXPECT_EQ(found.tasks_of_group, 4);
}

TEST_F(Hangs, WhatCallsTheBodyEndsTheRuntimesFrames) {
    const std::vector<code::Frame> frames = at({waiting, microtask, task, user});
    const RuntimeStack own(waits->calls(), frames);
    EXPECT_EQ(own.innermost().end, 1U);
    EXPECT_FALSE(own.works_on_task(own.innermost()));
}

TEST_F(Hangs, OneThatGathersHasComeToItsBarrierWhateverItExecutes) {
    auto thread = standing(&records, code::WaitKind::lock);
    thread.in_explicit_task = true;
    EXPECT_EQ(facts(thread, at({waiting, user, task, gathers, joins, user})).come,
              std::optional(Come{.region = true}));
    EXPECT_EQ(facts(thread, at({waiting, user, task, gathers, barrier, user})).come,
              std::optional(Come{.team = true}));
    records.come = {BarrierType::plain};
    EXPECT_EQ(facts(thread, at({waiting, user, task, released, barrier, user})).come,
              std::optional(Come{.team = true}));
    EXPECT_EQ(records.asked_of_come.phase, Phase::released);
    EXPECT_EQ(records.asked_of_come.words, (Words{6, 7, 8, 9, 10, 11}));
}

TEST_F(Hangs, ARuntimeThatCountsThreadsHasNobodyComeOutsideOfTasks) {
    records.tells = false;
    EXPECT_EQ(facts(standing(&records, code::WaitKind::barrier), at({waiting, barrier, user})).come,
              std::optional(Come{}));
}

TEST_F(Hangs, WithoutRecordsTheStackTellsOfTasksOnly) {
    auto thread = standing(nullptr, code::WaitKind::region_barrier);
    EXPECT_EQ(facts(thread, at({waiting, user})).come, std::optional(Come{}));
    thread.in_explicit_task = true;
    EXPECT_EQ(facts(thread, at({waiting, user})).come, std::optional(Come{.region = true}));
    thread.kind = code::WaitKind::taskwait;
    EXPECT_EQ(facts(thread, at({waiting, user})).come, std::nullopt);
}

TEST_F(Hangs, ATaskThatBeginsAtABarrierIsWork) {
    auto thread = standing(&records, code::WaitKind::barrier);
    EXPECT_EQ(facts(thread, at({waiting, task, released, barrier, user})).busy, true);
    EXPECT_EQ(facts(thread, at({waiting, barrier, user})).busy, false);
    thread.in_explicit_task = true;
    EXPECT_EQ(facts(thread, at({waiting, released, barrier, user})).busy, false);
    EXPECT_EQ(facts(thread, at({waiting, barrier, user})).busy, std::nullopt);
}

// This C library does not say where a descriptor tells that its thread ends.
TEST_F(Hangs, WhyAThreadIsAbsentIsNotKnownFromItsRecordAlone) {
    ASSERT_EQ(hangs().absent(records, 1, 0).size(), 1U);
    EXPECT_EQ(hangs().absent(records, 1, 0)[0].thread, (AbsentThread{1, 0x6000, true}));
    EXPECT_EQ(hangs().absent(records, 1, 0)[0].why, Absence::unknown);
    EXPECT_TRUE(hangs().absent_workers(records, 1).empty());
}

TEST_F(Hangs, NobodyIsAbsentByForkWhereTheKernelSaysThatThereWasNone) {
    is_forked = false;
    EXPECT_EQ(hangs().absent(records, 1, 0)[0].why, Absence::ended);
}

TEST_F(Hangs, NobodyIsAbsentWhereNotAllThreadsAreKnown) {
    process[1].pthread.reset();
    EXPECT_TRUE(hangs().absent(records, 1, 0).empty());
    EXPECT_FALSE(reader->lock(records, code::WaitKind::lock, TargetAddr{stack}).has_ended);
}

TEST_F(Hangs, ATasksBodyIsWhatGccHasMadeWhereTheRuntimeHasCalledIt) {
    const std::uint64_t body = bodies_bias + bodies->elf->symbol("main._omp_fn.0")->value;
    const std::uint64_t makes = in("GOMP_task");
    const auto bodies_of = [&](const Words &pcs) {
        std::vector<std::pair<std::uint64_t, std::string_view>> found;
        for (const CalledBody &one : waits->bodies().called(at(pcs))) {
            found.emplace_back(one.function, one.caller == nullptr ? "" : one.caller->name);
        }
        return found;
    };
    using Found = std::vector<std::pair<std::uint64_t, std::string_view>>;
    EXPECT_EQ(bodies_of({user, body + 8, makes, user}), (Found{{body, "GOMP_task"}}));
    EXPECT_EQ(bodies_of({user, makes, user}), (Found{{0, "GOMP_task"}}));
    EXPECT_EQ(bodies_of({waiting, makes, user}), (Found{{0, "GOMP_task"}}));  // it jumped on
    EXPECT_EQ(bodies_of({body + 8, task, user}), (Found{{body, ""}}));
}

class Mutexes : public Hangs {
protected:
    // One that LWP holds.
    SystemCall waiting_for(std::uint8_t lwp) {
        const auto [thread, frames] = waiter(lwp);
        return hangs().kernel_calls().of(thread, frames);
    }
    std::pair<StandingThread, std::vector<code::Frame>> waiter(std::uint8_t lwp) {
        memory->map(mutex, {2, 0, 0, 0, 0, 0, 0, 0, lwp, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0});
        memory->map(in_libc - 2, {0x0f, 0x05, 0x90, 0x90});
        auto frames = at({in_libc, user});
        const auto arguments = waits->calls().functions().architecture()->convention().arguments;
        frames.front().registers[arguments[0]] = mutex;
        frames.front().registers[arguments[2]] = 2;
        auto thread = standing(nullptr, code::WaitKind::none);
        thread.outside = "pthread_mutex_lock";
        return {thread, frames};
    }
    // The runtime itself has called the kernel with FIRST and another argument.
    std::vector<code::Frame> in_kernel(std::uint64_t first) {
        memory->map(waiting - 2, {0x0f, 0x05, 0x90, 0x90});
        auto frames = at({waiting, user});
        const auto arguments = waits->calls().functions().architecture()->convention().arguments;
        frames.front().registers[arguments[0]] = first;
        frames.front().registers[arguments[2]] = 1;
        return frames;
    }
    static constexpr std::uint64_t mutex = 0x6000, in_libc = system_bias + 0x20;
};

TEST_F(Mutexes, BelongToTheThreadWithThatNumber) {
    const SystemCall found = waiting_for(101);
    EXPECT_EQ(found.function, "pthread_mutex_lock");
    EXPECT_EQ(found.mutex, std::optional(mutex));
    EXPECT_EQ(found.owner, std::optional(2));
}

TEST_F(Mutexes, OfOneThatHasEndedAreNobodysWhereTheLibraryHasTheDebuggersNumbers) {
    EXPECT_EQ(waiting_for(99).owner_ended, std::nullopt);
    std::vector<std::uint8_t> descriptor(2304, 0);
    descriptor[720] = 100;
    memory->map(0x4000, descriptor);
    space->cache().clear();
    EXPECT_EQ(waiting_for(99).owner_ended, std::optional<std::uint64_t>(99));
}

TEST_F(Mutexes, OneInAFileThatCouldNotBeReadIsInCodeThatIsNotKnown) {
    const auto [thread, frames] = waiter(101);
    EXPECT_TRUE(facts(thread, frames).in_known_code);
    reader.reset();
    readable = {{user + 1, user + 2}};
    EXPECT_FALSE(facts(thread, frames).in_known_code);
}

TEST_F(Mutexes, WhoSleepsForALockDoesNotHoldIt) {
    auto thread = standing(&records, code::WaitKind::lock);
    for (const std::uint64_t object : {mutex, mutex + 8}) {
        thread.object = object;
        const auto expected = object == mutex ? std::optional(true) : std::nullopt;
        EXPECT_EQ(facts(thread, in_kernel(mutex)).blocked, expected);
    }
}

TEST_F(Mutexes, WhoGathersOrWakesWorkersMayBeDone) {
    const auto frames = in_kernel(1);
    auto thread = standing(nullptr, code::WaitKind::none);
    thread.entry_point = "__kmpc_fork_call";
    EXPECT_TRUE(hangs().kernel_calls().of(thread, frames).calls_workers);
    EXPECT_EQ(hangs().kernel_calls().of(thread, frames).function, "");
    reader.reset();
    process.resize(1);
    EXPECT_FALSE(hangs().kernel_calls().of(thread, frames).calls_workers);
    EXPECT_EQ(hangs().kernel_calls().of(thread, frames).function, "__kmpc_fork_call");
    thread.entry_point = "__kmpc_barrier";
    EXPECT_EQ(hangs().kernel_calls().of(thread, frames).function, "__kmpc_barrier");
}

TEST_F(Mutexes, WhoLetsALockGoWaitsForNobody) {
    const auto frames = in_kernel(1);
    auto thread = standing(nullptr, code::WaitKind::none);
    for (const char *const entry : {"omp_unset_lock", "GOMP_critical_end"}) {
        thread.entry_point = entry;
        EXPECT_EQ(hangs().kernel_calls().of(thread, frames).function, "");
    }
    thread.outside = "pthread_mutex_unlock";
    EXPECT_EQ(hangs().kernel_calls().of(thread, frames).function, "");
    thread.outside = "sem_wait";
    EXPECT_EQ(hangs().kernel_calls().of(thread, frames).function, "sem_wait");
}

TEST_F(Mutexes, WhoMakesATaskWaitsForNobody) {
    const auto frames = in_kernel(1);
    auto thread = standing(nullptr, code::WaitKind::none);
    thread.entry_point = "GOMP_task";
    EXPECT_EQ(hangs().kernel_calls().of(thread, frames).function, "");
    thread.outside = "sem_wait";  // in a task that is executed at once
    EXPECT_EQ(hangs().kernel_calls().of(thread, frames).function, "sem_wait");
}

TEST_F(Hangs, OnlyWhoIsActiveMayLetALockGoThatIsWaitedFor) {
    std::set<int> asked;
    const auto frames = [&](int gdb_num) {
        asked.insert(gdb_num);
        return std::vector<code::Frame>();
    };
    LockReleases releases(waits->calls());
    const Awaiting works{1}, idles{2, code::WaitKind::idle, std::nullopt};
    const std::vector nobody{works, idles, Awaiting{3, code::WaitKind::critical, 0x60}};
    EXPECT_TRUE(releases.of(nobody, frames).ahead.empty());
    EXPECT_TRUE(asked.empty());
    const std::vector somebody{works, idles, Awaiting{3, code::WaitKind::lock, 0x60}};
    EXPECT_TRUE(releases.of(somebody, frames).called_back.empty());
    EXPECT_EQ(asked, (std::set{1, 3}));
}

class Beginning : public Hangs {
protected:
    std::map<int, bool> worker(const Words &pcs) {
        BeginningReader beginning(*waits, [&](int gdb_num) {
            return at(gdb_num == 2 ? pcs : Words{waiting, in("__kmp_fork_call"), user});
        });
        return beginning.read(team);
    }
    BegunTeam team{false, 1, false, "__kmpc_fork_call", {{2, &records}}};
    using Found = std::map<int, bool>;
};

TEST_F(Beginning, WhereATeamsThreadsAreIsToldByTheirPlaces) {
    const WaitingTeam given{{1, std::nullopt, 2, 3}, {2}};
    const KnownRuntimes runtimes({&records}, {});
    const StandsAt forking{true, code::WaitKind::none, "__kmpc_fork_call"};
    const BegunTeam found = begun_team(given, {{1, forking}, {2, {.before_body = true}}}, runtimes);
    EXPECT_EQ(found.primary, 1);
    EXPECT_EQ(found.entry_point, "__kmpc_fork_call");
    EXPECT_FALSE(found.may_have_ended || found.has_worker_inside);
    ASSERT_EQ(found.workers.size(), 1U);
    EXPECT_TRUE(found.workers.front().before_body);

    const StandsAt inside{true};
    const BegunTeam other = begun_team(given, {{3, inside}}, runtimes);
    EXPECT_TRUE(other.has_worker_inside && other.may_have_ended);
    EXPECT_FALSE(other.primary);
    // Without records nothing is told of a worker.
    EXPECT_TRUE(begun_team(given, {}, KnownRuntimes({}, {})).workers.empty());
}

TEST_F(Beginning, OneThatHasToldThatItHasComeIsAtTheEnd) {
    EXPECT_EQ(worker({waiting, joins}), Found());
    records.begun = true;
    EXPECT_EQ(worker({waiting, forks}), Found());
}

TEST_F(Beginning, OneInItsBodyIsOnItsWay) {
    records.begun = false;
    const std::uint64_t body = program_bias + program->elf->symbol("sample_function")->value + 1;
    EXPECT_EQ(worker({body, forks}), (Found{{2, false}}));
}

TEST_F(Beginning, OneThatIsBeforeARegionHasNotBegun) {
    records.begun = records.begun_with_words = false;
    EXPECT_EQ(worker({waiting, forks}), (Found{{2, true}}));
    EXPECT_EQ(worker({user}), (Found{{2, true}}));  // not in the runtime yet
}

TEST_F(Beginning, OneThatCallsABodyNextMayCallThatOfARegionToCome) {
    team.workers.front().before_body = true;
    team.may_have_ended = true;
    team.primary.reset();
    EXPECT_EQ(worker({waiting}), (Found{{2, false}}));
    team.has_worker_inside = true;
    EXPECT_EQ(worker({waiting}), (Found{{2, true}}));
    team.has_worker_inside = team.may_have_ended = false;
    EXPECT_EQ(worker({waiting}), (Found{{2, true}}));
}

TEST_F(Beginning, WhatTheStackKeepsTellsOneAtTheEnd) {
    records.begun = false;
    records.begun_with_words = true;
    EXPECT_EQ(worker({waiting, joins, user}), Found());
}

}  // namespace

}  // namespace gdb_ompd
