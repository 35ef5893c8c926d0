// SPDX-License-Identifier: Apache-2.0
// Who is kept at the barrier of a team of libgomp's, by code and records made by hand.
#include "base/errors.hpp"
#include "gnu_program.hpp"
#include "memory_target.hpp"
#include "runtimes/gnu/capabilities.hpp"

#include <gtest/gtest.h>

#include <cstring>

namespace gdb_ompd::gnu {

namespace {

using Code = std::vector<std::uint8_t>;

// As GCC 10 and GCC 12 compile them, behind each other; the record is at -0x90.
const Code getter{0x48, 0xc7, 0xc0, 0x70, 0xff, 0xff, 0xff,  // mov -0x90,rax
                  0x64, 0x8b, 0x40, 0x28,                    // mov fs:40(rax),eax
                  0xc3};
constexpr std::size_t offset_in_record = 10, added = 20, jump = 21, waits = 25;
const Code enter{0x48, 0xc7, 0xc0, 0x70, 0xff, 0xff, 0xff,  // mov -0x90,rax
                 0x64, 0x48, 0x8b, 0x78, 0x10,              // mov fs:16(rax),rdi
                 0x48, 0x85, 0xff,                          // test rdi,rdi
                 0x74, 0x06,                                // je: the last one
                 0x48, 0x83, 0xef, 0x80,                    // sub -128,rdi
                 0xeb, 0x02,                                // jmp: two behind
                 0xc3, 0x90};
const Code take_down{0x8b, 0x77, 0x04, 0x83, 0xe6, 0xfc};  // mov 4(rdi),esi; and -4,esi
const Code count_in_10{0xf0, 0x0f, 0xc1, 0x57, 0x40};      // lock xadd edx,64(rdi)
const Code count_in_12{0xf0, 0x83, 0x6f, 0x40, 0x01};      // lock sub 1,64(rdi)
const Code leave{0xeb, 0x40};                              // jmp somewhere
const Code at_end{0x8b, 0x77, 0x04, 0x83, 0xe6, 0xfc,      // the same for a region's end
                  0xf0, 0x83, 0x6f, 0x44, 0x01,            // lock sub 1,68(rdi)
                  0x75, 0x08,                              // jne
                  0x8b, 0x07,                              // mov (rdi),eax
                  0x83, 0xce, 0x01,                        // or 1,esi
                  0x89, 0x47, 0x44,                        // mov eax,68(rdi)
                  0xc3};

Code barrier(const Code &count_in) {
    Code code = enter;
    for (const Code &part : {take_down, count_in, leave, at_end}) {
        code.insert(code.end(), part.begin(), part.end());
    }
    code.resize(256, 0x90);
    return code;
}

using Words = std::vector<std::uint32_t>;
const Words getter_of_words{0xd53bd040,   // mrs x0, tpidr_el0
                            0xd1024000,   // sub x0, x0, #0x90
                            0xb9402800,   // ldr w0, [x0, #40]
                            0xd65f03c0};  // ret
constexpr std::size_t place_counted = 15;
const Words barrier_of_words{
    0xd53bd040,                                      // mrs x0, tpidr_el0
    0xd1024000,                                      // sub x0, x0, #0x90
    0xf9400800,                                      // ldr x0, [x0, #16]
    0xb4000060,                                      // cbz x0, the last one
    0x91020000,                                      // add x0, x0, #0x80
    0x14000002,                                      // b, two behind
    0xd65f03c0,                                      // ret
    0xa9be7bfd, 0x910003fd, 0xa90153f3,              // saves registers
    0xaa0003f3,                                      // mov x19, x0
    0x91001000,                                      // add x0, x0, #0x4
    0x88dffc14,                                      // ldar w20, [x0]
    0x12800000,                                      // mov w0, #-1
    0x121e7694,                                      // and w20, w20, #-4
    0x91010261,                                      // add x1, x19, #0x40
    0x94005aeb,                                      // bl
    0x32000281, 0x7100041f, 0x1a940021, 0xaa1303e0,  // what it returned decides
    0xa94153f3, 0xa8c27bfd, 0x17ffff78,              // b
    0xa9be7bfd, 0x910003fd, 0xa90153f3,              // the same for a region's end
    0xaa0003f3, 0x91001000, 0x88dffc14, 0x12800000, 0x121e7694,
    0x91011261,                          // add x1, x19, #0x44
    0x94005ada, 0x7100041f, 0x54000081,  // bl, cmp, b.ne
    0xb9400260,                          // ldr w0, [x19]
    0x32000294,
    0xb9004660,  // str w0, [x19, #68]
    0xd65f03c0};

Code bytes_of(const Words &words, std::size_t size = 256) {
    Code code(size);
    std::memcpy(code.data(), words.data(), words.size() * sizeof(std::uint32_t));
    return code;
}

constexpr std::uint64_t bias = 0x900000;
constexpr std::uint64_t barrier_of_team = ::gnu::team + 128;
constexpr std::uint32_t generation = 40, next = generation + 8;
constexpr std::uint32_t has_tasks = 1, waits_for_tasks = 2, cancelled = 4;

// Two threads in a team, GDB's 1 and 2.
class GnuBarriers : public ::testing::Test {
protected:
    explicit GnuBarriers(const char *machine = "x86-64") : machine(machine) {
        space->set_modules({std::make_shared<Module>(
                               Module{std::make_shared<ElfImage>(GNU_SYMBOLS, std::nullopt, ""),
                                      bias, "/lib/libgomp.so.1", 0, std::nullopt})},
                           std::nullopt);
        ::gnu::make_program();
        begin(2, generation, 2, 2);
        put_code(barrier(count_in_12));
    }

