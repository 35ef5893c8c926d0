// SPDX-License-Identifier: Apache-2.0
#include "runtimes/llvm/task_chain.hpp"

#include <algorithm>
#include <unordered_set>

namespace gdb_ompd::llvm {

namespace {

// Recursive task programs nest deeply; a longer chain is damaged memory.
constexpr std::size_t max_chain = 100'000;
constexpr TargetAddr not_kept{};

// Where the ompt_task_info_t of the INNER-th task from the inside is kept: each nested region
// swaps the encountering task's into its own record. 0 where nothing is kept.
TargetAddr info_of(TargetAddr info, const std::vector<SerializedFrame> &kept, int inner) {
    if (inner == 0) {
        return info;
    }
    const auto before = static_cast<std::size_t>(inner) - 1;
    return before < kept.size() ? kept[before].task_info : TargetAddr{};
}

}  // namespace

std::vector<ChainedTask> TaskChains::chain(const OmpThread &thread) const {
    std::vector<ChainedTask> found;
    walk(thread, [&found](const ChainedTask &task) {
        found.push_back(task);
        return true;
    });
    return found;
}

std::vector<ChainedTask> TaskChains::chain_from(TargetAddr address) const {
    std::vector<ChainedTask> found;
    Emitted emitted;
    walk_from(address, nullptr, emitted, [&found](const ChainedTask &task) {
        found.push_back(task);
        return true;
    });
    return found;
}

std::optional<TaskKind> TaskChains::current_kind(const OmpThread &thread) const {
    if (thread.task.value == 0) {
        return std::nullopt;
    }
    const bool is_nested = thread.team != nullptr && thread.team->levels() >= 2;
    if (!is_nested && thread.address != teams_->boundary().thread) {
        const Team *const team = implicit_in(thread);
        return team != nullptr ? kind_in(thread.task, *team) : kind_of(thread.task);
    }
    std::optional<TaskKind> kind;  // the record may be an enclosing task's
    walk(thread, [&kind](const ChainedTask &task) {
        kind = task.is_placed ? std::optional(task.kind) : std::nullopt;
        return false;
    });
    return kind;
}

TaskKind TaskChains::kind_of(TargetAddr address) const {
    return is_explicit(address) ? TaskKind::explicit_ : kind_in(address, team_of(address));
}

TaskKind TaskChains::kind_in(TargetAddr address, const Team &team) const {
    return is_explicit(address) ? TaskKind::explicit_
           : team.levels() > 0  ? TaskKind::implicit
                                : TaskKind::initial;
}

void TaskChains::walk(const OmpThread &thread, const Take &take) const {
    Emitted emitted;
    if (thread.task.value != 0 && thread.address == teams_->boundary().thread) {
        walk_from(encountering(thread.task, emitted), nullptr, emitted, take);
    } else {
        walk_from(thread.task, implicit_in(thread), emitted, take);
    }
}

// THREAD's team, if it executes the primary thread's implicit task there, none otherwise. Where
// the region begins that task's record may not name its team yet.
const Team *TaskChains::implicit_in(const OmpThread &thread) {
    const bool is_first = thread.team != nullptr && thread.task.value != 0 &&
                          thread.task == thread.team->implicit_tasks;
    return is_first ? thread.team : nullptr;
}

// From TASK on, which is in the team FIRST, if one is given.
void TaskChains::walk_from(TargetAddr task, const Team *first, Emitted &emitted,
                           const Take &take) const {
    std::unordered_set<std::uint64_t> met;
    const Team *below = nullptr;
    while (task.value != 0) {
        const Team &team = below == nullptr && first != nullptr ? *first : team_of(task);
        // The implicit tasks of a league and of its initial team are one task.
        const bool is_leagues = below != nullptr && below->parent == &team &&
                                team.parent != nullptr && below->levels() == 0 &&
                                team.levels() == 0;
        if (!is_leagues && !take_record(task, team, emitted, take)) {
            return;
        }
        below = &team;
        met.insert(task.value);
        task = parent_of(task, team);
        if (met.contains(task.value) || met.size() > max_chain) {
            throw Inconsistent("an OpenMP task's ancestors have no end: memory is damaged");
        }
    }
}

// The task that met the construct of the region that begins or ends. The runtime makes the implicit
// task of a serialized region current before it announces the region. Where such regions are nested
// in each other, all share one record, which lacks the innermost one's.
TargetAddr TaskChains::encountering(TargetAddr address, Emitted &emitted) const {
    const Team &team = team_of(address);
    if (team.address != teams_->boundary().team) {
        return address;
    }
    if (team.levels() <= 1) {
        return parent_of(address, team);
    }
    emitted[team.address.value].done = 1;
    return address;
}

// All implicit tasks of a region have one generating task, the encountering one. The runtime
// keeps it right in the primary thread's only, once the region has begun; a worker's may be of an
// earlier region of the same team.
TargetAddr TaskChains::parent_of(TargetAddr address, const Team &team) const {
    if (!is_explicit(address)) {
        if (const TargetAddr outside = teams_->task_outside(team); outside.value != 0) {
            return outside;
        }
        address = team.size > 1 && team.implicit_tasks.value != 0 ? team.implicit_tasks : address;
    }
    return memory().pointer(address, places().task.parent);
}

// Serialized regions nested in each other have no records of their own: their implicit tasks
// share their team's, or that of the explicit task they are in.
bool TaskChains::take_record(TargetAddr address, const Team &team, Emitted &emitted,
                             const Take &take) const {
    const TaskKind kind = kind_in(address, team);
    const TargetAddr info = address + places().task.info;
    if (team.levels() <= 1) {
        return take(record(address, team, kind, info, std::max(team.levels() - 1, 0)));
    }
    Shared &shared = emitted[team.address.value];
    std::vector<SerializedFrame> kept = teams_->serialized_frames(team);
    const bool is_whole = keeps_all(team, kept);
    kept.erase(kept.begin(),
               kept.begin() + std::min<std::ptrdiff_t>(shared.done, std::ssize(kept)));
    const int top = team.levels() - 1 - shared.done;
    const auto take_one = [&](TaskKind of_kind, int inner) {
        const TargetAddr kept_at =
            is_whole && !shared.is_lost ? info_of(info, kept, inner) : not_kept;
        ChainedTask task = record(address, team, of_kind, kept_at, top - inner);
        task.is_placed = !shared.is_lost || (of_kind != TaskKind::explicit_ && top == inner);
        return take(task);
    };
    int inside = top + 1;
    if (kind == TaskKind::explicit_) {
        const auto known = is_whole ? regions_inside(info, kept, top) : std::nullopt;
        shared.is_lost = shared.is_lost || !known;
        inside = shared.is_lost ? 0 : *known;
        shared.done += inside;
    }
    for (int inner = 0; inner < inside; ++inner) {
        if (!take_one(TaskKind::implicit, inner)) {
            return false;
        }
    }
    return kind != TaskKind::explicit_ || take_one(kind, inside);
}

// How many serialized regions an explicit task has begun and is in. Each has put the task's
// own information aside, which alone has a scheduling task. None where that is lost.
std::optional<int> TaskChains::regions_inside(TargetAddr info,
                                              const std::vector<SerializedFrame> &kept,
                                              int most) const {
    for (int count = 0; count <= most && count <= std::ssize(kept); ++count) {
        if (memory().field(info_of(info, kept, count), places().task_info.scheduling) != 0) {
            return count;
        }
    }
    return std::nullopt;
}

ChainedTask TaskChains::record(TargetAddr address, const Team &team, TaskKind kind, TargetAddr info,
                               int nest) const {
    ChainedTask task;
    task.address = address;
    task.nest = nest;
    task.kind = kind;
    const std::uint64_t flags = flags_of(address);
    task.is_final = (flags & places().final_task) != 0;
    task.is_undeferred = (flags & places().undeferred_task) != 0;
    if (info.value != 0) {
        task.enter_frame = memory().pointer(info, places().task_info.enter_frame);
        task.exit_frame = memory().pointer(info, places().task_info.exit_frame);
        task.scheduling = memory().pointer(info, places().task_info.scheduling);
    }
    if (kind == TaskKind::explicit_) {
        task.function = routine_of(address);
    } else if (kind == TaskKind::implicit && team.size > 1) {
        task.function = team.function;  // a serialized team keeps what an earlier use left there
    }
    task.region =
        team.levels() > 0 ? std::optional(RegionKey{team.address, nest}) : innermost_region(&team);
    return task;
}

std::vector<ChainedTask> TaskChains::implicit_tasks(const Team &team, int nest) const {
    std::vector<ChainedTask> found;
    const TargetAddr first = team.implicit_tasks;
    for (int number = 0; first.value != 0 && number < team.size; ++number) {
        Emitted emitted;
        const auto take = [&](const ChainedTask &task) {
            if (task.nest == nest) {
                found.push_back(task);
            }
            return true;
        };
        const TargetAddr own = first + static_cast<std::uint64_t>(number) * places().task_size;
        static_cast<void>(take_record(own, team, emitted, take));
    }
    return found;
}

std::optional<int> TaskChains::thread_num_of(TargetAddr address) const {
    const Team &team = team_of(address);
    const std::uint64_t distance = address.value - team.implicit_tasks.value;
    const std::uint64_t number = distance / places().task_size;
    const bool is_in_array =
        distance % places().task_size == 0 && number < static_cast<std::uint64_t>(team.size);
    return is_in_array ? std::optional(static_cast<int>(number)) : std::nullopt;
}

// Its kmp_task_t follows its record.
TargetAddr TaskChains::routine_of(TargetAddr address) const {
    return memory().pointer(address + places().task_size, places().routine);
}

const Team &TaskChains::team_of(TargetAddr address) const {
    return team_at(memory().pointer(address, places().task.team));
}

const Team &TaskChains::team_at(TargetAddr kmp_team) const {
    if (kmp_team.value == 0) {
        throw Inconsistent("an OpenMP task belongs to no team: memory is damaged");
    }
    return teams_->team(kmp_team + places().team_in_pointer);
}

bool TaskChains::is_explicit(TargetAddr address) const {
    return (flags_of(address) & places().explicit_task) != 0;
}

std::uint64_t TaskChains::flags_of(TargetAddr address) const {
    return memory().field(address, places().task.flags);
}

}  // namespace gdb_ompd::llvm
