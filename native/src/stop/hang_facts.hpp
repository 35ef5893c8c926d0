// SPDX-License-Identifier: Apache-2.0
// What a verdict on a hang is concluded from, of each thread that stands still. It has what the
// runtime records of its wait, and what it holds.
#pragma once

#include "code/ahead.hpp"
#include "runtimes/capabilities.hpp"
#include "stop/absence.hpp"
#include "stop/held_locks.hpp"
#include "stop/interruption.hpp"
#include "stop/kernel_calls.hpp"
#include "stop/leaving.hpp"
#include "stop/lock_releases.hpp"
#include "stop/polled.hpp"
#include "stop/runtime_stack.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace gdb_ompd {

// The barriers to which a thread has come for certain, whatever it executes while it waits there.
struct Come {
    bool region = false;  // the end of its region
    bool team = false;    // another one of its team

    bool operator==(const Come &) const = default;
};

// Threads by their GDB numbers, members of a team by their numbers in it.
struct HangFacts {
    // Of one at a barrier, an ordered construct or a doacross loop: whether it is kept there. Of
    // one that waits for tasks: whether it executes none meanwhile.
    std::optional<bool> blocked;
    bool awaits_tasks = false;  // see Capabilities::sleeps_until_tasks_are_done
    // Whether it works on a task there; none where it does unless its current task's function has
    // called what it waits in.
    std::optional<bool> busy = false;
    std::optional<std::int64_t> children;  // incomplete ones of its task
    std::vector<std::uint64_t> groups;     // the taskgroups that its task is in, innermost first
    std::optional<std::int64_t> tasks_of_group;  // see Capabilities
    bool in_known_code = true;                   // not in a runtime that cannot be read
    std::optional<Come> come = Come{};           // none of one in a task where it is not known
    std::optional<Sink> sink;
    std::vector<HeldLock> held;
    Polled polls;
    Leaving ending = Leaving::none;
    std::optional<GaveUp> gave_up;
    std::vector<std::uint64_t> once;  // the controls of routines that it executes by pthread_once
    std::optional<Interruption> interruption;
    bool makes_thread = false;  // for a runtime, which lets nobody else do so meanwhile
};

class HangReader {
public:
    using Range = std::pair<std::uint64_t, std::uint64_t>;
    using Frames = std::span<const code::Frame>;

    // PROCESS are all threads. READABLE is the code of the files that could be read, none where
    // all runtimes could. IS_FORKED is as in AbsenceReader, IS_OWN as in SleepReader.
    HangReader(WaitReader &waits, const std::vector<ProcessThread> &process,
               std::optional<std::vector<Range>> readable, std::optional<bool> is_forked,
               std::function<bool(std::uint64_t)> is_own);

    HangReader(const HangReader &) = delete;  // its members lead back to it
    HangReader &operator=(const HangReader &) = delete;
    ~HangReader() = default;

    // FRAMES are all of the thread's, innermost first; none where its stack cannot be read.
    [[nodiscard]] HangFacts read(const StandingThread &thread, Frames frames);
    // What it reads again and again, once those are known. IS_OTHERS tells whether another thread
    // is certainly inside of a lock by its place in the code.
    [[nodiscard]] Polled polls(const StandingThread &thread, Frames frames,
                               std::optional<bool> blocked,
                               const code::Ahead::Self::IsSo &is_others);
    [[nodiscard]] const KernelCalls &kernel_calls() const { return kernel_calls_; }

    struct Lock {
        LockWord word;
        bool has_ended = false;      // its owner has left the process
        bool refuses_owner = false;  // who has it cannot set it once more
    };
    // What a runtime records of the lock, critical or atomic that a thread waits for. It is read
    // once, for all that wait for it may be in its queue.
    [[nodiscard]] const Lock &lock(Capabilities &runtime, code::WaitKind kind, TargetAddr object);
    // The same of a lock or mutex that a THREAD tries to set; nothing where it is not known.
    [[nodiscard]] Lock lock(const StandingThread &thread, const code::Tried &tried);

    // Whether a runtime makes a thread there.
    [[nodiscard]] bool makes_worker(Frames frames) const;
    // Whether the process was forked, for certain.
    [[nodiscard]] bool is_forked() const { return absence_.is_forked(); }
    [[nodiscard]] LockReleases &releases() { return releases_; }

    struct Absent {
        AbsentThread thread;
        Absence why = Absence::unknown;
    };
    // The threads that are not in the process: those of a team, as Capabilities has them, or the
    // workers that a thread keeps. Nothing where not all pthread_t of the process are known.
    [[nodiscard]] std::vector<Absent> absent(Capabilities &runtime, int gdb_num, int outer);
    [[nodiscard]] std::vector<Absent> absent_workers(Capabilities &runtime, int gdb_num);

private:
    [[nodiscard]] std::vector<Absent> with_reasons(const std::vector<AbsentThread> &threads);
    static void read_wait(HangFacts &facts, const StandingThread &thread,
                          const RuntimeStack &stack);
    [[nodiscard]] Polled spin_lock(Frames frames) const;
    [[nodiscard]] std::optional<bool> is_spin_lock_held(std::uint64_t lock) const;
    [[nodiscard]] bool may_pass(const StandingThread &thread, bool sleeps);
    [[nodiscard]] code::Ahead::Self self(const StandingThread &thread, Frames frames,
                                         const code::Ahead::Self::IsSo &is_others);
    [[nodiscard]] std::vector<std::uint64_t> executed_once(Frames frames) const;
    [[nodiscard]] std::optional<Come> come(const StandingThread &thread, Frames frames,
                                           const RuntimeStack &stack);
    [[nodiscard]] Come come_by_stack(const StandingThread &thread, Frames frames,
                                     const RuntimeStack &stack);
    [[nodiscard]] bool is_readable(std::uint64_t pc) const;
    // Whether what may be called back may post a semaphore.
    [[nodiscard]] bool is_posted(std::uint64_t semaphore);

    WaitReader &waits_;
    std::optional<std::vector<Range>> readable_;
    std::set<std::uint64_t> alive_;  // all pthread_t, none where one is not known
    AbsenceReader absence_;
    LockReleases releases_;
    std::map<std::uint64_t, bool> posted_;  // by semaphore; see is_posted
    std::map<std::tuple<const Capabilities *, std::uint64_t, code::WaitKind>, Lock> locks_;
    KernelCalls kernel_calls_;
    HeldLocks held_locks_, held_mutexes_;
};

}  // namespace gdb_ompd
