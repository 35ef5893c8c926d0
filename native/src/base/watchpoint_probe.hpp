// SPDX-License-Identifier: Apache-2.0
// Whether this machine's debug registers stop a program. Some virtual machines take what they are
// set to, and do nothing: a debugger then waits in vain at a hardware watchpoint.
#pragma once

#include <optional>

namespace gdb_ompd {

// Try it once on a child of this process; nothing where that cannot be tried.
std::optional<bool> hardware_watchpoints_stop();

}  // namespace gdb_ompd
