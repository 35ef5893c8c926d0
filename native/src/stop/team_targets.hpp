// SPDX-License-Identifier: Apache-2.0
// The target construct that a thread is in: by its own stack or, of a member of a team that was
// begun in one, by those of who began the teams around it.
#pragma once

#include "stop/stacks.hpp"
#include "stop/stop_waits.hpp"

#include <map>
#include <optional>
#include <vector>

namespace gdb_ompd {

class TeamTargets {
public:
    // Both outlive it.
    TeamTargets(Stacks &stacks, StopTeams &teams) : stacks_(stacks), teams_(teams) {}

    // The innermost of each of THREADS that is known; none of a thread that is in none. What names
    // no device is for its thread's default one.
    [[nodiscard]] std::vector<std::optional<TargetConstruct>>
    of(const std::vector<KnownThread> &threads);

private:
    [[nodiscard]] std::optional<TargetConstruct> innermost(const KnownThread &thread);
    [[nodiscard]] const ThreadTargets &on_stack(int gdb_num);
    [[nodiscard]] std::optional<TargetConstruct> around(int region);
    [[nodiscard]] std::optional<TargetConstruct> around_league(std::uint64_t league);
    [[nodiscard]] bool is_around(const KnownRegion &region, std::optional<int> inside,
                                 int outer) const;
    [[nodiscard]] std::optional<TargetConstruct> begun_in(const KnownRegion &region);

    Stacks &stacks_;
    StopTeams &teams_;
    std::map<int, ThreadTargets> on_stack_;
    std::map<std::uint64_t, std::optional<TargetConstruct>> leagues_;
    std::optional<std::map<int, KnownRegion>> regions_;  // none until they are asked
};

}  // namespace gdb_ompd
