// SPDX-License-Identifier: Apache-2.0
// Whatever a library does in its own code ends the call, and only the call.
#include "fixture.hpp"
#include "misdeeds.hpp"

#include <pthread.h>
#include <sched.h>
#include <signal.h>

#include <atomic>
#include <iostream>
#include <thread>

namespace gdb_ompd {

namespace {

#if defined(__SANITIZE_THREAD__)
constexpr bool delays_signals = true;
#else
constexpr bool delays_signals = false;
#endif

ompd_icv_id_t misdeed(std::string_view name) {
    const auto *found = std::find(misdeeds::names.begin(), misdeeds::names.end(), name);
    return fake_misdeeds + static_cast<ompd_icv_id_t>(found - misdeeds::names.begin());
}

class Guard : public FakeProcess {
protected:
    // What the failure says of the library that does NAME; "" if nothing failed.
    std::string failure_of(std::string_view name) {
        try {
            fake_icv(misdeed(name));
        } catch (const LibraryFailure &failure) {
            return failure.what();
        } catch (const OmpdError &) {
            return "";
        }
        return "";
    }

    // A new library and process in the place of those that failed.
    void replace() {
        process.reset();
        library = std::make_shared<Library>(FAKE_LIBOMPD);
        process = Process::initialize(library, space);
    }

