// SPDX-License-Identifier: Apache-2.0
#include "runtimes/gnu/waiting_tasks.hpp"

#include "base/errors.hpp"

#include <algorithm>

namespace gdb_ompd::gnu {

namespace {

constexpr std::size_t max_depth = 100'000;
constexpr std::uint32_t most_lost = 100'000;

}  // namespace

// The regions around a thread, each with its team.
void TaskSearch::add_teams(const BusyThread &thread, TargetAddr innermost) {
    TargetAddr team = innermost;
    for (int region = thread.region; region > 0;) {
        const RegionFacts &facts = regions_[static_cast<std::size_t>(region) - 1];
        const std::uint32_t size = records_.team_size(team);
        if (!facts.team_size.known() ||
            static_cast<std::uint32_t>(*facts.team_size.value) != size) {
            throw Inconsistent("a record is not a team's");
        }
        teams_[team] = {region, size};
        if (!facts.parent.known()) {
            return;
        }
        region = *facts.parent.value;
        team = records_.outer_team(team);
    }
}

// The tasks of a thread: each generated the one before it. An initial task may have no record.
void TaskSearch::add_chain(const BusyThread &thread, const ThreadRecord &record) {
    TargetAddr team = record.team;
    std::size_t depth = 0;
    for (TargetAddr task = record.task; task.value != 0; ++depth) {
        if (depth < thread.chain.size()) {
            identities_[task] = thread.chain[depth];
        }
        Known &known = add(task, teams_.contains(team) ? std::optional(team) : std::nullopt);
        (depth == 0 ? known.is_current : known.is_ancestor) = true;
        if (known.task.stage == Stage::implicit && teams_.contains(team)) {
            team = records_.outer_team(team);
        }
        if (depth > max_depth) {
            throw Inconsistent("a task is an ancestor of itself");
        }
        task = known.task.parent;
    }
}

TaskSearch::Known &TaskSearch::add(TargetAddr task, std::optional<TargetAddr> team) {
    const auto known = known_.find(task);
    if (known != known_.end()) {
        return known->second;
    }
    Known &added = known_.emplace(task, Known{records_.task(task), team}).first->second;
    pending_.push_back(task);
    return added;
}

void TaskSearch::find() {
    for (const auto &each : teams_) {
        const TargetAddr team = each.first;
        records_.queued(team, [&](TargetAddr task) { add(task, team).is_queued = true; });
        for (std::uint32_t number = 0; number < each.second.size; ++number) {
            add(records_.implicit_task(team, number), team);
        }
    }
    follow();
}

// Everything found leads to more of the same team.
void TaskSearch::follow() {
    while (!pending_.empty()) {
        const Known &known = known_.at(pending_.back());
        pending_.pop_back();
        const TaskRecord task = known.task;
        const auto team = known.team;
        const auto found = [&](TargetAddr each) { add(each, team); };
        records_.children(task, found);
        records_.of_taskgroup(task.taskgroup, found);
        records_.successors(task, found);
    }
}

std::optional<Whereabouts> TaskSearch::whereabouts(const Known &known) {
    switch (known.task.stage) {
    case Stage::waiting:
        if (known.is_queued) {
            return Whereabouts::queued;
        }
        return known.task.predecessors > 0 ? std::optional(Whereabouts::blocked) : std::nullopt;
    case Stage::undeferred:
    case Stage::begun:
        return known.is_ancestor && !known.is_current ? std::optional(Whereabouts::suspended)
                                                      : std::nullopt;
    case Stage::detached:
        return Whereabouts::detached;
    case Stage::implicit:
    case Stage::on_device:
        break;
    }
    return std::nullopt;
}

// Of an implicit task its team and its thread's number there.
std::optional<std::pair<TargetAddr, std::uint32_t>>
TaskSearch::implicit_place(TargetAddr task) const {
    for (const auto &[team, facts] : teams_) {
        const std::uint64_t first = records_.implicit_task(team, 0).value;
        const std::uint64_t size = records_.implicit_task(team, 1).value - first;
        const std::uint64_t number = (task.value - first) / size;
        if (number < facts.size && task.value == first + number * size) {
            return std::pair(team, static_cast<std::uint32_t>(number));
        }
    }
    return std::nullopt;
}

std::uint64_t TaskSearch::identity(TargetAddr task) const {
    const auto known = identities_.find(task);
    return known != identities_.end() ? known->second : task.value;
}

WaitingTaskFacts TaskSearch::describe(const Known &known, Whereabouts where) const {
    const TaskRecord &task = known.task;
    WaitingTaskFacts facts;
    facts.identity = identity(task.address);
    facts.where = where;
    facts.final_task = task.is_final;
    // What is executed at once is given to no one else, and not kept.
    const auto function_of = [](const TaskRecord &of) {
        return of.stage == Stage::undeferred ? std::nullopt : std::optional(of.function);
    };
    facts.function = function_of(task);
    if (known.team) {
        facts.region = teams_.at(*known.team).region;
    }
    if (task.parent.value == 0) {  // what generated it has ended, or is an initial one
        facts.creator =
            task.stage == Stage::undeferred ? std::optional(TaskKind::initial) : std::nullopt;
        return facts;
    }
    facts.generated_by = identity(task.parent);
    if (const auto place = implicit_place(task.parent)) {
        facts.creator = TaskKind::implicit;
        facts.creator_region = teams_.at(place->first).region;
        facts.creator_thread_num = static_cast<int>(place->second);
    } else if (const auto parent = known_.find(task.parent); parent != known_.end()) {
        const TaskRecord &creator = parent->second.task;
        const bool is_initial = creator.stage == Stage::implicit;
        facts.creator = is_initial ? TaskKind::initial : TaskKind::explicit_;
        facts.creator_function = is_initial ? std::nullopt : function_of(creator);
    }
    return facts;
}

// What a team counts and is not found. A thread that changes the lists holds the count.
void TaskSearch::note_missing() {
    for (const auto &[address, known] : known_) {
        const Stage stage = known.task.stage;
        if (known.team && stage >= Stage::waiting) {
            ++teams_.at(*known.team).found;
            teams_.at(*known.team).detached += stage == Stage::detached ? 1 : 0;
        }
    }
    std::uint64_t missing = 0;
    for (auto &[team, facts] : teams_) {
        const auto count = records_.task_count(team);
        if (!count) {
            notes_.emplace_back("A thread changes the lists of tasks: not all may be shown.");
            return;
        }
        add_lost(team, facts);
        missing += *count > facts.found ? *count - facts.found : 0;
    }
    if (missing > 0) {
        notes_.push_back(missing == 1
                             ? "1 more task is made and not complete: nothing leads to it."
                             : std::to_string(missing) +
                                   " more tasks are made and not complete: nothing leads to them.");
    }
}

// Nothing leads to a detached task once the one that generated it has ended: it is counted alone.
void TaskSearch::add_lost(TargetAddr team, Team &facts) {
    const std::uint32_t count = std::min(records_.detached_count(team), most_lost);
    for (; facts.detached < count; ++facts.detached, ++facts.found) {
        WaitingTaskFacts lost;
        lost.identity = team.value + 1 + facts.detached;  // no record is there
        lost.where = Whereabouts::detached;
        lost.region = facts.region;
        lost_.push_back(std::move(lost));
    }
}

WaitingTasks TaskSearch::run(std::span<const BusyThread> threads) {
    WaitingTasks found;
    try {
        std::vector<ThreadRecord> records;
        for (const BusyThread &thread : threads) {
            records.push_back(records_.thread(thread.thread_pointer));
            if (records.back().thread_num != thread.thread_num) {
                throw Inconsistent("a record is not a thread's");
            }
            add_teams(thread, records.back().team);
        }
        for (std::size_t i = 0; i < threads.size(); ++i) {
            add_chain(threads[i], records[i]);
        }
        find();
        note_missing();
    } catch (const Inconsistent &error) {
        notes_.push_back(std::string("Not all tasks are shown: ") + error.what() + ".");
    }
    for (const auto &[address, known] : known_) {
        if (const auto where = whereabouts(known)) {
            found.tasks.push_back(describe(known, *where));
        }
    }
    found.tasks.insert(found.tasks.end(), lost_.begin(), lost_.end());
    found.notes = std::move(notes_);
    return found;
}

}  // namespace gdb_ompd::gnu
