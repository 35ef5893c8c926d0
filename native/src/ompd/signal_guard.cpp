// SPDX-License-Identifier: Apache-2.0
#include "ompd/signal_guard.hpp"

#include "ompd/jump_point.hpp"

#include <pthread.h>
#include <ucontext.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <ctime>
#include <memory>
#include <mutex>
#include <new>

// Older C libraries do not give the field its documented name.
#ifdef sigev_notify_thread_id
#define GDB_OMPD_NOTIFIED_THREAD sigev_notify_thread_id
#else
#define GDB_OMPD_NOTIFIED_THREAD _sigev_un._tid
#endif

namespace gdb_ompd {

namespace {

constexpr std::array faults{SIGSEGV, SIGBUS, SIGFPE, SIGILL};
constexpr std::array handled{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGINT};
constexpr std::size_t interrupt_index = 4;
static_assert(handled[interrupt_index] == SIGINT);

// A time-out is noticed this much late, an interrupt in the C library too.
constexpr long tick_ns = 100'000'000;
// Until the library is at an instruction of its own.
constexpr long hurried_tick_ns = 1'000'000;
constexpr int ticks_per_second = 1'000'000'000 / tick_ns;
constexpr int longest_timeout = 100'000;

// Enough for our handlers and for the debugger's, which prints a backtrace.
using SignalStack = std::array<std::byte, 65536>;
// A fault this near to the stack pointer is the stack's end.
constexpr std::uintptr_t stack_reach = 65536;

std::atomic<int> most_ticks = 10 * ticks_per_second;

// What handled the signals before us, written only while no guard exists, and only where
// it has changed: another thread may still be in a handler of ours.
std::array<struct sigaction, handled.size()> before;
std::mutex installing;
std::atomic<int> guards = 0;

std::uintptr_t program_counter(const void *context) noexcept {
    const auto &machine = static_cast<const ucontext_t *>(context)->uc_mcontext;
#if defined(__x86_64__)
    return static_cast<std::uintptr_t>(machine.gregs[REG_RIP]);
#elif defined(__aarch64__)
    return machine.pc;
#else
#error "the program counter of this processor's signal frames is not known"
#endif
}

std::uintptr_t stack_pointer(const void *context) noexcept {
    const auto &machine = static_cast<const ucontext_t *>(context)->uc_mcontext;
#if defined(__x86_64__)
    return static_cast<std::uintptr_t>(machine.gregs[REG_RSP]);
#elif defined(__aarch64__)
    return machine.sp;
#endif
}

const struct sigaction &former(int signal) noexcept {
    // Another thread may have noted it; it counted its guard after that.
    static_cast<void>(guards.load(std::memory_order_acquire));
    std::size_t i = 0;
    while (handled[i] != signal) {
        ++i;
    }
    return before[i];
}

bool is_function(const struct sigaction &action) noexcept {
    return (action.sa_flags & SA_SIGINFO) != 0 ||
           (action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN);
}

// Do what would have happened without us. The handler may jump away itself, as
// GDB's does when its demangler crashes.
void forward(int signal, siginfo_t *info, void *context) noexcept {
    const struct sigaction &action = former(signal);
    if (!is_function(action)) {
        // A fault comes again as soon as we return; what was sent must be sent again.
        sigaction(signal, &action, nullptr);
        if (info->si_code <= 0) {
            raise(signal);
        }
        return;
    }
    sigset_t blocked = action.sa_mask;
    if ((action.sa_flags & SA_NODEFER) == 0) {
        sigaddset(&blocked, signal);
    }
    sigset_t mask;
    pthread_sigmask(SIG_BLOCK, &blocked, &mask);
    if ((action.sa_flags & SA_SIGINFO) != 0) {
        action.sa_sigaction(signal, info, context);
    } else {
        action.sa_handler(signal);
    }
    pthread_sigmask(SIG_SETMASK, &mask, nullptr);
}

bool at_stack_end(const siginfo_t *info, const void *context) noexcept {
    const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
    const std::uintptr_t stack = stack_pointer(context);
    return address + stack_reach > stack && address < stack + stack_reach;
}

void on_fault(int signal, siginfo_t *info, void *context) noexcept {
    JumpPoint *point = JumpPoint::armed();
    const bool sent = info->si_code <= 0;  // by kill() and its like
    if (point == nullptr || sent) {
        forward(signal, info, context);
        return;
    }
    const bool overflow = signal == SIGSEGV && at_stack_end(info, context);
    point->leave({overflow ? Ending::Kind::overflowed : Ending::Kind::crashed, signal});
}

void set_interrupt_handler() noexcept;

void on_interrupt(int signal, siginfo_t *info, void *context) noexcept {
    // First, so that the debugger knows of it also where the call is ended.
    forward(signal, info, context);
    set_interrupt_handler();  // GDB's has put itself in our place
    if (guards == 0) {        // in another thread the last guard has gone meanwhile
        sigaction(SIGINT, &before[interrupt_index], nullptr);
    }
    if (JumpPoint *point = JumpPoint::innermost()) {
        point->interrupt(program_counter(context));
    }
}

// The clock that ticks while a guard exists in this thread. The kernel's timer is made with the
// thread's first guard and goes with the thread: a condition asks thousands of times.
class Clock {
public:
    Clock() = default;
    ~Clock() {
        if (made_) {
            timer_delete(timer_);
        }
    }
    Clock(const Clock &) = delete;
    Clock &operator=(const Clock &) = delete;

