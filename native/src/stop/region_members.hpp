// SPDX-License-Identifier: Apache-2.0
// The threads of teams that are not in the process, and why, which the runtimes' records of regions
// lack.
#pragma once

#include "stop/all_runtimes.hpp"
#include "stop/hang_facts.hpp"
#include "stop/stop_waits.hpp"
#include "stop/whole_stacks.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace gdb_ompd {

struct Members {
    std::vector<std::optional<int>> threads;  // GDB numbers by thread number
    std::vector<HangReader::Absent> absent;   // from the process, by thread number
    // The primary thread is in the call that begins the region, and will give it the others.
    bool is_starting = false;
    bool is_complete = false;  // no thread lacks without a reason
};

class RegionMembers {
public:
    using Threads = std::vector<KnownThread>;

    // PROCESS is the kernel's number. All outlive it.
    RegionMembers(AllRuntimes &runtimes, HangReader &hangs, StopWaits &waits, WholeStacks &stacks,
                  RegionCalls &calls, std::uint64_t process)
        : runtimes_(runtimes), hangs_(hangs), waits_(waits), stacks_(stacks), calls_(calls),
          process_(process) {}

    // The members of a region that lacks threads, in a process with these THREADS.
    [[nodiscard]] Members of(const KnownRegion &region, const Threads &threads, StopTeams &teams);

private:
    [[nodiscard]] bool may_come(const Members &found, const Threads &threads);
    [[nodiscard]] bool has_only_begun(int gdb_num);
    void add_absent(Members &found, const KnownRegion &region);
    [[nodiscard]] bool is_starting(const KnownRegion &region, const std::optional<int> &primary,
                                   const Threads &threads, StopTeams &teams);

    AllRuntimes &runtimes_;
    HangReader &hangs_;
    StopWaits &waits_;
    WholeStacks &stacks_;
    RegionCalls &calls_;
    std::uint64_t process_;
};

// A thread that keeps workers which fork() has not copied.
std::optional<int> without_workers(AllRuntimes &runtimes, HangReader &hangs);

}  // namespace gdb_ompd
