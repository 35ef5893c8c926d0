// SPDX-License-Identifier: Apache-2.0
// What threads do in the kernel that wait for nothing of OpenMP's: which function of the system's
// they are in, and for which lock of the C library or which thread they wait.
#pragma once

#include "runtimes/capabilities.hpp"
#include "runtimes/llvm/records.hpp"
#include "stop/pthreads.hpp"
#include "stop/sleep.hpp"
#include "stop/waits.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gdb_ompd {

inline constexpr std::string_view makes_thread = "pthread_create";
// Whether a function of the system's executes a routine once: C11's jumps to the other.
inline bool executes_once(std::string_view function) {
    return function.starts_with("pthread_once") || function == "call_once";
}
// Which of FRAMES, whose outermost is such a function's, has called the routine, through a pointer:
// that one, or the function that newer C libraries call for it. Nothing where none has.
std::optional<std::size_t> routine_caller(const code::UserCalls &calls,
                                          std::span<const code::Frame> frames);

// A thread of the process; its pthread_t where that is known.
struct ProcessThread {
    int gdb_num = 0;
    std::uint64_t lwp = 0;
    std::optional<std::uint64_t> pthread;
};

// A thread that stands still and is not in its pool, with what is known of it before.
struct StandingThread {
    int gdb_num = 0;
    Capabilities *runtime = nullptr;  // what reads the runtime's records of it, if anything does
    code::WaitKind kind = code::WaitKind::none;
    std::optional<std::uint64_t> object;  // of a doacross loop the numbers of the iteration
    bool undeferred = false;              // see ThreadWait
    std::string outside;
    std::string entry_point;
    std::optional<int> region;
    bool in_explicit_task = false;
    std::optional<int> thread_num{}, team_size{};
    // What reads the locks that it may wait for: of one that has begun no region, too.
    Capabilities *of_locks = nullptr;
};

// Locks of the C library: one of the program's, or one of the function's own that it is in; one of
// an OpenMP runtime's own; and the control of pthread_once.
enum class LockType : std::uint8_t { mutex, rwlock, systems, runtimes, once };

// What a thread that waits for nothing of OpenMP's does in the kernel.
struct SystemCall {
    bool calls_workers = false;          // gathers them for a region or wakes them, at its end too
    std::string function;                // in which it is in the kernel
    std::optional<std::uint64_t> mutex;  // the lock of the C library that it waits for
    LockType lock = LockType::mutex;
    std::optional<int> owner;
    std::optional<std::uint64_t>
        owner_ended;  // the LWP of an owner that is no thread of this process
    std::optional<std::uint64_t> owner_elsewhere;  // that of a mutex shared with other processes
    bool lets_others_unlock = false;               // of the mutex: see MutexWord
    std::optional<std::uint64_t> semaphore;        // that it waits for
    std::optional<int> joins;                      // the thread whose end it waits for
    bool is_timed = false;                         // it waits for a time only
    Sleep sleep = Sleep::none;
    std::optional<int> taken_by;  // see SleepReader
    int readers = 0;              // how often the lock is held for reading

    bool operator==(const SystemCall &) const = default;
};

class KernelCalls {
public:
    using Frames = std::span<const code::Frame>;

    // PROCESS are all threads. IS_OWN and IS_POSTED are as in SleepReader.
    KernelCalls(WaitReader &waits, std::vector<ProcessThread> process, SleepReader::IsSo is_own,
                SleepReader::IsSo is_posted);

    // The call of the kernel that a thread with FRAMES is in; nothing where it is in none.
    [[nodiscard]] SystemCall of(const StandingThread &thread, Frames frames) const;
    // As if a thread waited for a MUTEX; nothing where nobody holds it.
    [[nodiscard]] SystemCall wait_for(int gdb_num, std::uint64_t mutex) const;
    [[nodiscard]] std::optional<std::uint64_t> pthread_of(int gdb_num) const;
    [[nodiscard]] std::optional<std::uint64_t> lwp_of(int gdb_num) const;

private:
    [[nodiscard]] std::optional<std::uint64_t> lock_of_runtime(Frames frames) const;
    [[nodiscard]] bool is_programs(std::uint64_t word) const;
    // The mutex for which the user's code has CALLED a function of the system's that sleeps in
    // WORD.
    [[nodiscard]] std::optional<std::uint64_t> mutex_of(Frames frames, std::size_t in_system,
                                                        std::string_view called,
                                                        std::uint64_t word) const;
    void read_own_lock(SystemCall &found, int gdb_num, TargetAddr word) const;
    void read_sleep(SystemCall &found, int gdb_num, const SleepReader &reader) const;
    [[nodiscard]] std::optional<int> named(const ProcessThread &self, std::uint64_t own,
                                           std::uint64_t other) const;
    void read_owner(SystemCall &found, int gdb_num, MutexWord word) const;
    [[nodiscard]] llvm::Memory memory() const;

    WaitReader &waits_;
    std::vector<ProcessThread> process_;
    std::map<std::uint64_t, ProcessThread> by_pthread_;
    SleepReader::IsSo is_own_, is_posted_;
};

}  // namespace gdb_ompd
