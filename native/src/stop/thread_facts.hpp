// SPDX-License-Identifier: Apache-2.0
// What a listing says of each thread at one stop, and what a verdict on a hang is concluded from.
#pragma once

#include "stop/stop_waits.hpp"
#include "stop/task_ids.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gdb_ompd {

// What a listing says of one thread beside what its runtime tells.
struct Listed {
    PlaceRef location;
    WaitRef wait;  // null where what the runtime tells stays, and the state with it
    bool has_state = false;
    std::optional<std::string_view> state;  // OMPT's
    OutsideRef outside;
    std::string disagreement;  // how stack and runtime differ, empty if they do not
};

// THREAD outlives what is returned.
Listed listed(const KnownThread &thread, const ThreadPlace &place, OutsideRef outside);

// What is known of a thread for a verdict, as explain/facts.py has it.
struct StandingFacts {
    WaitRef wait;          // null for one that runs
    bool is_idle = false;  // it waits to be given something to do: nothing else is asked of it
    HangFacts hang;
    bool is_busy = false;
    OutsideRef outside;
    std::optional<TaskIds> tasks;
    std::vector<std::uint64_t> may_let_go;  // locks
};

struct GatheredFacts {
    std::vector<StandingFacts> threads;               // as they were given
    std::map<std::uint64_t, HangReader::Lock> locks;  // that are waited for
    std::vector<CalledBack> called_back;
};

// The identities of tasks of threads, by their GDB numbers.
using TasksOfThreads = std::map<int, TaskIds>;

class FactsReader {
public:
    FactsReader(HangReader &hangs, WholeStacks &stacks, WaitNames &names)
        : hangs_(hangs), stacks_(stacks), names_(names) {}

    // Of all THREADS. TASKS_OF returns the identities of threads' tasks.
    [[nodiscard]] GatheredFacts
    read(const std::vector<KnownThread> &threads, StopWaits &waits, StopTeams &teams,
         const std::function<TasksOfThreads(const std::vector<int> &)> &tasks_of);

private:
    // A thread with what was found out of it before.
    struct Row {
        std::size_t number = 0;  // of its facts
        const KnownThread &thread;
        WaitRef wait;
        bool in_runtime = false;
        Capabilities *runtime = nullptr;
        Capabilities *of_locks = nullptr;  // see StandingThread
    };
    [[nodiscard]] static StandingThread standing(const Row &row);
    void add(StandingFacts &facts, const Row &row);
    // What threads try to set, once all that is held is known.
    void add_polls(GatheredFacts &found, const std::vector<Row> &rows);
    [[nodiscard]] bool is_in_body(int gdb_num, const std::optional<TaskIds> &tasks);

    HangReader &hangs_;
    WholeStacks &stacks_;
    WaitNames &names_;
};

}  // namespace gdb_ompd
