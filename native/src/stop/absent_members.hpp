// SPDX-License-Identifier: Apache-2.0
// Which threads of teams are not in the process, and why: of those of which a runtime keeps
// records.
#pragma once

#include "stop/all_runtimes.hpp"
#include "stop/hang_facts.hpp"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace gdb_ompd {

// Those of the team of region NUMBER, by their numbers in it. PROCESS is the kernel's number.
std::vector<HangReader::Absent> absent_members(AllRuntimes &runtimes, HangReader &hangs, int number,
                                               std::uint64_t process);

// Those of the team that are in the process with records that do not tell it, as far as the
// runtime's list of them does: by their numbers in it, and GDB's.
std::vector<std::pair<int, int>> hidden_members(AllRuntimes &runtimes, int number);

// A thread that keeps workers which fork() has not copied.
std::optional<int> without_workers(AllRuntimes &runtimes, HangReader &hangs);

}  // namespace gdb_ompd
