// SPDX-License-Identifier: Apache-2.0
#include "stop/regions_and_tasks.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

namespace gdb_ompd {

namespace {

constexpr std::size_t asked_workers = 3;  // of a team, for the body that they were given

}  // namespace

ChainTask PlacedTask::chained() const {
    const auto scheduling = facts.scheduling.value;
    return {facts.identity, facts.kind.value, function,
            scheduling.value_or(-1) >= 0 ? scheduling : std::nullopt};
}

std::optional<int> PlacedTask::region() const {
    return facts.kind.value == TaskKind::initial ? std::nullopt
                                                 : number_of(facts.region.value, first_region);
}

const PlacedRegion &RegionsAndTasks::region(int number) {
    const auto [found, is_new] = regions_.try_emplace(number);
    PlacedRegion &region = found->second;
    if (!is_new) {
        return region;
    }
    const KnownRegion &own = known(number);
    region.place = place_of(own);
    if (region.place != nullptr && !region.place->has_source && own.primary) {
        auto call = stacks_.reader().calls().libraries().call_of(stacks_.of(*own.primary),
                                                                 region.place->pc);
        region.library_call = call ? std::move(call->function) : std::string();
    }
    return region;
}

code::Value RegionsAndTasks::users(code::Value function) const {
    return function && stacks_.reader().calls().code().is_user(*function) ? function : std::nullopt;
}

// By the call that began it, as the primary thread's stack shows it or as the runtime kept it, else
// by its function. The stack comes first: LLVM keeps the wrong call where GCC's code begins a
// region in a task that it executes at once.
PlaceRef RegionsAndTasks::place_of(const KnownRegion &region) {
    PlaceRef place = begun_on_stack(region);
    code::Value body = region.function;
    if (place == nullptr || !place->has_source) {
        for (std::size_t at = 1; at <= asked_workers && at < region.threads.size() && !body; ++at) {
            const auto worker = region.threads[at];
            body = worker ? calls_.body_of_worker(*worker) : std::nullopt;
        }
    }
    if (const code::Value caller = users(region.caller); place == nullptr && caller) {
        place = names_.call_place(*caller);
    }
    if (place == nullptr) {
        return place_of(body, std::nullopt);
    }
    // Of a serialized region the runtime may keep that of another one.
    const bool is_own = region.team_size && *region.team_size != 1;
    return names_.construct_called(place, is_own ? users(body) : std::nullopt);
}

PlaceRef RegionsAndTasks::begun_on_stack(const KnownRegion &region) {
    if (!region.primary) {
        return nullptr;
    }
    const std::vector<int> begun = runtimes_.begun(*region.primary);
    const auto own = std::ranges::find(begun, region.number) - begun.begin();
    const RegionCalls::Begun &found = calls_.begun(*region.primary);
    // One place each, or it is not known which is whose.
    const std::size_t places = found.constructs.size();
    return places == begun.size() || (found.in_last && places == begun.size() + 1)
               ? found.constructs.at(static_cast<std::size_t>(own))
               : nullptr;
}

// An explicit task's: its function's, in the line where the compiler says that its CONSTRUCT is, if
// that is in the same file.
PlaceRef RegionsAndTasks::place_of(code::Value function,
                                   const std::optional<ConstructPlace> &construct) {
    const code::Value own = users(function);
    PlaceRef place = own ? names_.construct_of(*own) : nullptr;
    return place != nullptr && construct ? names_.with_line(place, *construct) : place;
}

void RegionsAndTasks::place(PlacedTask &task) {
    const auto region = task.region();
    task.place = task.facts.kind.value == TaskKind::implicit && region
                     ? this->region(*region).place
                     : place_of(task.function, task.facts.construct);
}

void RegionsAndTasks::place(PlacedWaitingTask &task) {
    const WaitingTaskFacts &facts = task.facts;
    const auto region = number_of(facts.creator_region, task.first_region);
    task.place = place_of(to_known(facts.function), facts.construct);
    task.creator = region ? this->region(*region).place
                          : place_of(to_known(facts.creator_function), facts.creator_construct);
}

std::vector<PlacedTask> RegionsAndTasks::read(std::span<const int> gdb_nums) {
    std::vector<PlacedTask> found;
    for (const auto &[position, numbers] : runtimes_.by_runtime(gdb_nums)) {
        std::vector<TaskFacts> tasks = runtimes_.reader(position).tasks(numbers);
        runtimes_.reader(position).add_constructs(tasks);
        for (TaskFacts &one : tasks) {
            const code::Value function = to_known(one.function.value);
            found.push_back({std::move(one), runtimes_.first_region(position), function});
        }
    }
    return found;
}

// Functions that the runtime does not keep are the stacks' to tell: of a task in which a region was
// begun, that of the region's primary thread.
std::vector<PlacedTask> RegionsAndTasks::chains(std::span<const int> gdb_nums) {
    std::vector<PlacedTask> found = read(gdb_nums);
    if (std::ranges::none_of(found,
                             [](const auto &one) { return one.chained().has_no_function(); })) {
        return found;
    }
    std::set<int> others;
    for (const KnownRegion &region : runtimes_.regions()) {
        const auto primary = region.threads.empty() ? std::nullopt : region.threads.front();
        if (primary && std::ranges::find(gdb_nums, *primary) == gdb_nums.end()) {
            others.insert(*primary);
        }
    }
    const auto asked = static_cast<std::ptrdiff_t>(found.size());
    std::ranges::move(read(std::vector<int>(others.begin(), others.end())),
                      std::back_inserter(found));
    add_functions(found);
    found.erase(found.begin() + asked, found.end());
    return found;
}

// Other threads' chains lead to a task, too.
void RegionsAndTasks::add_functions(std::span<PlacedTask> tasks) {
    std::map<std::uint64_t, std::uint64_t> known;
    for (auto first = tasks.begin(); first != tasks.end();) {
        const auto last = std::find_if(first, tasks.end(), [&](const PlacedTask &task) {
            return task.facts.gdb_num != first->facts.gdb_num;
        });
        std::vector<ChainTask> chain;
        std::transform(first, last, std::back_inserter(chain),
                       [](const PlacedTask &task) { return task.chained(); });
        if (std::ranges::any_of(chain, &ChainTask::has_no_function)) {
            for (const auto &[task, function] :
                 functions_by_stack(chain, stacks_.bodies(first->facts.gdb_num))) {
                known[task] = function;
            }
        }
        first = last;
    }
    for (PlacedTask &task : tasks) {
        const auto own = known.find(task.facts.identity);
        if (task.chained().has_no_function() && own != known.end()) {
            task.function = own->second;
        }
    }
}

std::vector<PlacedTask> RegionsAndTasks::tasks(std::span<const int> gdb_nums) {
    std::vector<PlacedTask> found = chains(gdb_nums);
    for (PlacedTask &task : found) {
        place(task);
    }
    return found;
}

std::vector<PlacedTask> RegionsAndTasks::implicit_tasks(int region) {
    const Position position = runtimes_.runtime_of_region(region);
    const int first = runtimes_.first_region(position);
    std::vector<PlacedTask> found;
    for (TaskFacts &one : runtimes_.reader(position).implicit_tasks(region - first)) {
        const code::Value function = to_known(one.function.value);
        place(found.emplace_back(PlacedTask{std::move(one), first, function}));
    }
    return found;
}

RegionsAndTasks::Waiting RegionsAndTasks::waiting_tasks(Places places) {
    Waiting found;
    for (Position position = 0; position < runtimes_.size(); ++position) {
        auto own = runtimes_.reader(position).waiting_tasks();
        if (!own) {
            found.unknown.push_back(position);
            continue;
        }
        for (WaitingTaskFacts &one : own->tasks) {
            found.tasks.push_back({std::move(one), runtimes_.first_region(position)});
        }
        std::ranges::move(own->notes, std::back_inserter(found.notes));
    }
    const auto lacks = [](const PlacedWaitingTask &one) { return !to_known(one.facts.function); };
    if (places == Places::all && std::ranges::any_of(found.tasks, lacks)) {
        add_functions(found.tasks);
    }
    for (PlacedWaitingTask &task : found.tasks) {
        const Whereabouts where = task.facts.where;
        const bool is_held = where == Whereabouts::detached || where == Whereabouts::blocked;
        if (places == Places::all || is_held) {
            place(task);
        }
    }
    return found;
}

// Those that are in threads' chains.
void RegionsAndTasks::add_functions(std::span<PlacedWaitingTask> tasks) {
    std::vector<int> threads;
    std::ranges::transform(runtimes_.natives(), std::back_inserter(threads),
                           &NativeThread::gdb_num);
    std::map<std::uint64_t, std::uint64_t> known;
    for (const PlacedTask &task : chains(threads)) {
        if (task.function) {
            known[task.facts.identity] = *task.function;
        }
    }
    const auto add = [&](std::optional<TargetAddr> &function, std::uint64_t identity) {
        const auto own = known.find(identity);
        if (!to_known(function) && own != known.end()) {
            function = TargetAddr{own->second};
        }
    };
    for (PlacedWaitingTask &task : tasks) {
        add(task.facts.function, task.facts.identity);
        add(task.facts.creator_function, task.facts.generated_by.value_or(0));
    }
}

}  // namespace gdb_ompd
