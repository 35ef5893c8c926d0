// SPDX-License-Identifier: Apache-2.0
#include "runtimes/gnu/capabilities.hpp"

#include "base/errors.hpp"

#include <algorithm>

namespace gdb_ompd::gnu {

namespace {

constexpr std::size_t max_groups = 1024;
constexpr std::uint64_t depth_of_nest_lock = 4, owner_of_nest_lock = 8;

// What READ returns, OTHERWISE where memory does not hold what is expected there.
template <class Result, class Read> Result unless_damaged(Read &&read, Result otherwise = {}) {
    try {
        return read();
    } catch (const Inconsistent &) {
        return otherwise;
    }
}

}  // namespace

Capabilities::Capabilities(std::shared_ptr<AddressSpace> space, const Records &records,
                           const BarrierPlace &barriers, Pointers pointers)
    : space_(std::move(space)), records_(records), barriers_(barriers),
      pointers_(std::move(pointers)) {}

std::optional<ThreadRecord> Capabilities::record(int gdb_num) const {
    const auto pthread = pointers_.find(gdb_num);
    if (pthread == pointers_.end()) {
        return std::nullopt;
    }
    const ThreadRecord thread = records_.thread(pthread->second);
    return thread.team.value == 0 ? std::nullopt : std::optional(thread);
}

std::optional<TeamBarrier> Capabilities::barrier_of(const ThreadRecord &thread) const {
    return barriers_.read(thread.team, records_.team_size(thread.team));
}

std::optional<int> Capabilities::executor(TargetAddr task) const {
    std::optional<int> found;
    for (const auto &[gdb_num, pthread] : pointers_) {
        const auto records = unless_damaged<std::vector<TargetAddr>>(
            [this, id = pthread] { return records_.executed_by(id); });
        if (std::ranges::find(records, task) != records.end()) {
            if (found) {
                return std::nullopt;
            }
            found = gdb_num;
        }
    }
    return found;
}

// All kinds begin with the same word. A nest lock belongs to a task, by the address of the
// task's ICVs, and a program that was linked before there were tasks has another record.
LockWord Capabilities::lock(TargetAddr address, Mutex kind) const {
    constexpr std::uint64_t taken = 1;
    constexpr std::uint64_t taken_and_wanted = 0xffff'ffff;
    const auto word = space_->uint_at(address, 4);
    if (!word) {
        return {};
    }
    LockWord found{.held = *word != 0};
    if (kind != Mutex::nest_lock || (*word != taken && *word != taken_and_wanted)) {
        return found;
    }
    const auto depth = space_->uint_at(address + depth_of_nest_lock, 4);
    const auto owner = space_->uint_at(address + owner_of_nest_lock, 8);
    if (depth && owner && *depth != 0 && *owner != 0) {
        found.keeps_owner = true;
        found.depth = static_cast<std::int64_t>(*depth);
        found.owner = executor(records_.task_with_icvs(TargetAddr{*owner}));
    }
    return found;
}

std::optional<TeamBarrier> Capabilities::sleeps_at(const StackOfThread &stack) const {
    return unless_damaged<std::optional<TeamBarrier>>([&]() -> std::optional<TeamBarrier> {
        const auto thread = record(stack.gdb_num);
        const auto barrier = thread ? barrier_of(*thread) : std::nullopt;
        const bool sleeps =
            barrier && stack.sleeps_in && stack.sleeps_in->address == barrier->futex;
        return sleeps ? barrier : std::nullopt;
    });
}

// The last that comes sets the number of those missing back, and only then begins the next
// generation, which may be after the tasks of the team.
std::optional<bool> Capabilities::kept_at_barrier(const StackOfThread &stack) {
    const auto barrier = sleeps_at(stack);
    if (!barrier) {
        return is_woken_in_pool(stack) == false ? std::optional(false) : std::nullopt;
    }
    const Generation own{stack.sleeps_in->found};
    if (!barrier->generation.is_as(own)) {
        return false;
    }
    if (barrier->generation.is_cancelled() && !own.is_cancelled()) {
        return std::nullopt;
    }
    const bool is_at_end = stack.type == BarrierType::forkjoin;
    const bool is_begun = is_at_end ? barrier->is_begun_at_end() : barrier->is_begun();
    return is_begun || barrier->generation.waits_for_tasks() ? std::optional(true) : std::nullopt;
}

// A thread that is to execute a task is woken by a flag of the generation.
bool Capabilities::sleeps_until_tasks_are_done(const StackOfThread &stack) {
    const auto barrier = sleeps_at(stack);
    return barrier && kept_at_barrier(stack).value_or(false) &&
           barrier->generation.waits_for_tasks() && !barrier->generation.has_tasks();
}

// It sleeps in a semaphore, which a task that becomes ready posts only where it waited for others.
bool Capabilities::sleeps_until_a_task_is_done(const StackOfThread &stack) const {
    constexpr std::uint32_t waited_for = 0x8000'0000;  // and not posted
    const std::optional<Futex> &futex = stack.sleeps_in;
    return futex && futex->found == waited_for && space_->uint_at(futex->address, 4) == waited_for;
}

bool Capabilities::has_come(const StackOfThread &stack) {
    return kept_at_barrier(stack).value_or(false);
}

// A worker sleeps in its pool until it is given a region.
std::optional<bool> Capabilities::is_woken_in_pool(const StackOfThread &stack) const {
    return unless_damaged<std::optional<bool>>([&]() -> std::optional<bool> {
        const auto thread = record(stack.gdb_num);
        const std::optional<Futex> &futex = stack.sleeps_in;
        if (!thread || !futex || futex->address != Records::dock(thread->pool)) {
            return std::nullopt;
        }
        const auto now = space_->uint_at(futex->address, 4);
        return now ? std::optional(*now != futex->found) : std::nullopt;
    });
}

// One that nobody has woken is back in its pool, if the region has begun for the others.
std::optional<bool> Capabilities::has_begun(const StackOfThread &stack, bool primary_inside) {
    if (has_come({stack.gdb_num, BarrierType::forkjoin, stack.phase, {}, stack.sleeps_in})) {
        return true;
    }
    const auto is_woken = is_woken_in_pool(stack);
    return is_woken ? std::optional(!primary_inside && !*is_woken) : std::nullopt;
}

std::optional<bool> Capabilities::turn_is_to_come(int gdb_num) const {
    return unless_damaged<std::optional<bool>>([&]() -> std::optional<bool> {
        const auto thread = record(gdb_num);
        return thread ? std::optional(!records_.is_released(*thread)) : std::nullopt;
    });
}

std::optional<LoopRecord> Capabilities::loop(int gdb_num) const {
    return unless_damaged<std::optional<LoopRecord>>([&]() -> std::optional<LoopRecord> {
        const auto thread = record(gdb_num);
        return thread ? records_.loop(pointers_.at(gdb_num)) : std::nullopt;
    });
}

OmpPlace Capabilities::place(int gdb_num) const {
    const auto pthread = pointers_.find(gdb_num);
    return pthread == pointers_.end()
               ? OmpPlace{}
               : unless_damaged<OmpPlace>([&] { return records_.place(pthread->second); });
}

// The children of a task that are not complete. The runtime has those that are blocked on
// dependences in no list of their parent's, but as successors of the others.
std::set<TargetAddr> Capabilities::incomplete(TargetAddr task) const {
    std::set<TargetAddr> found;
    std::vector<TargetAddr> pending;
    const auto add = [&](TargetAddr child) {
        if (found.insert(child).second) {
            pending.push_back(child);
        }
    };
    records_.children(records_.task(task), add);
    while (!pending.empty()) {
        const TaskRecord child = records_.task(pending.back());
        pending.pop_back();
        records_.successors(child, [&](TargetAddr next) {
            if (records_.task(next).parent == task) {
                add(next);
            }
        });
    }
    return found;
}

std::optional<std::int64_t> Capabilities::children(int gdb_num, bool undeferred) const {
    return unless_damaged<std::optional<std::int64_t>>([&]() -> std::optional<std::int64_t> {
        const auto thread = record(gdb_num);
        if (!thread || thread->task.value == 0) {
            return std::nullopt;
        }
        const std::int64_t unmade = undeferred ? 1 : 0;  // it is made when its time has come
        return unmade + static_cast<std::int64_t>(incomplete(thread->task).size());
    });
}

std::vector<std::uint64_t> Capabilities::groups(int gdb_num) const {
    return unless_damaged<std::vector<std::uint64_t>>([&] {
        std::vector<std::uint64_t> found;
        const auto thread = record(gdb_num);
        TargetAddr group = thread && thread->task.value != 0 ? records_.task(thread->task).taskgroup
                                                             : TargetAddr{};
        for (; group.value != 0 && found.size() < max_groups; group = records_.outer_group(group)) {
            found.push_back(group.value);
        }
        return found;
    });
}

std::optional<std::int64_t> Capabilities::tasks_of_group(int gdb_num) const {
    return unless_damaged<std::optional<std::int64_t>>([&]() -> std::optional<std::int64_t> {
        const auto thread = record(gdb_num);
        if (!thread || thread->task.value == 0) {
            return std::nullopt;
        }
        return records_.count_in_group(records_.task(thread->task).taskgroup);
    });
}

// A thread's record stays where it was when the thread has left.
TargetAddr Capabilities::team_around(int gdb_num, int outer) {
    const auto thread = record(gdb_num);
    TargetAddr team = thread ? thread->team : TargetAddr{};
    for (int level = 0; level < outer && team.value != 0; ++level) {
        team = records_.outer_team(team);
    }
    return team;
}

std::vector<AbsentThread> Capabilities::absent(int gdb_num, int outer,
                                               const std::set<std::uint64_t> &alive) {
    return unless_damaged<std::vector<AbsentThread>>([&] {
        std::vector<AbsentThread> found;
        const TargetAddr team = team_around(gdb_num, outer);
        const std::uint32_t size = team.value != 0 ? records_.team_size(team) : 0;
        const auto barrier = team.value != 0 ? barriers_.read(team, size) : std::nullopt;
        for (std::uint32_t number = 1; barrier && number < size; ++number) {
            const auto pthread = records_.member(team, number);
            if (pthread && !alive.contains(*pthread)) {
                found.push_back(
                    {static_cast<int>(number), *pthread, records_.is_given_region(*pthread)});
            } else if (const auto replaced = records_.replaced(team, number)) {
                found.push_back({static_cast<int>(number), *replaced, true});
            }
        }
        return found;
    });
}

std::vector<AbsentThread> Capabilities::absent_workers(int gdb_num,
                                                       const std::set<std::uint64_t> &alive) {
    return unless_damaged<std::vector<AbsentThread>>([&] {
        std::vector<AbsentThread> found;
        const auto known = pointers_.find(gdb_num);
        const TargetAddr pool =
            known == pointers_.end() ? TargetAddr{} : records_.thread(known->second).pool;
        for (int number = 1; const auto pthread : records_.workers(pool)) {
            if (pthread && !alive.contains(*pthread)) {
                found.push_back({number, *pthread});
            }
            ++number;
        }
        return found;
    });
}

}  // namespace gdb_ompd::gnu
