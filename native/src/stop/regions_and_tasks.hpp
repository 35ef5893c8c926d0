// SPDX-License-Identifier: Apache-2.0
// The regions and tasks of all runtimes at one stop, with the places of their constructs. Each
// thing is read when it is first asked for.
#pragma once

#include "stop/all_runtimes.hpp"
#include "stop/stacks.hpp"
#include "stop/task_bodies.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gdb_ompd {

struct PlacedRegion {
    PlaceRef place;  // null where it is not known
    // What the user's code called of the library that has begun it, if that has no source; empty
    // else.
    std::string library_call;
};

// Regions are numbered among those of its runtime, of which the first is the one after
// FIRST_REGION among all.
struct PlacedTask {
    TaskFacts facts;
    int first_region = 0;
    code::Value function{};  // the outlined one, as the runtime keeps it or stacks tell it
    PlaceRef place{};

    [[nodiscard]] ChainTask chained() const;
    // Its number among all; none of an initial task.
    [[nodiscard]] std::optional<int> region() const;
};

struct PlacedWaitingTask {
    WaitingTaskFacts facts;
    int first_region = 0;
    PlaceRef place{}, creator{};
};

class RegionsAndTasks {
public:
    using Position = AllRuntimes::Position;

    // All outlive it.
    RegionsAndTasks(AllRuntimes &runtimes, Stacks &stacks)
        : runtimes_(runtimes), stacks_(stacks.whole()), calls_(stacks.calls()),
          names_(stacks.names()) {}

    [[nodiscard]] WholeStacks &stacks() { return stacks_; }
    [[nodiscard]] const PlacedRegion &region(int number);
    // The outlined function of a region, none where it is not kept.
    [[nodiscard]] code::Value body(int region) const { return known(region).function; }
    // The chains of threads, innermost task first.
    [[nodiscard]] std::vector<PlacedTask> tasks(std::span<const int> gdb_nums);
    // The same without places.
    [[nodiscard]] std::vector<PlacedTask> chains(std::span<const int> gdb_nums);
    // By thread number. Of one that is in no chain the depth is -1.
    [[nodiscard]] std::vector<PlacedTask> implicit_tasks(int region);

    enum class Places { all, of_held };  // those that are held wait for an event or a dependence
    struct Waiting {
        std::vector<PlacedWaitingTask> tasks;
        std::vector<std::string> notes;  // what could not be read, or found
        std::vector<Position> unknown;   // the runtimes of which they are not known
    };
    // The explicit tasks that are created and that no thread executes, some with PLACES.
    [[nodiscard]] Waiting waiting_tasks(Places places);

private:
    [[nodiscard]] const KnownRegion &known(int region) const {
        return runtimes_.regions().at(static_cast<std::size_t>(region) - 1);
    }
    [[nodiscard]] PlaceRef place_of(const KnownRegion &region);
    [[nodiscard]] PlaceRef begun_on_stack(const KnownRegion &region);
    [[nodiscard]] PlaceRef place_of(code::Value function,
                                    const std::optional<ConstructPlace> &construct);
    void place(PlacedTask &task);
    void place(PlacedWaitingTask &task);
    [[nodiscard]] code::Value users(code::Value function) const;
    [[nodiscard]] std::vector<PlacedTask> read(std::span<const int> gdb_nums);
    void add_functions(std::span<PlacedTask> tasks);
    void add_functions(std::span<PlacedWaitingTask> tasks);

    AllRuntimes &runtimes_;
    WholeStacks &stacks_;
    RegionCalls &calls_;
    RegionNames &names_;
    std::map<int, PlacedRegion> regions_;
};

}  // namespace gdb_ompd
