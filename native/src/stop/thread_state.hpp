// SPDX-License-Identifier: Apache-2.0
// One answer from two: the state that the runtime recorded, and what the stack shows.
//
// LLVM's runtime records no waiting for tasks, one state for locks, criticals, atomics and
// reductions, and for some barriers of GCC's code one of its own; GCC's records none. There the
// stack corrects it. Where both are plain and differ, the stack is right, being of this moment, and
// that is said.
#pragma once

#include "code/entry_table.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace gdb_ompd {

// Said of a function of the runtime that has no name.
inline constexpr std::string_view the_runtime = "the OpenMP runtime";

// What a thread's stack shows of what it does; see ThreadWait. IN_RUNTIME: a worker in no task.
struct Shown {
    code::WaitKind kind = code::WaitKind::none;
    std::string_view entry_point{}, outside{};
    bool in_runtime = false;
};

// What the runtime tells of a thread: OMPT's state without "ompt_state_", none if it records none,
// and whether it is idle. LEVEL is none where that is not known.
struct Recorded {
    std::optional<std::string_view> state;
    bool idle = false;
    std::optional<int> level;
};

// What a thread waits for, and where it is: as its stack shows it or, of a worker in no task, as
// both tell. That is at the end of its region if the runtime does not say that it is idle, nor by
// its state that it works. One that has the state of an idle one before its region has ended has
// come to its end. At level 0 there is no region: what the user's code has come to there by a jump
// is not known.
Shown shown_of(const Shown &shown, const Recorded &recorded);

// A thread's OMPT state (OpenMP 5.0, section 4.4.4.26); none where it is not known.
std::optional<std::string_view> state_of(const Shown &shown, const Recorded &recorded);

// How the runtime's state differs from what the stack shows; empty if the two can be true together.
std::string disagreement(const Shown &shown, const Recorded &recorded);

// Whether a thread waits for nothing of OpenMP's, and is in code which is not the user's.
inline bool is_outside(const Shown &shown) {
    return shown.kind == code::WaitKind::none &&
           (!shown.outside.empty() || !shown.entry_point.empty());
}

// Whether it waits to be given something to do, as far as its stack tells.
bool is_in_pool(code::WaitKind kind);

}  // namespace gdb_ompd
