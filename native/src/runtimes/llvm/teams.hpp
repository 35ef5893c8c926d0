// SPDX-License-Identifier: Apache-2.0
// LLVM's threads and teams, from the runtime's records.
//
// libompd walks the same records, but loses levels of nested serialized regions and leaves
// idle workers in the region that they finished. So nesting and membership are worked out
// here. One team stands for as many nested regions as its level exceeds its parent's. That is one
// for an active region, and several for serialized regions nested in each other. It is none for the
// league and the initial teams of a `teams` construct.
#pragma once

#include "model/facts.hpp"
#include "runtimes/llvm/records.hpp"

#include <memory>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace gdb_ompd::llvm {

struct ThreadRecord;

// One kmp_team_t.
struct Team {
    TargetAddr address;  // of its kmp_base_team_t
    const Team *parent = nullptr;
    int level = 0;
    int active_level = 0;
    int size = 0;
    int master_tid = 0;  // the primary thread's number in the parent
    TargetAddr function;
    TargetAddr caller;  // where the encountering code called the runtime; 0 while OMPT is off
    TargetAddr implicit_tasks;        // their records, the primary thread's first
    std::vector<TargetAddr> threads;  // their records by thread number; 0 if not made yet
    // The league of one team, with that: begun as two serialized regions, which are no levels
    // (__kmp_teams_master).
    bool is_alone_in_league = false;

    // How many nested regions this team stands for.
    [[nodiscard]] int levels() const { return level - (parent == nullptr ? level : parent->level); }
    // The team of the initial thread.
    [[nodiscard]] const Team &root() const;
    // Whether OTHER is around it, by the parents of its last region.
    [[nodiscard]] bool is_inside(const Team &other) const {
        return parent != nullptr && (parent == &other || parent->is_inside(other));
    }
    // Whether it is the league or an initial team of a `teams` construct: in no region, or in one
    // whose thread executes a `target` region on the host. A team that is being made has no
    // function yet.
    [[nodiscard]] bool is_league_member() const {
        if (parent == nullptr || levels() != 0 || function.value == 0) {
            return false;
        }
        return level == 0 || size > 1 || is_alone_in_league ||
               (parent->parent != nullptr && parent->levels() == 0);
    }
    // Whether its region has not begun: where a serialized one does, the team still has the level
    // of an earlier one for some instructions (__kmp_serialized_parallel), and one that is made
    // has none (__kmp_allocate_team).
    [[nodiscard]] bool has_no_level_yet() const {
        return parent != nullptr && levels() == 0 && !is_league_member();
    }
};

// A parallel region: the team, and which of its nested levels (0 outermost).
struct RegionKey {
    TargetAddr team;
    int nest = 0;

    bool operator==(const RegionKey &) const = default;
    bool operator<(const RegionKey &other) const {
        return std::tie(team, nest) < std::tie(other.team, other.nest);
    }
    // A number that no other live region has.
    [[nodiscard]] std::uint64_t identity() const {
        return team.value + static_cast<std::uint64_t>(nest);
    }
};

// A thread as its kmp_base_info_t has it.
struct OmpThread {
    TargetAddr address;
    std::optional<std::uint64_t> gtid;  // none for a worker that has not run yet
    int thread_num = 0;
    TargetAddr task;                 // that it executes in its team
    const Team *team = nullptr;      // null for a worker that is in no region
    std::optional<TargetAddr> root;  // the initial thread it works for, where known
};

// A thread at the event of a region that begins or ends, and the region's team. It is in the
// region, as its primary thread, and executes the task that met the construct (OpenMP 5.0,
// section 5.6.1), whatever the runtime has recorded yet.
struct Boundary {
    TargetAddr thread;
    TargetAddr team;

    bool operator==(const Boundary &) const = default;
};

// What the runtime keeps of an enclosing serialized region while OMPT is on.
struct SerializedFrame {
    TargetAddr caller;
    TargetAddr task_info;  // its ompt_task_info_t
};

// Whether KEPT has an entry for each of TEAM's regions but the innermost. It has none while OMPT
// is off, and too few once a serialized region of GCC's code has ended inside of others:
// __kmp_join_call takes the enclosing one's away, too (openmp/runtime/src/kmp_runtime.cpp).
[[nodiscard]] bool keeps_all(const Team &team, const std::vector<SerializedFrame> &kept);

