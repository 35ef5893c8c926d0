// SPDX-License-Identifier: Apache-2.0
#include "runtimes/llvm/waiting_tasks.hpp"

#include <algorithm>

namespace gdb_ompd::llvm {

namespace {

constexpr std::size_t max_tasks = 100'000;
// Among a team's implicit tasks: there are more where its size is damaged.
constexpr int most_strangers = 64;
constexpr const char *cut = "There are more tasks than these: so many records are not looked at.";

bool could_be_code(TargetAddr address) {
    return address.value >= 4096 && address.value < std::uint64_t{1} << 56U;
}

// The region of a team's tasks. Serialized regions nested in each other share a record: it is
// not known whose it is.
std::optional<RegionKey> region_of(const Team &team) {
    return team.levels() == 1 ? innermost_region(&team) : std::nullopt;
}

std::string not_found(std::int64_t count) {
    return (count == 1 ? "1 task is" : std::to_string(count) + " tasks are") +
           " counted as not complete and not found: just being made, or detached.";
}

}  // namespace

TaskSearch::TaskSearch(const PrivateFields &fields, const Layout &layout,
                       TaskRecords::CodeRanges runtime, Teams &teams, const Members &members,
                       bool schedulers)
    : records_(fields, layout, std::move(runtime)), queues_(fields, max_tasks),
      dependences_(fields), pools_(fields), teams_(teams), members_(members),
      schedulers_(schedulers) {
    for (const Member &member : members_.all()) {
        if (member.thread.team != nullptr) {
            current_.insert(member.thread.task.value);
        }
        for (const Team *team = member.thread.team; team != nullptr; team = team->parent) {
            live_.emplace(team->address.value, team);
        }
    }
}

FoundTasks TaskSearch::run(const Memory &memory) {
    try {
        find(memory);
    } catch (const BudgetSpent &spent) {
        notes_.push_back(std::string(cut) + " (" + spent.what() + ")");
    } catch (const Inconsistent &error) {
        return {{},
                {std::string("Tasks that are not running are not known: ") + error.what() + "."}};
    }
    if (queues_.is_cut() || known_.size() >= max_tasks) {
        notes_.emplace_back(cut);
    }
    FoundTasks found{{}, notes_};
    const Memory again = memory.for_walk(Budget());  // the first may have spent its own
    try {
        for (const auto &[address, known] : known_) {
            if (const auto where = whereabouts(known)) {
                found.tasks.push_back(describe(again, *known.task, *where));
            }
        }
    } catch (const BudgetSpent &spent) {
        found.notes.push_back(std::string(cut) + " (" + spent.what() + ")");
    }
    return found;
}

void TaskSearch::find(const Memory &memory) {
    std::vector<TargetAddr> pending;
    for (const auto &[address, team] : live_) {
        queues_.read(memory, *team);
        const std::vector<TargetAddr> implicit = implicit_tasks(memory, *team);
        if (!implicit.empty()) {
            first_.insert(implicit.front().value);
        }
        pending.insert(pending.end(), implicit.begin(), implicit.end());
    }
    for (const std::uint64_t task : current_) {
        pending.push_back({task});
    }
    for (const auto &[task, queued] : queues_.tasks()) {
        pending.push_back({task});
    }
    follow(memory, std::move(pending));
    find_detached(memory);
    std::int64_t count = 0;
    for (const auto &[parent, number] : missing()) {
        count += number;
    }
    if (count != 0) {
        notes_.push_back(not_found(count));
    }
}

// Find the tasks whose event is awaited: among those missing, and whose parent, which is complete,
// nothing else leads to.
void TaskSearch::find_detached(const Memory &memory) {
    std::set<std::uint64_t> threads;
    for (const auto &[address, team] : live_) {
        for (const TargetAddr thread : team->threads) {
            threads.insert(thread.value);
        }
    }
    threads.erase(0);
    const auto parents = missing();
    std::vector<TargetAddr> found;
    for (const std::uint64_t thread : threads) {
        pools_.awaiting_events(memory, records_, {thread}, [&](const TaskRecord &task) {
            if (parents.contains(task.parent.value) || is_left_by_parent(memory, task)) {
                found.push_back(task.address);
            }
        });
    }
    follow(memory, std::move(found));
}

// Whether the task that generated TASK is complete. Its record is kept until its children are.
bool TaskSearch::is_left_by_parent(const Memory &memory, const TaskRecord &task) {
    const TaskRecord *const parent = records_.read(memory, task.parent);
    return parent != nullptr && records_.is_explicit(*parent) &&
           (parent->flags & (records_.flags().complete | records_.flags().freed)) ==
               records_.flags().complete;
}

// A team's implicit tasks, which lie one behind the other.
std::vector<TargetAddr> TaskSearch::implicit_tasks(const Memory &memory, const Team &team) {
    std::vector<TargetAddr> found;
    TargetAddr task = team.implicit_tasks;
    int strangers = 0;
    for (int number = 0; task.value != 0 && number < team.size; ++number) {
        const TaskRecord *const record = records_.read(memory, task);
        strangers += record == nullptr || record->team != team.address ? 1 : 0;
        if (strangers > most_strangers) {
            break;
        }
        found.push_back(task);
        task = task + records_.size();
    }
    return found;
}

// Look at these tasks and at all that they lead to.
void TaskSearch::follow(const Memory &memory, std::vector<TargetAddr> pending) {
    while (!pending.empty() && known_.size() < max_tasks) {
        const TargetAddr address = pending.back();
        pending.pop_back();
        if (known_.contains(address.value)) {
            continue;
        }
        const TaskRecord *const task = records_.read(memory, address);
        if (task == nullptr || !is_task(*task)) {
            continue;
        }
        known_[address.value] = {task};
        try {
            follow_one(memory, *task, pending);
        } catch (const Unreadable &) {
            continue;  // changed while it is read: what is known of it is enough
        }
    }
}

void TaskSearch::follow_one(const Memory &memory, const TaskRecord &task,
                            std::vector<TargetAddr> &pending) {
    if (records_.is_explicit(task) || first_.contains(task.address.value)) {
        pending.push_back(task.parent);
    }
    if (!records_.is_live(task)) {
        return;
    }
    if (is_on_stack(task)) {
        pending.push_back(task.last_tied);
        if (schedulers_) {
            pending.push_back(task.scheduler);
        }
    }
    if (const TaskRecord *const pattern = records_.pattern_of(memory, task)) {
        pending.push_back(pattern->address);
    }
    known_[task.address.value].is_blocked = dependences_.are_open(memory, task);
    const auto visit = [&](const TaskRecord &other) { pending.push_back(other.address); };
    dependences_.successors(memory, records_, task, visit);
    dependences_.of_children(memory, records_, task, visit);
}

// Whether a record is a task's: of a live team, and with a function where it is explicit.
bool TaskSearch::is_task(const TaskRecord &task) const {
    if (!live_.contains(task.team.value)) {
        return false;
    }
    return !records_.is_explicit(task) || (could_be_code(task.routine) && task.parent.value != 0);
}

bool TaskSearch::is_on_stack(const TaskRecord &task) const {
    const TaskFlags &flags = records_.flags();
    if (current_.contains(task.address.value)) {
        return true;
    }
    return records_.is_explicit(task) && (task.flags & flags.started) != 0 &&
           (task.flags & flags.proxy) == 0 && !queues_.tasks().contains(task.address.value);
}

// How many tasks each parent says are not complete that are not known.
std::map<std::uint64_t, std::int64_t> TaskSearch::missing() const {
    std::map<std::uint64_t, std::int64_t> known;
    for (const auto &[address, one] : known_) {
        if (records_.is_explicit(*one.task) && records_.is_live(*one.task) &&
            records_.is_tracked(*one.task)) {
            ++known[one.task->parent.value];
        }
    }
    std::map<std::uint64_t, std::int64_t> found;
    for (const auto &[address, one] : known_) {
        const auto seen = known.find(address);
        const std::int64_t count = one.task->children - (seen == known.end() ? 0 : seen->second);
        if (records_.is_live(*one.task) && count > 0) {
            found[address] = count;
        }
    }
    return found;
}

// None for a task that is executed, complete, or just being handed on.
std::optional<Whereabouts> TaskSearch::whereabouts(const Known &known) const {
    const TaskRecord &task = *known.task;
    const TaskFlags &flags = records_.flags();
    if (!records_.is_explicit(task) || !records_.is_live(task) ||
        current_.contains(task.address.value)) {
        return std::nullopt;
    }
    if (queues_.tasks().contains(task.address.value)) {
        return known.is_blocked ? Whereabouts::blocked : Whereabouts::queued;
    }
    if ((task.flags & flags.started) != 0) {
        if ((task.flags & flags.executing) != 0) {
            return std::nullopt;
        }
        const bool is_detached = (task.flags & flags.proxy) != 0 && task.awaits_event;
        return is_detached ? Whereabouts::detached : Whereabouts::suspended;
    }
    return known.is_blocked ? std::optional(Whereabouts::blocked) : std::nullopt;
}

WaitingTask TaskSearch::describe(const Memory &memory, const TaskRecord &task, Whereabouts where) {
    WaitingTask found{.identity = task.address, .where = where};
    const auto queued = queues_.tasks().find(task.address.value);
    if (queued != queues_.tasks().end()) {
        found.queue = members_.gdb_num_of(queued->second);
    }
    found.is_final = (task.flags & records_.flags().final_task) != 0;
    found.is_tied = (task.flags & records_.flags().tied) != 0;
    found.generated_by = task.parent;
    found.region = region_of(*live_.at(task.team.value));
    found.function = records_.function_of(memory, task);
    found.construct = records_.construct_of(memory, task);
    const TaskRecord *const creator = records_.read(memory, task.parent);
    if (creator != nullptr && creator->team.value != 0) {
        add_creator(memory, *creator, found);
    }
    return found;
}

void TaskSearch::add_creator(const Memory &memory, const TaskRecord &creator, WaitingTask &found) {
    if (records_.is_explicit(creator)) {
        found.creator = TaskKind::explicit_;
        found.creator_function = records_.function_of(memory, creator);
        found.creator_construct = records_.construct_of(memory, creator);
        return;
    }
    try {
        const Team &team = teams_.team(creator.team);
        found.creator = team.levels() != 0 ? TaskKind::implicit : TaskKind::initial;
        if (team.levels() == 0) {
            return;
        }
        const std::uint64_t offset = creator.address.value - team.implicit_tasks.value;
        if (offset % records_.size() == 0 &&
            offset / records_.size() < static_cast<std::uint64_t>(team.size)) {
            found.creator_thread_num = static_cast<int>(offset / records_.size());
        }
        found.creator_region = region_of(team);
    } catch (const BudgetSpent &) {
        throw;
    } catch (const Inconsistent &) {
        return;
    }
}

}  // namespace gdb_ompd::llvm
