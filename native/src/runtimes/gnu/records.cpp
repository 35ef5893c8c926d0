// SPDX-License-Identifier: Apache-2.0
#include "runtimes/gnu/records.hpp"

#include "base/errors.hpp"
#include "model/facts.hpp"
#include "runtimes/gnu/record_code.hpp"

#include <algorithm>
#include <array>

namespace gdb_ompd::gnu {

namespace {

constexpr std::array<Layout, 3> layouts{{
    {"GCC 13 or later", 88, 88, 88, 112, 200, 216, 221, 224, true},
    {"GCC 11 or 12", 88, 88, 80, 104, 192, 208, 213, 216, true},
    {"GCC 9 or 10", 80, 80, 80, 96, 184, 200, 205, 208, false},
}};

// In a thread's record
constexpr std::uint64_t function_of_thread = 0;
constexpr std::uint64_t release = 8, pool_of_thread = 16;  // behind its task
// In a pool's
constexpr std::uint64_t threads_of_pool = 0, used_of_pool = 12, dock_generation = 68;
// In a team's
constexpr std::uint64_t outer = 8, outer_number = 32, outer_level = 36, lock = 1280,
                        queue_of_team = 1288, count_of_tasks = 1320, count_of_detached = 1340;
constexpr std::uint64_t implicit_tasks = 1344;
// In a task's. A target task's argument is a record that has its function.
constexpr std::uint64_t argument_of_task = 8;  // behind its function
constexpr std::uint64_t function_of_target = 8;
constexpr std::uint64_t children_of_task = 8, taskgroup_of_task = 40, successors_of_task = 48;
constexpr std::uint64_t node_size = 16, lists_of_task = 3;  // its ICVs are behind the nodes
// In a taskgroup's
constexpr std::uint64_t outer_of_group = 0, queue_of_group = 8;
// A queue has a tree of lists by priority, or else one list; so has a node of the tree.
constexpr std::uint64_t list_of_queue = 16, list_of_tree = 8, left = 24, right = 32;
// The vector of a task's successors
constexpr std::uint64_t first_successor = 16;

constexpr std::uint64_t largest_group = 128;

constexpr std::size_t max_reads = 4'000'000;
constexpr std::size_t max_executed = 1024;
constexpr std::uint32_t most_workers = 1U << 16U;
constexpr std::size_t getter_size = 32, getter_of_places_size = 72, end_of_group_size = 96;

std::vector<Access> accesses_of(AddressSpace &space, const char *function, std::size_t size) {
    return record_accesses(space, space.symbol_address(function, std::nullopt, std::nullopt), size);
}

bool is_of_thread(const Access &one) {
    return one.how == Access::How::memory && one.place.to == Relative::To::thread_pointer;
}

// Every thread's record is as far from its thread pointer.
std::int64_t distance_of_record(AddressSpace &space) {
    for (const Access &one : accesses_of(space, "omp_get_thread_num", getter_size)) {
        if (is_of_thread(one)) {
            return one.place.offset - std::int64_t{Records::number_of_thread};
        }
    }
    throw Inconsistent("where threads' records are was not found in omp_get_thread_num");
}

// What a getter reads last from a thread's record, which is at RECORD, before it returns.
std::optional<std::uint64_t> place_read_last(AddressSpace &space, std::int64_t record,
                                             const char *getter) {
    std::optional<std::uint64_t> found;
    for (const Access &one : accesses_of(space, getter, getter_of_places_size)) {
        if (one.how == Access::How::returns) {
            return found;
        }
        if (is_of_thread(one)) {
            found = static_cast<std::uint64_t>(one.place.offset - record);
        }
    }
    return std::nullopt;
}

// GCC 12 and later keep a league's numbers in each thread's record, one behind the other.
std::optional<std::uint64_t> place_of_league(AddressSpace &space, std::int64_t record) {
    constexpr std::uint64_t first = 64;
    constexpr std::uint64_t last = 256;
    const auto size = place_read_last(space, record, "omp_get_num_teams");
    const auto number = place_read_last(space, record, "omp_get_team_num");
    const bool is_known = size && number && *number == *size + 4 && *size >= first && *size < last;
    return is_known ? size : std::nullopt;
}

// GOMP_taskgroup_end first looks how many tasks are left in the current task's taskgroup.
std::optional<std::uint64_t> place_of_count(AddressSpace &space) {
    const auto accesses = accesses_of(space, "GOMP_taskgroup_end", end_of_group_size);
    std::optional<std::size_t> group;
    for (std::size_t index = 0; index < accesses.size(); ++index) {
        const Access &one = accesses[index];
        const auto place = static_cast<std::uint64_t>(one.place.offset);
        if (one.how != Access::How::memory || one.width != 8 ||
            one.place.to != Relative::To::read) {
            continue;
        }
        if (one.place.is_of(group)) {
            return place > queue_of_group && place < largest_group ? std::optional(place)
                                                                   : std::nullopt;
        }
        if (place == taskgroup_of_task) {
            group = index;
        }
    }
    return std::nullopt;
}

}  // namespace

const Layout *layout_of(std::string_view releases) {
    const auto *const found = std::find_if(layouts.begin(), layouts.end(), [&](const Layout &one) {
        return releases.ends_with(one.releases);
    });
    return found == layouts.end() ? nullptr : found;
}

RecordPlaces RecordPlaces::in_code(AddressSpace &space) {
    const std::int64_t record = distance_of_record(space);
    return {record, place_of_count(space), place_read_last(space, record, "omp_get_place_num"),
            place_read_last(space, record, "omp_get_partition_num_places"),
            place_of_league(space, record)};
}

Records::Records(AddressSpace &space, const Layout &layout, const RecordPlaces &places)
    : space_(space), layout_(layout), places_(places), budget_(max_reads) {}

TargetAddr Records::pointer(TargetAddr address) const {
    if (budget_-- == 0) {
        throw Inconsistent("there are more tasks than are read");
    }
    const auto found = space_.uint_at(address, 8);
    if (!found) {
        throw Inconsistent("a record of a task cannot be read");
    }
    return TargetAddr{*found};
}

std::uint32_t Records::number(TargetAddr address) const {
    return static_cast<std::uint32_t>(pointer(address).value);
}

ThreadRecord Records::thread(std::uint64_t thread_pointer) const {
    const TargetAddr record = record_of(thread_pointer);
    return {pointer(record + team_of_thread), pointer(record + layout_.current),
            pointer(record + layout_.current + pool_of_thread), number(record + number_of_thread)};
}

std::optional<std::pair<int, int>> Records::league(std::uint64_t thread_pointer) const {
    if (!places_.num_teams) {
        return std::nullopt;
    }
    const TargetAddr record{thread_pointer + static_cast<std::uint64_t>(places_.record)};
    const std::uint32_t more = number(record + *places_.num_teams);
    const std::uint32_t team_num = number(record + *places_.num_teams + 4);
    if (more >= most_workers || team_num > more) {
        return std::nullopt;
    }
    return std::pair(static_cast<int>(team_num), static_cast<int>(more) + 1);
}

std::uint32_t Records::team_size(TargetAddr team) const { return number(team); }

OuterPlace Records::outside(TargetAddr team) const {
    return {pointer(team + outer), number(team + outer_number), number(team + outer_level),
            number(team + outer_level + 4)};
}

std::optional<std::uint32_t> Records::task_count(TargetAddr team) const {
    return number(team + lock) == 0 ? std::optional(number(team + count_of_tasks)) : std::nullopt;
}

std::uint32_t Records::detached_count(TargetAddr team) const {
    return layout_.counts_detached ? number(team + count_of_detached) : 0;
}

TargetAddr Records::implicit_task(TargetAddr team, std::uint32_t thread_num) const {
    return team + implicit_tasks + layout_.size * thread_num;
}

// The runtime fills in the place of a thread that it makes for an inner region late.
std::optional<std::uint64_t> Records::member(TargetAddr team, std::uint32_t number) const {
    const auto pthread = recorded_at(team, number);
    return pthread && thread(*pthread).thread_num == number ? pthread : std::nullopt;
}

std::optional<std::uint64_t> Records::replaced(TargetAddr team, std::uint32_t number) const {
    const auto pthread = recorded_at(team, number);
    const std::uint32_t owner = pthread ? thread(*pthread).thread_num : number;
    return owner != number && recorded_at(team, owner) == pthread ? pthread : std::nullopt;
}

// The first one's place in the list is the team's own.
bool Records::may_be_member(TargetAddr team, std::uint32_t number,
                            std::uint64_t thread_pointer) const {
    const TargetAddr listed = semaphore(team, number);
    return number == 0 ? team < listed && listed < implicit_task(team, 0)
                       : pthread_of(listed.value - layout_.current - release) == thread_pointer;
}

std::optional<std::uint64_t> Records::recorded_at(TargetAddr team, std::uint32_t number) const {
    const auto pthread = pthread_of(semaphore(team, number).value - layout_.current - release);
    return pthread && thread(*pthread).team == team ? pthread : std::nullopt;
}

// The C library's descriptor of a thread has its own address, also after the thread's end.
std::optional<std::uint64_t> Records::pthread_of(std::uint64_t record) const {
    const std::uint64_t pthread = record - static_cast<std::uint64_t>(places_.record);
    return space_.uint_at(TargetAddr{pthread}, 8) == pthread ? std::optional(pthread)
                                                             : std::nullopt;
}

TargetAddr Records::semaphore(TargetAddr team, std::uint32_t number) const {
    return pointer(pointer(team + layout_.members) + std::uint64_t{number} * 8);
}

// Who begins one takes the function that it was given.
bool Records::is_given_region(std::uint64_t thread_pointer) const {
    return pointer(
               {thread_pointer + static_cast<std::uint64_t>(places_.record) + function_of_thread})
               .value != 0;
}

std::vector<std::optional<std::uint64_t>> Records::workers(TargetAddr pool) const {
    std::vector<std::optional<std::uint64_t>> found;
    if (pool.value == 0) {
        return found;
    }
    const TargetAddr list = pointer(pool + threads_of_pool);
    const std::uint32_t used = number(pool + used_of_pool);
    if (used > most_workers) {
        throw Inconsistent("a record is not a pool's");
    }
    for (std::uint32_t one = 1; one < used; ++one) {
        found.push_back(pthread_of(pointer(list + std::uint64_t{one} * 8).value));
    }
    return found;
}

bool Records::is_released(const ThreadRecord &thread) const {
    constexpr std::uint32_t count = 0x7fff'ffff;  // the bit above says that somebody sleeps
    if (thread.thread_num >= team_size(thread.team)) {
        throw Inconsistent("a record is not a thread's");
    }
    return (number(semaphore(thread.team, thread.thread_num)) & count) != 0;
}

TargetAddr Records::dock(TargetAddr pool) { return pool + dock_generation; }

TargetAddr Records::outer_group(TargetAddr group) const { return pointer(group + outer_of_group); }

std::optional<std::int64_t> Records::count_in_group(TargetAddr group) const {
    if (group.value == 0) {
        return 0;
    }
    return places_.count_of_group ? std::optional(static_cast<std::int64_t>(
                                        pointer(group + *places_.count_of_group).value))
                                  : std::nullopt;
}

TaskRecord Records::task(TargetAddr address) const {
    TaskRecord task;
    task.address = address;
    task.parent = pointer(address);
    task.taskgroup = pointer(address + taskgroup_of_task);
    task.successors = pointer(address + successors_of_task);
    task.predecessors = pointer(address + layout_.predecessors).value;
    task.function = pointer(address + layout_.function);
    const std::uint32_t kind = number(address + layout_.kind);
    if (kind > static_cast<std::uint32_t>(Stage::detached)) {
        throw Inconsistent("a record is not a task's");
    }
    task.stage = static_cast<Stage>(kind);
    if (task.function.value == 0 && task.stage >= Stage::waiting) {
        const TargetAddr target = pointer(address + layout_.function + argument_of_task);
        task.function = target.value == 0 ? target : pointer(target + function_of_target);
    }
    task.is_final = (pointer(TargetAddr{address.value + layout_.is_final}).value & 1U) != 0;
    return task;
}

TargetAddr Records::task_with_icvs(TargetAddr icvs) const {
    return {icvs.value - layout_.nodes - lists_of_task * node_size};
}

std::vector<TargetAddr> Records::executed_by(std::uint64_t thread_pointer) const {
    std::vector<TargetAddr> found;
    ThreadRecord place = thread(thread_pointer);
    TargetAddr now = place.task;
    while (now.value != 0 && found.size() < max_executed) {
        found.push_back(now);
        const TaskRecord record = task(now);
        if (record.stage == Stage::undeferred) {
            now = record.parent;  // it is executed at once
            continue;
        }
        if (place.team.value == 0) {
            break;
        }
        if (const TargetAddr own = implicit_task(place.team, place.thread_num); now != own) {
            now = own;
            continue;
        }
        if (place.thread_num != 0) {
            break;  // another began the region
        }
        now = record.parent;
        const OuterPlace outside = this->outside(place.team);
        place.thread_num = outside.thread_num;
        place.team = outside.team;
    }
    return found;
}

void Records::list(TargetAddr first, ListOf of, const Visit &visit) const {
    const std::uint64_t place = layout_.nodes + static_cast<std::uint64_t>(of) * node_size;
    TargetAddr node = first;
    do {
        const TargetAddr next = pointer(node);
        if (next.value == 0 || pointer(next + 8) != node) {
            throw Inconsistent("a list of tasks is being changed");
        }
        visit(TargetAddr{node.value - place});
        node = next;
    } while (node != first);
}

void Records::queue(TargetAddr address, ListOf of, const Visit &visit) const {
    std::vector<TargetAddr> trees{pointer(address)};
    if (trees.front().value == 0) {
        const TargetAddr first = pointer(address + list_of_queue);
        if (first.value != 0) {
            list(first, of, visit);
        }
        return;
    }
    while (!trees.empty()) {
        const TargetAddr tree = trees.back();
        trees.pop_back();
        if (tree.value != 0) {
            list(pointer(tree + list_of_tree), of, visit);
            trees.push_back(pointer(tree + left));
            trees.push_back(pointer(tree + right));
        }
    }
}

OmpPlace Records::place(std::uint64_t thread_pointer) const {
    constexpr std::uint64_t first_behind = 4;  // it is before their number
    const TargetAddr record{thread_pointer + static_cast<std::uint64_t>(places_.record)};
    OmpPlace found;
    const std::uint32_t bound = places_.place ? number(record + *places_.place) : 0;
    if (bound != 0) {  // counted from 1
        found.number = std::int64_t{bound} - 1;
    }
    const std::uint32_t count = places_.places ? number(record + *places_.places) : 0;
    if (bound != 0 && count != 0) {
        const std::int64_t first{number(record + (*places_.places - first_behind))};
        found.partition.emplace(first, first + count - 1);
    }
    return found;
}

// struct gomp_work_share (libgomp/libgomp.h), the same from GCC 9 on. Of what is dynamic the chunk
// is kept as the distance to the next.
std::optional<LoopRecord> Records::loop(std::uint64_t thread_pointer) const {
    constexpr std::uint64_t work_share_of_thread = team_of_thread + 8;
    constexpr std::uint64_t chunk = 8;
    constexpr std::uint64_t end = 16;
    constexpr std::uint64_t step = 24;
    constexpr std::uint64_t next = 72;
    constexpr std::uint32_t is_dynamic = 2;
    constexpr std::uint32_t is_guided = 3;
    constexpr std::uint32_t monotonic = 0x8000'0000;
    const TargetAddr share =
        pointer(TargetAddr{thread_pointer + static_cast<std::uint64_t>(places_.record)} +
                work_share_of_thread);
    const std::uint32_t schedule = share.value == 0 ? 0 : number(share) & ~monotonic;
    if (schedule != is_dynamic && schedule != is_guided) {
        return std::nullopt;
    }
    const auto value = [&](std::uint64_t place) {
        return static_cast<std::int64_t>(pointer(share + place).value);
    };
    const std::int64_t by = value(step);
    if (by == 0) {
        return std::nullopt;
    }
    LoopRecord found;
    found.schedule = schedule == is_guided ? LoopSchedule::guided : LoopSchedule::dynamic;
    found.chunk = schedule == is_guided ? value(chunk) : value(chunk) / by;
    found.end = value(end);
    found.step = by;
    found.next = value(next);
    return found;
}

void Records::queued(TargetAddr team, const Visit &visit) const {
    queue(team + queue_of_team, ListOf::team, visit);
}

void Records::children(const TaskRecord &task, const Visit &visit) const {
    queue(task.address + children_of_task, ListOf::parent, visit);
}

void Records::of_taskgroup(TargetAddr group, const Visit &visit) const {
    for (; group.value != 0; group = outer_group(group)) {
        queue(group + queue_of_group, ListOf::taskgroup, visit);
    }
}

void Records::successors(const TaskRecord &task, const Visit &visit) const {
    const std::uint64_t count = task.successors.value == 0 ? 0 : pointer(task.successors).value;
    for (std::uint64_t i = 0; i < count; ++i) {
        const TargetAddr one = pointer(task.successors + first_successor + 8 * i);
        if (one.value != 0) {
            visit(one);
        }
    }
}

}  // namespace gdb_ompd::gnu