    void put_code(const Code &code) {
        target->map(address("GOMP_barrier"), code);
        target->map(address("omp_get_thread_num"), [] {
            Code padded = getter;
            padded.resize(64, 0x90);
            return padded;
        }());
    }
    std::uint64_t address(const char *name) {
        return space->symbol_address(name, std::nullopt, std::nullopt).value().value;
    }
    static void begin(std::uint32_t total, std::uint32_t number, std::uint32_t missing,
                      std::uint32_t missing_at_end) {
        ::gnu::put(barrier_of_team, total, 4);
        ::gnu::put(barrier_of_team + 4, number, 4);
        ::gnu::put(barrier_of_team + 64, missing, 4);
        ::gnu::put(barrier_of_team + 68, missing_at_end, 4);
    }
    Capabilities capabilities() {
        target->map(::gnu::base, {::gnu::memory.begin(), ::gnu::memory.end()});
        space->cache().clear();
        const auto places = RecordPlaces::in_code(*space);
        return {space,
                Records(*space, *layout_of("GNU libgomp of GCC 11 or 12"), places),
                BarrierPlace(*space, Records::team_of_thread, places.record),
                {{1, ::gnu::thread_pointer(0)}, {2, ::gnu::thread_pointer(1)}}};
    }
    // Whether thread 2 is, which found a number in the futex that it sleeps in.
    std::optional<bool> kept(std::uint32_t found, BarrierType type = BarrierType::plain,
                             std::uint64_t futex = barrier_of_team + 4) {
        return capabilities().kept_at_barrier(
            {2, type, Phase::unknown, {}, Futex{TargetAddr{futex}, found}});
    }
    bool sleeps_until_tasks_are_done() {
        return capabilities().sleeps_until_tasks_are_done(
            {2,
             BarrierType::plain,
             Phase::unknown,
             {},
             Futex{TargetAddr{barrier_of_team + 4}, generation}});
    }

