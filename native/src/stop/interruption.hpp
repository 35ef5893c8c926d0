// SPDX-License-Identifier: Apache-2.0
// The signal whose handler a thread executes, and what that has interrupted.
#pragma once

#include "code/user_calls.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

namespace gdb_ompd {

struct Interruption {
    std::uint64_t pc = 0;    // of the user's code; 0 where that has left no frame
    bool is_called = false;  // it has called what was interrupted, and goes on there
    std::string function;    // what it had called of the system's or a runtime's; empty for nothing
    std::optional<int> signal{};

    bool operator==(const Interruption &) const = default;
};

// That of the innermost handler among all of a thread's FRAMES. BLOCKED returns the bits of the
// signals that are blocked now, if the kernel tells: those of the handler beside those that the
// interrupted code had.
[[nodiscard]] std::optional<Interruption>
interruption(code::UserCalls &calls, std::span<const code::Frame> frames,
             const std::function<std::optional<std::uint64_t>()> &blocked);

}  // namespace gdb_ompd