    ~Guard() override { set_call_timeout(10); }
};

struct Misdeed {
    const char *name;
    const char *said;
};

class Misdeeds : public Guard, public ::testing::WithParamInterface<Misdeed> {};

TEST_P(Misdeeds, EndTheCallAndRetireTheLibrary) {
    const std::size_t before = blocks_in_use();
    std::streambuf *const out = std::cout.rdbuf();
    std::FILE *const file = stdout;
    set_call_timeout(1);
    const auto thread_kept = std::make_shared<Library>(FAKE_LIBOMPD);
    const std::string said = failure_of(GetParam().name);
    EXPECT_NE(said.find(GetParam().said), std::string::npos) << said;
    EXPECT_NE(said.find("ompd_get_icv_from_scope"), std::string::npos) << said;
    EXPECT_NE(said.find("a fresh copy of"), std::string::npos) << said;
    EXPECT_EQ(Call::current(), nullptr);
    EXPECT_EQ(JumpPoint::armed(), nullptr);
    EXPECT_EQ(std::cout.rdbuf(), out);
    EXPECT_EQ(stdout, file);
    EXPECT_EQ(library->failure(), said);
    EXPECT_FALSE(process->valid());
    // It is never entered again.
    EXPECT_THROW(fake_icv(fake_count), LibraryFailure);
    EXPECT_THROW(static_cast<void>(library->api_version()), LibraryFailure);
    EXPECT_LT(blocks_in_use(), before);  // its handle's block has been taken back, too
    replace();
    EXPECT_EQ(blocks_in_use(), before);
    EXPECT_EQ(fake_icv(fake_count), 1);
}

INSTANTIATE_TEST_SUITE_P(
    All, Misdeeds,
    ::testing::Values(Misdeed{"segv", "crashed in ompd_get_icv_from_scope (SIGSEGV)"},
                      Misdeed{"bus", "(SIGBUS)"}, Misdeed{"ill", "(SIGILL)"},
                      Misdeed{"fpe", "(SIGFPE)"}, Misdeed{"stack", "(its stack overflowed)"},
                      Misdeed{"throw", "threw an exception in ompd_get_icv_from_scope (std::bad"},
                      Misdeed{"throw_number", "threw an exception in"},
                      Misdeed{"restless", "after many thousand callbacks"},
                      Misdeed{"overrun", "wrote beyond the memory it was lent"},
                      Misdeed{"underrun", "wrote beyond the memory it was lent"},
                      Misdeed{"leak", "(SIGSEGV)"}),
    [](const auto &info) { return std::string(info.param.name); });

TEST_F(Guard, EndsALoopThatDoesNotReturn) {
    if (delays_signals) {
        GTEST_SKIP() << "ThreadSanitizer delivers no signal to such a loop";
    }
    set_call_timeout(1);
    const std::string said = failure_of("loop");
    EXPECT_NE(said.find("did not return from ompd_get_icv_from_scope in the time that"),
              std::string::npos)
        << said;
    replace();
    EXPECT_EQ(fake_icv(fake_count), 1);
}

TEST_F(Guard, LetsGoOnWhatIsOnlyRude) {
    const std::size_t before = blocks_in_use();
    EXPECT_EQ(failure_of("double_free"), "");
    EXPECT_EQ(failure_of("print"), "");
    EXPECT_EQ(library->take_output(), "the library talks\n");
    EXPECT_FALSE(library->retired());
    EXPECT_EQ(blocks_in_use(), before);
}

TEST_F(Guard, TakesAConversionOfWhatIsNotThereForTheLibrarys) {
    const auto converts = [](const ompd_callbacks_t &callbacks, auto *context) {
        std::uint64_t value = 0;
        // NOLINTNEXTLINE(performance-no-int-to-ptr): nothing is there
        const auto *const nowhere = reinterpret_cast<const void *>(std::uintptr_t{8});
        return callbacks.device_to_host(context, nowhere, sizeof value, 1, &value);
    };
    EXPECT_THROW(run(converts), LibraryFailure);
    EXPECT_NE(library->failure().find("(SIGSEGV)"), std::string::npos) << library->failure();
    EXPECT_EQ(JumpPoint::armed(), nullptr);
    replace();
    EXPECT_EQ(fake_icv(fake_count), 1);
}

TEST_F(Guard, RefusesReadsThatWouldNotFit) { EXPECT_EQ(fake_icv(fake_careless_read), 0); }

TEST_F(Guard, TheTimeoutRefusesTheCallbacksOfASlowTarget) {
    struct Slow : MemoryTarget {
        bool read_memory(TargetAddr address, std::span<std::byte> out) override {
            const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(1300);
            while (std::chrono::steady_clock::now() < end) {
            }
            return MemoryTarget::read_memory(address, out);
        }
    };
    const auto slow = std::make_shared<Slow>();
    slow->map(fake_data_address, std::vector<std::uint8_t>(4096));  // read at once
    use(std::make_shared<AddressSpace>(slow, Layout{}, 4096));
    set_call_timeout(1);
    try {
        fake_icv(fake_interrupted_read);
        FAIL() << "the second read was allowed";
    } catch (const LibraryFailure &failure) {
        EXPECT_NE(std::string(failure.what()).find("did not return"), std::string::npos);
    }
    // It came back by itself, so nothing is wrong with it.
    EXPECT_FALSE(library->retired());
    set_call_timeout(0);
    EXPECT_EQ(fake_icv(fake_interrupted_read), 0);
}

// How often the debugger's own handlers were called.
std::atomic<int> own_faults = 0;
std::atomic<int> own_interrupts = 0;
sigjmp_buf own_point;

void own_handler(int signal) {
    if (signal == SIGINT) {
        ++own_interrupts;
        return;
    }
    ++own_faults;
    siglongjmp(own_point, 1);
}

std::atomic<int> signals_counted = 0;
void count_signal(int) { ++signals_counted; }

enum class HandlerStep { none, entered, may_leave };
std::atomic<HandlerStep> handler_step;
void wait_in_handler(int) {
    handler_step = HandlerStep::entered;
    while (handler_step != HandlerStep::may_leave) {
        sched_yield();
    }
}

// Has the debugger's own handler for a signal, as GDB has.
class OwnHandler {
public:
    explicit OwnHandler(int signal, void (*handler)(int) = own_handler)
        : signal_(signal), handler_(handler) {
        struct sigaction action {};
        action.sa_handler = handler;
        sigaction(signal, &action, &before_);
    }
    ~OwnHandler() { sigaction(signal_, &before_, nullptr); }
    OwnHandler(const OwnHandler &) = delete;
    OwnHandler &operator=(const OwnHandler &) = delete;

