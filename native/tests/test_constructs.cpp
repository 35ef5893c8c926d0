// SPDX-License-Identifier: Apache-2.0
// Stacks that are taken apart where the user's code and a runtime call each other. Names, program
// counters and the calls before these are made by hand.
#include "elf/address_space.hpp"
#include "memory_target.hpp"
#include "stop/constructs.hpp"

#include <gtest/gtest.h>

namespace gdb_ompd {

namespace {

using code::Owner;

constexpr std::uint64_t runtime_bias = 0x900000, user = 0x1000, page = 0x100;

class Constructs : public testing::Test {
protected:
    Constructs() { use(RUNTIME_SYMBOLS); }

    void use(const char *file) {
        runtime =
            std::make_shared<Module>(Module{std::make_shared<ElfImage>(file, std::nullopt, ""),
                                            runtime_bias, "/lib/libomp.so.5", 0, std::nullopt});
        space = std::make_shared<AddressSpace>(memory, Layout{}, 16);
        map = std::make_shared<code::CodeMap>(Modules{runtime}, nullptr, Modules{runtime});
        waits = std::make_unique<WaitReader>(space, Modules{runtime}, map, Modules{runtime});
    }

    // A frame further out than those before, of the user's or of RUNTIME's function. FUNCTION is
    // what it has called, nothing where that was a call through a pointer.
    void add(const char *name, Owner owner, const char *function = nullptr) {
        const std::uint64_t pc = owner == Owner::user ? user + page * frames.size()
                                                      : runtime_bias + page * frames.size();
        if (function != nullptr) {
            const std::uint64_t target = runtime_bias + runtime->elf->symbol(function)->value;
            const auto distance = static_cast<std::uint32_t>(target - pc);
            std::vector<std::uint8_t> call{0xe8};
            for (unsigned bits = 0; bits < 32; bits += 8) {
                call.push_back(static_cast<std::uint8_t>(distance >> bits));
            }
            memory->map(pc - call.size(), call);
        }
        frames.push_back({name, owner, pc});
    }
    StackParts read() { return constructs(*waits, debugger, frames); }
    static TaskFrames part(FrameRange range, Boundary boundary) { return {range, boundary}; }

    std::shared_ptr<MemoryTarget> memory = std::make_shared<MemoryTarget>();
    std::shared_ptr<Module> runtime;
    std::shared_ptr<AddressSpace> space;
    std::shared_ptr<code::CodeMap> map;
    std::unique_ptr<WaitReader> waits;
    std::vector<NamedFrame> frames;
    Debugger debugger{[](std::uint64_t, const std::string &) { return false; },
                      [](std::uint64_t, int) { return false; }};
};

}  // namespace

TEST_F(Constructs, NoConstructIsOnAStackOfTheUsersAlone) {
    add("work", Owner::user);
    add("main", Owner::user);
    EXPECT_EQ(read().segments, (std::vector{TaskFrames{{0, 2}, std::nullopt}}));
}

TEST_F(Constructs, ABodyThatTheUsersCodeCallsIsARegionOfOneThread) {
    add(".omp_outlined._debug__", Owner::user);
    add(".omp_outlined.", Owner::user);  // only calls it
    add("main", Owner::user);
    const StackParts parts = read();
    EXPECT_EQ(parts.hidden, std::vector<std::size_t>{1});
    EXPECT_EQ(parts.segments, (std::vector{part({0, 2}, {Construct::region, {}, 2}),
                                           TaskFrames{{2, 3}, std::nullopt}}));
}

TEST_F(Constructs, AWorkersRegionIsTheBottomOfItsStack) {
    add("read", Owner::system);
    add("work", Owner::user);
    add(".omp_outlined.", Owner::user);
    add("__kmp_invoke_microtask", Owner::runtime);
    add("__kmp_launch_thread", Owner::runtime, "__kmp_invoke_microtask");
    add("start_thread", Owner::system);
    EXPECT_EQ(read().segments,
              (std::vector{part({0, 3}, {Construct::region, {3, 6}, std::nullopt, true})}));
}

TEST_F(Constructs, APrimaryThreadsRegionWasBegunByItsCaller) {
    add("work", Owner::user);
    add(".omp_outlined.", Owner::user);
    add("__kmp_invoke_microtask", Owner::runtime);
    add("__kmp_fork_call", Owner::runtime, "__kmp_invoke_microtask");
    add("main", Owner::user, "__kmpc_fork_call");
    EXPECT_EQ(read().segments, (std::vector{part({0, 2}, {Construct::region, {2, 4}, 4}),
                                            TaskFrames{{4, 5}, std::nullopt}}));
}

TEST_F(Constructs, ATaskThatIsTakenAtARegionsEndIsInThatRegion) {
    add(".omp_task_entry.", Owner::user);
    add("__kmp_invoke_task", Owner::runtime);
    add("__kmp_join_barrier", Owner::runtime, "_ZL17__kmp_invoke_taskv");
    add("main", Owner::user, "__kmpc_fork_call");
    EXPECT_EQ(read().segments, (std::vector{part({0, 1}, {Construct::task, {1, 3}, 3, false, 0}),
                                            part({}, {Construct::region, {}, 3}),
                                            TaskFrames{{3, 4}, std::nullopt}}));
}

TEST_F(Constructs, WhatTheRuntimeDoesForTheUsersInnermostFrameIsInside) {
    add("syscall", Owner::system);
    add("__kmp_wait", Owner::runtime);
    add("__kmpc_barrier", Owner::runtime, "__kmp_wait");
    add("main", Owner::user, "__kmpc_barrier");
    const StackParts parts = read();
    EXPECT_EQ(parts.inside, (FrameRange{0, 3}));
    EXPECT_EQ(parts.system, 1U);
    EXPECT_EQ(parts.segments, (std::vector{TaskFrames{{3, 4}, std::nullopt}}));
}

// A thread of GCC's calls a region's body itself; tasks it takes in a function of their own.
TEST_F(Constructs, GccsBodiesAreToldByWhoCallsThem) {
    use(GNU_SYMBOLS);
    add("main._omp_fn.0", Owner::user);
    add("gomp_thread_start", Owner::runtime);
    add("start_thread", Owner::system);
    EXPECT_EQ(read().segments.front().boundary->kind, Construct::region);
    frames.clear();
    add("main._omp_fn.0", Owner::user);
    add("gomp_barrier_handle_tasks", Owner::runtime);
    add("gomp_team_barrier_wait", Owner::runtime, "GOMP_barrier");
    EXPECT_EQ(read().segments.front().boundary->kind, Construct::task);
}

TEST_F(Constructs, ACallbackIsOfNoConstruct) {
    add("compare", Owner::user);
    add("__kmp_wait", Owner::runtime);
    add("main", Owner::user, "__kmpc_barrier");
    EXPECT_EQ(read().segments.front(), part({0, 1}, {Construct::unknown, {1, 2}, 2}));
    EXPECT_EQ(text(Construct::unknown), "runtime");
}

}  // namespace gdb_ompd
