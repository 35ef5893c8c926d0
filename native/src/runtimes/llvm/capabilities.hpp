// SPDX-License-Identifier: Apache-2.0
// What OMPD has no word for, as LLVM's runtime records it, and the tasks that no thread
// executes. Nothing is known where the places of the runtime's records are not. Each question is
// a walk with a budget of its own.
#pragma once

#include "runtimes/llvm/doacross.hpp"
#include "runtimes/llvm/locks.hpp"
#include "runtimes/llvm/loop_records.hpp"
#include "runtimes/llvm/waiting_tasks.hpp"
#include "runtimes/llvm/waits.hpp"

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

namespace gdb_ompd::llvm {

// Where one runtime has what in a process. LOCKS is its table of locks.
struct RuntimePlaces {
    Layout layout;
    PrivateFields fields;
    TargetAddr threads;  // the array that __kmp_threads points to
    std::optional<TargetAddr> locks;
    Boundary boundary;
};

struct KnownThread {
    int gdb_num = 0;
    TargetAddr record;
    std::optional<std::uint64_t> gtid;
};

class Capabilities final : public gdb_ompd::Capabilities {
public:
    // Throws Inconsistent where a thread's record is damaged.
    Capabilities(std::shared_ptr<AddressSpace> space, const RuntimePlaces &places,
                 const std::vector<KnownThread> &threads);

    [[nodiscard]] bool knows(int gdb_num) const override { return members_.at(gdb_num) != nullptr; }
    [[nodiscard]] bool tells_who_has_come() const override { return true; }
    [[nodiscard]] LockWord lock(TargetAddr address, Mutex kind) const override;
    [[nodiscard]] bool has_ended(const LockWord &word,
                                 const std::set<std::uint64_t> &alive) override;
    [[nodiscard]] std::optional<bool> kept_at_barrier(const StackOfThread &stack) override;
    [[nodiscard]] bool has_come(const StackOfThread &stack) override;
    [[nodiscard]] std::optional<bool> has_begun(const StackOfThread &stack,
                                                bool primary_inside) override;
    [[nodiscard]] std::optional<bool> turn_is_to_come(int gdb_num) const override;
    [[nodiscard]] std::optional<LoopRecord> loop(int gdb_num) const override;
    [[nodiscard]] OmpPlace place(int gdb_num) const override;
    [[nodiscard]] std::optional<Sink> sink(int gdb_num, TargetAddr vector) const override;
    [[nodiscard]] std::optional<std::int64_t> children(int gdb_num, bool undeferred) const override;
    [[nodiscard]] std::vector<std::uint64_t> groups(int gdb_num) const override;
    [[nodiscard]] std::optional<std::int64_t> tasks_of_group(int gdb_num) const override;
    [[nodiscard]] std::vector<AbsentThread> absent(int gdb_num, int outer,
                                                   const std::set<std::uint64_t> &alive) override;

    // The explicit tasks that no thread executes; none where it is not known where they
    // are. RUNTIME is where the runtime's code is, SCHEDULERS as in TaskSearch.
    [[nodiscard]] std::optional<FoundTasks> waiting_tasks(TaskRecords::CodeRanges runtime,
                                                          bool schedulers);
    // Where the constructs of the explicit tasks at these addresses are, as the compiler says
    // it; none where it does not, or a task is no explicit one.
    [[nodiscard]] std::vector<std::optional<ConstructPlace>>
    constructs(const std::vector<TargetAddr> &tasks, TaskRecords::CodeRanges runtime) const;

private:
    [[nodiscard]] static std::vector<Member> members(Teams &teams,
                                                     const std::vector<KnownThread> &threads);
    // A walk that begins now.
    [[nodiscard]] Memory walk() const { return teams_.memory().for_walk(Budget()); }

    std::shared_ptr<AddressSpace> space_;
    Layout layout_;
    PrivateFields fields_;
    Teams teams_;
    Members members_;
    std::optional<Locks> locks_;
    std::optional<Barriers> barriers_;
    std::optional<Turns> turns_;
    std::optional<LoopRecords> loops_;
    std::optional<Doacross> doacross_;
    std::optional<TaskWaits> task_waits_;
    std::map<std::uint64_t, std::vector<AbsentThread>> absent_;  // by team: each of it may ask
};

}  // namespace gdb_ompd::llvm
