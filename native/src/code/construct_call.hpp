// SPDX-License-Identifier: Apache-2.0
// Where a construct calls the runtime, by a call or by a jump at a function's end.
#pragma once

#include "code/outlined_names.hpp"
#include "code/user_calls.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace gdb_ompd::code {

// The construct's call or jump into the runtime's function ENTRY, where the stack says that it
// returns to PC. For a call the last byte of it, for a jump its address.
[[nodiscard]] std::optional<std::uint64_t> construct_call(UserCalls &calls, std::uint64_t pc,
                                                          std::string_view entry);

// Whether the last call before the one that returns to PC was one for a device: what follows is
// what is done where there is none.
[[nodiscard]] bool follows_target_call(UserCalls &calls, std::uint64_t pc);

// Clang's target region that is told by the ADDRESS which a call for a device is given.
[[nodiscard]] std::optional<TargetRegion> region_with_id(const UserCalls &calls,
                                                         std::uint64_t address);
// That of the call which returns to PC, as far as its code alone tells the address.
[[nodiscard]] std::optional<TargetRegion> region_called(UserCalls &calls, std::uint64_t pc);

}  // namespace gdb_ompd::code
