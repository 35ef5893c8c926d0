// SPDX-License-Identifier: Apache-2.0
// Threads of processes that this one traces, as the kernel has them, and the SIGSTOP with which a
// debugger stops one. No thread can block, ignore or wait for that signal, and a debugger that
// stops threads by it takes it back where it comes in the middle of a step.
#pragma once

#include <cstdint>
#include <optional>

namespace gdb_ompd {

// Ask a running thread of PROCESS, which this one traces, to stop: PREFERRED or, where that does
// not run or was asked already, any other one; with ALONE no other. Return its number, 0 for none.
int ask_to_stop(int process, int preferred, bool alone);

// Tell whether THREAD has a SIGSTOP that it has not reported yet.
bool stop_is_pending(int process, int thread);

// The signals that a THREAD which this process traces has blocked, by their bits.
std::optional<std::uint64_t> blocked_signals(std::uint64_t thread);

// Send THREAD a SIGSTOP, whatever it does. Return false where it is gone.
bool send_stop(int process, int thread);

// Have PROCESS go on if the SIGSTOP that THREAD was sent has stopped it, or will: this process does
// not trace it any more.
void undo_stop(int process, int thread);

}  // namespace gdb_ompd
