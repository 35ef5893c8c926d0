// SPDX-License-Identifier: Apache-2.0
// What OMPD has no word for, as a runtime's own records have it at one stop. Such are who has come
// to barriers, turns in ordered constructs, locks, and what tasks wait for.
#pragma once

#include "base/target.hpp"

#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace gdb_ompd {

enum class BarrierType : std::uint8_t { plain, forkjoin, reduction };  // libomp's numbers

// Where in a barrier a thread's frames show it: it gathers the threads that arrive later, or
// it has arrived and waits to be let go.
enum class Phase : std::uint8_t { unknown, gathers, released };

// A futex in which a thread sleeps: its address, and what it found there.
struct Futex {
    TargetAddr address;
    std::uint32_t found = 0;
};

struct StackOfThread {
    int gdb_num = 0;
    BarrierType type = BarrierType::plain;
    Phase phase = Phase::unknown;
    std::vector<std::uint64_t> words;  // of its stack that are the runtime's
    std::optional<Futex> sleeps_in{};
};

enum class Mutex : std::uint8_t { lock, nest_lock, critical };

// Threads by their GDB numbers. What is not known, or not recorded, is none.
struct LockWord {
    std::optional<bool> held{};
    std::optional<int> owner{};
    std::optional<std::vector<int>> queued{};  // the next one first
    std::optional<bool> keeps_owner{};         // whether a lock of this kind records its owner
    std::optional<std::int64_t> depth{};       // how often its owner has set a nest lock

    bool destroyed = false;  // while somebody waited for it

    // The runtime's number of an owner that the debugger does not know.
    std::optional<std::uint64_t> stranger{};

    bool operator==(const LockWord &) const = default;
};

// An iteration of a loop nest that a thread waits for: its number in each loop from 0, the
// outermost first.
struct Sink {
    std::vector<std::uint64_t> iteration;
    bool is_to_come = false;  // nobody has told yet that it is done with
    // GDB numbers of the thread's team that have left the loop, as their records have it: of one
    // that has not begun its region these may be an earlier region's.
    std::vector<int> left;

    bool operator==(const Sink &) const = default;
};

// How iterations are shared out: STOLEN are parts of them for each thread, from which others steal.
enum class LoopSchedule : std::uint8_t { unknown, fixed, dynamic, stolen, guided };

// What a runtime records of the worksharing loop that a thread is in, in values of what the
// compiler counts it with.
struct LoopRecord {
    LoopSchedule schedule = LoopSchedule::unknown;
    std::optional<std::int64_t> chunk{};  // iterations
    std::optional<std::int64_t> first{}, last{}, step{};
    std::optional<std::int64_t> end{};           // the first value that the loop has not any more
    std::optional<std::int64_t> next{};          // the first that no thread has been given
    std::optional<std::int64_t> chunks_given{};  // how many, from the first on
    // Chunks that the thread was given and has not begun: the first, and behind the last.
    std::optional<std::pair<std::int64_t, std::int64_t>> chunks_kept{};

    bool operator==(const LoopRecord &) const = default;
};

// Where the runtime has bound a thread: its place, and the first and last of those that it divides
// among the threads of regions which it begins. The last may be before the first.
struct OmpPlace {
    std::optional<std::int64_t> number{};
    std::optional<std::pair<std::int64_t, std::int64_t>> partition{};

    bool operator==(const OmpPlace &) const = default;
};

// A thread in the runtime's records that the process has not.
struct AbsentThread {
    int thread_num = 0;         // in its team
    std::uint64_t pthread = 0;  // as the records have it
    // It was given the team's region and has not begun it: the region began without it.
    bool is_awaited = false;

    bool operator==(const AbsentThread &) const = default;
};

// Each answer is none, false or nothing where it is not known.
class Capabilities {
public:
    Capabilities() = default;
    virtual ~Capabilities() = default;
    Capabilities(const Capabilities &) = delete;
    Capabilities &operator=(const Capabilities &) = delete;

