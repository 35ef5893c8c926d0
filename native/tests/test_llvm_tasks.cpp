// SPDX-License-Identifier: Apache-2.0
// Tasks that no thread executes, in a hand-made runtime's memory, whole and damaged.
#include "llvm_memory.hpp"
#include "runtimes/llvm/capabilities.hpp"

#include <gtest/gtest.h>

namespace gdb_ompd::llvm {

namespace {

constexpr std::uint64_t detachable = std::uint64_t{1} << 30U;
constexpr std::uint64_t tied = std::uint64_t{1} << 29U;
constexpr std::uint64_t data_size = 0x80;  // of a thread's queue
constexpr std::uint64_t code = 0x400000;
constexpr std::uint64_t own_code = 0x500000;

// Places of our own; those of one record do not overlap.
PrivateFields::Places places() {
    PrivateFields::Places found{
        {"kmp_base_team_t.t_task_team", {0xF00, 16}},
        {"kmp_base_task_team_t.tt_threads_data", {0, 8}},
        {"kmp_base_task_team_t.tt_found_tasks", {8, 4}},
        {"kmp_base_task_team_t.tt_nproc", {16, 4}},
        {"kmp_base_task_team_t.tt_max_threads", {24, 4}},
        {"kmp_base_task_team_t.tt_task_pri_list", {32, 8}},
        {"kmp_base_thread_data_t.td_thr", {0, 8}},
        {"kmp_base_thread_data_t.td_deque", {8, 8}},
        {"kmp_base_thread_data_t.td_deque_size", {16, 4}},
        {"kmp_base_thread_data_t.td_deque_head", {24, 4}},
        {"kmp_base_thread_data_t.td_deque_tail", {32, 4}},
        {"kmp_base_thread_data_t.td_deque_ntasks", {40, 4}},
        {"kmp_thread_data_t", {0, data_size}},
        {"kmp_task_pri_t.td", {8, data_size}},
        {"kmp_task_pri_t.next", {0, 8}},
        {"kmp_task_team_list_t.next", {8, 8}},
        {"kmp_tasking_flags_t.tiedness", {29, 1}},
        {"kmp_tasking_flags_t.proxy", {28, 1}},
        {"kmp_tasking_flags_t.detachable", {30, 1}},
        {"kmp_taskdata_t.td_allow_completion_event", {0x7A0, 32}},
        {"kmp_event_t.type", {0, 4}},
        {"kmp_event_t.ed", {24, 8}},
        {"ident_t.psource", {16, 8}},
        {"kmp_base_depnode_t.successors", {0, 8}},
        {"kmp_base_depnode_t.task", {8, 8}},
        {"kmp_base_depnode_t.npredecessors", {16, 4}},
        {"kmp_base_depnode_t.mtx_num_locks", {20, 4}},
        {"kmp_base_depnode_t.mtx_locks", {24, 32}},
        {"kmp_base_ticket_lock_t.self", {0, 8}},
        {"kmp_base_ticket_lock_t.next_ticket", {8, 4}},
        {"kmp_base_ticket_lock_t.now_serving", {12, 4}},
        {"kmp_depnode_list_t.node", {0, 8}},
        {"kmp_depnode_list_t.next", {8, 8}},
        {"kmp_dephash_t.buckets", {0, 8}},
        {"kmp_dephash_t.size", {8, 8}},
        {"kmp_dephash_t.last_all", {16, 8}},
        {"kmp_dephash_entry_t.last_out", {0, 8}},
        {"kmp_dephash_entry_t.last_set", {8, 8}},
        {"kmp_dephash_entry_t.prev_set", {16, 8}},
        {"kmp_dephash_entry_t.next_in_bucket", {24, 8}},
        {"kmp_base_info_t.th_local", {0xF00, 40}},
        {"kmp_local_t.bget_data", {8, 8}},
        {"thr_data_t.freelist", {0, 96}},
        {"bfhead_t", {0, 48}},
        {"bfhead_t.ql", {32, 16}},
        {"qlinks_t.flink", {0, 8}},
        {"bhead2_t.bsize", {16, 8}},
    };
    std::uint64_t at = 0x740;
    for (const char *const name : {"td_alloc_thread", "td_dephash", "td_depnode", "td_last_tied",
                                   "td_ident", "td_incomplete_child_tasks", "td_taskgroup"}) {
        found.emplace(
            std::string("kmp_taskdata_t.") + name,
            FieldPlace{at, std::string_view(name) == "td_incomplete_child_tasks" ? 4U : 8U});
        at += 8;
    }
    return found;
}

// A team of some threads, each in its implicit task. What is queued is put into its memory.
class LlvmTasks : public ::testing::Test {
protected:
    explicit LlvmTasks(std::size_t members = 2) {
        for (std::size_t i = 0; i < members; ++i) {
            threads.push_back(memory.thread());
        }
        parent = memory.team({threads[0]}, 0);
        team = memory.team(threads, 1, parent);
        for (std::size_t i = 0; i < members; ++i) {
            memory.join(threads[i], team, i, memory.task(team));
        }
    }

