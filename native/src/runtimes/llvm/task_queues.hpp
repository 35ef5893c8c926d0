// SPDX-License-Identifier: Apache-2.0
// Where the runtime keeps tasks that no thread executes. They are in the queues of teams, behind
// the tasks that they depend on, and, detached, in the memory that it took for them.
#pragma once

#include "model/facts.hpp"
#include "runtimes/llvm/private_fields.hpp"
#include "runtimes/llvm/task_records.hpp"
#include "runtimes/llvm/teams.hpp"

#include <functional>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace gdb_ompd::llvm {

// The queues of tasks that teams keep: one a thread, and those of priorities. A queue is a
// ring (kmp_base_thread_data_t). A thread can be stopped while it takes a task out or puts
// one in: head and tail, which are written first, say what is in it.
class TaskQueues {
public:
    // No more than LIMIT tasks are read. Throws UnknownField when made.
    TaskQueues(const PrivateFields &fields, std::size_t limit);

    // Read what is queued in TEAM; Inconsistent if its queues cannot be ones.
    void read(const Memory &memory, const Team &team);

    // By a task's address the thread with whose queue it is; 0: the queue is nobody's.
    [[nodiscard]] const std::unordered_map<std::uint64_t, TargetAddr> &tasks() const {
        return tasks_;
    }
    [[nodiscard]] bool is_cut() const noexcept { return is_cut_; }

private:
    std::vector<TargetAddr> task_teams(const Memory &memory, const Team &team) const;
    void read_threads(const Memory &memory, TargetAddr task_team, const Team &team);
    void read_priorities(const Memory &memory, TargetAddr task_team);
    bool read_ring(const Memory &memory, TargetAddr queue, TargetAddr thread);

    FieldPlace of_team_, data_, found_, count_, room_;
    FieldPlace thread_, ring_, size_, head_, tail_, in_ring_;
    std::size_t data_size_;
    // What not every version has.
    std::optional<FieldPlace> set_aside_next_, priorities_, priority_data_, priority_next_;
    std::size_t limit_;
    bool is_cut_ = false;
    std::unordered_map<std::uint64_t, TargetAddr> tasks_;
    std::unordered_set<std::uint64_t> done_;  // task teams
};

// The graph of tasks' dependences, as far as it is not done. A task that waits for others is in no
// queue. Those that it waits for have it among their successors (kmp_base_depnode_t). The task that
// generated it finds it by the last users of each variable (kmp_dephash_t).
class TaskDependences {
public:
    using Visit = std::function<void(const TaskRecord &)>;

    explicit TaskDependences(const PrivateFields &fields);

    // Whether a task waits for others, or for one that excludes it, though it may be queued.
    [[nodiscard]] bool are_open(const Memory &memory, const TaskRecord &task) const;
    // Visit the tasks that wait for TASK. Once it is complete its list is taken apart, and
    // it has left its node.
    void successors(const Memory &memory, TaskRecords &records, const TaskRecord &task,
                    const Visit &visit) const;
    // Visit children of TASK that are not complete and that later ones may depend on.
    void of_children(const Memory &memory, TaskRecords &records, const TaskRecord &task,
                     const Visit &visit) const;

private:
    void listed(const Memory &memory, TaskRecords &records, TargetAddr element,
                const Visit &visit) const;
    const TaskRecord *task_at(const Memory &memory, TaskRecords &records, TargetAddr node) const;

    [[nodiscard]] bool is_excluded(const Memory &memory, const TaskRecord &task) const;

    FieldPlace successors_, task_, predecessors_;            // of kmp_base_depnode_t
    FieldPlace locks_, lock_count_;                          // of that, too
    FieldPlace self_, next_ticket_, now_serving_;            // of kmp_base_ticket_lock_t
    FieldPlace node_, next_;                                 // of kmp_depnode_list_t
    FieldPlace buckets_, size_, last_all_;                   // of kmp_dephash_t
    FieldPlace last_out_, last_set_, prev_set_, in_bucket_;  // of kmp_dephash_entry_t
};

// A detached task that nothing depends on is known to the user's event alone. Its record is
// in the pools of the thread that generated it (bget, kmp_alloc.cpp), and says of itself
// whose event it holds. A pool without any room left is not found.
class TaskMemory {
public:
    explicit TaskMemory(const PrivateFields &fields);

    // Visit the explicit tasks that a thread generated and whose event is not fulfilled.
    void awaiting_events(const Memory &memory, TaskRecords &records, TargetAddr thread,
                         const std::function<void(const TaskRecord &)> &visit) const;

private:
    struct Block {
        TargetAddr begin;
        std::uint64_t size = 0;
    };

    void blocks_in_use(const Memory &memory, TargetAddr thread,
                       const std::function<void(const Block &)> &visit) const;

    FieldPlace local_, data_, free_list_, links_, next_, size_;
    std::size_t head_size_;
};

}  // namespace gdb_ompd::llvm
