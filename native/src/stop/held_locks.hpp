// SPDX-License-Identifier: Apache-2.0
// Which locks and criticals a thread's place in the code is inside of.
//
// By the calls that enter and leave them, followed through each of the thread's user
// functions from its start to where the thread is in it. A lock that a function returns
// with is not seen: the function's frame is gone.
#pragma once

#include "code/user_calls.hpp"

#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

namespace gdb_ompd {

struct HeldLock {
    code::WaitKind kind = code::WaitKind::none;
    std::optional<std::uint64_t> object;  // none for what has no word of its own
    std::uint64_t entered_at = 0;         // the call
    std::uint64_t pc = 0;                 // of its function's frame, an inlined one's too
    bool certain = false;
};

// What a thread with FRAMES, innermost first, is inside of, the last entered first.
std::vector<HeldLock> held_locks(code::UserCalls &calls, std::span<const code::Frame> frames);

}  // namespace gdb_ompd
