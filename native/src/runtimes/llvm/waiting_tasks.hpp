// SPDX-License-Identifier: Apache-2.0
// The explicit tasks that are created and that no thread executes.
//
// From what threads execute to what led to that, to what is queued in their teams, and on
// along dependences and creators. A record counts only where it says of itself that it is a
// live task of a live team; the whole is one walk with one budget.
#pragma once

#include "model/facts.hpp"
#include "runtimes/llvm/members.hpp"
#include "runtimes/llvm/task_queues.hpp"
#include "runtimes/llvm/task_records.hpp"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_set>
#include <vector>

namespace gdb_ompd::llvm {

struct WaitingTask {
    TargetAddr identity;
    Whereabouts where = Whereabouts::queued;
    std::optional<int> queue = {};  // the GDB number of the thread with which it is queued
    bool is_final = false;
    bool is_tied = true;
    std::optional<RegionKey> region = {};  // where that is known
    std::optional<TargetAddr> function = {};
    std::optional<ConstructPlace> construct = {};
    // Of the task that generated it: an explicit one by its function and construct, an
    // implicit one by its region and its thread's number in that, where these are known.
    TargetAddr generated_by = {};
    std::optional<TaskKind> creator = {};
    std::optional<TargetAddr> creator_function = {};
    std::optional<ConstructPlace> creator_construct = {};
    std::optional<RegionKey> creator_region = {};
    std::optional<int> creator_thread_num = {};
};

struct FoundTasks {
    std::vector<WaitingTask> tasks;
    std::vector<std::string> notes;  // what could not be read, or found
};

class TaskSearch {
public:
    // SCHEDULERS tells that the runtime keeps which task each was begun in (OMPT is on).
    // Throws UnknownField when made.
    TaskSearch(const PrivateFields &fields, const Layout &layout, TaskRecords::CodeRanges runtime,
               Teams &teams, const Members &members, bool schedulers);

    FoundTasks run(const Memory &memory);

private:
    struct Known {
        const TaskRecord *task = nullptr;
        bool is_blocked = false;  // it waits for other tasks
    };

    void find(const Memory &memory);
    void find_detached(const Memory &memory);
    bool is_left_by_parent(const Memory &memory, const TaskRecord &task);
    [[nodiscard]] std::vector<TargetAddr> implicit_tasks(const Memory &memory, const Team &team);
    void follow(const Memory &memory, std::vector<TargetAddr> pending);
    void follow_one(const Memory &memory, const TaskRecord &task, std::vector<TargetAddr> &pending);
    [[nodiscard]] bool is_task(const TaskRecord &task) const;
    [[nodiscard]] bool is_on_stack(const TaskRecord &task) const;
    [[nodiscard]] std::map<std::uint64_t, std::int64_t> missing() const;
    [[nodiscard]] std::optional<Whereabouts> whereabouts(const Known &known) const;
    [[nodiscard]] WaitingTask describe(const Memory &memory, const TaskRecord &task,
                                       Whereabouts where);
    void add_creator(const Memory &memory, const TaskRecord &creator, WaitingTask &found);

    TaskRecords records_;
    TaskQueues queues_;
    TaskDependences dependences_;
    TaskMemory pools_;
    Teams &teams_;
    const Members &members_;
    bool schedulers_;
    std::map<std::uint64_t, const Team *> live_;  // teams by address
    std::unordered_set<std::uint64_t> current_;   // the tasks that threads execute
    std::unordered_set<std::uint64_t> first_;     // of each team's implicit tasks
    std::map<std::uint64_t, Known> known_;        // tasks by address
    std::vector<std::string> notes_;
};

}  // namespace gdb_ompd::llvm
