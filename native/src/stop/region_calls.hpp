// SPDX-License-Identifier: Apache-2.0
// The calls by which a thread's user code began the parallel regions that it is in, where the
// stack's return addresses alone tell them.
#pragma once

#include "code/user_calls.hpp"

#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace gdb_ompd {

struct RegionCalls {
    struct Call {
        std::uint64_t returns_to = 0;
        std::uint64_t body = 0;  // the outlined function that it gave to the runtime
    };
    std::vector<Call> calls;  // outermost first
    // Whether the last call has no body on the stack: its region has not begun, or has ended.
    bool in_last = false;
    // The user's frames, innermost first: where the function begins, 0 where that is not known,
    // and whether one of the user's called it.
    struct User {
        std::uint64_t pc = 0;
        std::uint64_t start = 0;
        bool called_by_user = false;
    };
    std::vector<User> users;
};

// BODY_GIVEN tells which body the call of the first of some frames handed over to the runtime.
// None where a function may have jumped on and have no frame, or where it is not known what was
// called. Names and made-up frames tell that, which a debugger has. So it does of regions whose
// body the user's code called itself, or that are in functions which are inlined.
std::optional<RegionCalls>
region_calls(code::UserCalls &calls, std::span<const code::Frame> frames,
             const std::function<code::Value(std::span<const code::Frame>)> &body_given);

}  // namespace gdb_ompd
