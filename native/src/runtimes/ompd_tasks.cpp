// SPDX-License-Identifier: Apache-2.0
#include "runtimes/ompd_tasks.hpp"

#include "runtimes/ompd_asking.hpp"

#include <algorithm>
#include <unordered_map>

namespace gdb_ompd {

namespace {

constexpr int none = -1;  // of the tasks of a chain

template <class T> Fact<T> unknown(const Failure &failure) {
    return Fact<T>::unknown(failure.function, failure.code);
}

}  // namespace

Fact<TaskKind> kind_of_task(const IcvTable &icvs, const TaskHandle &task, const Fact<int> &level) {
    const auto is_explicit = icvs.is_explicit(task);
    if (!is_explicit.known()) {
        return Fact<TaskKind>::unknown(is_explicit.failed, is_explicit.code);
    }
    if (*is_explicit.value) {
        return {TaskKind::explicit_};
    }
    if (!level.known()) {
        return Fact<TaskKind>::unknown(level.failed, level.code);
    }
    return {*level.value == 0 ? TaskKind::initial : TaskKind::implicit};
}

TaskChains::Kept TaskChains::keep(std::unique_ptr<TaskHandle> handle) {
    const auto known = identities_.find(handle.get());
    if (known != identities_.end()) {
        return {known->second, known->first};
    }
    const std::uint64_t identity = handles_.size() + 1;
    const TaskHandle *const kept = handle.get();
    identities_.emplace(kept, identity);
    handles_.push_back(std::move(handle));
    return {identity, kept};
}

const TaskChains::Known &TaskChains::known(const Kept &kept) {
    if (const auto found = known_.find(kept.identity); found != known_.end()) {
        return found->second;
    }
    const auto other = [this](Asked<TaskHandle> asked) -> Other {
        if (asked.handle != nullptr) {
            return {keep(std::move(asked.handle)), {}};
        }
        return {std::nullopt, asked.none() ? Fact<int>{none} : asked.template unknown<int>()};
    };
    Known found{read(*kept.handle), other(generating_task(*kept.handle)),
                other(scheduling_task(*kept.handle))};
    found.facts.identity = kept.identity;
    return known_.emplace(kept.identity, found).first->second;
}

// But for the thread and its chain.
TaskFacts TaskChains::read(const TaskHandle &task) const {
    TaskFacts facts;
    Fact<int> level{0};
    const auto around = task_parallel(task);
    if (around.handle != nullptr) {
        const ParallelRegions::Region *region = nullptr;
        const Failure failure = failure_of(function_names.parallel_handle_compare.name,
                                           [&] { region = regions_.find(*around.handle); });
        const IcvTable::Owners owners{nullptr, around.handle.get(), nullptr};
        level = region == nullptr ? icvs_.number(icv_names::levels, owners, 0, max_nesting)
                                  : region->level;
        facts.region = region != nullptr ? Fact<int>{region->number} : unknown<int>(failure);
    } else if (around.none()) {
        facts.region = {0};  // not in a region, but for the one around the program
    } else {
        facts.region = level = around.unknown<int>();
    }
    facts.kind = kind_of_task(icvs_, task, level);
    const auto final_task = icvs_.number(icv_names::final_task, {nullptr, nullptr, &task}, 0, 1);
    facts.final_task = final_task.known() ? Fact<bool>{*final_task.value != 0}
                                          : Fact<bool>::unknown(final_task.failed, final_task.code);
    const Failure failure = failure_of(function_names.get_task_frame.name, [&] {
        return take(task.ask_frame(), [&](const TaskHandle::Frames &frames) {
            facts.exit_frame.value = frames.first.address;
            facts.enter_frame.value = frames.second.address;
        });
    });
    if (failure.function != nullptr) {
        facts.exit_frame = facts.enter_frame = unknown<TargetAddr>(failure);
    }
    facts.function = task_function(task);
    return facts;
}

// Append TASK and those that led to it, and return its depth.
int TaskChains::follow(Chain &chain, Kept task) {
    const auto begin = static_cast<int>(chain.tasks.size());
    std::optional<int> first;
    for (std::optional<Kept> next = task; next;) {
        const auto depth = static_cast<int>(chain.tasks.size());
        const auto [in_chain, is_new] = chain.depths.emplace(next->identity, depth);
        if (first) {
            chain.tasks.back().generating = {in_chain->second};
        }
        // A task that is met again is no ancestor of itself.
        const bool endless = first && !is_new && in_chain->second >= begin;
        if (depth >= max_chain) {
            throw OmpdError(function_names.get_generating_task_handle.name, ompd_rc_error);
        }
        if (endless) {
            chain.tasks.back().generating =
                Fact<int>::unknown(function_names.get_generating_task_handle.name, ompd_rc_error);
            break;
        }
        first = first ? first : in_chain->second;
        if (!is_new) {
            break;
        }
        const Known &known = this->known(*next);
        TaskFacts &facts = chain.tasks.emplace_back(known.facts);
        facts.gdb_num = chain.gdb_num;
        facts.depth = depth;
        facts.generating = known.generating.absence;
        next = known.generating.task;
        chain.scheduling.push_back(known.scheduling);
    }
    return *first;
}

const std::vector<TaskFacts> &TaskChains::chain(int gdb_num, const ThreadHandle &thread) {
    const auto known = chains_.find(gdb_num);
    return known != chains_.end()
               ? known->second
               : chains_.emplace(gdb_num, read_chain(gdb_num, thread)).first->second;
}

std::vector<TaskFacts> TaskChains::read_chain(int gdb_num, const ThreadHandle &thread) {
    auto current = curr_task(thread);
    if (current.handle == nullptr) {
        throw OmpdError(current.failure.function, current.failure.code);
    }
    Chain chain{gdb_num, {}, {}, {}};
    follow(chain, keep(std::move(current.handle)));
    // Those that scheduled one are appended while the list is walked.
    for (std::size_t depth = 0; depth < chain.tasks.size(); ++depth) {
        const Other by = chain.scheduling[depth];
        const Fact<int> scheduling = by.task ? Fact<int>{follow(chain, *by.task)} : by.absence;
        // No task schedules itself.
        chain.tasks[depth].scheduling =
            scheduling.value == static_cast<int>(depth)
                ? Fact<int>::unknown(function_names.get_scheduling_task_handle.name, ompd_rc_error)
                : scheduling;
    }
    return std::move(chain.tasks);
}

TaskFacts TaskChains::unknown_task(int gdb_num, const OmpdError &error) {
    const Failure failure{constant_name(error.call()), error.code()};
    handles_.push_back(nullptr);  // its number is no other task's
    TaskFacts facts;
    facts.gdb_num = gdb_num;
    facts.identity = handles_.size();
    facts.kind = unknown<TaskKind>(failure);
    facts.final_task = unknown<bool>(failure);
    facts.enter_frame = facts.exit_frame = facts.function = unknown<TargetAddr>(failure);
    facts.region = facts.generating = facts.scheduling = unknown<int>(failure);
    return facts;
}

std::vector<TaskFacts>
TaskChains::implicit_tasks(const ParallelRegions::Region &region,
                           const std::function<const ThreadHandle *(int)> &thread) {
    std::vector<TaskFacts> found;
    for (std::size_t thread_num = 0; thread_num < region.threads.size(); ++thread_num) {
        if (!region.threads[thread_num]) {
            continue;
        }
        const int gdb_num = *region.threads[thread_num];
        auto task = task_in_parallel(*region.handle, static_cast<int>(thread_num));
        if (task.handle == nullptr) {
            throw OmpdError(task.failure.function, task.failure.code);
        }
        TaskFacts facts = known(keep(std::move(task.handle))).facts;
        facts.gdb_num = gdb_num;
        facts.depth = none;
        const ThreadHandle *const handle = thread(gdb_num);
        for (const TaskFacts &own :
             handle != nullptr ? chain(gdb_num, *handle) : std::vector<TaskFacts>()) {
            if (own.identity == facts.identity) {
                facts = own;
            }
        }
        found.push_back(facts);
    }
    return found;
}

}  // namespace gdb_ompd
