// SPDX-License-Identifier: Apache-2.0
// libgompd on a program that is made by hand, sound and damaged.
#include "gnu_questions.hpp"

#include <gtest/gtest.h>

#include <random>

namespace {

constexpr std::uint64_t any_context = 1;

class Gompd : public testing::TestWithParam<gnu::Code> {
protected:
    void SetUp() override {
        gnu::make_program(GetParam());
        ASSERT_EQ(ompd_initialize(201811, &gnu::callbacks), ompd_rc_ok);
    }
    void TearDown() override {
        EXPECT_EQ(ompd_finalize(), ompd_rc_ok);
        for (void *block : gnu::blocks) {
            std::free(block);
        }
        gnu::blocks.clear();
    }

    static ompd_rc_t begin(ompd_address_space_handle_t **made) {
        return ompd_process_initialize(
            reinterpret_cast<ompd_address_space_context_t *>(any_context), made);
    }
    ompd_address_space_handle_t *process() {
        if (process_ == nullptr) {
            EXPECT_EQ(begin(&process_), ompd_rc_ok) << gnu::printed;
        }
        return process_;
    }
    ompd_rc_t find(int number, ompd_thread_handle_t **made) {
        const std::uint64_t id = gnu::pthread(number);
        return ompd_get_thread_handle(process(), ompd_thread_id_pthread, sizeof id, &id, made);
    }
    ompd_thread_handle_t *thread(int number) {
        ompd_thread_handle_t *made = nullptr;
        EXPECT_EQ(find(number, &made), ompd_rc_ok);
        return made;
    }
    ompd_parallel_handle_t *region(int number) {
        ompd_parallel_handle_t *made = nullptr;
        EXPECT_EQ(ompd_get_curr_parallel_handle(thread(number), &made), ompd_rc_ok);
        return made;
    }
    ompd_task_handle_t *task(int number) {
        ompd_task_handle_t *made = nullptr;
        EXPECT_EQ(ompd_get_curr_task_handle(thread(number), &made), ompd_rc_ok);
        return made;
    }
    ompd_task_handle_t *generating(ompd_task_handle_t *of) {
        ompd_task_handle_t *made = nullptr;
        EXPECT_EQ(ompd_get_generating_task_handle(of, &made), ompd_rc_ok);
        return made;
    }
    // The ICV's id and scope.
    std::pair<ompd_icv_id_t, ompd_scope_t> icv(const std::string &wanted) {
        ompd_icv_id_t id = ompd_icv_undefined;
        ompd_scope_t scope{};
        const char *name = nullptr;
        for (int more = 1; more != 0;) {
            EXPECT_EQ(ompd_enumerate_icvs(process(), id, &id, &name, &scope, &more), ompd_rc_ok);
            if (wanted == name) {
                return {id, scope};
            }
        }
        ADD_FAILURE() << wanted;
        return {};
    }
    ompd_word_t number(const std::string &name, void *handle) {
        const auto [id, scope] = icv(name);
        ompd_word_t value = -1;
        EXPECT_EQ(ompd_get_icv_from_scope(handle, scope, id, &value), ompd_rc_ok) << name;
        return value;
    }
    std::string text(const std::string &name, void *handle) {
        const auto [id, scope] = icv(name);
        const char *value = nullptr;
        EXPECT_EQ(ompd_get_icv_string_from_scope(handle, scope, id, &value), ompd_rc_ok) << name;
        return value == nullptr ? "" : value;
    }

private:
    ompd_address_space_handle_t *process_ = nullptr;
};

TEST_P(Gompd, SaysOfWhichVersionsTheLayoutIs) {
    const char *said = nullptr;
    ASSERT_EQ(ompd_get_omp_version_string(process(), &said), ompd_rc_ok);
    EXPECT_STREQ(said, "GNU libgomp of GCC 11 or 12");
    EXPECT_EQ(gnu::printed, "");
}

// The first offset in the getter at AT, behind what reads the slot, becomes another.
void move_first_field(std::uint64_t at) {
    const auto byte = [](std::uint64_t where) { return gnu::memory.at(where - gnu::base); };
    if (gnu::machine == gnu::Code::aarch64) {
        for (at += 5 * 4; (byte(at + 3) & 0x3bU) != 0x39;) {  // a load
            at += 4;
        }
        gnu::put(at + 1, byte(at + 1) ^ 0x40U, 1);
        return;
    }
    for (at += 7; byte(at) != 0x64;) {
        ++at;
    }
    gnu::put(at + (byte(at + 1) == 0x48 ? 4 : 3), 0x34, 1);
}

TEST_P(Gompd, RefusesAGetterThatReadsElsewhere) {
    for (const char *name : {"omp_get_level", "omp_get_active_level", "omp_get_team_size",
                             "omp_get_ancestor_thread_num", "omp_get_max_threads", "omp_in_final",
                             "omp_get_num_threads"}) {
        gnu::make_program(GetParam());
        move_first_field(gnu::symbols[name]);
        ompd_address_space_handle_t *made = nullptr;
        EXPECT_EQ(begin(&made), ompd_rc_incompatible) << name;
        EXPECT_NE(gnu::printed.find("is not served"), std::string::npos) << name;
        EXPECT_EQ(made, nullptr);
    }
}

// As of a program that libgomp is linked into, and that calls no getter of ICVs.
TEST_P(Gompd, ServesAProgramWithoutGettersOfIcvs) {
    gnu::make_program(GetParam());
    gnu::symbols.erase("omp_get_max_threads");
    ompd_address_space_handle_t *made = nullptr;
    ASSERT_EQ(begin(&made), ompd_rc_ok) << gnu::printed;
    EXPECT_EQ(ompd_rel_address_space_handle(made), ompd_rc_ok);
    move_first_field(gnu::symbols["omp_in_final"]);
    made = nullptr;
    EXPECT_EQ(begin(&made), ompd_rc_incompatible);
}

TEST_P(Gompd, RefusesAnInstructionThatThereIsNot) {
    // On aarch64 an orr of 32 bits by 40; on x86-64 ud2.
    gnu::put(gnu::symbols["omp_get_level"], 0x2ac3a060, 4);
    if (GetParam() == gnu::Code::x86_64) {
        gnu::put(gnu::symbols["omp_get_level"], 0x0b0f, 2);
    }
    ompd_address_space_handle_t *made = nullptr;
    EXPECT_EQ(begin(&made), ompd_rc_incompatible);
}

TEST_P(Gompd, RefusesAFamilyWithoutItsNewestFunction) {
    gnu::symbols.erase("omp_fulfill_event");
    ompd_address_space_handle_t *made = nullptr;
    EXPECT_EQ(begin(&made), ompd_rc_incompatible);
}

TEST_P(Gompd, SaysNothingBeforeTheFileIsRelocated) {
    gnu::put(gnu::tls_slot, 0, 8);
    ompd_address_space_handle_t *made = nullptr;
    EXPECT_EQ(begin(&made), ompd_rc_unavailable);
}

TEST_P(Gompd, FindsThreadsRegionsAndTheirNumbers) {
    for (const int each : {0, 1}) {
        EXPECT_EQ(number("thread-num-var", thread(each)), each);
        EXPECT_EQ(number("levels-var", region(each)), 1);
        EXPECT_EQ(number("active-levels-var", region(each)), 1);
        EXPECT_EQ(number("team-size-var", region(each)), 2);
        for (const int member : {0, 1}) {
            ompd_thread_handle_t *found = nullptr;
            ASSERT_EQ(ompd_get_thread_in_parallel(region(each), member, &found), ompd_rc_ok);
            std::uint64_t id = 0;
            ASSERT_EQ(ompd_get_thread_id(found, ompd_thread_id_pthread, sizeof id, &id),
                      ompd_rc_ok);
            EXPECT_EQ(id, gnu::pthread(member));
        }
    }
    ompd_parallel_handle_t *outer = nullptr;
    EXPECT_EQ(ompd_get_enclosing_parallel_handle(region(1), &outer), ompd_rc_unavailable);
    EXPECT_EQ(outer, nullptr);
}

TEST_P(Gompd, KnowsNoThreadThatHasNothingToDoWithIt) {
    ompd_thread_handle_t *made = nullptr;
    EXPECT_EQ(find(2, &made), ompd_rc_unavailable);
}

TEST_P(Gompd, KnowsTheThreadInWhichTheProgramBegan) {
    for (std::uint64_t at = gnu::record_of(0); at < gnu::record_of(0) + 112; at += 8) {
        gnu::put(at, 0, 8);
    }
    ompd_parallel_handle_t *none = nullptr;
    EXPECT_EQ(ompd_get_curr_parallel_handle(thread(0), &none), ompd_rc_unavailable);
    EXPECT_EQ(number("nthreads-var", task(0)), 7);
    EXPECT_EQ(number("implicit-task-var", task(0)), 1);
}

TEST_P(Gompd, FollowsTasks) {
    ompd_address_t entry{};
    ASSERT_EQ(ompd_get_task_function(task(1), &entry), ompd_rc_ok);
    EXPECT_EQ(entry.address, 0x4011a0U);
    EXPECT_EQ(number("final-task-var", task(1)), 1);
    EXPECT_EQ(number("implicit-task-var", task(1)), 0);
    ompd_task_handle_t *const implicit = generating(task(1));
    EXPECT_EQ(number("implicit-task-var", implicit), 1);
    EXPECT_EQ(ompd_get_task_function(implicit, &entry), ompd_rc_unavailable);
    int order = 77;
    ompd_task_handle_t *scheduling = nullptr;
    ASSERT_EQ(ompd_get_scheduling_task_handle(task(1), &scheduling), ompd_rc_ok);
    ASSERT_EQ(ompd_task_handle_compare(scheduling, implicit, &order), ompd_rc_ok);
    EXPECT_EQ(order, 0);
    // The initial task has no record: it is the one of the thread that began the region.
    ompd_task_handle_t *const initial = generating(implicit);
    ASSERT_EQ(ompd_task_handle_compare(initial, generating(task(0)), &order), ompd_rc_ok);
    EXPECT_EQ(order, 0);
    ompd_task_handle_t *none = nullptr;
    EXPECT_EQ(ompd_get_generating_task_handle(initial, &none), ompd_rc_unavailable);
}

TEST_P(Gompd, ReadsIcvsOfTheTask) {
    EXPECT_EQ(number("nthreads-var", task(0)), 5);
    EXPECT_EQ(number("dyn-var", task(0)), 1);
    EXPECT_EQ(text("run-sched-var", task(0)), "monotonic:dynamic,4");
    EXPECT_EQ(number("nthreads-var", generating(task(0))), 7);
    EXPECT_EQ(text("run-sched-var", generating(task(0))), "guided");
    const auto [id, scope] = icv("bind-var");  // whose getter this libgomp has not
    ompd_word_t value = 0;
    EXPECT_EQ(ompd_get_icv_from_scope(task(0), scope, id, &value), ompd_rc_unavailable);
}

TEST_P(Gompd, AWorkerWhoseRegionHasEndedIsIdle) {
    ompd_thread_handle_t *const worker = thread(1);
    ompd_parallel_handle_t *const ended = region(1);
    for (std::uint64_t at = gnu::record_of(0) + 16; at < gnu::record_of(0) + 96; at += 8) {
        gnu::put(at, 0, 8);
    }
    ompd_word_t state = 0;
    ompd_parallel_handle_t *made = nullptr;
    ompd_task_handle_t *task = nullptr;
    EXPECT_EQ(ompd_get_state(worker, &state, nullptr), ompd_rc_ok);
    EXPECT_EQ(state, 0x100);
    EXPECT_EQ(ompd_get_curr_parallel_handle(worker, &made), ompd_rc_unavailable);
    EXPECT_EQ(ompd_get_curr_task_handle(worker, &task), ompd_rc_unavailable);
    EXPECT_EQ(ompd_get_enclosing_parallel_handle(ended, &made), ompd_rc_stale_handle);
}

// The thread that began the region executes a target region on the host: it has another record
// meanwhile.
TEST_P(Gompd, AWorkerIsInItsRegionWhateverThePrimaryThreadExecutes) {
    ompd_thread_handle_t *const worker = thread(1);
    for (std::uint64_t at = gnu::record_of(0) + 16; at < gnu::record_of(0) + 112; at += 8) {
        gnu::put(at, 0, 8);
    }
    gnu::put(gnu::pool + 64, 2, 4);
    gnu::put(gnu::pool + 128, 2, 4);
    ompd_parallel_handle_t *const own = region(1);
    ompd_thread_handle_t *made = nullptr;
    EXPECT_EQ(ompd_get_thread_in_parallel(own, 0, &made), ompd_rc_unavailable);
    EXPECT_EQ(ompd_get_thread_in_parallel(own, 1, &made), ompd_rc_ok);
    ompd_word_t state = 0;
    EXPECT_EQ(ompd_get_state(worker, &state, nullptr), ompd_rc_unavailable);
    // One of the pool waits for the next region.
    gnu::put(gnu::pool + 128, 1, 4);
    EXPECT_EQ(ompd_get_state(worker, &state, nullptr), ompd_rc_ok);
    EXPECT_EQ(state, 0x100);
}

TEST_P(Gompd, DamagedRecordsAreSurvived) {
    const auto sound = gnu::memory;
    ompd_address_space_handle_t *const process = this->process();
    std::mt19937 chance(20111);
    for (int run = 0; run < 500; ++run) {
        gnu::memory = sound;
        for (int i = 0; i < 4; ++i) {
            // Of the records alone, which begin behind the code; some pointers among them.
            const std::uint64_t at = 0x9000 + chance() % 0x8000;
            const std::uint64_t values[] = {0, ~std::uint64_t{0}, gnu::team, gnu::record_of(1),
                                            chance()};
            gnu::put(gnu::base + at / 8 * 8, values[chance() % 5], 8);
        }
        const auto damaged = gnu::memory;
        gnu::ask_everything(process);
        ASSERT_EQ(gnu::memory, damaged);  // it only reads
    }
}

TEST_P(Gompd, DamagedCodeIsSurvived) {
    const auto sound = gnu::memory;
    std::mt19937 chance(20112);
    for (int run = 0; run < 500; ++run) {
        gnu::memory = sound;
        for (int i = 0; i < 3; ++i) {
            gnu::put(gnu::base + chance() % (gnu::next_code - gnu::base), chance(), 1);
        }
        ompd_address_space_handle_t *made = nullptr;
        const ompd_rc_t code = begin(&made);
        ASSERT_TRUE(code == ompd_rc_ok || code == ompd_rc_incompatible ||
                    code == ompd_rc_unavailable)
            << code;
        ASSERT_EQ(made != nullptr, code == ompd_rc_ok);
    }
}

INSTANTIATE_TEST_SUITE_P(Machines, Gompd, testing::Values(gnu::Code::x86_64, gnu::Code::aarch64),
                         [](const auto &machine) {
                             return machine.param == gnu::Code::x86_64 ? "x86_64" : "aarch64";
                         });

}  // namespace
