// SPDX-License-Identifier: Apache-2.0
// What is true of an OpenMP program at one stop, as a reader of its runtime knows it.
// Plain values: nothing here reads anything. A number of a region is its position in
// StopFacts::regions plus one.
#pragma once

#include "base/ompd_types.h"
#include "base/target.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gdb_ompd {

// More of a team's threads, nested regions or tasks in a chain is what damaged memory makes.
inline constexpr int max_team_size = 1 << 16;
inline constexpr int max_nesting = 1024;
inline constexpr int max_chain = 100'000;

// A value with where it comes from, or no value with the reason. The texts are constants.
template <class T> struct Fact {
    std::optional<T> value;
    // The correction, or the runtime's record, that gave the value; null: the OMPD library.
    const char *source = nullptr;
    // What failed: an OMPD function with the code it returned, or what was read instead of
    // asking one.
    const char *failed = nullptr;
    ompd_rc_t code = ompd_rc_ok;

    [[nodiscard]] bool known() const noexcept { return value.has_value(); }
    bool operator==(const Fact &) const = default;

    static Fact from(const char *source, T value) { return {std::move(value), source}; }
    static Fact unknown(const char *failed, ompd_rc_t code) {
        return {std::nullopt, nullptr, failed, code};
    }
};

// An address that is none where it is 0.
inline std::optional<std::uint64_t> to_known(const std::optional<TargetAddr> &address) {
    return address && address->value != 0 ? std::optional(address->value) : std::nullopt;
}
// The number among all runtimes' of a REGION of the one whose first is behind FIRST; none for 0,
// which is none.
inline std::optional<int> number_of(std::optional<int> region, int first) {
    return region.value_or(0) > 0 ? std::optional(*region + first) : std::nullopt;
}

// A thread as the debugger lists it.
struct NativeThread {
    int gdb_num = 0;
    std::uint64_t lwp = 0;
    std::optional<std::uint64_t> pthread_id;
    bool running = false;
    int inferior = 0;

    bool operator==(const NativeThread &) const = default;
};

enum class ThreadKind : std::uint8_t { initial, worker, helper, native };
enum class TaskKind : std::uint8_t { initial, implicit, explicit_ };

// omp_get_ancestor_thread_num(level) and omp_get_team_size(level).
struct Membership {
    std::optional<int> thread_num;
    std::optional<int> team_size;

    bool operator==(const Membership &) const = default;
};

// One native thread. The facts of one that runs, of one that is not OpenMP's and of one that
// could not be read (ERROR says why) are unknown.
struct ThreadFacts {
    int gdb_num = 0;
    Fact<ThreadKind> kind;
    bool idle = false;  // a worker that is in no team now
    Fact<int> thread_num, team_size, level, active_level;
    std::vector<Membership> memberships;       // innermost first, level 0 last
    const char *memberships_failed = nullptr;  // what failed for those that are not known
    Fact<int> region;                          // the number of the innermost; 0 at level 0
    Fact<std::string> state;                   // the OMPT name without "ompt_state_"
    // omp_get_team_num(), omp_get_num_teams(), an identity of the league, 0 outside of one, and
    // omp_get_level() of the initial threads of its teams.
    Fact<int> team_num, num_teams;
    Fact<std::uint64_t> league;
    int league_level = 0;
    std::optional<ompd_wait_id_t> wait_id;
    Fact<TaskKind> task;
    std::string error;
};

// One live parallel region: not the implicit one around the whole program.
struct RegionFacts {
    std::uint64_t identity = 0;  // no other region's at this stop
    Fact<int> parent;            // a region's number; 0: it is outermost
    Fact<int> level, active_level, team_size;
    std::vector<std::optional<int>> threads;  // GDB numbers by thread number
    const char *threads_failed = nullptr;     // what failed for those that are not known
    // Of its construct: the return address of the call that began the region, the function
    // that its implicit tasks execute, and the GDB number of the primary thread.
    Fact<TargetAddr> caller, function;
    std::optional<int> primary;
    bool is_helpers = false;  // the runtime's own team for hidden helper tasks
};

