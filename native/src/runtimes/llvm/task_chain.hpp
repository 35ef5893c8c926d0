// SPDX-License-Identifier: Apache-2.0
// The tasks of LLVM's threads: what each executes, and what led to that, from the runtime's
// records (kmp_taskdata_t in openmp/runtime/src/kmp.h). Serialized regions that are nested in
// each other share one record; their implicit tasks are told apart here, as OpenMP does.
#pragma once

#include "model/facts.hpp"
#include "runtimes/llvm/teams.hpp"

#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

namespace gdb_ompd::llvm {

struct ChainedTask {
    TargetAddr address;  // of its kmp_taskdata_t
    int nest = 0;        // tells apart the implicit tasks that share a record
    // Whether this is the task at its place in the chain. Where the runtime has lost which of
    // nested serialized regions was begun in which explicit task, only their number is known.
    bool is_placed = true;
    TaskKind kind = TaskKind::initial;
    bool is_final = false;
    bool is_undeferred = false;
    // 0 where there is none, or where the runtime has kept nothing of it.
    TargetAddr enter_frame, exit_frame;
    TargetAddr function;
    TargetAddr scheduling;            // another task's record
    std::optional<RegionKey> region;  // in which it executes

    // A number that no other live task has.
    [[nodiscard]] std::uint64_t identity() const {
        return address.value + static_cast<std::uint64_t>(nest);
    }
};

class TaskChains {
public:
    explicit TaskChains(Teams &teams) : teams_(&teams) {}

    [[nodiscard]] Teams &teams() const noexcept { return *teams_; }

    // The tasks of THREAD: the one that it executes first, then each one's generating task
    // to the initial one. Throws Inconsistent where they have no end.
    [[nodiscard]] std::vector<ChainedTask> chain(const OmpThread &thread) const;
    // The same from the task whose record is at ADDRESS on.
    [[nodiscard]] std::vector<ChainedTask> chain_from(TargetAddr address) const;
    // The kind of task that THREAD executes, none if it executes none.
    [[nodiscard]] std::optional<TaskKind> current_kind(const OmpThread &thread) const;
    // The kind of the task whose record is at ADDRESS.
    [[nodiscard]] TaskKind kind_of(TargetAddr address) const;

    // The implicit tasks of one of TEAM's regions, by thread number: the team's array of
    // them, whatever its threads execute now.
    [[nodiscard]] std::vector<ChainedTask> implicit_tasks(const Team &team, int nest) const;
    // Whose implicit task a record is, by the thread's number in its team.
    [[nodiscard]] std::optional<int> thread_num_of(TargetAddr address) const;
    // An explicit task's function.
    [[nodiscard]] TargetAddr routine_of(TargetAddr address) const;

private:
    // How many of a team's implicit tasks were taken already, and whether the others' places
    // are lost; by its address.
    struct Shared {
        int done = 0;
        bool is_lost = false;
    };
    using Emitted = std::unordered_map<std::uint64_t, Shared>;
    // Returns false to end the walk.
    using Take = std::function<bool(const ChainedTask &)>;

    void walk(const OmpThread &thread, const Take &take) const;
    void walk_from(TargetAddr task, const Team *first, Emitted &emitted, const Take &take) const;
    [[nodiscard]] bool take_record(TargetAddr address, const Team &team, Emitted &emitted,
                                   const Take &take) const;
    [[nodiscard]] TaskKind kind_in(TargetAddr address, const Team &team) const;
    [[nodiscard]] static const Team *implicit_in(const OmpThread &thread);
    [[nodiscard]] TargetAddr encountering(TargetAddr address, Emitted &emitted) const;
    [[nodiscard]] TargetAddr parent_of(TargetAddr address, const Team &team) const;
    [[nodiscard]] ChainedTask record(TargetAddr address, const Team &team, TaskKind kind,
                                     TargetAddr info, int nest) const;
    [[nodiscard]] std::optional<int>
    regions_inside(TargetAddr info, const std::vector<SerializedFrame> &kept, int most) const;

    [[nodiscard]] const Team &team_of(TargetAddr address) const;
    [[nodiscard]] const Team &team_at(TargetAddr kmp_team) const;
    [[nodiscard]] bool is_explicit(TargetAddr address) const;
    [[nodiscard]] std::uint64_t flags_of(TargetAddr address) const;
    [[nodiscard]] const Memory &memory() const { return teams_->memory(); }
    [[nodiscard]] const Places &places() const { return teams_->places(); }

    Teams *teams_;
};

}  // namespace gdb_ompd::llvm
