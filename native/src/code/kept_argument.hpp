// SPDX-License-Identifier: Apache-2.0
// An argument of a function that has not returned, where its own code keeps it.
#pragma once

#include "code/call_site.hpp"

namespace gdb_ompd::code {

// The argument that the function CODE was called with, counted from 0, while it is in the call at
// CALL: its first instructions copy it to a register that callees preserve, and nothing on the
// way to that call changes that one again. PRESERVED reads what the callee left as it was.
[[nodiscard]] Value kept_argument(const FunctionCode &code, std::size_t call, std::size_t number,
                                  const CallingConvention &convention,
                                  const ReadRegister &preserved);

}  // namespace gdb_ompd::code
