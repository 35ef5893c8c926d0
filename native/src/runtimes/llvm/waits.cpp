// SPDX-License-Identifier: Apache-2.0
#include "runtimes/llvm/waits.hpp"

#include <algorithm>
#include <array>

namespace gdb_ompd::llvm {

namespace {

constexpr std::uint64_t state_bump = 4;   // KMP_BARRIER_STATE_BUMP: the bits below are flags
constexpr std::uint64_t sleep_state = 1;  // KMP_BARRIER_SLEEP_STATE
constexpr std::size_t max_groups = 1024;
constexpr std::size_t wide_loop = 8;  // the size of the type of a loop's variable

constexpr std::uint64_t without_flags(std::uint64_t state) { return state & ~(state_bump - 1); }

// What READ returns, OTHERWISE where memory does not hold what is expected there.
template <class Read, class Result> Result unless_damaged(Read &&read, Result otherwise) {
    try {
        return read();
    } catch (const Inconsistent &) {
        return otherwise;
    }
}

}  // namespace

Barriers::Barriers(const PrivateFields &fields, Teams &teams)
    : teams_(teams), team_barriers_(fields.at("kmp_base_team_t.t_bar")),
      team_arrived_(fields.at("kmp_balign_team_t.b_arrived")),
      team_barrier_size_(fields.at("kmp_balign_team_t").size),
      distributed_(fields.at("kmp_base_team_t.b")), barriers_(fields.at("kmp_base_info_t.th_bar")),
      state_(fields.at("kmp_balign_t.bb")), arrived_(fields.at("kmp_bstate_t.b_arrived")),
      go_(fields.at("kmp_bstate_t.b_go")), barrier_size_(fields.at("kmp_balign_t").size),
      sleeps_on_(fields.at("kmp_base_info_t.th_sleep_loc")),
      flag_word_(fields.at("kmp_flag_64<false, true>.loc")),
      task_team_(fields.at("kmp_base_info_t.th_task_team")),
      found_tasks_(fields.at("kmp_base_task_team_t.tt_found_tasks")),
      unfinished_(fields.at("kmp_base_task_team_t.tt_unfinished_threads")),
      active_(fields.at("kmp_base_task_team_t.tt_active")) {}

std::optional<bool> Barriers::keeps(const Memory &memory, const AtBarrier &at) {
    if (at.phase == Phase::gathers) {
        return !is_let_go(memory, at);
    }
    const bool waits = unless_damaged(
        [&] {
            return told(memory, at) == true || sleeps_for_another(memory, at) ||
                   gathers(memory, at, false);
        },
        false);
    if (waits) {
        return true;
    }
    if (at.phase != Phase::released) {
        return std::nullopt;
    }
    return unless_damaged([&] { return std::optional(has_tasks(memory, at)); },
                          std::optional<bool>{});
}

bool Barriers::has_come(const Memory &memory, const AtBarrier &at) {
    return unless_damaged(
        [&] {
            return (at.phase == Phase::gathers && !is_let_go(memory, at)) ||
                   told(memory, at) == true || gathers(memory, at, true);
        },
        false);
}

std::optional<bool> Barriers::has_begun(const Memory &memory, const AtBarrier &at,
                                        bool primary_inside) {
    if (has_come(memory, at)) {
        return true;
    }
    return unless_damaged(
        [&]() -> std::optional<bool> {
            if (told(memory, at) != false) {
                return std::nullopt;
            }
            if (has_tasks(memory, at) && awaits_release(at)) {
                return true;
            }
            return primary_inside || is_let_go(memory, at) ? std::optional(false) : std::nullopt;
        },
        std::optional<bool>{});
}

// Whether a worker was let go: it takes that word back as soon as it waits for it. One that has
// just told its arrival, and is still waking whom it told it, may have been let go already.
bool Barriers::is_let_go(const Memory &memory, const AtBarrier &at) const {
    return unless_damaged(
        [&] {
            return without_flags(memory.field(go(at), {0, go_.size})) == state_bump;
        },
        false);
}

// Whether a thread at a barrier that all have come to waits there for tasks. The primary thread
// lets nobody go before their task team has no unfinished thread, and ends that. It begins it anew
// at the next barrier, for the tasks after that, of which there are none before all have come.
bool Barriers::has_tasks(const Memory &memory, const AtBarrier &at) const {
    const TargetAddr task_team = memory.pointer(at.thread.address, task_team_);
    return task_team.value != 0 && !is_let_go(memory, at) &&
           memory.field(task_team, active_) != 0 && memory.field(task_team, found_tasks_) != 0 &&
           memory.signed_field(task_team, unfinished_) > 0;
}

// Whether a worker waits to be let go, by the words on its stack: see gathers().
bool Barriers::awaits_release(const AtBarrier &at) const {
    const std::array flag{go(at).value, state_bump};
    return std::search(at.stack.begin(), at.stack.end(), flag.begin(), flag.end()) !=
           at.stack.end();
}

const Team *Barriers::team_of(const AtBarrier &at) {
    return at.thread.team != nullptr ? at.thread.team : teams_.team_of(at.thread.address);
}

// The state of the last barrier that all of a thread's team have come to.
std::uint64_t Barriers::complete(const Memory &memory, const AtBarrier &at) {
    const Team *const team = team_of(at);
    if (team == nullptr) {
        throw Inconsistent("an OpenMP thread has no team");
    }
    const TargetAddr barrier = team->address + team_barriers_.offset +
                               static_cast<std::size_t>(at.type) * team_barrier_size_;
    return without_flags(memory.field(barrier, team_arrived_));
}

// The word by which a thread tells that it has arrived.
TargetAddr Barriers::arrival(TargetAddr thread, BarrierType type) const {
    return thread + barriers_.offset + static_cast<std::size_t>(type) * barrier_size_ +
           state_.offset + arrived_.offset;
}

// The word by which a worker is let go.
TargetAddr Barriers::go(const AtBarrier &at) const {
    return TargetAddr{arrival(at.thread.address, at.type).value - arrived_.offset + go_.offset};
}

const std::set<std::uint64_t> &Barriers::arrivals(const Team &team, BarrierType type) {
    const auto [found, is_new] = arrivals_.try_emplace({team.address.value, type});
    if (is_new) {
        for (const TargetAddr thread : team.threads) {
            if (thread.value != 0) {
                found->second.insert(arrival(thread, type).value);
            }
        }
    }
    return found->second;
}

// Whether a thread has told its arrival at the barrier that is not complete. None of the
// primary thread, which tells nobody, and of a team whose barriers are of another make.
std::optional<bool> Barriers::told(const Memory &memory, const AtBarrier &at) {
    const Team *const team = team_of(at);
    const bool tells = team != nullptr && at.thread.thread_num != 0;
    if (!tells || memory.field(team->address, distributed_) != 0) {
        return std::nullopt;
    }
    const std::uint64_t state =
        without_flags(memory.field(arrival(at.thread.address, at.type), {0, arrived_.size}));
    const std::uint64_t last = complete(memory, at);
    if (state == last + state_bump) {
        return true;
    }
    return state == last ? std::optional(false) : std::nullopt;
}

// Whether a thread gathers the others of its team, by the words on its stack. These are where the
// one that it waits for tells its arrival, and behind it what is to be there (kmp_flag_64). What an
// earlier barrier left there is over. OR_HAS_GATHERED: the other may have told it by now.
bool Barriers::gathers(const Memory &memory, const AtBarrier &at, bool or_has_gathered) {
    const Team *const team = team_of(at);
    if (team == nullptr || at.stack.empty()) {
        return false;
    }
    const std::uint64_t awaited = complete(memory, at) + state_bump;
    const std::uint64_t own = arrival(at.thread.address, at.type).value;
    const auto &places = arrivals(*team, at.type);
    for (std::size_t i = 0; i + 1 < at.stack.size(); ++i) {
        const std::uint64_t place = at.stack[i];
        if (at.stack[i + 1] != awaited || place == own || !places.contains(place)) {
            continue;
        }
        const std::uint64_t said = memory.field(TargetAddr{place}, {0, arrived_.size});
        if (or_has_gathered || without_flags(said) != awaited) {
            return true;
        }
    }
    return false;
}

// Whether a thread sleeps until another of its team tells that it has arrived.
bool Barriers::sleeps_for_another(const Memory &memory, const AtBarrier &at) {
    const TargetAddr flag = memory.pointer(at.thread.address, sleeps_on_);
    const Team *const team = team_of(at);
    if (flag.value == 0 || team == nullptr) {
        return false;
    }
    const TargetAddr word = memory.pointer(flag, flag_word_);
    if (word == arrival(at.thread.address, at.type) ||
        !arrivals(*team, at.type).contains(word.value)) {
        return false;
    }
    return memory.field(word, {0, arrived_.size}) == (complete(memory, at) | sleep_state);
}

Turns::Turns(const PrivateFields &fields)
    : dispatch_(fields.at("kmp_base_info_t.th_dispatch")),
      own_(fields.at("kmp_disp_t.th_dispatch_pr_current")),
      shared_(fields.at("kmp_disp_t.th_dispatch_sh_current")),
      own_bounds_(fields.at("dispatch_private_info_t.u")),
      shared_bounds_(fields.at("dispatch_shared_info_t.u")),
      type_size_(fields.at("dispatch_private_info_t.type_size")),
      narrow_{fields.at("dispatch_private_info32_t.ordered_lower"),
              fields.at("dispatch_shared_info32_t.ordered_iteration")},
      wide_{fields.at("dispatch_private_info64_t.ordered_lower"),
            fields.at("dispatch_shared_info64_t.ordered_iteration")} {}

std::optional<bool> Turns::is_to_come(const Memory &memory, TargetAddr thread) const {
    return unless_damaged(
        [&]() -> std::optional<bool> {
            const TargetAddr dispatch = memory.pointer(thread, dispatch_);
            const TargetAddr own = memory.pointer(dispatch, own_);
            const TargetAddr shared = memory.pointer(dispatch, shared_);
            const Bounds &bounds = memory.field(own, type_size_) == wide_loop ? wide_ : narrow_;
            return memory.field(own + own_bounds_.offset, bounds.lower) >
                   memory.field(shared + shared_bounds_.offset, bounds.iteration);
        },
        std::optional<bool>{});
}

TaskWaits::TaskWaits(const PrivateFields &fields)
    : children_(fields.at("kmp_taskdata_t.td_incomplete_child_tasks")),
      group_(fields.at("kmp_taskdata_t.td_taskgroup")),
      parent_(fields.at("kmp_taskgroup_t.parent")), count_(fields.at("kmp_taskgroup_t.count")) {}

std::optional<std::int64_t> TaskWaits::children(const Memory &memory, TargetAddr task) const {
    return unless_damaged([&] { return std::optional(memory.signed_field(task, children_)); },
                          std::optional<std::int64_t>{});
}

std::vector<std::uint64_t> TaskWaits::groups(const Memory &memory, TargetAddr task) const {
    return unless_damaged(
        [&] {
            std::vector<std::uint64_t> found;
            TargetAddr group = memory.pointer(task, group_);
            while (group.value != 0 && found.size() < max_groups) {
                found.push_back(group.value);
                group = memory.pointer(group, parent_);
            }
            return found;
        },
        std::vector<std::uint64_t>{});
}

std::optional<std::int64_t> TaskWaits::tasks_of_group(const Memory &memory, TargetAddr task) const {
    return unless_damaged(
        [&] {
            const TargetAddr group = memory.pointer(task, group_);
            return std::optional(group.value == 0 ? std::int64_t{0}
                                                  : memory.signed_field(group, count_));
        },
        std::optional<std::int64_t>{});
}

std::vector<AbsentThread> absent(const Memory &memory, FieldPlace pthread_id, const Team &team,
                                 const std::set<std::uint64_t> &alive) {
    return unless_damaged(
        [&] {
            std::vector<AbsentThread> found;
            for (int number = 0; const TargetAddr thread : team.threads) {
                const std::uint64_t pthread =
                    thread.value == 0 ? 0 : memory.field(thread, pthread_id);
                if (pthread != 0 && !alive.contains(pthread)) {
                    found.push_back({number, pthread});
                }
                ++number;
            }
            return found;
        },
        std::vector<AbsentThread>{});
}

}  // namespace gdb_ompd::llvm
