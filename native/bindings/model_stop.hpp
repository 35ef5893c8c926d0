// SPDX-License-Identifier: Apache-2.0
// One stop, as values of the public model.
#pragma once

#include "stop/stop.hpp"
#include "stop/team_sizes.hpp"

#include "all_runtimes.hpp"
#include "region_reader.hpp"

#include <optional>
#include <string>
#include <vector>

namespace gdb_ompd {

// The tasks that no thread executes.
struct ModelWaitingTasks {
    std::vector<ModelWaitingTask> tasks;
    std::vector<std::string> notes;    // what could not be read, or found
    std::vector<std::size_t> unknown;  // the runtimes of which they are not known
};

class ModelStop {
public:
    ModelStop(ModelRuntimes &runtimes, RegionReader &calls)
        : runtimes_(runtimes), names_(calls.names()),
          stop_(runtimes.all(), calls.stacks(), calls.calls(), names_) {}

    [[nodiscard]] ModelRuntimes &runtimes() { return runtimes_; }
    [[nodiscard]] ModelRegions regions();
    [[nodiscard]] code::Value region_function(int region) const { return stop_.body(region); }
    [[nodiscard]] std::vector<ModelTask> tasks(const std::vector<int> &gdb_nums);
    [[nodiscard]] std::vector<ModelTask> implicit_tasks(int region);
    [[nodiscard]] std::vector<code::Value> task_functions(int gdb_num);
    // Of those of explicit tasks.
    [[nodiscard]] bool executes_task(int gdb_num, std::uint64_t pc, int jumps);
    [[nodiscard]] ModelWaitingTasks waiting_tasks(bool of_detached);

    [[nodiscard]] std::vector<SizeOfRegion> team_sizes(const std::vector<int> &regions,
                                                       Environment environment) {
        return TeamSizes(runtimes_.all(), stop_, names_, std::move(environment)).of(regions);
    }
    // What the user's code called of the library that has begun a region, empty for none.
    [[nodiscard]] const std::string &library_call(int region) {
        return stop_.region(region).library_call;
    }
    // A region's construct for a thread that called at PC; null without a known line.
    [[nodiscard]] PlaceRef construct(int region, std::uint64_t pc) {
        const PlaceRef &place = stop_.region(region).place;
        return place != nullptr && place->has_line ? names_.with_pc(place, pc) : nullptr;
    }

private:
    ModelRuntimes &runtimes_;
    PythonNames &names_;
    Stop stop_;
    std::optional<ModelRegions> regions_;
};

}  // namespace gdb_ompd
