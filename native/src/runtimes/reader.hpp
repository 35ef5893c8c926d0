// SPDX-License-Identifier: Apache-2.0
// What every runtime is asked for, whoever it is from.
#pragma once

#include "code/frame.hpp"
#include "model/facts.hpp"
#include "runtimes/capabilities.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace gdb_ompd {

// The frames of a thread, by its GDB number, whose functions of the runtime execute a target region
// on the host, outermost first.
using FallbackFrames = std::function<std::vector<code::Frame>(int)>;

// One OpenMP runtime in one process. What is read at a stop is kept until end_stop. Throws
// OmpdError where nothing can be told, LibraryFailure where the library fails, and what the
// target throws; a fact that is not known alone is no error.
class RuntimeReader {
public:
    RuntimeReader() = default;
    virtual ~RuntimeReader() = default;
    RuntimeReader(const RuntimeReader &) = delete;
    RuntimeReader &operator=(const RuntimeReader &) = delete;

    // What the runtime says of these threads, and of the regions that they are in. What is
    // asked below at the same stop is of these threads and regions.
    virtual const StopFacts &read(std::span<const NativeThread> natives) = 0;
    // Adds the regions that threads are in outside of target regions which the host executes, and
    // that they are in those, where the runtime keeps it in FRAMES meanwhile.
    virtual void add_around_targets(const FallbackFrames & /*frames*/) {}
    // The task chains of threads, innermost task first.
    virtual std::vector<TaskFacts> tasks(std::span<const int> gdb_nums) = 0;
    // A region's implicit tasks by thread number.
    virtual std::vector<TaskFacts> implicit_tasks(int region) = 0;
    // The ICVs of the process, then of these threads and of these regions.
    virtual std::vector<IcvFacts> icvs(std::span<const int> gdb_nums,
                                       std::span<const int> regions) = 0;
    // Those by which a region's team has its size; of one that is not known, none.
    virtual SizeIcvs size_icvs(int /*region*/) { return {}; }
    virtual std::vector<ControlVariable> control_variables() = 0;
    virtual Versions versions() = 0;

    // Of a single thread, from memory as it is now: nothing of a stop is used or kept.
    // Where it executes; none if the runtime does not know it or it is in no team.
    virtual std::optional<Place> place(const NativeThread &thread) = 0;
    virtual bool knows(const NativeThread &thread) = 0;
    // Its numbers at every level, innermost first, level 0 last; empty as above.
    virtual std::vector<Membership> memberships(const NativeThread &thread) = 0;
    virtual Fact<TaskKind> task_kind(const NativeThread &thread) = 0;
    virtual Fact<std::string> state(const NativeThread &thread) = 0;
    // None where no ICV has that name.
    virtual std::optional<IcvFacts> icv(const NativeThread &thread, std::string_view name) = 0;

    // What OMPD has no word for. A runtime whose records are not known has none of it.
    // Add to tasks of this stop what a compiler has said of where their constructs are.
    virtual void add_constructs(std::span<TaskFacts> /*tasks*/) {}
    // The explicit tasks that are created and that no thread executes.
    virtual std::optional<WaitingTasks> waiting_tasks() { return std::nullopt; }
    // The records of the threads that were read at this stop; null where it is not known where
    // what is.
    virtual std::shared_ptr<Capabilities> capabilities() { return nullptr; }

    // Give back the handles of this stop and forget what was read.
    virtual void end_stop() noexcept = 0;
};

}  // namespace gdb_ompd
