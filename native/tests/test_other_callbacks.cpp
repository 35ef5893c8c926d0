// SPDX-License-Identifier: Apache-2.0
// Byte order, type sizes, thread contexts, print_string, and how exceptions
// pass through a library.
#include "fixture.hpp"

#include <array>

namespace gdb_ompd {

namespace {

using OtherCallbacks = FakeProcess;

TEST_F(OtherCallbacks, SwapsUnitsOfABigEndianTarget) {
    Layout layout;
    layout.byte_order = std::endian::big;
    use(make_space(layout));
    run([](const ompd_callbacks_t &callbacks, auto *context) {
        std::array<std::uint8_t, 16> bytes{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
        std::array<std::uint8_t, 16> out{};
        const auto whole = bytes;
        EXPECT_EQ(callbacks.device_to_host(context, bytes.data(), 4, 2, out.data()), ompd_rc_ok);
        EXPECT_EQ(out, (std::array<std::uint8_t, 16>{3, 2, 1, 0, 7, 6, 5, 4}));
        for (const ompd_size_t unit : {1, 2, 4, 8, 16}) {
            const ompd_size_t count = 16 / unit;
            auto *place = bytes.data();
            EXPECT_EQ(callbacks.host_to_device(context, place, unit, count, place), ompd_rc_ok);
            EXPECT_EQ(bytes[unit - 1], 0);
            EXPECT_EQ(callbacks.device_to_host(context, place, unit, count, place), ompd_rc_ok);
            EXPECT_EQ(bytes, whole);
        }
        return ompd_rc_ok;
    });
}

TEST_F(OtherCallbacks, RefusesUnitsThatNoTypeHas) {
    run([](const ompd_callbacks_t &callbacks, auto *context) {
        std::array<std::uint8_t, 96> bytes{};
        auto *place = bytes.data();
        for (const ompd_size_t unit : {0, 3, 5, 6, 7, 12, 32}) {
            EXPECT_EQ(callbacks.device_to_host(context, place, unit, 1, place), ompd_rc_bad_input);
        }
        const ompd_size_t overflow = ompd_size_t{1} << 62;
        EXPECT_EQ(callbacks.device_to_host(context, place, 8, overflow, place), ompd_rc_bad_input);
        EXPECT_EQ(callbacks.host_to_device(context, nullptr, 8, 1, place), ompd_rc_bad_input);
        EXPECT_EQ(callbacks.host_to_device(context, nullptr, 8, 0, nullptr), ompd_rc_ok);
        return ompd_rc_ok;
    });
}

TEST_F(OtherCallbacks, TellsTheTargetsTypeSizes) {
    Layout layout;
    layout.type_sizes = {1, 2, 4, 4, 8, 4};
    use(make_space(layout));
    run([](const ompd_callbacks_t &callbacks, auto *context) {
        ompd_device_type_sizes_t sizes{};
        EXPECT_EQ(callbacks.sizeof_type(context, &sizes), ompd_rc_ok);
        EXPECT_EQ(sizes.sizeof_long, 4);
        EXPECT_EQ(sizes.sizeof_long_long, 8);
        EXPECT_EQ(sizes.sizeof_pointer, 4);
        EXPECT_EQ(callbacks.sizeof_type(context, nullptr), ompd_rc_bad_input);
        return ompd_rc_ok;
    });
}

TEST_F(OtherCallbacks, FindsThreadContexts) {
    target->threads[{ompd_thread_id_pthread, 0x7000}] = 0x7000;
    target->threads[{ompd_thread_id_lwp, 42}] = 0x9000;
    run([](const ompd_callbacks_t &callbacks, auto *context) {
        const auto ask = [&](ompd_thread_id_t kind, ompd_size_t size, std::uint64_t id,
                             ompd_thread_context_t **thread) {
            return callbacks.get_thread_context_for_thread_id(context, kind, size, &id, thread);
        };
        ompd_thread_context_t *pthread = nullptr;
        ompd_thread_context_t *again = nullptr;
        ompd_thread_context_t *lwp = nullptr;
        ompd_thread_context_t *none = nullptr;
        EXPECT_EQ(ask(ompd_thread_id_pthread, 8, 0x7000, &pthread), ompd_rc_ok);
        EXPECT_EQ(ask(ompd_thread_id_pthread, 8, 0x7000, &again), ompd_rc_ok);
        EXPECT_EQ(pthread, again);
        EXPECT_EQ(ask(ompd_thread_id_lwp, 4, 42, &lwp), ompd_rc_ok);
        EXPECT_NE(lwp, pthread);
        EXPECT_EQ(ask(ompd_thread_id_lwp, 8, 42, &again), ompd_rc_ok);
        EXPECT_EQ(lwp, again);
        EXPECT_EQ(ask(ompd_thread_id_lwp, 8, 43, &none), ompd_rc_unavailable);
        EXPECT_EQ(none, nullptr);
        EXPECT_EQ(ask(ompd_thread_id_pthread, 4, 0x7000, &none), ompd_rc_bad_input);
        EXPECT_EQ(ask(ompd_thread_id_lwp, 2, 42, &none), ompd_rc_bad_input);
        EXPECT_EQ(ask(ompd_thread_id_winthread, 8, 42, &none), ompd_rc_unsupported);
        EXPECT_EQ(ask(ompd_thread_id_lwp, 8, 42, nullptr), ompd_rc_bad_input);
        return ompd_rc_ok;
    });
}

TEST_F(OtherCallbacks, PrintsThroughTheTarget) {
    fake_icv(fake_print_string);
    EXPECT_EQ(target->printed, std::vector<std::string>{"a message/7"});
    run([](const ompd_callbacks_t &callbacks, auto *) {
        EXPECT_EQ(callbacks.print_string(nullptr, 0), ompd_rc_bad_input);
        return ompd_rc_ok;
    });
}

TEST_F(OtherCallbacks, NoCallbackWorksOutsideOfACall) {
    const ompd_callbacks_t *table = nullptr;
    run([&](const ompd_callbacks_t &callbacks, auto *) {
        table = &callbacks;
        return ompd_rc_ok;
    });
    ompd_device_type_sizes_t sizes{};
    EXPECT_EQ(table->sizeof_type(space->context(), &sizes), ompd_rc_callback_error);
    EXPECT_EQ(table->print_string("text", 0), ompd_rc_callback_error);
}

TEST_F(OtherCallbacks, TheTargetsExceptionArrivesAsItself) {
    target->threads[{ompd_thread_id_lwp, 1}] = 0x9000;
    const auto thread = process->thread(ompd_thread_id_lwp, 1, 8);
    EXPECT_EQ(thread->state().first, 0);
    target->map(fake_data_address, {});
    space->cache().clear();
    try {
        static_cast<void>(thread->state());
        FAIL() << "the read did not fail";
    } catch (const MemoryUnreadable &failure) {
        EXPECT_THROW(std::rethrow_exception(failure.cause()), Unmapped);
    }
    target->map(fake_data_address, std::vector<std::uint8_t>(64));
    space->cache().clear();
    EXPECT_EQ(thread->state().first, 0);
}

TEST_F(OtherCallbacks, ALibraryThatMasksAFailureDoesNotHideIt) {
    EXPECT_EQ(fake_icv(fake_masked_read), 88);
    target->map(fake_data_address, {});
    space->cache().clear();
    EXPECT_THROW(fake_icv(fake_masked_read), MemoryUnreadable);
}

TEST_F(OtherCallbacks, AnInterruptIsNeverTakenForUnreadableMemory) {
    target->interrupt = true;
    EXPECT_THROW(fake_icv(fake_masked_read), Interrupted);
    EXPECT_THROW(fake_icv(fake_print_string), Interrupted);
    EXPECT_THROW(static_cast<void>(process->thread(ompd_thread_id_lwp, 1, 8)), Interrupted);
    EXPECT_EQ(target->reads, 1);  // no second try with the exact range
    target->interrupt = false;
    EXPECT_EQ(fake_icv(fake_masked_read), 88);
}

TEST_F(OtherCallbacks, AfterAFailureTheRestOfTheCallIsRefused) {
    target->interrupt = true;
    EXPECT_THROW(fake_icv(fake_interrupted_read), Interrupted);
    EXPECT_EQ(target->reads, 1);
    run([](const ompd_callbacks_t &, auto *) { return ompd_rc_ok; });
    target->interrupt = false;
    EXPECT_EQ(fake_icv(fake_interrupted_read), 0);
}

TEST_F(OtherCallbacks, AnExceptionOfTheLibraryItselfIsReported) {
    EXPECT_THROW(fake_icv(fake_throw), LibraryFailure);
    EXPECT_EQ(Call::current(), nullptr);
}

TEST_F(OtherCallbacks, AHandleMadeDespiteAFailureIsReleased) {
    target->threads[{ompd_thread_id_lwp, 1}] = 0x9000;
    const auto thread = process->thread(ompd_thread_id_lwp, 1, 8);
    const auto before = fake_icv(fake_live_handles);
    target->interrupt = true;
    EXPECT_THROW(static_cast<void>(thread->curr_parallel()), Interrupted);
    EXPECT_EQ(fake_icv(fake_live_handles), before);
    EXPECT_EQ(fake_icv(fake_bad_releases), 0);
}

}  // namespace

}  // namespace gdb_ompd
