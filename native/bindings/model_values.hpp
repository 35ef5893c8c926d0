// SPDX-License-Identifier: Apache-2.0
// What a runtime's reader says of a stop, as values of the public model.
#pragma once

#include "model/facts.hpp"
#include "stop/region_members.hpp"
#include "stop/stop.hpp"

#include "bindings.hpp"

#include <optional>
#include <string>
#include <string_view>
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
py::object to_model(Absence why);
ModelMembership to_model(const Membership &given);

// Threads by what is said of them, one for each of NATIVES. FIRST is added to the numbers of
// regions: another runtime has those below.
ModelThreads to_threads(const std::vector<NativeThread> &natives,
                        const std::vector<ThreadFacts> &threads, int first);

// Regions without places.
ModelRegions to_regions(const std::vector<RegionFacts> &regions, int first);

// A REGION at its place. FILE is its runtime's, if there are several.
py::object to_placed(const py::handle &region, const PlacedRegion &placed, const std::string &file);
// A REGION with the members that its records lack.
py::object with_members(const py::handle &region, const Members &found);

// DOUBTS of other facts.
py::tuple doubts_but_of(std::string_view fact, const py::handle &doubts);

ModelTask to_task(const PlacedTask &task);
ModelWaitingTask to_waiting_task(const PlacedWaitingTask &task);

// An ICV with its value in words, or why it has none. RUNTIME is its runtime's file, if there are
// several.
ModelIcv to_icv(const IcvFacts &facts, int first, const std::string &runtime);

ModelVariable to_control_variable(const ControlVariable &variable, const std::string &runtime);

}  // namespace gdb_ompd
