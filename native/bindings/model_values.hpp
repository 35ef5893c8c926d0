// SPDX-License-Identifier: Apache-2.0
// What a runtime's reader says of a stop, as values of the public model.
#pragma once

#include "model/facts.hpp"
#include "stop/task_bodies.hpp"

#include "bindings.hpp"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gdb_ompd {

// The public model's, as signatures name them.
using ModelThreads = Typed<"tuple[Thread, ...]">;
using ModelRegions = Typed<"tuple[Region, ...]">;
using ModelTask = Typed<"Task">;
using ModelWaitingTask = Typed<"WaitingTask">;
using ModelTaskKind = Typed<"TaskKind">;
using ModelMembership = Typed<"Membership">;
using ModelVariable = Typed<"ControlVariable">;
using ModelIcv = Typed<"Icv">;

// The members of the model's enumerations.
ModelTaskKind to_model(TaskKind kind);
py::object to_model(Whereabouts where);
ModelMembership to_model(const Membership &given);

// Threads by what is said of them, one for each of NATIVES. FIRST is added to the numbers of
// regions: another runtime has those below.
ModelThreads to_threads(const std::vector<NativeThread> &natives,
                        const std::vector<ThreadFacts> &threads, int first);

// Where a region's construct is, as far as the runtime knows.
struct RegionConstruct {
    std::optional<std::uint64_t> caller;    // the return address of the encountering code's call
    std::optional<std::uint64_t> function;  // the outlined one
    std::optional<int> primary;             // the GDB number of the region's primary thread
};

struct Regions {
    ModelRegions regions;                       // the model's
    std::map<int, RegionConstruct> constructs;  // by the numbers of these
};
Regions to_regions(const std::vector<RegionFacts> &regions, int first);

// A task that is not placed in the source yet, and the region that it belongs to.
struct TaskView {
    int gdb_num = 0;
    ChainTask own;
    ModelTask task;
    std::optional<int> region;
    std::optional<ConstructPlace> construct;
};
TaskView to_task(const TaskFacts &facts, int first);

// The same of a task that no thread executes, and of its creator; of an implicit one the region.
struct WaitingView {
    std::uint64_t identity = 0;
    std::uint64_t generated_by = 0;  // 0 where it is not known
    ModelWaitingTask task;
    std::optional<std::uint64_t> function, creator_function;
    std::optional<int> creator_region;
    std::optional<ConstructPlace> construct, creator_construct;
};
WaitingView to_waiting_task(const WaitingTaskFacts &facts, int first);

// An ICV with its value in words, or why it has none.
ModelIcv to_icv(const IcvFacts &facts, int first);

ModelVariable to_control_variable(const ControlVariable &variable);

}  // namespace gdb_ompd
