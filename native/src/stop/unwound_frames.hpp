// SPDX-License-Identifier: Apache-2.0
// The frames that the unwinder has told, as the rules on stacks take them.
#pragma once

#include "code/frame.hpp"
#include "unwind/unwinder.hpp"

#include <optional>
#include <span>
#include <vector>

namespace gdb_ompd {

[[nodiscard]] std::vector<code::Frame> to_frames(std::span<const UnwoundFrame> unwound);

// PLACED, a debugger's frames, with the registers of those that were UNWOUND. None where these are
// others, or where the debugger has frames of functions that have ended with a jump.
[[nodiscard]] std::optional<std::vector<code::Frame>>
with_registers(std::vector<code::Frame> placed, std::span<const code::Frame> unwound);

// All frames of a thread, innermost first, or as many as are looked at; nothing where they cannot
// be told.
std::vector<code::Frame> whole_frames(Unwinder &unwinder, ThreadStack &stack);

// The same around the user's innermost, as far as a place in the user's code is looked for.
std::vector<code::Frame> frames_around_user(Unwinder &unwinder, ThreadStack &stack);

}  // namespace gdb_ompd
