// SPDX-License-Identifier: Apache-2.0
// What a program was started with: the variables in its environment.
#pragma once

#include "runtimes/llvm/records.hpp"

#include <map>
#include <string>
#include <string_view>

namespace gdb_ompd::llvm {

// OpenMP's and the runtime's variables, from the C library's `environ` in the program.
// Throws Unreadable: a default would be shown as what holds.
[[nodiscard]] std::map<std::string, std::string> environment_of(const Memory &memory);

// Tell whether the runtime decides the value of a variable that nobody has set as it starts, by the
// machine and by other variables. What libompd says of it is from before that (kmp_settings.cpp,
// __kmp_env_initialize).
[[nodiscard]] bool is_decided_at_start(std::string_view name);

// All of them, from the C library's `environ`, which is at VARIABLE. As getenv() finds them: of two
// of one name the first. Throws Unreadable.
[[nodiscard]] std::map<std::string, std::string> environment_at(const Memory &memory,
                                                                TargetAddr variable);

}  // namespace gdb_ompd::llvm
