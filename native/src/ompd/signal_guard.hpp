// SPDX-License-Identifier: Apache-2.0
// Signal handlers that end a call into an OMPD library which crashes, does not
// return, or is interrupted by the user.
#pragma once

namespace gdb_ompd {

// The longest time a call may take, in seconds; 0 is for ever. For all guards.
void set_call_timeout(int seconds) noexcept;

// While one exists: faults (SIGSEGV, SIGBUS, SIGFPE, SIGILL) in a library's own
// code, time-outs and interrupts end the call. Everything else goes to whoever
// handled the signal before: faults of ours, of the debugger, of its other
// threads, and signals that were sent. Guards nest.
class SignalGuard {
public:
    SignalGuard() noexcept;
    ~SignalGuard();
    SignalGuard(const SignalGuard &) = delete;
    SignalGuard &operator=(const SignalGuard &) = delete;
};

// While one exists, what the thread's first guard sets up stays for the next ones: it
// costs twenty system calls. Without any guard it costs nothing. They nest.
class GuardSpan {
public:
    GuardSpan() noexcept;
    ~GuardSpan();
    GuardSpan(const GuardSpan &) = delete;
    GuardSpan &operator=(const GuardSpan &) = delete;
};

}  // namespace gdb_ompd
