// SPDX-License-Identifier: Apache-2.0
// The functions by which user code calls an OpenMP runtime, and what each means.
//
// They are exported, so that their names are there on stripped runtimes too. The table, and all
// that is told by a name, is in runtimes/entry_points.cpp: here nobody knows a vendor.
#pragma once

#include "elf/module.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace gdb_ompd::code {

// What a thread can wait for in an OpenMP runtime. Those of the last three an entry point has not:
// they are of workers.
enum class WaitKind : std::uint8_t {
    none,
    explicit_barrier,
    loop_barrier,  // the end of a worksharing loop
    sections_barrier,
    single_barrier,
    worksharing_barrier,  // one of those three
    barrier,              // explicit or worksharing: the program's code is the same
    region_barrier,
    critical,
    lock,
    nest_lock,
    atomic,
    ordered,
    doacross,
    reduction,
    taskwait,
    taskgroup,
    taskloop,
    dependence,
    copyprivate,
    task_event,              // of a detached task that is executed at once
    target,                  // for the device that executes the region
    target_map,              // until data are mapped or unmapped
    target_update,           // until they are copied
    not_begun,               // of a worker that was woken for a region: it can go on
    idle,                    // of a worker in the pool
    idle_or_region_barrier,  // the stack alone cannot tell
    mutex,                   // of the C library: no function of a runtime's is called for it
    semaphore,               // the same
    rwlock,                  // the same
    spin_lock,               // the same
};

// Whether a thread waits there for tasks, none of which needs to be of another thread's.
constexpr bool waits_for_tasks(WaitKind kind) {
    return kind == WaitKind::taskwait || kind == WaitKind::taskgroup ||
           kind == WaitKind::taskloop || kind == WaitKind::dependence;
}

// Whether a team waits there for its members.
constexpr bool is_barrier(WaitKind kind) {
    return WaitKind::explicit_barrier <= kind && kind <= WaitKind::region_barrier;
}

// Whether it is for what one thread has at a time.
constexpr bool is_mutex(WaitKind kind) {
    return WaitKind::critical <= kind && kind <= WaitKind::atomic;
}

// Whether a device has work to do there.
constexpr bool is_target(WaitKind kind) {
    return WaitKind::target <= kind && kind <= WaitKind::target_update;
}

// As the documents of -json have it; empty for none.
std::string_view text(WaitKind kind);
// The kind with that text; none for another.
WaitKind wait_kind(std::string_view text);

// What is tried enters where the lock is free, and does not wait.
enum class LockEffect : std::uint8_t { none, enters, leaves, tries };

// Whether only GCC's code calls a function with such a name.
bool is_of_gcc(std::string_view name);

// What a runtime's function does besides, as far as that matters.
enum class Role : std::uint8_t {
    none,
    // Entry points
    begins_league,
    begins_team,  // of a league, in a target region on the host
    ends_region,  // of code that calls the body itself, between two calls of the runtime
    begins_serialized,
    ends_serialized,
    allocates_task,  // its function is handed over with it
    ends_undeferred_task,
    executes_next_part,  // of the task that calls it
    ends_any_taskgroup,  // that of a taskloop, too
    starts_single,
    starts_sections,
    ends_sections,
    // The runtime's own
    forks,
    joins,
    links_serialized,  // the thread is in a serialized region's team already
    calls_body,        // of a region, in every thread of its team
    wraps_body,        // is called by that, and calls the body
    executes_task,
    works_on_task,   // begins or ends one
    takes_own_lock,  // its first argument
    waits_before_region,
    waits_behind_region,
    gathers,   // the threads of a barrier that record that they have arrived
    releases,  // these
};

// As Python has it; empty for none.
std::string_view text(Role role);

// Arguments are counted from 0; -1 for none. Those from 6 on are on the stack on x86-64.
struct EntryPoint {
    std::string_view name;
    WaitKind kind = WaitKind::none;  // what the caller waits for in it
    int object = -1;                 // the lock, the critical's word, the sink's loop variables
    int place = -1;                  // the ident_t whose flags tell which barrier it is
    int body = -1;                   // the construct's function
    int record = -1;                 // the task's record, which holds its function
    int threads = -1;                // how many threads are asked for; 0 for no matter
    int device = -1;                 // the device's number
    int region_id = -1;              // the address that tells clang's target region
    int deferred = -1;               // the flags whose first bit says that only a task is made
    bool begins_region = false;
    bool makes_task = false;  // and may call its body at once
    LockEffect lock = LockEffect::none;
    Role role = Role::none;
    bool is_called = true;  // by user code; the others are the runtime's own, known by name

    // Whether it says only how many threads the region that begins next is to have.
    [[nodiscard]] constexpr bool asks_for_threads() const { return threads >= 0 && !begins_region; }
    [[nodiscard]] bool is_of_gcc() const { return code::is_of_gcc(name); }
    [[nodiscard]] constexpr bool waits() const {
        return kind != WaitKind::none && lock != LockEffect::leaves && lock != LockEffect::tries;
    }
};

std::span<const EntryPoint> entry_points();
// By its name, also by the one that LLVM's debug information has for it; null for others.
const EntryPoint *entry_point(std::string_view name);

// A function's name without what LLVM's debug information puts before some.
std::string_view own_name(std::string_view name);
// Of any function of a runtime's.
Role role_of(std::string_view name);
// The names of those with one that Python knows by its text.
std::vector<std::string_view> names_with(std::string_view role);
// Which argument of what allocates a task is its function.
inline constexpr int allocated_function = 5;
// Which argument of a task's function is its record.
inline constexpr std::size_t record_of_task = 1;
// Whether user code calls a function with such a name.
bool is_entry_name(std::string_view name);
// Whether a function of a program that the runtime is linked into is the runtime's.
bool is_runtime_name(std::string_view name);

// Whether GCC has made a function, by its symbol, of a region's body or a task's.
inline bool is_gccs_body(std::string_view name) {
    return name.find("._omp_fn.") != std::string_view::npos && !name.ends_with(".cold");
}
bool is_taskloop(const EntryPoint &entry);
// Whether a function of GCC's runtime calls the bodies of tasks.
bool executes_tasks(const EntryPoint &entry);
// Whether a function begins a worksharing loop.
bool starts_loop(std::string_view name);
// The barrier that the flags of an ident_t mean.
WaitKind barrier_of(std::uint64_t flags);
inline constexpr std::uint64_t place_flags_offset = 4;

// The table's functions as they are mapped.
class EntryPoints {
public:
    explicit EntryPoints(const Modules &runtimes);

    // The one that begins at ADDRESS; of several names the first in the table's order.
    [[nodiscard]] const EntryPoint *at(std::uint64_t address) const;
    [[nodiscard]] const EntryPoint *around(std::uint64_t pc) const;
    // Where those are that begin a region.
    [[nodiscard]] std::vector<std::uint64_t> beginning() const;
    // Where one is, in each runtime that has it.
    [[nodiscard]] std::vector<std::uint64_t> starts(const EntryPoint &entry) const;

private:
    template <class IsWanted> std::vector<std::uint64_t> those(IsWanted is_wanted) const;

    struct Mapped {
        std::uint64_t end = 0;
        const EntryPoint *entry = nullptr;
    };
    std::map<std::uint64_t, Mapped> by_start_;
};

}  // namespace gdb_ompd::code
