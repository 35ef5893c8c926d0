// SPDX-License-Identifier: Apache-2.0
// By which names the kernel gives the files that a process has mapped, whatever has become of the
// names by which the process opened them.
#pragma once

#include "base/target.hpp"

#include <sys/types.h>

#include <string>
#include <vector>

namespace gdb_ompd {

// Names of the file that PROCESS has mapped at ADDRESS and calls NAME, likeliest first. They are
// below its root folder, that of the mapping itself, which root alone may open, and the
// executable's. What is there need not be that file, or not be there at all.
[[nodiscard]] std::vector<std::string> process_files(pid_t process, TargetAddr address,
                                                     const std::string &name);

}  // namespace gdb_ompd
