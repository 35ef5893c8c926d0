// SPDX-License-Identifier: Apache-2.0
// The explicit tasks of GCC's libgomp that are made and that no thread executes.
//
// Those that wait for nothing are in their team's queue. The others are found from those that
// threads execute, from these tasks' ancestors, and from implicit tasks: along children,
// taskgroups and successors. What has begun and is no thread's current task is suspended if a
// current one descends from it; otherwise it begins or ends just now.
#pragma once

#include "model/facts.hpp"
#include "runtimes/gnu/records.hpp"

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gdb_ompd::gnu {

// A thread that is not idle, with the tasks of its chain: its current one, what generated that, and
// so on. They have the numbers that stand for them at this stop.
struct BusyThread {
    std::uint64_t thread_pointer = 0;
    int region = 0;  // 0: none
    std::uint32_t thread_num = 0;
    std::vector<std::uint64_t> chain;
};

class TaskSearch {
public:
    // REGIONS are all that there are.
    TaskSearch(const Records &records, std::span<const RegionFacts> regions)
        : records_(records), regions_(regions) {}

    WaitingTasks run(std::span<const BusyThread> threads);

private:
    struct Team {
        int region = 0;
        std::uint32_t size = 0;
        // Tasks of it that are made and not complete, and those of them that are detached.
        std::uint32_t found = 0, detached = 0;
    };
    struct Known {
        TaskRecord task;
        std::optional<TargetAddr> team;
        bool is_queued = false, is_current = false, is_ancestor = false;
    };

    void add_teams(const BusyThread &thread, TargetAddr innermost);
    void add_chain(const BusyThread &thread, const ThreadRecord &record);
    Known &add(TargetAddr task, std::optional<TargetAddr> team);
    void find();
    void follow();
    [[nodiscard]] static std::optional<Whereabouts> whereabouts(const Known &known);
    [[nodiscard]] std::optional<std::pair<TargetAddr, std::uint32_t>>
    implicit_place(TargetAddr task) const;
    [[nodiscard]] WaitingTaskFacts describe(const Known &known, Whereabouts where) const;
    [[nodiscard]] std::uint64_t identity(TargetAddr task) const;
    void note_missing();
    void add_lost(TargetAddr team, Team &facts);

    const Records &records_;
    std::span<const RegionFacts> regions_;
    std::map<TargetAddr, Team> teams_;
    std::map<TargetAddr, Known> known_;
    std::vector<TargetAddr> pending_;
    std::map<TargetAddr, std::uint64_t> identities_;
    std::vector<WaitingTaskFacts> lost_;
    std::vector<std::string> notes_;
};

}  // namespace gdb_ompd::gnu
