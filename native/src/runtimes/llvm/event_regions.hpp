// SPDX-License-Identifier: Apache-2.0
// Which region begins or ends at an event of LLVM's runtime, and how many threads were asked
// for. By the specification (OpenMP 5.0, section 5.6.1) the thread is in the region that
// begins, and its task is the one that met the construct. Where the runtime takes a team that it
// had before, the thread is still in the team around it. The new one is known to __kmp_fork_call
// alone, whose frame is searched for it.
#pragma once

#include "runtimes/llvm/teams.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gdb_ompd::llvm {

// The function that called the runtime's event function, on a thread's stack.
struct Announcer {
    std::vector<std::uint64_t> registers;  // what its callee-saved registers hold
    // From its stack pointer to its caller's; the same where there is no caller.
    std::uint64_t stack_begin = 0, stack_end = 0;
    std::vector<std::uint64_t> pcs;  // of it and its callers, up to the user's code
};

struct Announcement {
    bool begins = false;
    std::string entry;  // the runtime's function that the user's code called
    // None where the thread is in the region's team already, or there is no frame.
    std::optional<Announcer> announcer;
};

struct EventRegion {
    TargetAddr thread;  // the record of its primary thread
    TargetAddr team;
    int size = 0;
    int level = 0;
    TargetAddr function;           // 0 where the runtime does not keep it
    std::optional<int> requested;  // how many threads the construct asked for
};

// The region of THREAD, the one that has stopped; none where it is not known. Throws
// Inconsistent.
[[nodiscard]] std::optional<EventRegion>
event_region(Teams &teams, const Layout &layout, const OmpThread &thread, const Announcement &said);

// Those of MEMORY's words that can be addresses in a user's program.
[[nodiscard]] std::vector<std::uint64_t> addresses_in(const Memory &memory, TargetAddr begin,
                                                      std::size_t size);

}  // namespace gdb_ompd::llvm