    void start(int signal) noexcept {
        if (!made_) {
            struct sigevent event {};
            event.sigev_notify = SIGEV_THREAD_ID;
            event.sigev_signo = signal;
            event.GDB_OMPD_NOTIFIED_THREAD = gettid();
            made_ = timer_create(CLOCK_MONOTONIC, &event, &timer_) == 0;
        }
        set(tick_ns);
    }
    // 0 stops it.
    void set(long nanoseconds) noexcept {
        if (made_) {
            const struct timespec period { 0, nanoseconds };
            const struct itimerspec times { period, period };
            timer_settime(timer_, 0, &times, nullptr);
        }
    }
    void stop() noexcept { set(0); }

private:
    timer_t timer_{};
    bool made_ = false;
};

// What a guard needs of the thread it is in.
struct ThreadState {
    int guards = 0;
    int spans = 0;
    bool is_set_up = false;
    Clock clock;
    bool hurried = false;
    std::unique_ptr<SignalStack> stack;
    stack_t former_stack{};
    bool stack_set = false;
};

ThreadState &thread_state() noexcept {
    thread_local __attribute__((tls_model("initial-exec"))) ThreadState state;
    return state;
}

void on_tick(int, siginfo_t *info, void *context) noexcept {
    if (info->si_code != SI_TIMER) {
        return;
    }
    const int saved = errno;
    ThreadState &state = thread_state();
    JumpPoint *point = JumpPoint::innermost();
    const bool hurry = point != nullptr && point->tick(program_counter(context), most_ticks);
    if (hurry != state.hurried) {
        state.hurried = hurry;
        state.clock.set(hurry ? hurried_tick_ns : tick_ns);
    }
    errno = saved;
}

template <class Handler> struct sigaction action(Handler handler, int flags) noexcept {
    struct sigaction made {};
    made.sa_sigaction = handler;
    // On a stack of its own, for when the other is used up; without blocking
    // anything, since a jump out of it restores nothing.
    made.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER | flags;
    return made;
}

// The clock's signal: a real-time one that nobody uses. It is never given back,
// because a last tick may be on its way; 0 if there is none.
int clock_signal() noexcept {
    static const int chosen = [] {
        for (int signal = SIGRTMAX; signal >= SIGRTMIN; --signal) {
            struct sigaction present {};
            if (sigaction(signal, nullptr, &present) == 0 && !is_function(present) &&
                present.sa_handler == SIG_DFL) {
                const struct sigaction ours = action(on_tick, SA_RESTART);
                return sigaction(signal, &ours, nullptr) == 0 ? signal : 0;
            }
        }
        return 0;
    }();
    return chosen;
}

void set_interrupt_handler() noexcept {
    const int restart = before[interrupt_index].sa_flags & SA_RESTART;
    const struct sigaction ours = action(on_interrupt, restart);
    sigaction(SIGINT, &ours, nullptr);
}

bool is_ours(const struct sigaction &present) noexcept {
    return present.sa_sigaction == on_fault || present.sa_sigaction == on_interrupt;
}

bool is_same(const struct sigaction &one, const struct sigaction &other) noexcept {
    return one.sa_handler == other.sa_handler && one.sa_flags == other.sa_flags &&
           std::memcmp(&one.sa_mask, &other.sa_mask, sizeof one.sa_mask) == 0;
}

// Take note of a signal's handler.
void remember(std::size_t index, const struct sigaction &present) noexcept {
    if (!is_ours(present) && !is_same(present, before[index])) {
        before[index] = present;
    }
}

// The same before ours takes its place: from then on any thread may need it.
void look_up(std::size_t index) noexcept {
    struct sigaction present {};
    sigaction(handled[index], nullptr, &present);
    remember(index, present);
}

// Those of faults stay what they were when the debugger started, as good as always: noted once,
// they are compared when they are replaced.
void look_up_faults_once() noexcept {
    static const bool done = [] {
        for (std::size_t i = 0; i < faults.size(); ++i) {
            look_up(i);
        }
        return true;
    }();
    static_cast<void>(done);
}

void install() noexcept {
    const std::lock_guard lock(installing);
    if (guards != 0) {
        ++guards;
        return;
    }
    look_up_faults_once();
    look_up(interrupt_index);
    ++guards;
    for (std::size_t i = 0; i < faults.size(); ++i) {
        const struct sigaction ours = action(on_fault, 0);
        struct sigaction present {};
        sigaction(faults[i], &ours, &present);
        remember(i, present);
    }
    // Nobody waits for an interrupt that kills the process, or that is ignored.
    if (is_function(before[interrupt_index])) {
        set_interrupt_handler();
    }
}

void uninstall() noexcept {
    const std::lock_guard lock(installing);
    if (--guards != 0) {
        return;
    }
    for (std::size_t i = 0; i < handled.size(); ++i) {
        // Somebody may have set a handler of his own meanwhile, which stays.
        struct sigaction present {};
        sigaction(handled[i], &before[i], &present);
        if (!is_ours(present)) {
            sigaction(handled[i], &present, nullptr);
        }
    }
}

void use_signal_stack(ThreadState &state) noexcept {
    if (state.stack == nullptr) {
        state.stack.reset(new (std::nothrow) SignalStack);
    }
    stack_t ours{};
    ours.ss_sp = state.stack.get();
    ours.ss_size = sizeof(SignalStack);
    state.stack_set = state.stack != nullptr && sigaltstack(&ours, &state.former_stack) == 0;
}

void set_up(ThreadState &state) noexcept {
    use_signal_stack(state);
    install();
    if (const int signal = clock_signal()) {
        state.hurried = false;
        state.clock.start(signal);
    }
    state.is_set_up = true;
}

void tear_down(ThreadState &state) noexcept {
    state.clock.stop();
    uninstall();
    if (state.stack_set) {
        sigaltstack(&state.former_stack, nullptr);
    }
    state.is_set_up = false;
}

}  // namespace

void set_call_timeout(int seconds) noexcept {
    most_ticks = (seconds > longest_timeout ? longest_timeout : seconds) * ticks_per_second;
}

SignalGuard::SignalGuard() noexcept {
    ThreadState &state = thread_state();
    ++state.guards;
    if (!state.is_set_up) {
        set_up(state);
    }
}

SignalGuard::~SignalGuard() {
    ThreadState &state = thread_state();
    if (--state.guards == 0 && state.spans == 0) {
        tear_down(state);
    }
}

GuardSpan::GuardSpan() noexcept { ++thread_state().spans; }

GuardSpan::~GuardSpan() {
    ThreadState &state = thread_state();
    if (--state.spans == 0 && state.guards == 0 && state.is_set_up) {
        tear_down(state);
    }
}

}  // namespace gdb_ompd
