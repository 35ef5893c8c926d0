// SPDX-License-Identifier: Apache-2.0
// One stop, as values of the public model.
#pragma once

#include "stop_host.hpp"

#include "hang_values.hpp"
#include "model_values.hpp"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gdb_ompd {

// The tasks that no thread executes.
struct ModelWaitingTasks {
    std::vector<ModelWaitingTask> tasks;
    std::vector<std::string> notes;    // what could not be read, or found
    std::vector<std::size_t> unknown;  // the runtimes of which they are not known
};

// What is read of threads, and of the locks that they wait for.
struct ThreadsRead {
    ModelThreads rows;
    ModelAts threads;
    Typed<"tuple[tuple[int, LockWord], ...]"> locks;
    std::vector<CalledBack> called_back;
};

void init_loops(py::module_ &module);

// An environment's variables.
Environment environment_in(const Typed<"Mapping[str, str]"> &given);

class ModelStop {
public:
    ModelStop(std::vector<NativeThread> threads, std::uint64_t process, PythonStopHost::Given host)
        : host_(std::move(host)), stop_(std::move(threads), process, host_) {}
    ModelStop(const ModelStop &) = delete;  // its stop leads back to its host
    ModelStop &operator=(const ModelStop &) = delete;
    ~ModelStop() = default;

    [[nodiscard]] Stop &stop() { return stop_; }

    // Each as the runtime tells it in whose region it is.
    [[nodiscard]] ModelThreads threads();
    [[nodiscard]] ModelThreads listed(bool locations);
    [[nodiscard]] ModelThreads plain_threads(bool locations);
    // How of some thread stack and runtime differ, by GDB numbers, as far as they are listed.
    [[nodiscard]] const std::map<int, std::string> &disagreements() const { return disagreements_; }
    [[nodiscard]] ModelRegions teams();
    [[nodiscard]] ModelRegions regions();
    [[nodiscard]] std::vector<ModelIcv> icvs(const std::vector<int> &gdb_nums,
                                             const std::vector<int> &regions);
    [[nodiscard]] std::vector<ModelVariable> control_variables();

    [[nodiscard]] std::vector<ModelTask> tasks(const std::vector<int> &gdb_nums);
    [[nodiscard]] std::vector<ModelTask> implicit_tasks(int region);
    [[nodiscard]] std::vector<code::Value> task_functions(int gdb_num);
    // Of those of explicit tasks.
    [[nodiscard]] bool executes_task(int gdb_num, std::uint64_t pc, int jumps);
    [[nodiscard]] ModelWaitingTasks waiting_tasks(bool of_held);

    [[nodiscard]] ModelWait wait(int gdb_num);
    [[nodiscard]] WaitsByThread waits();
    [[nodiscard]] ThreadsRead facts();
    [[nodiscard]] std::map<int, ThreadLoop> loops(const std::vector<int> &gdb_nums);

private:
    [[nodiscard]] ModelThreads unread_threads() const;
    [[nodiscard]] ModelThreads with_targets(const ModelThreads &threads,
                                            const Stop::Threads &found);

    PythonStopHost host_;
    Stop stop_;
    std::optional<ModelThreads> threads_;
    std::optional<ModelRegions> teams_, regions_;
    std::map<int, std::string> disagreements_;
};

}  // namespace gdb_ompd