// Threads and teams at one stop; each team is read once. Everything throws Inconsistent
// where memory is damaged, and Unreadable where it cannot be read.
class Teams {
public:
    // THREADS is the array that __kmp_threads points to.
    Teams(AddressSpace &space, Places places, TargetAddr threads, Boundary boundary = {});

    // Where the record of the thread with that global number is, none if there is none.
    [[nodiscard]] std::optional<TargetAddr> record(std::uint64_t gtid) const;
    // The thread with that global number, none if there is none.
    [[nodiscard]] std::optional<OmpThread> thread(std::uint64_t gtid);
    // The thread whose record is at ADDRESS.
    [[nodiscard]] OmpThread thread_at(TargetAddr address, std::optional<std::uint64_t> gtid);
    // The same, by what was read of its record.
    [[nodiscard]] OmpThread thread_of(const ThreadRecord &record);

    [[nodiscard]] std::uint64_t pthread_id(TargetAddr thread) const;
    // The team that a thread was last in; null if none.
    [[nodiscard]] const Team *team_of(TargetAddr thread);
    // The team at ADDRESS, with its ancestors.
    [[nodiscard]] const Team &team(TargetAddr address);
    // The task that met the construct of TEAM's region, while the primary thread's record names
    // that task and the team; 0 otherwise. The runtime has the team's implicit task be the
    // current one later than its team, and not as long.
    [[nodiscard]] TargetAddr task_outside(const Team &team) const;
    // What is kept of TEAM's enclosing serialized regions, innermost first.
    [[nodiscard]] std::vector<SerializedFrame> serialized_frames(const Team &team) const;
    // Where each of TEAM's regions was begun, outermost first; 0 where it is not known.
    [[nodiscard]] std::vector<TargetAddr> callers(const Team &team) const;

    // What is read from now on answers another question: it has a budget of its own.
    void begin_walk() { memory_ = memory_.for_walk(Budget()); }

    [[nodiscard]] const Boundary &boundary() const noexcept { return boundary_; }
    [[nodiscard]] const Memory &memory() const noexcept { return memory_; }
    [[nodiscard]] const Places &places() const noexcept { return places_; }

private:
    [[nodiscard]] TargetAddr team_address(TargetAddr thread) const;
    [[nodiscard]] TargetAddr behind(TargetAddr kmp_team) const;
    [[nodiscard]] OmpThread in_team(OmpThread thread, TargetAddr team);
    // The team that a thread is in, and the task in it if its record names neither.
    struct Linked {
        const Team *team = nullptr;
        std::optional<TargetAddr> task;
    };
    [[nodiscard]] Linked linked_team(TargetAddr address, TargetAddr task, TargetAddr thread);
    [[nodiscard]] const Team *left_for_reduction(const Team &league, TargetAddr task,
                                                 TargetAddr thread);
    [[nodiscard]] int number_of(TargetAddr thread) const;
    [[nodiscard]] bool is_in(const Team &team, const OmpThread &thread);
    [[nodiscard]] static const Team &left(const Team &team, TargetAddr thread, int thread_num);
    [[nodiscard]] TargetAddr task_in(const Team &team, const OmpThread &thread);
    [[nodiscard]] bool has_its_primary(const Team &team);
    [[nodiscard]] std::unique_ptr<Team> read_team(TargetAddr address, const Team *parent) const;
    // Whether TEAM's thread is in several serialized regions of it.
    [[nodiscard]] bool is_nested(TargetAddr team) const;
    [[nodiscard]] std::vector<TargetAddr> members(TargetAddr first, int count) const;

    Memory memory_;
    Places places_;
    TargetAddr threads_;
    Boundary boundary_;
    std::unordered_map<std::uint64_t, std::unique_ptr<Team>> teams_;  // by address
    std::unordered_map<std::uint64_t, bool> live_;  // whether a team has its primary thread
};

// The innermost region of a thread in TEAM, none at level 0.
[[nodiscard]] std::optional<RegionKey> innermost_region(const Team *team);

// Which team of a league a thread is in.
struct TeamOfLeague {
    TargetAddr league;  // its team's record
    int team_num = 0, num_teams = 1;
    int level = 0;  // the league's
};
// That of a thread with the number THREAD_NUM in TEAM, none outside of leagues.
[[nodiscard]] std::optional<TeamOfLeague> team_of_league(const Team &team, int thread_num);

// A thread's number and team size at every level, innermost first and level 0 last: what
// omp_get_ancestor_thread_num and omp_get_team_size say.
[[nodiscard]] std::vector<Membership> memberships(const Team &team, int thread_num);

}  // namespace gdb_ompd::llvm
