// SPDX-License-Identifier: Apache-2.0
#include "runtimes/llvm/teams.hpp"

#include "base/target.hpp"
#include "elf/address_space.hpp"
#include "runtimes/llvm/thread_records.hpp"

#include <algorithm>
#include <string>
#include <unordered_set>
#include <utility>

namespace gdb_ompd::llvm {

namespace {

// At level 0, and in a serialized region.
constexpr Membership alone{0, 1};

int to_int(std::uint64_t value) { return static_cast<int>(static_cast<std::uint32_t>(value)); }

}  // namespace

const Team &Team::root() const {
    const Team *team = this;
    while (team->parent != nullptr) {
        team = team->parent;
    }
    return *team;
}

Teams::Teams(AddressSpace &space, Places places, TargetAddr threads, Boundary boundary)
    : memory_(space), places_(std::move(places)), threads_(threads), boundary_(boundary) {}

std::optional<TargetAddr> Teams::record(std::uint64_t gtid) const {
    const TargetAddr info = memory_.pointer(threads_ + pointer_size * gtid);
    return info.value == 0 ? std::nullopt : std::optional(info + places_.thread_in_info);
}

std::optional<OmpThread> Teams::thread(std::uint64_t gtid) {
    const auto found = record(gtid);
    return found ? std::optional(thread_at(*found, gtid)) : std::nullopt;
}

OmpThread Teams::thread_at(TargetAddr address, std::optional<std::uint64_t> gtid) {
    const OmpThread thread{
        address, gtid, number_of(address), memory_.pointer(address, places_.thread.task), {}, {}};
    return in_team(thread, team_address(address));
}

OmpThread Teams::thread_of(const ThreadRecord &record) {
    if (record.address == boundary_.thread) {
        return thread_at(record.address, record.gtid);
    }
    const OmpThread thread{record.address, record.gtid, to_int(record.thread_num),
                           record.task,    {},          {}};
    return in_team(thread, behind(record.team));
}

OmpThread Teams::in_team(OmpThread thread, TargetAddr team_at) {
    if (team_at.value == 0) {
        return thread;
    }
    const auto linked = linked_team(team_at, thread.task, thread.address);
    const Team &last = *linked.team;
    if (linked.task) {
        thread.task = *linked.task;
        const auto place = std::ranges::find(last.threads, thread.address);
        thread.thread_num = static_cast<int>(place - last.threads.begin());
    }
    thread.root = last.root().threads.front();
    const Team &now = left(last, thread.address, thread.thread_num);
    if (&now != &last && thread.thread_num == 0) {
        thread.thread_num = last.master_tid;
    }
    if (is_in(now, thread)) {
        thread.team = &now;
        thread.task = task_in(now, thread);
    }
    return thread;
}

int Teams::number_of(TargetAddr thread) const {
    return thread == boundary_.thread ? 0
                                      : to_int(memory_.field(thread, places_.thread.thread_num));
}

std::uint64_t Teams::pthread_id(TargetAddr thread) const {
    return memory_.field(thread, places_.thread.pthread_id);
}

TargetAddr Teams::behind(TargetAddr kmp_team) const {
    return kmp_team.value == 0 ? kmp_team : kmp_team + places_.team_in_pointer;
}

TargetAddr Teams::team_address(TargetAddr thread) const {
    if (thread == boundary_.thread) {
        return boundary_.team;
    }
    return behind(memory_.pointer(thread, places_.thread.team));
}

const Team *Teams::team_of(TargetAddr thread) {
    const TargetAddr address = team_address(thread);
    if (address.value == 0) {
        return nullptr;
    }
    return linked_team(address, memory_.pointer(thread, places_.thread.task), thread).team;
}

// A team that is being made has no parent yet or, where it is kept from an earlier region, that
// one's. One that is given back has none any more, while its primary thread's record still names it
// (__kmp_allocate_team, __kmp_free_team). That thread is in the team of the task around. An initial
// thread's outermost team has no task around: where the task is of a region's team inside, that
// region is not begun yet.
Teams::Linked Teams::linked_team(TargetAddr address, TargetAddr task, TargetAddr thread) {
    const Team &named = team(address);
    if (const Team *own = left_for_reduction(named, task, thread)) {
        return {own, task};
    }
    if (thread == boundary_.thread) {
        return {&named, std::nullopt};
    }
    if (named.parent != nullptr) {
        const bool is_primarys = task.value != 0 && task == named.implicit_tasks;
        const TargetAddr around =
            is_primarys ? memory_.pointer(task, places_.task.parent) : TargetAddr{};
        const TargetAddr own =
            around.value == 0 ? around : behind(memory_.pointer(around, places_.task.team));
        const bool is_ready = own.value == 0 || own == address || own == named.parent->address;
        return is_ready ? Linked{&named, std::nullopt} : Linked{&team(own), around};
    }
    for (int depth = 0; task.value != 0 && depth < max_nesting; ++depth) {
        const TargetAddr own = behind(memory_.pointer(task, places_.task.team));
        if (own != address && own.value != 0) {
            const Team &other = team(own);
            return other.is_inside(named) ? Linked{&named, std::nullopt} : Linked{&other, task};
        }
        task = memory_.pointer(task, places_.task.parent);
    }
    return {&named, std::nullopt};
}

// Where initial teams reduce, the runtime has the record of an initial thread name the LEAGUE for
// a while (__kmp_swap_teams_for_teams_reduction). Return the team whose task it executes meanwhile,
// null in all other cases.
const Team *Teams::left_for_reduction(const Team &league, TargetAddr task, TargetAddr thread) {
    if (!league.is_league_member() || task.value == 0 || thread == boundary_.thread) {
        return nullptr;
    }
    const TargetAddr own = behind(memory_.pointer(task, places_.task.team));
    if (own.value == 0 || own == league.address) {
        return nullptr;
    }
    const Team &other = team(own);
    const bool is_its = other.parent == &league && other.levels() == 0;
    return is_its && other.threads.front() == thread ? &other : nullptr;
}

const Team &Teams::team(TargetAddr address) {
    std::vector<TargetAddr> pending;
    while (address.value != 0 && !teams_.contains(address.value)) {
        if (std::ranges::find(pending, address) != pending.end() || pending.size() > max_nesting) {
            throw Inconsistent("the OpenMP teams' parents form a cycle: memory is damaged");
        }
        pending.push_back(address);
        address = behind(memory_.pointer(address, places_.team.parent));
    }
    const Team *innermost = address.value == 0 ? nullptr : teams_.at(address.value).get();
    for (; !pending.empty(); pending.pop_back()) {
        const TargetAddr at = pending.back();
        innermost = teams_.emplace(at.value, read_team(at, innermost)).first->second.get();
    }
    if (innermost == nullptr) {
        throw Inconsistent("an OpenMP thread has no team");
    }
    return *innermost;
}

std::unique_ptr<Team> Teams::read_team(TargetAddr address, const Team *parent) const {
    const std::uint64_t size = memory_.field(address, places_.team.size);
    const int level = to_int(memory_.field(address, places_.team.level));
    const int outside = parent == nullptr ? 0 : parent->level;
    const bool may_begin = size == 1 && level >= 0;
    if (size == 0 || size > std::uint64_t{max_team_size} || (level < outside && !may_begin) ||
        level > outside + max_nesting) {
        throw Inconsistent("an OpenMP team of " + std::to_string(size) + " threads at level " +
                           std::to_string(level) + " cannot be: memory is damaged");
    }
    auto team = std::make_unique<Team>();
    team->address = address;
    team->parent = parent;
    team->level = std::max(level, outside);
    team->active_level = to_int(memory_.field(address, places_.team.active_level));
    team->size = static_cast<int>(size);
    team->master_tid = to_int(memory_.field(address, places_.team.master_tid));
    team->function = memory_.pointer(address, places_.team.function);
    team->caller = memory_.pointer(address, places_.team.caller);
    team->implicit_tasks = memory_.pointer(address, places_.team.implicit_tasks);
    team->is_alone_in_league = size == 1 && level > 0 && level == outside && is_nested(address);
    team->threads = members(memory_.pointer(address, places_.team.threads), team->size);
    if (address == boundary_.team) {
        team->threads.front() = boundary_.thread;
    }
    return team;
}

bool Teams::is_nested(TargetAddr team) const {
    const auto place = places_.team.nested ? places_.team.nested() : std::nullopt;
    return place && memory_.field(team, *place) > 1;
}

std::vector<TargetAddr> Teams::members(TargetAddr first, int count) const {
    std::vector<std::byte> bytes(static_cast<std::size_t>(count) * pointer_size);
    memory_.read(first, bytes);
    std::vector<TargetAddr> found;
    found.reserve(static_cast<std::size_t>(count));
    for (std::size_t at = 0; at < bytes.size(); at += pointer_size) {
        const TargetAddr info{memory_.space().to_uint(std::span(bytes).subspan(at, pointer_size))};
        found.push_back(info.value == 0 ? info : info + places_.thread_in_info);
    }
    return found;
}

// A worker keeps its last team's address while it idles. It is in the team only if the team
// counts it, and if the team's primary thread, which leaves first, is still there. Workers of
// a `teams` construct's initial team wait for the first region inside.
bool Teams::is_in(const Team &team, const OmpThread &thread) {
    if (thread.thread_num < 0 || thread.thread_num >= team.size ||
        team.threads[static_cast<std::size_t>(thread.thread_num)] != thread.address) {
        return false;
    }
    if (thread.thread_num == 0) {
        return true;
    }
    return !team.is_league_member() && has_its_primary(team);
}

bool Teams::has_its_primary(const Team &team) {
    if (const auto known = live_.find(team.address.value); known != live_.end()) {
        return known->second;
    }
    const TargetAddr primary = team.threads.front();
    const Team *each = team_of(primary);
    if (each != nullptr) {
        each = &left(*each, primary, number_of(primary));
    }
    while (each != nullptr && each != &team) {
        each = each->parent;
    }
    return live_[team.address.value] = each != nullptr;
}

// The team around TEAM if THREAD is its primary thread and has left it or not begun it, else TEAM.
// Where a region ends the primary thread gets the number back that it has outside, before the
// runtime takes it out of the team. That is what omp_get_thread_num() says from then on.
const Team &Teams::left(const Team &team, TargetAddr thread, int thread_num) {
    if (team.parent == nullptr || team.threads.front() != thread) {
        return team;
    }
    const bool has_left = thread_num != 0 && thread_num == team.master_tid;
    return has_left || team.has_no_level_yet() ? *team.parent : team;
}

TargetAddr Teams::task_outside(const Team &team) const {
    const TargetAddr primary = team.threads.front();
    if (team.levels() == 0 || team.implicit_tasks.value == 0 || primary.value == 0 ||
        primary == boundary_.thread || team_address(primary) != team.address) {
        return {};
    }
    const auto is_inside = [&](TargetAddr task) {
        return task.value == 0 || task == team.implicit_tasks ||
               behind(memory_.pointer(task, places_.task.team)) == team.address;
    };
    const TargetAddr task = memory_.pointer(primary, places_.thread.task);
    if (is_inside(task)) {
        return {};
    }
    // The implicit task of a region that begins or ends in TEAM is the thread's before the
    // region's team is, and still after.
    const TargetAddr parent = memory_.pointer(task, places_.task.parent);
    return parent.value != 0 && is_inside(parent) ? TargetAddr{} : task;
}

// The task that THREAD executes in TEAM. Where a region begins and ends, its primary thread's
// record may name an implicit task in a team that is not its own yet, or no longer. The other way
// round, too. An explicit task is of the team that executes it.
TargetAddr Teams::task_in(const Team &team, const OmpThread &thread) {
    if (thread.task.value == 0 || thread.address == boundary_.thread) {
        return thread.task;
    }
    if (team.threads.front() == thread.address && task_outside(team).value != 0) {
        return team.implicit_tasks;
    }
    const TargetAddr own = behind(memory_.pointer(thread.task, places_.task.team));
    if (own.value == 0 || own == team.address) {
        return thread.task;
    }
    const Team &other = this->team(own);
    const bool is_others = (other.levels() > 0 || other.has_no_level_yet()) &&
                           other.implicit_tasks == thread.task &&
                           other.threads.front() == thread.address;
    return is_others ? memory_.pointer(thread.task, places_.task.parent) : thread.task;
}

std::vector<SerializedFrame> Teams::serialized_frames(const Team &team) const {
    std::vector<SerializedFrame> found;
    std::unordered_set<std::uint64_t> met;
    TargetAddr at = memory_.pointer(team.address, places_.team.serialized);
    while (at.value != 0) {
        if (!met.insert(at.value).second || found.size() > max_nesting) {
            throw Inconsistent("the list of serialized OpenMP regions has no end");
        }
        found.push_back(
            {memory_.pointer(at, places_.serialized.caller), at + places_.serialized.task_info});
        at = memory_.pointer(at, places_.serialized.parent);
    }
    return found;
}

// LLVM overwrites the caller of an enclosing serialized region with the inner one's before it
// sets it aside: one that is the same as its inner neighbour's is not known.
std::vector<TargetAddr> Teams::callers(const Team &team) const {
    const auto levels = static_cast<std::size_t>(team.levels());
    std::vector<TargetAddr> found{team.caller};
    if (levels > 1) {
        const std::vector<SerializedFrame> kept = serialized_frames(team);
        if (!keeps_all(team, kept)) {
            return std::vector<TargetAddr>(levels);  // which are left, nobody knows
        }
        for (const SerializedFrame &frame : kept) {
            found.push_back(frame.caller == found.back() ? TargetAddr{} : frame.caller);
        }
    }
    found.resize(levels);
    std::ranges::reverse(found);
    return found;
}

bool keeps_all(const Team &team, const std::vector<SerializedFrame> &kept) {
    return std::ssize(kept) >= team.levels() - 1;
}

std::optional<RegionKey> innermost_region(const Team *team) {
    for (; team != nullptr; team = team->parent) {
        if (team->levels() > 0) {
            return RegionKey{team->address, team->levels() - 1};
        }
    }
    return std::nullopt;
}

// The runtime's omp_get_team_num takes the initial team's number in the league, too. A league of
// one team has one record for both; a thread at the league's end is in the league's own.
std::optional<TeamOfLeague> team_of_league(const Team &team, int thread_num) {
    for (const Team *each = &team; each->parent != nullptr; each = each->parent) {
        if (each->is_league_member()) {
            const bool is_initial = each->parent->is_league_member();
            const Team &league = is_initial ? *each->parent : *each;
            return TeamOfLeague{league.address, is_initial ? each->master_tid : thread_num,
                                league.size, league.level};
        }
        thread_num = each->master_tid;
    }
    return std::nullopt;
}

std::vector<Membership> memberships(const Team &team, int thread_num) {
    std::vector<Membership> found;
    for (const Team *each = &team; each != nullptr; each = each->parent) {
        if (each->levels() > 0) {
            found.push_back({thread_num, each->size});
            found.resize(found.size() + static_cast<std::size_t>(each->levels()) - 1, alone);
        }
        thread_num = each->master_tid;
    }
    found.push_back(alone);
    return found;
}

}  // namespace gdb_ompd::llvm
