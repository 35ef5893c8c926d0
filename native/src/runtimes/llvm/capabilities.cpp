// SPDX-License-Identifier: Apache-2.0
#include "runtimes/llvm/capabilities.hpp"

namespace gdb_ompd::llvm {

namespace {

// What a runtime with these places has of a capability, none where it lacks one of them.
template <class Capability, class... Arguments>
std::optional<Capability> if_known(const PrivateFields &fields, Arguments &&...arguments) {
    try {
        return Capability(fields, std::forward<Arguments>(arguments)...);
    } catch (const UnknownField &) {
        return std::nullopt;
    }
}

}  // namespace

Capabilities::Capabilities(std::shared_ptr<AddressSpace> space, const RuntimePlaces &places,
                           const std::vector<KnownThread> &threads)
    : space_(std::move(space)), layout_(places.layout), fields_(places.fields),
      teams_(*space_,
             Places(places.layout, [place = places.fields.find(nested_regions)] { return place; }),
             places.threads, places.boundary),
      members_(members(teams_, threads)),
      locks_(if_known<Locks>(places.fields, members_, places.locks)),
      barriers_(if_known<Barriers>(places.fields, teams_)), turns_(if_known<Turns>(places.fields)),
      loops_(if_known<LoopRecords>(places.fields)), doacross_(if_known<Doacross>(places.fields)),
      task_waits_(if_known<TaskWaits>(places.fields)) {}

std::vector<Member> Capabilities::members(Teams &teams, const std::vector<KnownThread> &threads) {
    std::vector<Member> found;
    found.reserve(threads.size());
    for (const KnownThread &thread : threads) {
        found.push_back({thread.gdb_num, teams.thread_at(thread.record, thread.gtid)});
    }
    return found;
}

LockWord Capabilities::lock(TargetAddr address, Mutex kind) const {
    return locks_ ? locks_->read(walk(), address, kind) : LockWord{};
}

bool Capabilities::has_ended(const LockWord &word, const std::set<std::uint64_t> &alive) {
    if (!word.stranger || alive.empty()) {
        return false;
    }
    try {
        const auto thread = teams_.thread(*word.stranger);
        return !thread || !alive.contains(teams_.pthread_id(thread->address));
    } catch (const Inconsistent &) {
        return false;
    }
}

std::optional<bool> Capabilities::kept_at_barrier(const StackOfThread &stack) {
    const OmpThread *const thread = members_.at(stack.gdb_num);
    if (!barriers_ || thread == nullptr) {
        return std::nullopt;
    }
    return barriers_->keeps(walk(), {*thread, stack.type, stack.phase, stack.words});
}

bool Capabilities::has_come(const StackOfThread &stack) {
    const OmpThread *const thread = members_.at(stack.gdb_num);
    return barriers_ && thread != nullptr &&
           barriers_->has_come(walk(), {*thread, stack.type, stack.phase, stack.words});
}

std::optional<bool> Capabilities::has_begun(const StackOfThread &stack, bool primary_inside) {
    const OmpThread *const thread = members_.at(stack.gdb_num);
    if (!barriers_ || thread == nullptr) {
        return std::nullopt;
    }
    return barriers_->has_begun(walk(), {*thread, stack.type, stack.phase, stack.words},
                                primary_inside);
}

std::optional<bool> Capabilities::turn_is_to_come(int gdb_num) const {
    const OmpThread *const thread = members_.at(gdb_num);
    if (!turns_ || thread == nullptr) {
        return std::nullopt;
    }
    return turns_->is_to_come(walk(), thread->address);
}

std::optional<LoopRecord> Capabilities::loop(int gdb_num) const {
    const OmpThread *const thread = members_.at(gdb_num);
    if (!loops_ || thread == nullptr) {
        return std::nullopt;
    }
    try {
        return loops_->read(walk(), thread->address);
    } catch (const Inconsistent &) {
        return std::nullopt;
    }
}

// Negative ones are no places: KMP_PLACE_ALL and KMP_PLACE_UNDEFINED.
OmpPlace Capabilities::place(int gdb_num) const {
    const OmpThread *const thread = members_.at(gdb_num);
    if (thread == nullptr) {
        return {};
    }
    const Memory memory = walk();
    const auto number = [&](std::string_view name) -> std::optional<std::int64_t> {
        const auto field = fields_.find(name);
        const std::int64_t found = field ? memory.signed_field(thread->address, *field) : -1;
        return found < 0 ? std::nullopt : std::optional(found);
    };
    try {
        OmpPlace found{number("kmp_base_info_t.th_current_place")};
        const auto first = number("kmp_base_info_t.th_first_place");
        const auto last = number("kmp_base_info_t.th_last_place");
        if (first && last) {
            found.partition.emplace(*first, *last);
        }
        return found;
    } catch (const Inconsistent &) {
        return {};
    }
}

std::optional<Sink> Capabilities::sink(int gdb_num, TargetAddr vector) const {
    const OmpThread *const thread = members_.at(gdb_num);
    if (!doacross_ || thread == nullptr || thread->team == nullptr) {
        return std::nullopt;
    }
    try {
        return doacross_->sink(walk(), *thread, vector, members_);
    } catch (const Inconsistent &) {
        return std::nullopt;
    }
}

std::optional<std::int64_t> Capabilities::children(int gdb_num, bool /*undeferred*/) const {
    const OmpThread *const thread = members_.at(gdb_num);
    if (!task_waits_ || thread == nullptr) {
        return std::nullopt;
    }
    return task_waits_->children(walk(), thread->task);
}

std::vector<std::uint64_t> Capabilities::groups(int gdb_num) const {
    const OmpThread *const thread = members_.at(gdb_num);
    if (!task_waits_ || thread == nullptr) {
        return {};
    }
    return task_waits_->groups(walk(), thread->task);
}

std::optional<std::int64_t> Capabilities::tasks_of_group(int gdb_num) const {
    const OmpThread *const thread = members_.at(gdb_num);
    if (!task_waits_ || thread == nullptr) {
        return std::nullopt;
    }
    return task_waits_->tasks_of_group(walk(), thread->task);
}

std::vector<AbsentThread> Capabilities::absent(int gdb_num, int outer,
                                               const std::set<std::uint64_t> &alive) {
    const OmpThread *const thread = members_.at(gdb_num);
    if (thread == nullptr) {
        return {};
    }
    const Team *team = teams_.team_of(thread->address);
    for (int level = 0; level < outer && team != nullptr; ++level) {
        team = team->parent;
    }
    if (team == nullptr) {
        return {};
    }
    const auto [found, is_new] = absent_.try_emplace(team->address.value);
    if (is_new) {
        found->second = llvm::absent(walk(), teams_.places().thread.pthread_id, *team, alive);
    }
    return found->second;
}

std::optional<FoundTasks> Capabilities::waiting_tasks(TaskRecords::CodeRanges runtime,
                                                      bool schedulers) {
    try {
        return TaskSearch(fields_, layout_, std::move(runtime), teams_, members_, schedulers)
            .run(walk());
    } catch (const UnknownField &) {
        return std::nullopt;
    }
}

std::vector<std::optional<ConstructPlace>>
Capabilities::constructs(const std::vector<TargetAddr> &tasks,
                         TaskRecords::CodeRanges runtime) const {
    std::vector<std::optional<ConstructPlace>> found(tasks.size());
    auto records = if_known<TaskRecords>(fields_, layout_, std::move(runtime));
    const Memory memory = walk();
    for (std::size_t i = 0; records && i < tasks.size(); ++i) {
        const TaskRecord *const task = records->read(memory, tasks[i]);
        if (task != nullptr && records->is_explicit(*task)) {
            found[i] = records->construct_of(memory, *task);
        }
    }
    return found;
}

}  // namespace gdb_ompd::llvm