    const char *machine;
    std::shared_ptr<MemoryTarget> target = std::make_shared<MemoryTarget>();
    std::shared_ptr<AddressSpace> space =
        std::make_shared<AddressSpace>(target, gdb_ompd::Layout{machine}, 64);
};

// The same in aarch64's code, as GCC 12 compiles it; what counts in is a function of its own.
class GnuBarriersOfAarch64 : public GnuBarriers {
protected:
    GnuBarriersOfAarch64() : GnuBarriers("aarch64") {
        target->map(address("omp_get_thread_num"), bytes_of(getter_of_words, 64));
        target->map(address("GOMP_barrier"), bytes_of(barrier_of_words));
    }
};

TEST_F(GnuBarriersOfAarch64, KeepsWhoSleepsWhileOthersAreMissing) {
    begin(2, generation, 1, 2);
    EXPECT_EQ(kept(generation), true);
    begin(2, next, 2, 2);
    EXPECT_EQ(kept(generation), false);
}

TEST_F(GnuBarriersOfAarch64, AreProvedOnTheCode) {
    Words other = barrier_of_words;
    other[place_counted] = 0x91012261;  // add x1, x19, #0x48
    target->map(address("GOMP_barrier"), bytes_of(other));
    EXPECT_THROW(static_cast<void>(capabilities()), Inconsistent);
}

TEST_F(GnuBarriers, KeepsWhoSleepsWhileOthersAreMissing) {
    begin(2, generation, 1, 2);
    EXPECT_EQ(kept(generation), true);
    EXPECT_EQ(kept(generation, BarrierType::forkjoin), std::nullopt);
    begin(2, generation, 2, 1);
    EXPECT_EQ(kept(generation), std::nullopt);
    EXPECT_EQ(kept(generation, BarrierType::forkjoin), true);
}

TEST_F(GnuBarriers, LetsGoOfWhoSleepsSinceAnEarlierGeneration) {
    begin(2, next, 1, 2);
    EXPECT_EQ(kept(generation), false);
}

TEST_F(GnuBarriers, SaysNothingOfAnotherFutexNorOfOneThatDoesNotSleep) {
    begin(2, generation, 1, 2);
    EXPECT_EQ(kept(generation, BarrierType::plain, barrier_of_team + 64), std::nullopt);
    EXPECT_EQ(capabilities().kept_at_barrier({2, BarrierType::plain, Phase::unknown, {}, {}}),
              std::nullopt);
}

// All have come, and nobody goes before the tasks are complete.
TEST_F(GnuBarriers, KeepsAllWhileThereAreTasks) {
    begin(2, generation | waits_for_tasks, 2, 2);
    EXPECT_EQ(kept(generation | waits_for_tasks), true);
    EXPECT_EQ(kept(generation), true);
    EXPECT_TRUE(sleeps_until_tasks_are_done());
    begin(2, generation | waits_for_tasks | has_tasks, 2, 2);
    EXPECT_FALSE(sleeps_until_tasks_are_done());
    begin(2, generation, 1, 2);
    EXPECT_FALSE(sleeps_until_tasks_are_done());
}

TEST_F(GnuBarriers, SaysNothingOfOneThatWasCancelledSince) {
    begin(2, generation | cancelled, 1, 2);
    EXPECT_EQ(kept(generation), std::nullopt);
    EXPECT_EQ(kept(generation | cancelled), true);
}

TEST_F(GnuBarriers, SaysNothingWhereTheRecordIsDamaged) {
    begin(3, generation, 1, 2);  // of a team of two
    EXPECT_EQ(kept(generation), std::nullopt);
    begin(2, generation, 3, 2);  // more are missing than there are
    EXPECT_EQ(kept(generation), std::nullopt);
}

TEST_F(GnuBarriers, KnowsWhoIsNotInTheProcess) {
    const std::uint64_t first = ::gnu::thread_pointer(0);
    const std::uint64_t other = ::gnu::thread_pointer(1);
    EXPECT_TRUE(capabilities().absent(1, 0, {first, other}).empty());
    EXPECT_EQ(capabilities().absent(1, 0, {first}), (std::vector<AbsentThread>{{1, other}}));
    EXPECT_TRUE(capabilities().absent(1, 1, {first}).empty());
}

TEST_F(GnuBarriers, WhoWasGivenARegionAndIsNotThereIsAwaited) {
    const std::uint64_t other = ::gnu::thread_pointer(1);
    ::gnu::put(::gnu::record_of(1), 0x1234, 8);  // its next function
    EXPECT_EQ(capabilities().absent(1, 0, {::gnu::thread_pointer(0)}),
              (std::vector<AbsentThread>{{1, other, true}}));
}

TEST_F(GnuBarriers, KnowsWhichWorkersOfAPoolAreNotInTheProcess) {
    const std::uint64_t first = ::gnu::thread_pointer(0);
    const std::uint64_t other = ::gnu::thread_pointer(1);
    EXPECT_TRUE(capabilities().absent_workers(1, {first}).empty());
    constexpr std::uint64_t list = ::gnu::pool + 0x200;
    ::gnu::put(::gnu::pool, list, 8);
    ::gnu::put(::gnu::pool + 12, 2, 4);
    ::gnu::put(list + 8, ::gnu::record_of(1), 8);
    EXPECT_EQ(capabilities().absent_workers(1, {first}), (std::vector<AbsentThread>{{1, other}}));
    EXPECT_TRUE(capabilities().absent_workers(1, {first, other}).empty());
    ::gnu::put(::gnu::pool + 12, 0xffff'ffff, 4);
    EXPECT_TRUE(capabilities().absent_workers(1, {first}).empty());
}

// Whose a lock is, at a place where nothing else is.
class GnuLocks : public GnuBarriers {
protected:
    LockWord lock(std::uint32_t word, std::uint32_t depth, std::uint64_t task,
                  Mutex kind = Mutex::nest_lock) {
        constexpr std::uint64_t place = ::gnu::base + 0x9c00;
        ::gnu::put(place, word, 4);
        ::gnu::put(place + 4, depth, 4);
        ::gnu::put(place + 8, task == 0 ? 0 : task + 152, 8);  // the task's ICVs
        return capabilities().lock(TargetAddr{place}, kind);
    }
    static LockWord held_by(std::optional<int> thread, std::int64_t depth) {
        return {.held = true, .owner = thread, .keeps_owner = true, .depth = depth};
    }
};

TEST_F(GnuLocks, ANestLockIsTheTasksThatSetIt) {
    EXPECT_EQ(lock(1, 2, ::gnu::explicit_task), held_by(2, 2));
    EXPECT_EQ(lock(0xffff'ffff, 1, ::gnu::implicit_task(0)), held_by(1, 1));
    EXPECT_EQ(lock(1, 1, ::gnu::implicit_task(1)), held_by(2, 1));  // below the explicit task
    EXPECT_EQ(lock(1, 1, ::gnu::team), held_by(std::nullopt, 1));   // of no thread here
}

TEST_F(GnuLocks, NothingIsKnownOfTheOwnerOfAnother) {
    const LockWord taken{.held = true};
    EXPECT_EQ(lock(0, 0, 0), LockWord{.held = false});
    EXPECT_EQ(lock(1, 0, 0), taken);  // it is being set
    EXPECT_EQ(lock(1, 1, ::gnu::implicit_task(0), Mutex::lock), taken);
    EXPECT_EQ(lock(4711, 1, ::gnu::implicit_task(0)), taken);  // the old record: a thread's number
}

TEST_F(GnuBarriers, AreProvedOnTheCodeOfEachRelease) {
    begin(2, generation, 1, 2);
    put_code(barrier(count_in_10));
    EXPECT_EQ(kept(generation), true);
}

TEST_F(GnuBarriers, AreNotWhereTheCodeIsAnother) {
    // Another member of the record, another distance, no jump, other words in it.
    for (const auto &[at, byte] : std::initializer_list<std::pair<std::size_t, std::uint8_t>>{
             {offset_in_record + 1, 0x18}, {added, 0x90}, {jump, 0x90}, {waits + 2, 0x08}}) {
        Code code = barrier(count_in_12);
        code[at] = byte;
        put_code(code);
        EXPECT_THROW(capabilities(), Inconsistent) << at;
    }
}

}  // namespace

}  // namespace gdb_ompd::gnu