    // Whether a thread is this runtime's.
    [[nodiscard]] virtual bool knows(int gdb_num) const = 0;
    // Whether each thread has a word by which it says that it has come to a barrier. A runtime
    // that counts threads has none.
    [[nodiscard]] virtual bool tells_who_has_come() const = 0;

    [[nodiscard]] virtual LockWord lock(TargetAddr address, Mutex kind) const = 0;
    // Whether the owner of a lock, a stranger to the debugger, has left the process, of which
    // ALIVE are all pthread_t.
    [[nodiscard]] virtual bool has_ended(const LockWord &word,
                                         const std::set<std::uint64_t> &alive) = 0;
    // Whether the thread has to wait there still: the barrier is not complete.
    [[nodiscard]] virtual std::optional<bool> kept_at_barrier(const StackOfThread &stack) = 0;
    // Whether the thread sleeps at a barrier to which all of its team have come, until the last
    // of the team's tasks is done.
    [[nodiscard]] virtual bool sleeps_until_tasks_are_done(const StackOfThread & /*stack*/) {
        return false;
    }
    // Whether the thread, which waits for tasks, sleeps until one of them is done: it executes none
    // that is queued meanwhile.
    [[nodiscard]] virtual bool sleeps_until_a_task_is_done(const StackOfThread & /*stack*/) const {
        return false;
    }
    // Whether it is certain that the thread has come to the barrier that is not complete,
    // whatever it executes while it waits there.
    [[nodiscard]] virtual bool has_come(const StackOfThread &stack) = 0;
    // Whether a worker that executes nothing has begun its team's region. PRIMARY_INSIDE
    // tells that the team's primary thread is in the region for certain.
    [[nodiscard]] virtual std::optional<bool> has_begun(const StackOfThread &stack,
                                                        bool primary_inside) = 0;
    // Whether a thread's turn in an ordered construct is still to come.
    [[nodiscard]] virtual std::optional<bool> turn_is_to_come(int gdb_num) const = 0;
    // The iteration that a thread waits for in a doacross loop: its loop variables are at VECTOR.
    [[nodiscard]] virtual std::optional<Sink> sink(int /*gdb_num*/, TargetAddr /*vector*/) const {
        return std::nullopt;
    }
    // The loop whose iterations the runtime shares out one after the other, where a thread is in
    // one.
    [[nodiscard]] virtual std::optional<LoopRecord> loop(int /*gdb_num*/) const {
        return std::nullopt;
    }
    // Where a thread is bound.
    [[nodiscard]] virtual OmpPlace place(int /*gdb_num*/) const { return {}; }
    // How many children of a thread's current task are not complete, with the one that it waits
    // to execute at once if it does so: an undeferred one.
    [[nodiscard]] virtual std::optional<std::int64_t> children(int gdb_num,
                                                               bool undeferred) const = 0;
    // The taskgroups that a thread's current task is in, innermost first.
    [[nodiscard]] virtual std::vector<std::uint64_t> groups(int gdb_num) const = 0;
    // How many tasks of the innermost of them are not complete, their descendants with them; 0
    // where there is none.
    [[nodiscard]] virtual std::optional<std::int64_t> tasks_of_group(int gdb_num) const = 0;
    // The threads that are not in the process, of which ALIVE are all pthread_t. They are of the
    // innermost team that a thread is in, or of one around that by OUTER teams.
    [[nodiscard]] virtual std::vector<AbsentThread>
    absent(int gdb_num, int outer, const std::set<std::uint64_t> &alive) = 0;
    // The same of the workers that the thread keeps for the regions which it begins.
    [[nodiscard]] virtual std::vector<AbsentThread>
    absent_workers(int /*gdb_num*/, const std::set<std::uint64_t> & /*alive*/) {
        return {};
    }
};

}  // namespace gdb_ompd
