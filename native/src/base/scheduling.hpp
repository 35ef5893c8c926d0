// SPDX-License-Identifier: Apache-2.0
// Where the kernel of this machine lets threads run, and how it did: of /proc and /sys, a little at
// a time. What vanishes, or says what cannot be, is not known.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gdb_ompd {

// The CPUs that a thread may run on, ascending; none where it is gone.
std::optional<std::vector<int>> allowed_cpus(int thread);

// The call of the kernel that a thread that stands still is in, -1 for none.
std::optional<int> kernel_call(int process, int thread);
// Whether that is none, or the one by which a thread that waits lets others run.
bool is_on_cpu(int kernel_call);

struct Scheduling {
    std::optional<std::vector<int>> allowed{};
    std::optional<int> last_cpu{};
    std::string state{};           // the kernel's letter
    std::optional<bool> on_cpu{};  // whether one that stands still wants a CPU
    std::optional<std::uint64_t> nanoseconds{};
    std::optional<std::uint64_t> voluntary{}, forced{};  // switches to other threads
};

Scheduling scheduling_of(int process, int thread);
// The same of a thread of another machine, by the texts of the files that its kernel has of it
// (proc(5)). Nothing is known of one that nobody traces: another process may have its number there.
struct ThreadFiles {
    std::string stat, status, schedstat, syscall;
};
Scheduling scheduling_in(const ThreadFiles &files);

// Returns what a small file of a machine has, nothing where it cannot be read.
using TextOf = std::function<std::string(const std::string &path)>;

// How long a thread has run, in nanoseconds, by the scheduler's own account. A kernel without one
// counts ticks of its clock: between them a thread that yields often is not seen to run.
// DELAYED is how long it wanted a CPU and others had it.
struct RunTime {
    std::uint64_t ran = 0, delayed = 0;
};
// Of the threads that there are. ELSEWHERE has the files of another machine's kernel: none are read
// there of more threads than so many, nor of those that nobody traces.
constexpr std::size_t most_elsewhere = 128;
std::map<int, RunTime> run_times(int process, const std::vector<int> &threads,
                                 const TextOf *elsewhere = nullptr);

struct CpuPlace {
    std::optional<int> core{}, socket{}, node{};
};

CpuPlace place_of_cpu(int cpu);

// The folders that may have the quota of a process with those control GROUPS, as /proc tells them,
// and of the groups around. Other controllers of version 1 have groups of their own.
std::vector<std::string> groups_with_quota(const std::string &groups);

// How many CPUs' time the control group of a process, or one around it, may use (cgroup v1 and
// v2); none where that is not limited, or not known.
std::optional<double> cpu_quota(int process);
std::optional<double> cpu_quota(int process, const TextOf &text);

// What the kernel lets threads of a process run on that cannot have a core each.
struct SharedCpus {
    std::vector<std::pair<int, std::vector<int>>> masks;  // by the debugger's numbers
    std::vector<int> on_cpu;                              // those that want a CPU
    std::optional<int> quota{};                           // percent of one CPU's time
    std::vector<int> of_parent;              // the CPUs of the process that has started it
    std::vector<std::pair<int, int>> cores;  // of CPUs, where threads are bound
};
// The debugger's numbers and the kernel's, in the order of the former.
using NumberedThreads = std::vector<std::pair<int, int>>;
// None where the kernel lets each of the THREADS have a core. ELSEWHERE has the files of another
// machine's kernel: few are read where the first thread is not bound, none of a process that nobody
// traces there.
std::optional<SharedCpus> shared_cpus(int process, const NumberedThreads &threads,
                                      const TextOf *elsewhere = nullptr);

}  // namespace gdb_ompd
