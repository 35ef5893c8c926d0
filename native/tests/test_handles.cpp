// SPDX-License-Identifier: Apache-2.0
// Every handle is released exactly once, in whatever order its owners go.
#include "fixture.hpp"

namespace gdb_ompd {

namespace {

class Handles : public FakeProcess {
protected:
    Handles() { target->threads[{ompd_thread_id_lwp, 5}] = 0x9000; }

    [[nodiscard]] std::unique_ptr<ThreadHandle> make_thread() const {
        return process->thread(ompd_thread_id_lwp, 5, 4);
    }

    // What a second process of the same library sees of the fake's record.
    void expect_all_released() {
        const auto observer = Process::initialize(library, space);
        EXPECT_EQ(observer->icv(fake_live_handles, ompd_scope_address_space), 1);
        EXPECT_EQ(observer->icv(fake_bad_releases, ompd_scope_address_space), 0);
    }
};

TEST_F(Handles, AnswerEachQuestion) {
    const auto thread = make_thread();
    const auto region = thread->curr_parallel();
    const auto task = thread->curr_task();
    EXPECT_EQ(thread->thread_id(ompd_thread_id_lwp, 4), 5U);
    EXPECT_EQ(thread->thread_id(ompd_thread_id_pthread, 8), 5U);
    EXPECT_EQ(thread->state(), std::pair(ompd_word_t{0}, ompd_wait_id_t{0x77}));
    EXPECT_EQ(region->thread_in_parallel(3)->thread_id(ompd_thread_id_lwp, 8), 3U);
    EXPECT_EQ(region->task_in_parallel(4)->function().value, 0x5004U);
    EXPECT_EQ(region->enclosing_parallel()->compare(*region), 1);
    EXPECT_EQ(task->generating_task()->compare(*task), 1);
    EXPECT_EQ(task->scheduling_task()->compare(*task), 10);
    EXPECT_EQ(task->task_parallel()->compare(*region), 9);
    EXPECT_EQ(thread->compare(*thread), 0);
    const auto [exit, enter] = task->frame();
    EXPECT_EQ(exit.address.value, 0x100U);
    EXPECT_EQ(exit.flags, 0);
    EXPECT_EQ(enter.address.value, 0x200U);
    EXPECT_EQ(enter.flags, 0x11);
    EXPECT_EQ(process->omp_version(), 201811);
    EXPECT_EQ(process->omp_version_string(), "201811");
}

TEST_F(Handles, ErrorsNameTheCall) {
    const auto region = make_thread()->curr_parallel()->enclosing_parallel()->enclosing_parallel();
    try {
        static_cast<void>(region->enclosing_parallel());
        FAIL() << "there is no further region";
    } catch (const OmpdError &error) {
        EXPECT_EQ(error.call(), "ompd_get_enclosing_parallel_handle");
        EXPECT_EQ(error.code(), ompd_rc_unavailable);
    }
}

TEST_F(Handles, SuccessWithoutAHandleIsAnError) {
    const auto task = make_thread()->curr_task()->generating_task();
    EXPECT_EQ(code_of([&] { static_cast<void>(task->scheduling_task()); }), ompd_rc_error);
}

TEST_F(Handles, ParentsMayGoFirst) {
    auto thread = make_thread();
    auto region = thread->curr_parallel();
    auto task = thread->curr_task();
    thread.reset();
    EXPECT_EQ(region->enclosing_parallel()->compare(*region), 1);
    EXPECT_EQ(task->function().value, 0x500aU);
    region.reset();
    task.reset();
    process.reset();
    expect_all_released();
}

TEST_F(Handles, TheProcessMayGoFirst) {
    auto thread = make_thread();
    const auto region = thread->curr_parallel();
    process.reset();
    EXPECT_FALSE(thread->valid());
    EXPECT_EQ(code_of([&] { static_cast<void>(thread->state()); }), ompd_rc_stale_handle);
    thread.reset();
    EXPECT_EQ(code_of([&] { static_cast<void>(region->enclosing_parallel()); }),
              ompd_rc_stale_handle);
}

TEST_F(Handles, TheLibraryAndSpaceMayGoFirst) {
    auto thread = make_thread();
    const std::weak_ptr<Library> watched = library;
    library.reset();
    space.reset();
    process.reset();
    EXPECT_FALSE(watched.expired());
    thread.reset();
    EXPECT_TRUE(watched.expired());
}

TEST_F(Handles, ReleasingTwiceDoesNothing) {
    const auto thread = make_thread();
    EXPECT_TRUE(thread->valid());
    thread->release();
    thread->release();
    EXPECT_FALSE(thread->valid());
    EXPECT_EQ(code_of([&] { static_cast<void>(thread->curr_task()); }), ompd_rc_stale_handle);
    EXPECT_EQ(code_of([&] { static_cast<void>(make_thread()->compare(*thread)); }),
              ompd_rc_stale_handle);
    EXPECT_EQ(code_of([&] { static_cast<void>(thread->thread_id(0, 8)); }), ompd_rc_stale_handle);
    process->release();
    process->release();
    EXPECT_EQ(code_of([&] { static_cast<void>(process->omp_version()); }), ompd_rc_stale_handle);
    expect_all_released();
}

TEST_F(Handles, EndMakesAllStaleWithoutAskingTheLibrary) {
    auto thread = make_thread();
    auto task = thread->curr_task();
    process->end();
    EXPECT_FALSE(process->valid());
    EXPECT_FALSE(task->valid());
    run([](const ompd_callbacks_t &, auto *) {
        ADD_FAILURE() << "the library was called";
        return ompd_rc_ok;
    });
    EXPECT_EQ(code_of([&] { static_cast<void>(task->function()); }), ompd_rc_stale_handle);
    EXPECT_EQ(code_of([&] { static_cast<void>(make_thread()); }), ompd_rc_stale_handle);
    task.reset();
    thread.reset();
    process.reset();
    expect_all_released();
}

TEST_F(Handles, AnEndedProcessLeavesOthersAlone) {
    const auto other = Process::initialize(library, space);
    const auto thread = other->thread(ompd_thread_id_lwp, 5, 4);
    process->end();
    EXPECT_TRUE(thread->valid());
    EXPECT_EQ(thread->curr_task()->function().value, 0x500aU);
}

TEST_F(Handles, ADeviceEndsWithItsProcess) {
    auto device = process->device_initialize(make_space(), 1, "d1");
    EXPECT_TRUE(device->valid());
    EXPECT_EQ(code_of([&] { static_cast<void>(process->device_initialize(space, 1, "d2")); }),
              ompd_rc_unavailable);
    process->end();
    EXPECT_EQ(code_of([&] { static_cast<void>(device->omp_version()); }), ompd_rc_stale_handle);
    process.reset();
    device.reset();
    expect_all_released();
}

TEST_F(Handles, AChainOfManyTasksGoesWithoutRecursion) {
    auto task = make_thread()->curr_task();
    for (int i = 0; i < 100000; ++i) {
        task = task->generating_task();
    }
    EXPECT_EQ(task->function().value, 0x500aU + 100000);
    task.reset();
    process.reset();
    expect_all_released();
}

TEST_F(Handles, AfterFinalizeNothingIsAsked) {
    auto thread = make_thread();
    library->finalize();
    EXPECT_FALSE(thread->valid());
    EXPECT_EQ(code_of([&] { static_cast<void>(thread->state()); }), ompd_rc_stale_handle);
    EXPECT_EQ(code_of([&] { static_cast<void>(Process::initialize(library, space)); }),
              ompd_rc_unavailable);
}

TEST_F(Handles, HandlesOfTwoLibrariesAreNotCompared) {
    const auto other_library = std::make_shared<Library>(FAKE_LIBOMPD);
    const auto other = Process::initialize(other_library, space);
    const auto thread = other->thread(ompd_thread_id_lwp, 5, 4);
    EXPECT_EQ(code_of([&] { static_cast<void>(make_thread()->compare(*thread)); }),
              ompd_rc_bad_input);
}

TEST_F(Handles, AWrongScopeNeverReachesTheLibrary) {
    const auto thread = make_thread();
    const auto task = thread->curr_task();
    EXPECT_EQ(thread->icv(fake_last_scope, ompd_scope_thread), ompd_scope_thread);
    EXPECT_EQ(task->icv(fake_last_scope, ompd_scope_implicit_task), ompd_scope_implicit_task);
    EXPECT_EQ(task->tool_data(ompd_scope_task), std::pair(ompd_word_t{6}, TargetAddr{0x1234}));
    for (const auto scope : {ompd_scope_global, ompd_scope_parallel, ompd_scope_task}) {
        EXPECT_EQ(code_of([&] { static_cast<void>(thread->icv(fake_last_scope, scope)); }),
                  ompd_rc_bad_input);
        EXPECT_EQ(code_of([&] { static_cast<void>(thread->icv_string(1, scope)); }),
                  ompd_rc_bad_input);
        EXPECT_EQ(code_of([&] { static_cast<void>(thread->tool_data(scope)); }), ompd_rc_bad_input);
    }
}

TEST_F(Handles, AnIncompleteIcvStillHasItsValue) {
    const auto thread = make_thread();
    EXPECT_EQ(thread->icv_or_incomplete(fake_incomplete, ompd_scope_thread),
              std::pair(ompd_word_t{33}, true));
    EXPECT_EQ(thread->icv_or_incomplete(fake_last_scope, ompd_scope_thread),
              std::pair(ompd_word_t{3}, false));
    EXPECT_EQ(code_of([&] { fake_icv(fake_incomplete); }), ompd_rc_incomplete);
    EXPECT_EQ(code_of([&] { static_cast<void>(thread->icv_or_incomplete(99, ompd_scope_thread)); }),
              ompd_rc_bad_input);
}

TEST_F(Handles, GiveBackEveryString) {
    const auto before = blocks_in_use();
    EXPECT_EQ(process->icv_string(1, ompd_scope_address_space), "text of an ICV");
    EXPECT_EQ(code_of([&] {
                  static_cast<void>(process->icv_string(fake_incomplete, ompd_scope_address_space));
              }),
              ompd_rc_incomplete);
    EXPECT_EQ(process->enumerate_icvs().size(), std::size_t{fake_interrupted_read});
    EXPECT_EQ(process->enumerate_states().size(), 3U);
    EXPECT_EQ(process->display_control_vars(),
              (std::vector<std::string>{"OMP_NUM_THREADS=4", "OMP_PLACES=\xff"}));
    EXPECT_EQ(process->omp_version_string(), "201811");
    EXPECT_EQ(blocks_in_use(), before);
}

TEST_F(Handles, EnumerationsEnd) {
    reinterpret_cast<void (*)(bool)>(library->symbol("fake_set_endless"))(true);
    EXPECT_EQ(code_of([&] { static_cast<void>(process->enumerate_states()); }), ompd_rc_error);
    EXPECT_EQ(code_of([&] { static_cast<void>(process->enumerate_icvs()); }), ompd_rc_error);
}

TEST_F(Handles, ThreadIdsOfImpossibleSizesAreRefused) {
    EXPECT_EQ(code_of([&] { static_cast<void>(process->thread(1, 5, 2)); }), ompd_rc_bad_input);
    EXPECT_EQ(code_of([&] { static_cast<void>(process->thread(1, 5, 400)); }), ompd_rc_bad_input);
    EXPECT_EQ(code_of([&] { static_cast<void>(make_thread()->thread_id(1, 400)); }),
              ompd_rc_bad_input);
    EXPECT_EQ(code_of([&] { static_cast<void>(process->thread(1, 6, 4)); }), ompd_rc_unavailable);
}

}  // namespace

}  // namespace gdb_ompd
