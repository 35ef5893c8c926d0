// SPDX-License-Identifier: Apache-2.0
// The settings that a program was started with: OpenMP's variables in its environment.
#pragma once

#include "runtimes/llvm/records.hpp"

#include <map>
#include <string>

namespace gdb_ompd::llvm {

// OpenMP's and the runtime's variables, from the C library's `environ` in the program.
// Throws Unreadable: a default would be shown as what holds.
[[nodiscard]] std::map<std::string, std::string> environment_of(const Memory &memory);

}  // namespace gdb_ompd::llvm