    TargetAddr words(const std::vector<std::uint64_t> &values) {
        std::vector<TargetAddr> addresses;
        for (const std::uint64_t value : values) {
            addresses.push_back(TargetAddr{value});
        }
        return memory.array(addresses);
    }
    void put(TargetAddr record, const char *name, std::uint64_t value) {
        memory.put(record + fields.at(name).offset, value);
    }
    // An explicit task of the first thread's, which is not begun.
    TargetAddr task(std::uint64_t flags = tied, std::uint64_t routine = code) {
        const TargetAddr creator =
            memory.space->read_pointer(threads[0] + memory.places.thread.task.offset);
        const TargetAddr made = memory.task(team, creator, flags | memory.places.explicit_task);
        memory.put(made + memory.places.task_size + memory.places.routine.offset, routine);
        put(made, "kmp_taskdata_t.td_alloc_thread", threads[0].value);
        return made;
    }
    // The words of a thread's queue, a ring of four.
    std::vector<std::uint64_t> ring(TargetAddr thread, const std::vector<TargetAddr> &tasks,
                                    std::uint64_t head = 0) {
        std::vector<std::uint64_t> slots(4);
        for (std::size_t i = 0; i < tasks.size(); ++i) {
            slots[(head + i) % 4] = tasks[i].value;
        }
        return {thread.value, words(slots).value, 4, head, (head + tasks.size()) % 4, tasks.size()};
    }
    TargetAddr task_team(const std::vector<std::vector<std::uint64_t>> &rings,
                         TargetAddr priorities = {}, std::uint64_t count = 2) {
        const TargetAddr data = words({0});
        for (std::size_t number = 0; number < rings.size(); ++number) {
            for (std::size_t i = 0; i < rings[number].size(); ++i) {
                memory.put(data + number * data_size + 8 * i, rings[number][i]);
            }
        }
        return words({data.value, 1, count, 2, priorities.value});
    }
    void queue(TargetAddr first, TargetAddr second = {}) {
        memory.put(team + 0xF00, first.value);
        memory.put(team + 0xF08, second.value);
    }
    void queue_tasks(const std::vector<TargetAddr> &tasks) {
        queue(task_team({ring(threads[0], tasks), ring(threads[1], {})}));
    }

    FoundTasks found() {
        std::vector<KnownThread> known;
        for (std::size_t i = 0; i < threads.size(); ++i) {
            known.push_back({static_cast<int>(i) + 1, threads[i], i});
        }
        Capabilities capabilities(memory.space,
                                  {memory.layout, fields, memory.array(threads), {}, {}}, known);
        auto said = capabilities.waiting_tasks({{own_code, own_code + 0x1000}}, false);
        return said ? *said : FoundTasks{};
    }
    // By the task's address the GDB number of the thread with whose queue it is.
    std::map<std::uint64_t, std::optional<int>> queued() {
        std::map<std::uint64_t, std::optional<int>> rows;
        for (const WaitingTask &one : found().tasks) {
            EXPECT_EQ(one.where, Whereabouts::queued);
            rows.emplace(one.identity.value, one.queue);
        }
        return rows;
    }
    std::string note() {
        const FoundTasks said = found();
        return said.notes.empty() ? "" : said.notes.front();
    }

