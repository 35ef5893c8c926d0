// SPDX-License-Identifier: Apache-2.0
// Why the teams of one stop have their sizes: the facts of each region, and what is concluded.
#pragma once

#include "stop/regions_and_tasks.hpp"
#include "stop/team_size.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gdb_ompd {

struct SizeOfRegion {
    int region = 0;
    std::optional<int> size{};
    std::optional<std::int64_t> nthreads{};  // the ICV of the task that began it
    TeamSize why{};
};

class TeamSizes {
public:
    // All outlive it.
    TeamSizes(AllRuntimes &runtimes, RegionsAndTasks &constructs, RegionNames &names,
              Environment environment)
        : runtimes_(runtimes), constructs_(constructs), names_(names),
          environment_(std::move(environment)) {}

    // Of each of REGIONS whose primary thread is known.
    [[nodiscard]] std::vector<SizeOfRegion> of(const std::vector<int> &regions);

private:
    [[nodiscard]] const KnownRegion &known(int region) const {
        return runtimes_.regions().at(static_cast<std::size_t>(region) - 1);
    }
    // The outermost region around one, itself where there is none.
    [[nodiscard]] int outermost(int region) const;
    // num-procs-var of a runtime.
    [[nodiscard]] std::optional<std::int64_t> processors(AllRuntimes::Position position);
    [[nodiscard]] TeamSizeFacts facts(const KnownRegion &region);
    void add_values(int primary, const SizeArguments &arguments, TeamSizeFacts &facts);
    void count_others(const KnownRegion &region, TeamSizeFacts &facts) const;
    [[nodiscard]] std::optional<int> active_around(const KnownRegion &region) const;
    [[nodiscard]] const std::vector<TeamRequest> &requests(int gdb_num);
    [[nodiscard]] std::optional<TeamRequest> request(int region, int primary);
    [[nodiscard]] std::optional<TeamRequest> by_construct(int region, const std::vector<int> &begun,
                                                          const std::vector<TeamRequest> &requests);
    [[nodiscard]] std::optional<TeamRequest> by_jump(int region, const std::vector<int> &begun,
                                                     int primary);
    [[nodiscard]] code::Value body_around(int region, int primary);
    [[nodiscard]] std::optional<TeamRequest> by_last_jump(int region, int primary);
    [[nodiscard]] std::vector<std::uint64_t> bodies(int gdb_num);
    [[nodiscard]] std::vector<std::uint64_t> functions_called(int gdb_num);

    AllRuntimes &runtimes_;
    RegionsAndTasks &constructs_;
    RegionNames &names_;
    Environment environment_;
    std::map<int, std::vector<TeamRequest>> requests_;
    std::map<AllRuntimes::Position, std::optional<std::int64_t>> processors_;
};

}  // namespace gdb_ompd
