// SPDX-License-Identifier: Apache-2.0
// Calls that set a lock if they can at once, and return what they have done otherwise.
#pragma once

#include "code/user_calls.hpp"

#include <cstdint>
#include <optional>

namespace gdb_ompd::code {

struct Try {
    WaitKind kind = WaitKind::none;
    int object = 0;            // which argument is the lock
    std::uint64_t failed = 0;  // what is returned where the lock is held
};

// A lock, a nest lock, a mutex or a spin lock that a loop tries to set.
struct Tried {
    WaitKind kind = WaitKind::none;
    std::uint64_t object = 0;

    bool operator==(const Tried &) const = default;
};

// What an instruction calls for that.
[[nodiscard]] std::optional<Try> tried_by(UserCalls &calls, const Instruction &call);

}  // namespace gdb_ompd::code