    RuntimeMemory memory;
    PrivateFields fields{places()};
    std::vector<TargetAddr> threads;
    TargetAddr parent, team;
};

class LlvmTasksOfOne : public LlvmTasks {
protected:
    LlvmTasksOfOne() : LlvmTasks(1) {}
};

TEST_F(LlvmTasks, EachIsInItsThreadsQueueAndARingMayWrap) {
    const std::vector<TargetAddr> tasks{task(), task(), task(), task()};
    queue(task_team(
        {ring(threads[0], {tasks[0], tasks[1], tasks[2]}, 2), ring(threads[1], {tasks[3]})}));
    EXPECT_EQ(
        queued(),
        (std::map<std::uint64_t, std::optional<int>>{
            {tasks[0].value, 1}, {tasks[1].value, 1}, {tasks[2].value, 1}, {tasks[3].value, 2}}));
}

TEST_F(LlvmTasks, AFullRingIsToldFromAnEmptyOneByItsCount) {
    queue_tasks({task(), task(), task(), task()});
    EXPECT_EQ(queued().size(), 4U);
}

TEST_F(LlvmTasks, TheLastIsNotThereWhileItIsTakenOut) {
    auto taken = ring(threads[0], {});
    taken[5] = 1;
    queue(task_team({taken, ring(threads[1], {})}));
    EXPECT_TRUE(queued().empty());
}

TEST_F(LlvmTasks, OneWithAPriorityIsNobodysAndARingOfPrioritiesEnds) {
    const TargetAddr one = task();
    auto node = ring(threads[0], {one});
    node.insert(node.begin(), 0);
    const TargetAddr list = words(node);
    queue(task_team({ring(threads[0], {}), ring(threads[1], {})}, list));
    const std::map<std::uint64_t, std::optional<int>> expected{{one.value, std::nullopt}};
    EXPECT_EQ(queued(), expected);
    memory.put(list, list.value);
    EXPECT_EQ(queued(), expected);
}

TEST_F(LlvmTasksOfOne, TaskTeamsThatAreSetAsideCount) {
    const std::vector<TargetAddr> tasks{task(), task(), task()};
    std::vector<TargetAddr> teams;
    for (const TargetAddr one : tasks) {
        teams.push_back(task_team({ring(threads[0], {one})}, {}, 1));
    }
    const TargetAddr last = words({teams[2].value, 0});
    queue(teams[0], words({teams[1].value, last.value}));
    EXPECT_EQ(queued().size(), 3U);
    memory.put(last + 8, last.value);  // a ring
    EXPECT_EQ(queued().size(), 3U);
}

TEST_F(LlvmTasks, ARingThatCannotBeIsRefused) {
    const std::vector<std::pair<std::size_t, std::uint64_t>> damages{
        {2, 5}, {2, 0}, {2, 1U << 23U}, {3, 4}, {4, 9}};
    for (const auto &[word, value] : damages) {
        auto broken = ring(threads[0], {task(), task()});
        broken[word] = value;
        queue(task_team({broken, ring(threads[1], {})}));
        EXPECT_NE(note().find("a queue of"), std::string::npos) << value;
        EXPECT_TRUE(found().tasks.empty());
    }
}

TEST_F(LlvmTasks, AQueueOfNoThreadOfTheTeamIsRefused) {
    queue(task_team({ring(threads[0], {task()}), ring(TargetAddr{0xE0}, {task()})}));
    EXPECT_NE(note().find("no thread's of its OpenMP team"), std::string::npos);
}

TEST_F(LlvmTasks, ATaskTeamOfMoreThreadsThanCanBeIsRefused) {
    queue(task_team({ring(threads[0], {})}, {}, 1U << 30U));
    EXPECT_NE(note().find("a task team of 1073741824 OpenMP threads cannot be"), std::string::npos);
}

TEST_F(LlvmTasks, ATaskSaysWhatTheCompilerSaysOfItsConstruct) {
    const TargetAddr one = task(0);
    const TargetAddr text{0x900000};
    memory.target->map_text(text.value, std::string(";dir/heat.c;main;42;9;;\0", 24));
    put(one, "kmp_taskdata_t.td_ident", words({0, 0, text.value}).value);
    queue_tasks({one});
    const auto said = found().tasks;
    ASSERT_EQ(said.size(), 1U);
    EXPECT_EQ(said[0].construct, (ConstructPlace{"dir/heat.c", 42}));
    EXPECT_EQ(said[0].function, TargetAddr{code});
    EXPECT_FALSE(said[0].is_tied);
    EXPECT_EQ(said[0].region, (RegionKey{team, 0}));
    EXPECT_EQ(said[0].creator, TaskKind::implicit);
    memory.target->map_text(text.value, std::string(";unknown;unknown;0;0;;\0", 23));
    memory.space->cache().clear();
    EXPECT_EQ(found().tasks[0].construct, std::nullopt);
}

TEST_F(LlvmTasks, ATaskBehindOthersIsFoundByThese) {
    const TargetAddr first = task();
    const TargetAddr second = task();
    const auto node_of = [&](TargetAddr one, std::uint64_t predecessors) {
        const TargetAddr node = words({0, one.value + memory.places.task_size, predecessors});
        put(one, "kmp_taskdata_t.td_depnode", node.value);
        return node;
    };
    const TargetAddr behind = node_of(second, 1);
    const TargetAddr element = words({behind.value, 0});
    const TargetAddr before = node_of(first, 0);
    memory.put(before, element.value);
    queue_tasks({first});
    const auto where = [&] {
        std::map<std::uint64_t, Whereabouts> rows;
        for (const WaitingTask &one : found().tasks) {
            rows.emplace(one.identity.value, one.where);
        }
        return rows;
    };
    const std::map<std::uint64_t, Whereabouts> expected{{first.value, Whereabouts::queued},
                                                        {second.value, Whereabouts::blocked}};
    EXPECT_EQ(where(), expected);
    memory.put(element + 8, element.value);  // a list that goes round
    EXPECT_EQ(where(), expected);
}

TEST_F(LlvmTasks, OneThatAnotherExcludesIsBlockedThoughItIsQueued) {
    const TargetAddr one = task();
    const TargetAddr lock = words({0, 1});  // a ticket that nobody is served with yet
    memory.put(lock, lock.value);
    const std::uint64_t one_lock = std::uint64_t{1} << 32U;
    const TargetAddr node =
        words({0, one.value + memory.places.task_size, one_lock, lock.value, 0, 0, 0});
    put(one, "kmp_taskdata_t.td_depnode", node.value);
    queue_tasks({one});
    EXPECT_EQ(found().tasks.at(0).where, Whereabouts::blocked);
    memory.put(lock + 8, one_lock + 1);  // it is let go
    EXPECT_EQ(found().tasks.at(0).where, Whereabouts::queued);
}

// A thread's pool of memory: one free block, and behind it one in use with a detached task.
class LlvmTaskMemory : public LlvmTasks {
protected:
    LlvmTaskMemory() {
        constexpr std::uint64_t pool = 0x800000;
        constexpr std::uint64_t free_size = 0x80;
        constexpr std::uint64_t used_size = 0x1040;
        memory.target->map(pool, std::vector<std::uint8_t>(0x4000));
        free_block = TargetAddr{pool};
        const TargetAddr used = free_block + free_size;
        memory.put(free_block + 16, free_size);
        memory.put(used + 16, 0 - used_size);
        memory.put(used + used_size + 16, std::uint64_t{1} << 63U);
        const TargetAddr creator =
            memory.space->read_pointer(threads[0] + memory.places.thread.task.offset);
        put(creator, "kmp_taskdata_t.td_incomplete_child_tasks", 1);
        detached = TargetAddr{(used.value + 32 + 63) / 64 * 64};
        memory.put(detached, "kmp_taskdata_t", "td_team", team.value);
        memory.put(detached, "kmp_taskdata_t", "td_parent", creator.value);
        const std::uint64_t started = memory.layout.bit("started");
        memory.put(detached + memory.places.task.flags.offset,
                   memory.places.explicit_task | detachable | started | (1U << 28U));
        memory.put(detached + memory.places.task_size + memory.places.routine.offset, code);
        put(detached, "kmp_taskdata_t.td_alloc_thread", threads[0].value);
        memory.put(detached + 0x7A0, 1);
        memory.put(detached + 0x7A0 + 24, detached.value + memory.places.task_size);
        // Two lists of free blocks; the second one's head is its own next.
        lists = words(std::vector<std::uint64_t>(16));
        memory.put(lists + 32, free_block.value);
        memory.put(lists + 48 + 32, lists.value + 48);
        memory.put(free_block + 32, lists.value);
        memory.put(threads[0] + 0xF08, lists.value);
    }

