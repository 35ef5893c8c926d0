// SPDX-License-Identifier: Apache-2.0
// The tasks of a stop, as an OMPD library's handles have them.
#pragma once

#include "runtimes/ompd_regions.hpp"

#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

namespace gdb_ompd {

// What kind of task TASK is; of an implicit one its region's LEVEL tells which.
Fact<TaskKind> kind_of_task(const IcvTable &icvs, const TaskHandle &task, const Fact<int> &level);

class TaskChains {
public:
    TaskChains(const IcvTable &icvs, const ParallelRegions &regions)
        : icvs_(icvs), regions_(regions) {}

    // The tasks of a thread, the one that it executes first. Throws OmpdError where the
    // thread has none or its chain has no end.
    const std::vector<TaskFacts> &chain(int gdb_num, const ThreadHandle &thread);
    // What is told of a thread whose chain gives ERROR: one task, of which nothing is known.
    TaskFacts unknown_task(int gdb_num, const OmpdError &error);
    // The implicit tasks of REGION by thread number. One that is in no chain of its thread's,
    // which executes another's task, has the depth -1.
    std::vector<TaskFacts> implicit_tasks(const ParallelRegions::Region &region,
                                          const std::function<const ThreadHandle *(int)> &thread);

private:
    // A handle that is kept for the stop, with the number that stands for its task.
    struct Kept {
        std::uint64_t identity;
        const TaskHandle *handle;
    };
    // Another task that a task leads to, or its absence and why.
    struct Other {
        std::optional<Kept> task;
        Fact<int> absence;
    };
    // What is the same in every chain. The ancestors of a team's tasks are shared, and several
    // questions ask of all threads.
    struct Known {
        TaskFacts facts;
        Other generating, scheduling;
    };
    struct Chain {
        int gdb_num;
        std::vector<TaskFacts> tasks;
        std::vector<Other> scheduling;                  // of each of them
        std::unordered_map<std::uint64_t, int> depths;  // by identity
    };

    Kept keep(std::unique_ptr<TaskHandle> handle);
    int follow(Chain &chain, Kept task);
    [[nodiscard]] const Known &known(const Kept &kept);
    [[nodiscard]] TaskFacts read(const TaskHandle &task) const;
    [[nodiscard]] std::vector<TaskFacts> read_chain(int gdb_num, const ThreadHandle &thread);

    const IcvTable &icvs_;
    const ParallelRegions &regions_;
    std::vector<std::unique_ptr<TaskHandle>> handles_;
    std::map<const TaskHandle *, std::uint64_t, ByLibrary<TaskHandle>> identities_;
    std::unordered_map<std::uint64_t, Known> known_;          // by identity
    std::unordered_map<int, std::vector<TaskFacts>> chains_;  // by GDB number
};

}  // namespace gdb_ompd
