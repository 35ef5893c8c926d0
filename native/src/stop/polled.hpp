// SPDX-License-Identifier: Apache-2.0
// What a thread waits for by hand: the memory that a loop of the user's reads again and again.
#pragma once

#include "code/ahead.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace gdb_ompd {

struct Polled {
    std::vector<std::uint64_t> addresses;
    // What it is that is read there, if the loop tries to set that alone, lets no lock go, and goes
    // on until it is set.
    std::optional<code::Tried> tried{};
    bool is_endless = false;  // the loop reads nothing and has no end

    [[nodiscard]] bool is_known() const { return is_endless || !addresses.empty(); }
};

// What the thread SELF with FRAMES, innermost first, reads in a loop which changes nothing and goes
// on until something of it is written, or some time has passed. There is nothing where it is in no
// such loop.
Polled polled(code::UserCalls &calls, std::span<const code::Frame> frames,
              const code::Ahead::Self &self);

}  // namespace gdb_ompd
