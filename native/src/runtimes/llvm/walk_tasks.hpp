// SPDX-License-Identifier: Apache-2.0
// Whether a layout makes sense of a thread's tasks and their ICVs.
//
// Implicit tasks are records of their team's array and explicit ones are not; what the runtime
// sets once and for all in each (__kmp_init_implicit_task, __kmp_task_alloc,
// openmp/runtime/src/kmp_tasking.cpp) is looked at. A task that is being finished is no
// thread's current one any more.
#pragma once

#include "runtimes/llvm/walk_facts.hpp"

namespace gdb_ompd::llvm {

class TaskWalk {
public:
    TaskWalk(const WalkedRecords &records, WalkFacts &facts) : records_(records), facts_(facts) {}

    // Looks at a current task and at those that led to it, to the initial task.
    void chain(TargetAddr task);
    // Looks at what a team keeps of serialized regions that others are nested in.
    void kept_aside(TargetAddr team);

    // A task's team, 0 if it has none.
    [[nodiscard]] TargetAddr team_of(TargetAddr task) const;
    [[nodiscard]] bool is_explicit(TargetAddr task) const;
    // Where TEAM keeps the implicit task of its thread with that number.
    [[nodiscard]] TargetAddr implicit_of(TargetAddr team, std::uint64_t thread_num) const;

private:
    // Looks at one task; returns the one that generated it, 0 if there is none.
    TargetAddr step(TargetAddr task);
    TargetAddr look_at_explicit(TargetAddr task);
    void look_at_implicit(TargetAddr task);
    void frames(TargetAddr info);
    void icvs(TargetAddr task);
    // The task's index in the team's implicit tasks, none outside of them.
    [[nodiscard]] std::optional<std::uint64_t> position(TargetAddr task, TargetAddr team) const;
    [[nodiscard]] TargetAddr array(TargetAddr team) const;
    [[nodiscard]] TargetAddr parent(TargetAddr task) const;
    [[nodiscard]] std::uint64_t flags(TargetAddr task) const;

    const WalkedRecords &records_;
    WalkFacts &facts_;
};

}  // namespace gdb_ompd::llvm