    [[nodiscard]] bool is_installed() const {
        struct sigaction present {};
        sigaction(signal_, nullptr, &present);
        return present.sa_handler == handler_;
    }

private:
    int signal_;
    void (*handler_)(int);
    struct sigaction before_ {};
};

// The compiler must not know that this is no pointer, or it leaves out what it likes.
volatile int *volatile nowhere = nullptr;

__attribute__((no_sanitize("undefined"))) void fault() { *nowhere = 0; }

TEST_F(Guard, AFaultOutsideOfTheLibraryIsTheDebuggers) {
    const OwnHandler own(SIGSEGV);
    own_faults = 0;
    const SignalGuard guard;
    fake_icv(fake_count);
    if (sigsetjmp(own_point, 1) == 0) {
        fault();
    }
    EXPECT_EQ(own_faults, 1);
    EXPECT_EQ(JumpPoint::armed(), nullptr);
}

TEST_F(Guard, AFaultInACallbackIsTheDebuggers) {
    struct Faulty : MemoryTarget {
        bool read_memory(TargetAddr address, std::span<std::byte> out) override {
            if (sigsetjmp(own_point, 1) == 0) {
                fault();
            }
            return MemoryTarget::read_memory(address, out);
        }
    };
    const OwnHandler own(SIGSEGV);
    own_faults = 0;
    const auto faulty = std::make_shared<Faulty>();
    faulty->map(fake_data_address, std::vector<std::uint8_t>(4096));  // read at once
    use(std::make_shared<AddressSpace>(faulty, Layout{}, 4096));
    EXPECT_EQ(fake_icv(fake_masked_read), 88);
    EXPECT_EQ(own_faults, 1);
    EXPECT_FALSE(library->retired());
}

TEST_F(Guard, AFaultOfAnotherThreadIsTheDebuggers) {
    const OwnHandler own(SIGSEGV);
    own_faults = 0;
    run([](const ompd_callbacks_t &, auto *) {
        std::thread([] {
            if (sigsetjmp(own_point, 1) == 0) {
                fault();
            }
        }).join();
        return ompd_rc_ok;
    });
    EXPECT_EQ(own_faults, 1);
    EXPECT_FALSE(library->retired());
}

TEST_F(Guard, ASignalThatWasSentIsTheDebuggers) {
    const OwnHandler own(SIGFPE);
    own_faults = 0;
    run([](const ompd_callbacks_t &, auto *) {
        if (sigsetjmp(own_point, 1) == 0) {
            raise(SIGFPE);
        }
        return ompd_rc_ok;
    });
    EXPECT_EQ(own_faults, 1);
    EXPECT_FALSE(library->retired());
}

TEST_F(Guard, GivesTheDebuggersHandlersBack) {
    const OwnHandler fault_handler(SIGSEGV);
    const OwnHandler interrupt_handler(SIGINT);
    stack_t before{};
    stack_t after{};
    sigaltstack(nullptr, &before);
    {
        const SignalGuard outer;
        {
            const SignalGuard inner;
            fake_icv(fake_count);
        }
        EXPECT_FALSE(fault_handler.is_installed());
        EXPECT_FALSE(interrupt_handler.is_installed());
        EXPECT_NE(failure_of("segv"), "");
    }
    EXPECT_TRUE(fault_handler.is_installed());
    EXPECT_TRUE(interrupt_handler.is_installed());
    sigaltstack(nullptr, &after);
    EXPECT_EQ(after.ss_sp, before.ss_sp);
}

TEST_F(Guard, IsSetUpOnceInASpanAndOnlyByACall) {
    const OwnHandler handler(SIGSEGV);
    {
        const GuardSpan span;
        EXPECT_TRUE(handler.is_installed());
        {
            const GuardSpan inner;
            fake_icv(fake_count);
        }
        EXPECT_FALSE(handler.is_installed());
        EXPECT_NE(failure_of("segv"), "");
        EXPECT_FALSE(handler.is_installed());
    }
    EXPECT_TRUE(handler.is_installed());
}

TEST_F(Guard, KeepsAHandlerThatWasSetMeanwhile) {
    std::optional<OwnHandler> late;
    {
        const SignalGuard guard;
        late.emplace(SIGFPE);
    }
    EXPECT_TRUE(late->is_installed());
    struct sigaction standard {};
    standard.sa_handler = SIG_DFL;
    sigaction(SIGFPE, &standard, nullptr);
}

TEST_F(Guard, SignalsOfAnotherThreadAreTheDebuggersWhileGuardsComeAndGo) {
    constexpr int sent = 2000;
    const OwnHandler own(SIGFPE, count_signal);
    signals_counted = 0;
    std::atomic<bool> ended = false;
    std::thread sending([&] {
        for (int i = 0; i < sent; ++i) {
            raise(SIGFPE);
        }
        ended = true;
    });
    std::thread guarding([&] {
        do {
            const SignalGuard guard;
        } while (!ended);
    });
    do {
        const SignalGuard guard;
        fake_icv(fake_count);
    } while (!ended);
    sending.join();
    guarding.join();
    EXPECT_EQ(signals_counted, sent);
    EXPECT_TRUE(own.is_installed());
}

TEST_F(Guard, AnInterruptOfAnotherThreadLeavesNoHandlerOfOursBehind) {
    const OwnHandler own(SIGINT, wait_in_handler);
    std::optional<SignalGuard> guard;
    guard.emplace();
    handler_step = HandlerStep::none;
    std::atomic<bool> ended = false;
    std::thread interrupted([&] {
        raise(SIGINT);
        ended = true;
    });
    while (handler_step != HandlerStep::entered && !ended) {
        sched_yield();
    }
    EXPECT_EQ(handler_step, HandlerStep::entered);
    guard.reset();
    handler_step = HandlerStep::may_leave;
    interrupted.join();
    EXPECT_TRUE(own.is_installed());
}

TEST_F(Guard, AnInterruptEndsALoop) {
    if (delays_signals) {
        GTEST_SKIP() << "ThreadSanitizer delivers no signal to such a loop";
    }
    const OwnHandler own(SIGINT);
    own_interrupts = 0;
    set_call_timeout(0);
    std::atomic<bool> ended = false;
    const pthread_t looping = pthread_self();
    // Sent until it is heeded, so that nothing depends on when the loop begins.
    std::thread user([&] {
        while (!ended) {
            pthread_kill(looping, SIGINT);
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
        }
    });
    EXPECT_THROW(fake_icv(misdeed("loop")), Interrupt);
    ended = true;
    user.join();
    EXPECT_GE(own_interrupts, 1);
    EXPECT_TRUE(library->retired());
}

TEST_F(Guard, ACrashInANestedCallLeavesTheOuterOneAlone) {
    struct Nested : MemoryTarget {
        bool read_memory(TargetAddr address, std::span<std::byte> out) override {
            EXPECT_THROW(static_cast<void>(inner->icv(misdeed("segv"), ompd_scope_address_space)),
                         LibraryFailure);
            return MemoryTarget::read_memory(address, out);
        }
        Process *inner = nullptr;
    };
    const auto nested = std::make_shared<Nested>();
    nested->map(fake_data_address, std::vector<std::uint8_t>(64));
    nested->inner = process.get();
    const auto outer_library = std::make_shared<Library>(FAKE_LIBOMPD);
    const auto outer =
        Process::initialize(outer_library, std::make_shared<AddressSpace>(nested, Layout{}, 4096));
    EXPECT_EQ(outer->icv(fake_masked_read, ompd_scope_address_space), 88);
    EXPECT_TRUE(library->retired());
    EXPECT_FALSE(outer_library->retired());
}

TEST_F(Guard, HandlesOutliveTheirLibrarysCrash) {
    target->threads[{ompd_thread_id_lwp, 1}] = 0x9000;
    const auto thread = process->thread(ompd_thread_id_lwp, 1, 8);
    const auto task = thread->curr_task();
    EXPECT_NE(failure_of("segv"), "");
    EXPECT_FALSE(task->valid());
    EXPECT_THROW(static_cast<void>(task->frame()), LibraryFailure);
    EXPECT_THROW(static_cast<void>(thread->compare(*thread)), LibraryFailure);
}

}  // namespace

}  // namespace gdb_ompd
