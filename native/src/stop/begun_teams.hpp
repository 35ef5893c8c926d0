// SPDX-License-Identifier: Apache-2.0
// The league in a target region that GCC's runtime executes on the host: the region's function
// calls the runtime where each team begins, and executes them one after another.
#pragma once

#include "code/user_calls.hpp"

#include <cstdint>
#include <optional>

namespace gdb_ompd {

// Where the call returns to that began the team which a frame at PC executes, in the function
// around PC; none where that may not have been called yet, or is being called.
std::optional<std::uint64_t> team_begun(code::UserCalls &calls, std::uint64_t pc, bool innermost);

}  // namespace gdb_ompd
