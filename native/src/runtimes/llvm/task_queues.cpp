// SPDX-License-Identifier: Apache-2.0
#include "runtimes/llvm/task_queues.hpp"

#include "base/target.hpp"

#include <algorithm>
#include <string>

namespace gdb_ompd::llvm {

namespace {

constexpr std::uint64_t max_queue = 1U << 22U;
constexpr std::int64_t most_locks = 4;  // MAX_MTX_DEPS
constexpr std::uint64_t max_buckets = 1U << 17U;
constexpr std::uint64_t line = 64;                          // tasks are aligned so
constexpr std::uint64_t in_use = std::uint64_t{1} << 63U;   // the sign of a block's size
constexpr std::uint64_t longest = std::uint64_t{1} << 62U;  // the block that ends a pool
constexpr int most_places_in_block = 4;                     // behind the block's own words

}  // namespace

TaskQueues::TaskQueues(const PrivateFields &fields, std::size_t limit)
    : of_team_(fields.at("kmp_base_team_t.t_task_team")),
      data_(fields.at("kmp_base_task_team_t.tt_threads_data")),
      found_(fields.at("kmp_base_task_team_t.tt_found_tasks")),
      count_(fields.at("kmp_base_task_team_t.tt_nproc")),
      room_(fields.at("kmp_base_task_team_t.tt_max_threads")),
      thread_(fields.at("kmp_base_thread_data_t.td_thr")),
      ring_(fields.at("kmp_base_thread_data_t.td_deque")),
      size_(fields.at("kmp_base_thread_data_t.td_deque_size")),
      head_(fields.at("kmp_base_thread_data_t.td_deque_head")),
      tail_(fields.at("kmp_base_thread_data_t.td_deque_tail")),
      in_ring_(fields.at("kmp_base_thread_data_t.td_deque_ntasks")),
      data_size_(fields.at("kmp_thread_data_t").size),
      set_aside_next_(fields.find("kmp_task_team_list_t.next")),
      priorities_(fields.find("kmp_base_task_team_t.tt_task_pri_list")),
      priority_data_(fields.find("kmp_task_pri_t.td")),
      priority_next_(fields.find("kmp_task_pri_t.next")), limit_(limit) {}

void TaskQueues::read(const Memory &memory, const Team &team) {
    for (const TargetAddr task_team : task_teams(memory, team)) {
        if (task_team.value != 0 && done_.insert(task_team.value).second) {
            read_threads(memory, task_team, team);
            read_priorities(memory, task_team);
        }
    }
}

// A team's task teams, the one of now and the one of the last barrier. One thread needs no
// second one: newer versions keep there those that the thread has set aside for serialized
// regions (kmp_task_team_list_t).
std::vector<TargetAddr> TaskQueues::task_teams(const Memory &memory, const Team &team) const {
    const TargetAddr at = team.address + of_team_.offset;
    const TargetAddr second = memory.pointer(at + pointer_size);
    std::vector<TargetAddr> found{memory.pointer(at)};
    if (team.size != 1 || !set_aside_next_) {
        found.push_back(second);
        return found;
    }
    std::unordered_set<std::uint64_t> nodes;
    for (TargetAddr node = second; node.value != 0 && nodes.insert(node.value).second;) {
        found.push_back(memory.pointer(node));
        node = memory.pointer(node, *set_aside_next_);
    }
    return found;
}

void TaskQueues::read_threads(const Memory &memory, TargetAddr task_team, const Team &team) {
    const TargetAddr data = memory.pointer(task_team, data_);
    if (data.value == 0 || memory.field(task_team, found_) == 0) {
        return;
    }
    const std::uint64_t count = memory.field(task_team, count_);
    const std::uint64_t room = memory.field(task_team, room_);
    if (count == 0 || count > std::uint64_t{max_team_size} || room > std::uint64_t{max_team_size}) {
        throw Inconsistent("a task team of " + std::to_string(count) + " OpenMP threads cannot be");
    }
    for (std::uint64_t number = 0; number < std::min(count, room); ++number) {
        const TargetAddr queue = data + number * data_size_;
        const TargetAddr thread = memory.pointer(queue, thread_);
        if (read_ring(memory, queue, thread) &&
            std::ranges::find(team.threads, thread) == team.threads.end()) {
            throw Inconsistent("a queue of tasks is no thread's of its OpenMP team");
        }
    }
}

void TaskQueues::read_priorities(const Memory &memory, TargetAddr task_team) {
    if (!priorities_ || !priority_data_ || !priority_next_) {
        return;
    }
    std::unordered_set<std::uint64_t> nodes;
    for (TargetAddr node = memory.pointer(task_team, *priorities_);
         node.value != 0 && nodes.insert(node.value).second;) {
        read_ring(memory, node + priority_data_->offset, TargetAddr{});
        node = memory.pointer(node, *priority_next_);
    }
}

// Read one ring; whether it holds anything.
bool TaskQueues::read_ring(const Memory &memory, TargetAddr queue, TargetAddr thread) {
    const TargetAddr ring = memory.pointer(queue, ring_);
    const std::uint64_t size = memory.field(queue, size_);
    const std::uint64_t head = memory.field(queue, head_);
    const std::uint64_t tail = memory.field(queue, tail_);
    const std::uint64_t count = memory.field(queue, in_ring_);
    if (ring.value == 0 || (count == 0 && head == tail)) {
        return false;
    }
    if (size == 0 || (size & (size - 1)) != 0 || size > max_queue || std::max(head, tail) >= size) {
        throw Inconsistent("a queue of " + std::to_string(size) + " OpenMP tasks from " +
                           std::to_string(head) + " to " + std::to_string(tail) + " cannot be");
    }
    std::uint64_t inside = (tail - head) & (size - 1);
    if (inside == 0 && count > size / 2) {
        inside = size;  // a full ring looks like an empty one
    }
    for (std::uint64_t position = 0; position < inside; ++position) {
        if (tasks_.size() >= limit_) {
            is_cut_ = true;
            break;
        }
        const std::uint64_t at = (head + position) & (size - 1);
        const TargetAddr task = memory.pointer(ring + at * pointer_size);
        tasks_[task.value] = thread;
    }
    return inside > 0;
}

TaskDependences::TaskDependences(const PrivateFields &fields)
    : successors_(fields.at("kmp_base_depnode_t.successors")),
      task_(fields.at("kmp_base_depnode_t.task")),
      predecessors_(fields.at("kmp_base_depnode_t.npredecessors")),
      locks_(fields.at("kmp_base_depnode_t.mtx_locks")),
      lock_count_(fields.at("kmp_base_depnode_t.mtx_num_locks")),
      self_(fields.at("kmp_base_ticket_lock_t.self")),
      next_ticket_(fields.at("kmp_base_ticket_lock_t.next_ticket")),
      now_serving_(fields.at("kmp_base_ticket_lock_t.now_serving")),
      node_(fields.at("kmp_depnode_list_t.node")), next_(fields.at("kmp_depnode_list_t.next")),
      buckets_(fields.at("kmp_dephash_t.buckets")), size_(fields.at("kmp_dephash_t.size")),
      last_all_(fields.at("kmp_dephash_t.last_all")),
      last_out_(fields.at("kmp_dephash_entry_t.last_out")),
      last_set_(fields.at("kmp_dephash_entry_t.last_set")),
      prev_set_(fields.at("kmp_dephash_entry_t.prev_set")),
      in_bucket_(fields.at("kmp_dephash_entry_t.next_in_bucket")) {}

bool TaskDependences::are_open(const Memory &memory, const TaskRecord &task) const {
    return task.depnode.value != 0 &&
           (memory.signed_field(task.depnode, predecessors_) > 0 || is_excluded(memory, task));
}

// Tasks with the dependence type mutexinoutset are queued, and each takes the locks that they have
// in common when it begins: the number of these is negative then.
bool TaskDependences::is_excluded(const Memory &memory, const TaskRecord &task) const {
    const std::int64_t count = memory.signed_field(task.depnode, lock_count_);
    for (std::int64_t number = 0; number < std::min(count, most_locks); ++number) {
        const TargetAddr place =
            task.depnode + locks_.offset + static_cast<std::uint64_t>(number) * pointer_size;
        const TargetAddr lock = memory.pointer(place);
        if (lock.value != 0 && memory.pointer(lock, self_) == lock &&
            memory.field(lock, next_ticket_) != memory.field(lock, now_serving_)) {
            return true;
        }
    }
    return false;
}

void TaskDependences::successors(const Memory &memory, TaskRecords &records, const TaskRecord &task,
                                 const Visit &visit) const {
    const TaskRecord *const holder = task_at(memory, records, task.depnode);
    if (holder != nullptr && holder->address == task.address) {
        listed(memory, records, memory.pointer(task.depnode, successors_), visit);
    }
}

void TaskDependences::of_children(const Memory &memory, TaskRecords &records,
                                  const TaskRecord &task, const Visit &visit) const {
    if (task.dephash.value == 0) {
        return;
    }
    const auto last = [&](TargetAddr node) {
        if (const TaskRecord *const found = task_at(memory, records, node)) {
            visit(*found);
        }
    };
    last(memory.pointer(task.dephash, last_all_));
    const TargetAddr buckets = memory.pointer(task.dephash, buckets_);
    const std::uint64_t count = std::min(memory.field(task.dephash, size_), max_buckets);
    for (std::uint64_t number = 0; number < count; ++number) {
        TargetAddr entry = memory.pointer(buckets + number * pointer_size);
        std::unordered_set<std::uint64_t> entries;
        while (entry.value != 0 && entries.insert(entry.value).second) {
            last(memory.pointer(entry, last_out_));
            listed(memory, records, memory.pointer(entry, last_set_), visit);
            listed(memory, records, memory.pointer(entry, prev_set_), visit);
            entry = memory.pointer(entry, in_bucket_);
        }
    }
}

void TaskDependences::listed(const Memory &memory, TaskRecords &records, TargetAddr element,
                             const Visit &visit) const {
    std::unordered_set<std::uint64_t> elements;
    while (element.value != 0 && elements.insert(element.value).second) {
        if (const TaskRecord *const task =
                task_at(memory, records, memory.pointer(element, node_))) {
            visit(*task);
        }
        element = memory.pointer(element, next_);
    }
}

// The task whose node it is; null for one that is complete, and for a thread's that waits
// without having made a task.
const TaskRecord *TaskDependences::task_at(const Memory &memory, TaskRecords &records,
                                           TargetAddr node) const {
    if (node.value == 0) {
        return nullptr;
    }
    const TargetAddr task = memory.pointer(node, task_);
    const TaskRecord *const record =
        task.value == 0 ? nullptr : records.read(memory, {task.value - records.size()});
    return record != nullptr && record->depnode == node ? record : nullptr;
}

TaskMemory::TaskMemory(const PrivateFields &fields)
    : local_(fields.at("kmp_base_info_t.th_local")), data_(fields.at("kmp_local_t.bget_data")),
      free_list_(fields.at("thr_data_t.freelist")), links_(fields.at("bfhead_t.ql")),
      next_(fields.at("qlinks_t.flink")), size_(fields.at("bhead2_t.bsize")),
      head_size_(fields.at("bfhead_t").size) {}

void TaskMemory::awaiting_events(const Memory &memory, TaskRecords &records, TargetAddr thread,
                                 const std::function<void(const TaskRecord &)> &visit) const {
    const auto is_one = [&](const TaskRecord &task) {
        return records.is_explicit(task) && records.is_live(task) && task.awaits_event &&
               (task.flags & records.flags().detachable) != 0 && task.allocator == thread;
    };
    const auto in_block = [&](const Block &block) {
        std::uint64_t at = (block.begin.value + line - 1) / line * line;
        const std::uint64_t end = block.begin.value + block.size;
        for (int place = 0; place < most_places_in_block && at + records.size() < end; ++place) {
            const TaskRecord *const task = records.read(memory, {at});
            if (task != nullptr && is_one(*task)) {
                visit(*task);
                return;
            }
            at += line;
        }
    };
    try {
        blocks_in_use(memory, thread, in_block);
    } catch (const Unreadable &) {
        return;  // what has been found is enough
    }
}

// The blocks in use behind each free one, up to where the pool ends.
void TaskMemory::blocks_in_use(const Memory &memory, TargetAddr thread,
                               const std::function<void(const Block &)> &visit) const {
    const TargetAddr data = memory.pointer(thread + local_.offset, data_);
    if (data.value == 0) {
        return;
    }
    std::unordered_set<std::uint64_t> blocks;
    const auto behind = [&](TargetAddr block) {
        while (blocks.insert(block.value).second) {
            std::uint64_t size = memory.field(block, size_);
            const bool is_used = (size & in_use) != 0;
            size = is_used ? 0 - size : size;
            if (size <= links_.offset || size >= longest) {
                return;
            }
            if (is_used) {
                visit({block + links_.offset, size - links_.offset});
            }
            block = block + size;
        }
    };
    std::unordered_set<std::uint64_t> free_blocks;
    for (std::uint64_t at = 0; at + head_size_ <= free_list_.size; at += head_size_) {
        const TargetAddr head = data + free_list_.offset + at;
        TargetAddr block = memory.pointer(head + links_.offset, next_);
        while (block != head && block.value != 0 && free_blocks.insert(block.value).second) {
            behind(block);
            block = memory.pointer(block + links_.offset, next_);
        }
    }
}

}  // namespace gdb_ompd::llvm