// Where a compiler has said that a task's construct is.
struct ConstructPlace {
    std::string file;  // in any charset
    int line = 0;

    bool operator==(const ConstructPlace &) const = default;
};

// One task of a thread's chain, DEPTH 0 being the one it executes now; -1 for a task that
// is in no chain of that thread. GENERATING and SCHEDULING are depths in the same chain,
// which ends with those that have scheduled one and generated none.
struct TaskFacts {
    int gdb_num = 0;
    int depth = 0;
    std::uint64_t identity = 0;  // no other task's at this stop
    Fact<TaskKind> kind;
    Fact<bool> final_task;
    Fact<TargetAddr> enter_frame, exit_frame;  // 0: there is none
    Fact<TargetAddr> function;                 // 0: there is none
    Fact<int> region;                          // of an implicit or explicit task; 0: of none
    Fact<int> generating, scheduling;          // -1: there is none
    std::optional<ConstructPlace> construct;   // of an explicit task
};

struct ControlVariable {
    std::string name;
    std::optional<std::string> value;  // none: not known
    const char *source = nullptr;      // as in Fact
};

// An ICV as the library enumerates it.
struct IcvName {
    ompd_icv_id_t number = ompd_icv_undefined;
    std::string name;
    ompd_scope_t scope{};
    std::string specified{};  // the specification's name, where NAME is an alias of it
};

// One ICV's value: NUMBER, or TEXT where the library gives no number, or both for a list.
struct IcvFacts {
    const IcvName *icv = nullptr;  // the reader's
    std::optional<int> gdb_num;    // whose it is: a thread's or its task's,
    std::optional<int> region;     // or a region's; the process's otherwise
    Fact<ompd_word_t> number;
    Fact<std::string> text;
    const char *why_none = nullptr;  // why a correction has withdrawn the value
};

// The ICVs by which a region's team has its size, of the task that met its construct. That waits
// for the region, and so has them as they were.
struct SizeIcvs {
    std::optional<std::int64_t> nthreads{}, dynamic{}, max_active_levels{}, thread_limit{};
    bool is_shared = false;  // with tasks inside: it may be that these have set and restored them
    // The variable by which the runtime limits the threads of all teams of a league together.
    std::string_view limits_league{};
};

struct Versions {
    ompd_word_t api = 0;    // of OMPD that the library implements, such as 201811
    std::string library;    // how it describes itself
    Fact<ompd_word_t> omp;  // of OpenMP that the runtime implements
    Fact<std::string> omp_text;
};

// Threads and regions at one stop.
struct StopFacts {
    std::vector<ThreadFacts> threads;  // in the order that was asked for
    std::vector<RegionFacts> regions;  // a parent before its children
};

// Where an explicit task is that is created and that no thread executes.
enum class Whereabouts : std::uint8_t { queued, blocked, suspended, detached };

// Such a task, with the task that generated it: an explicit one by its function, an
// implicit one by its region and its thread's number in that.
struct WaitingTaskFacts {
    std::uint64_t identity = 0;  // as in TaskFacts
    Whereabouts where = Whereabouts::queued;
    std::optional<TargetAddr> function;
    std::optional<bool> final_task;
    std::optional<int> queue;  // the GDB number of the thread with which it is queued
    std::optional<TaskKind> creator;
    std::optional<TargetAddr> creator_function;
    std::optional<int> creator_region, creator_thread_num;
    std::optional<int> region;                  // its own
    std::optional<std::uint64_t> generated_by;  // the creator's identity
    std::optional<bool> tied;
    std::optional<ConstructPlace> construct, creator_construct;
};

struct WaitingTasks {
    std::vector<WaitingTaskFacts> tasks;
    std::vector<std::string> notes;  // what could not be read, or found
};

// Where one thread executes, for a breakpoint's condition.
struct Place {
    int thread_num = 0;
    int team_size = 0;
    int level = 0;
    int active_level = 0;
    std::optional<int> team_num{}, num_teams{};  // in its league, as far as that is known
};

}  // namespace gdb_ompd