    TargetAddr free_block, detached, lists;
};

TEST_F(LlvmTaskMemory, ADetachedTaskIsFoundInThePoolOfItsThread) {
    const auto said = found().tasks;
    ASSERT_EQ(said.size(), 1U);
    EXPECT_EQ(said[0].identity, detached);
    EXPECT_EQ(said[0].where, Whereabouts::detached);
    EXPECT_EQ(said[0].queue, std::nullopt);
}

TEST_F(LlvmTaskMemory, AFreeListThatGoesRoundWithoutItsHeadEnds) {
    memory.put(free_block + 32, free_block.value);
    EXPECT_EQ(found().tasks.size(), 1U);
}

TEST_F(LlvmTaskMemory, BlocksThatGoRoundEnd) {
    memory.put(TargetAddr{detached.value - 0x40 + 16}, 0);  // the block in use has no size
    memory.put(free_block + 16, 0 - std::uint64_t{0x80});
    EXPECT_LE(found().tasks.size(), 1U);
}

// Each pointer in this memory leads into it again: what is read is bounded all the same.
TEST_F(LlvmTasks, ListsThatLeadIntoEachOtherCostNoMoreThanTheirBudget) {
    const TargetAddr one = task();
    const TargetAddr maze{0xA00000};
    memory.target->map(maze.value, std::vector<std::uint8_t>(0x20000));
    for (std::uint64_t at = 0; at < 0x20000; at += 8) {
        memory.put(maze + at, maze.value + (at * 40503 + 8) % 0x1F000 / 8 * 8);
    }
    put(one, "kmp_taskdata_t.td_dephash", maze.value);
    queue_tasks({one});
    const FoundTasks said = found();
    EXPECT_EQ(said.tasks.size(), 1U);
}

}  // namespace

}  // namespace gdb_ompd::llvm
