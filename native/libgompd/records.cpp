// SPDX-License-Identifier: Apache-2.0
#include "records.hpp"

#include <algorithm>

namespace libgompd {

namespace {

// Where the C library's record of the thread in which the program began has the end of the
// stack that the dynamic linker found.
constexpr std::size_t pthread_size = 0x900;

template <std::size_t size> Place place_of(const Bytes<size> &bytes, std::int64_t at) {
    const auto from = static_cast<std::size_t>(at);
    return {bytes.u64(from), bytes.u32(from + offsets::team_id), bytes.u32(from + offsets::level),
            bytes.u32(from + offsets::active_level)};
}

[[noreturn]] void damaged() { throw Refused{ompd_rc_error}; }

// A thread of a team, not its primary one, is in it from its first task to its last.
bool begins_or_ends(const Thread &thread) { return thread.task == 0 || thread.pool == 0; }

}  // namespace

// By the ABI of thread-local storage a thread's control block begins with its own address on
// x86-64, and with that of its vector of blocks on aarch64.
bool Records::is_thread(std::uint64_t thread_pointer) const {
    if (thread_pointer == 0 || thread_pointer % 16 != 0) {
        return false;
    }
    if (target_.machine() == Machine::aarch64) {
        return has_vector(thread_pointer);
    }
    Bytes<8> own;
    return target_.can_read(thread_pointer, own.raw.data(), 8) && own.u64(0) == thread_pointer;
}

// The entry before the vector's first one is its length.
bool Records::has_vector(std::uint64_t thread_pointer) const {
    constexpr std::uint64_t longest = 1U << 20U;
    Bytes<8> vector;
    Bytes<8> length;
    return target_.can_read(thread_pointer, vector.raw.data(), 8) && vector.u64(0) % 8 == 0 &&
           target_.can_read(vector.u64(0) - 16, length.raw.data(), 8) && length.u64(0) != 0 &&
           length.u64(0) <= longest;
}

std::uint64_t Records::record_of(std::uint64_t thread_pointer) const {
    if (!is_thread(thread_pointer)) {
        throw Refused{ompd_rc_unavailable};
    }
    return thread_pointer + static_cast<std::uint64_t>(layout_.record);
}

std::uint64_t Records::thread_pointer_of(std::uint64_t record) const {
    return record - static_cast<std::uint64_t>(layout_.record);
}

std::uint64_t Records::pthread_of(std::uint64_t thread_pointer) const {
    if (!layout_.pthread) {
        throw Refused{ompd_rc_unsupported};
    }
    return thread_pointer + static_cast<std::uint64_t>(*layout_.pthread);
}

std::uint64_t Records::thread_pointer_by_pthread(std::uint64_t pthread) const {
    return pthread - (pthread_of(pthread) - pthread);
}

Thread Records::thread(std::uint64_t record) const {
    Bytes<largest_thread> bytes;
    const Family &family = layout_.family;
    target_.read(record, bytes.raw.data(), static_cast<std::size_t>(family.pool) + 8);
    return {record, place_of(bytes, offsets::state),
            bytes.u64(static_cast<std::size_t>(family.task)),
            bytes.u64(static_cast<std::size_t>(family.pool))};
}

bool Records::is_main(std::uint64_t record) const {
    const auto variable = target_.symbol("__libc_stack_end", nullptr);
    if (!variable || !layout_.pthread) {
        return false;
    }
    const std::uint64_t end = target_.u64(*variable);
    const std::uint64_t pthread = pthread_of(thread_pointer_of(record));
    // It begins at the thread pointer, or ends there.
    const auto before = static_cast<std::size_t>(-*layout_.pthread);
    const std::size_t size = before == 0 ? pthread_size : std::min(before, pthread_size);
    Bytes<pthread_size> bytes;
    if (end == 0 || !target_.can_read(pthread, bytes.raw.data(), size)) {
        return false;
    }
    for (std::size_t at = 0; at + 8 <= size; at += 8) {
        if (bytes.u64(at) == end) {
            return true;
        }
    }
    return false;
}

Team Records::team(std::uint64_t address) const {
    Bytes<largest_team> bytes;
    target_.read(address, bytes.raw.data(), static_cast<std::size_t>(layout_.family.members) + 8);
    Team team;
    team.address = address;
    team.size = bytes.u32(offsets::team_size);
    team.outer = place_of(bytes, offsets::outer_state);
    team.members = bytes.u64(static_cast<std::size_t>(layout_.family.members));
    const std::uint64_t tasks = std::uint64_t{team.size} * layout_.family.task_size;
    if (team.size == 0 || team.size > max_team_size || team.members <= address + tasks) {
        damaged();
    }
    return team;
}

std::optional<Place> Records::place_in(const Thread &thread, std::uint64_t team) const {
    Place place = thread.place;
    while (place.in_region() && place.level <= max_levels) {
        if (place.team == team) {
            return place;
        }
        Place outer = this->team(place.team).outer;
        outer.is_own = place.is_own && place.thread_num == 0;
        if (outer.level + 1 != place.level) {
            damaged();
        }
        place = outer;
    }
    return std::nullopt;
}

bool Records::is_member(std::uint64_t record, std::uint64_t team, std::uint32_t number) const {
    if (!is_thread(thread_pointer_of(record))) {
        return false;
    }
    const Thread thread = this->thread(record);
    if (number != 0 && begins_or_ends(thread)) {
        return false;
    }
    const auto place = place_in(thread, team);
    return place && place->is_own && place->thread_num == number;
}

// What the team has as the record of a thread that was made for it: never the primary one's.
std::uint64_t Records::listed(const Team &team, std::uint32_t number) const {
    const std::uint64_t entry = target_.u64(team.members + std::uint64_t{number} * 8);
    return entry - static_cast<std::uint64_t>(layout_.family.release);
}

// Who began the team, in which it need not be any more; none where nothing tells.
std::optional<std::uint64_t> Records::beginner(const Team &team, const Thread &inside) const {
    const auto own = place_in(inside, team.address);
    if (own && own->is_own && own->thread_num == 0) {
        return inside.address;
    }
    if (own && team.outer.in_region()) {
        const Team outer = this->team(team.outer.team);
        const std::uint64_t found = member(outer, team.outer.thread_num, inside);
        return found != 0 ? std::optional(found) : std::nullopt;
    }
    const std::uint64_t first = first_of_pool(inside);
    return first != 0 ? std::optional(first) : std::nullopt;
}

std::uint64_t Records::member(const Team &team, std::uint32_t number, const Thread &inside) const {
    if (number >= team.size) {
        throw Refused{ompd_rc_bad_input};
    }
    const std::uint64_t record =
        number == 0 ? beginner(team, inside).value_or(0) : listed(team, number);
    return record != 0 && is_member(record, team.address, number) ? record : 0;
}

// It is the one that the pool was made for.
std::uint64_t Records::first_of_pool(const Thread &worker) const {
    const std::uint64_t threads = worker.pool == 0 ? 0 : target_.u64(worker.pool);
    return threads == 0 ? 0 : target_.u64(threads);
}

// Whether a worker is in its pool's region, of whose team nothing is read before somebody is in
// it: it may be gone. A thread that executes a target region on the host has a new record till
// that ends: then the barrier tells in which the pool's threads are between regions.
bool Records::is_in_outermost(const Thread &worker) const {
    const std::uint64_t first = first_of_pool(worker);
    if (first == 0 || is_member(first, worker.place.team, 0)) {
        return first != 0;
    }
    if (thread(first).pool == worker.pool) {
        return false;  // it has left the region
    }
    const std::uint64_t all = target_.bytes<4>(worker.pool + offsets::dock).u32(0);
    const std::uint64_t missing = target_.bytes<4>(worker.pool + offsets::dock_missing).u32(0);
    return missing == all && all == team(worker.place.team).size;
}

bool Records::is_busy(const Thread &thread) const {
    const Place &place = thread.place;
    if (!place.in_region() || place.thread_num == 0) {
        return true;
    }
    if (begins_or_ends(thread)) {
        return false;
    }
    if (place.level == 1 && !is_in_outermost(thread)) {
        return false;
    }
    const Team team = this->team(place.team);
    if (place.thread_num >= team.size || listed(team, place.thread_num) != thread.address) {
        return false;
    }
    const auto first = place.level == 1 ? std::nullopt : beginner(team, thread);
    return !first || is_member(*first, team.address, 0);
}

Task Records::task(std::uint64_t address) const {
    Bytes<largest_task> bytes;
    const Family &family = layout_.family;
    target_.read(address, bytes.raw.data(), family.task_size);
    Task task;
    task.address = address;
    task.parent = bytes.u64(offsets::parent);
    task.taskgroup = bytes.u64(offsets::taskgroup);
    task.function = bytes.u64(static_cast<std::size_t>(family.function));
    const std::uint32_t kind = bytes.u32(static_cast<std::size_t>(family.kind));
    const std::uint64_t is_final = bytes.number(static_cast<std::size_t>(family.final_task), 1);
    if (kind > static_cast<std::uint32_t>(TaskKind::detached) || is_final > 1) {
        damaged();
    }
    task.kind = static_cast<TaskKind>(kind);
    task.final_task = is_final != 0;
    return task;
}

// The implicit tasks are the last of a team's record but for the list of its threads.
std::uint64_t Records::implicit_task(const Team &team, std::uint32_t number) const {
    return team.members - std::uint64_t{team.size - number} * layout_.family.task_size;
}

std::optional<std::uint32_t> Records::number_of(const Team &team, std::uint64_t task) const {
    const std::uint64_t first = implicit_task(team, 0);
    const std::uint64_t size = layout_.family.task_size;
    if (task < first || task >= team.members || (task - first) % size != 0) {
        return std::nullopt;
    }
    return static_cast<std::uint32_t>((task - first) / size);
}

}  // namespace libgompd
