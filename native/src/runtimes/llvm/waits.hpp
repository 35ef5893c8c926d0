// SPDX-License-Identifier: Apache-2.0
// What the runtime records of threads at barriers, in ordered constructs and of their tasks'
// children and groups (openmp/runtime/src/kmp_barrier.cpp, kmp_dispatch.h, kmp_tasking.cpp).
#pragma once

#include "runtimes/capabilities.hpp"
#include "runtimes/llvm/members.hpp"
#include "runtimes/llvm/private_fields.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

namespace gdb_ompd::llvm {

// A thread at a barrier. STACK are the words of its stack that are the runtime's.
struct AtBarrier {
    const OmpThread &thread;
    BarrierType type = BarrierType::plain;
    Phase phase = Phase::unknown;
    std::span<const std::uint64_t> stack;
};

// Throws UnknownField when made; what memory does not tell is none, or nothing.
class Barriers {
public:
    Barriers(const PrivateFields &fields, Teams &teams);

    // Whether the thread has to wait there still: the barrier is not complete.
    [[nodiscard]] std::optional<bool> keeps(const Memory &memory, const AtBarrier &at);
    // Whether it is certain that the thread has come to the barrier that is not complete,
    // whatever it executes while it waits there.
    [[nodiscard]] bool has_come(const Memory &memory, const AtBarrier &at);
    // Whether a worker that executes nothing has begun its team's region. PRIMARY_INSIDE
    // tells that the team's primary thread is in the region for certain.
    [[nodiscard]] std::optional<bool> has_begun(const Memory &memory, const AtBarrier &at,
                                                bool primary_inside);

private:
    [[nodiscard]] bool is_let_go(const Memory &memory, const AtBarrier &at) const;
    [[nodiscard]] bool has_tasks(const Memory &memory, const AtBarrier &at) const;
    [[nodiscard]] bool awaits_release(const AtBarrier &at) const;
    [[nodiscard]] const Team *team_of(const AtBarrier &at);
    [[nodiscard]] std::uint64_t complete(const Memory &memory, const AtBarrier &at);
    [[nodiscard]] TargetAddr arrival(TargetAddr thread, BarrierType type) const;
    [[nodiscard]] TargetAddr go(const AtBarrier &at) const;
    [[nodiscard]] const std::set<std::uint64_t> &arrivals(const Team &team, BarrierType type);
    [[nodiscard]] std::optional<bool> told(const Memory &memory, const AtBarrier &at);
    [[nodiscard]] bool gathers(const Memory &memory, const AtBarrier &at, bool or_has_gathered);
    [[nodiscard]] bool sleeps_for_another(const Memory &memory, const AtBarrier &at);

    Teams &teams_;
    FieldPlace team_barriers_, team_arrived_;  // of kmp_base_team_t, kmp_balign_team_t
    std::size_t team_barrier_size_;
    FieldPlace distributed_;                      // of kmp_base_team_t
    FieldPlace barriers_, state_, arrived_, go_;  // of kmp_base_info_t, kmp_balign_t, ...
    std::size_t barrier_size_;
    FieldPlace sleeps_on_, flag_word_;
    FieldPlace task_team_;                          // of kmp_base_info_t
    FieldPlace found_tasks_, unfinished_, active_;  // of kmp_base_task_team_t
    std::map<std::pair<std::uint64_t, BarrierType>, std::set<std::uint64_t>> arrivals_;
};

class Turns {
public:
    explicit Turns(const PrivateFields &fields);

    // Whether a thread's turn in an ordered construct is still to come.
    [[nodiscard]] std::optional<bool> is_to_come(const Memory &memory, TargetAddr thread) const;

private:
    struct Bounds {
        FieldPlace lower, iteration;
    };

    FieldPlace dispatch_, own_, shared_;
    FieldPlace own_bounds_, shared_bounds_, type_size_;
    Bounds narrow_, wide_;
};

// What a task's record tells of its children and groups.
class TaskWaits {
public:
    explicit TaskWaits(const PrivateFields &fields);

    // How many children of a task are not complete.
    [[nodiscard]] std::optional<std::int64_t> children(const Memory &memory, TargetAddr task) const;
    // The taskgroups that a task is in, innermost first.
    [[nodiscard]] std::vector<std::uint64_t> groups(const Memory &memory, TargetAddr task) const;
    // How many tasks of the innermost of them are not complete; 0 where there is none.
    [[nodiscard]] std::optional<std::int64_t> tasks_of_group(const Memory &memory,
                                                             TargetAddr task) const;

private:
    FieldPlace children_, group_, parent_, count_;
};

// The threads of TEAM that are not in the process: the runtime knows their pthread_t, and it is
// none of those ALIVE.
[[nodiscard]] std::vector<AbsentThread> absent(const Memory &memory, FieldPlace pthread_id,
                                               const Team &team,
                                               const std::set<std::uint64_t> &alive);

}  // namespace gdb_ompd::llvm
