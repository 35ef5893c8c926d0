// SPDX-License-Identifier: Apache-2.0
// What OMPD has no word for, as GCC's libgomp records it. Nobody records who has come to a
// barrier: the team counts. That a thread is one of those counted shows where it sleeps.
#pragma once

#include "runtimes/capabilities.hpp"
#include "runtimes/gnu/barriers.hpp"
#include "runtimes/gnu/records.hpp"

#include <memory>
#include <set>
#include <unordered_map>

namespace gdb_ompd::gnu {

class Capabilities final : public gdb_ompd::Capabilities {
public:
    using Pointers = std::unordered_map<int, std::uint64_t>;  // to threads' own, by GDB number

    // PTHREADS are the threads of this runtime.
    Capabilities(std::shared_ptr<AddressSpace> space, const Records &records,
                 const BarrierPlace &barriers, Pointers pointers);

    [[nodiscard]] bool knows(int gdb_num) const override { return pointers_.contains(gdb_num); }
    [[nodiscard]] bool tells_who_has_come() const override { return false; }
    [[nodiscard]] LockWord lock(TargetAddr address, Mutex kind) const override;
    [[nodiscard]] bool has_ended(const LockWord & /*word*/,
                                 const std::set<std::uint64_t> & /*alive*/) override {
        return false;
    }
    [[nodiscard]] std::optional<bool> kept_at_barrier(const StackOfThread &stack) override;
    [[nodiscard]] bool sleeps_until_tasks_are_done(const StackOfThread &stack) override;
    [[nodiscard]] bool sleeps_until_a_task_is_done(const StackOfThread &stack) const override;
    [[nodiscard]] bool has_come(const StackOfThread &stack) override;
    [[nodiscard]] std::optional<bool> has_begun(const StackOfThread &stack,
                                                bool primary_inside) override;
    [[nodiscard]] std::optional<bool> turn_is_to_come(int gdb_num) const override;
    [[nodiscard]] std::optional<LoopRecord> loop(int gdb_num) const override;
    [[nodiscard]] OmpPlace place(int gdb_num) const override;
    [[nodiscard]] std::optional<std::int64_t> children(int gdb_num, bool undeferred) const override;
    [[nodiscard]] std::vector<std::uint64_t> groups(int gdb_num) const override;
    [[nodiscard]] std::optional<std::int64_t> tasks_of_group(int gdb_num) const override;
    [[nodiscard]] std::vector<AbsentThread> absent(int gdb_num, int outer,
                                                   const std::set<std::uint64_t> &alive) override;
    [[nodiscard]] std::vector<AbsentThread>
    absent_workers(int gdb_num, const std::set<std::uint64_t> &alive) override;

private:
    // The team OUTER ones around a thread's, 0 for none.
    [[nodiscard]] TargetAddr team_around(int gdb_num, int outer);
    // None for a thread that is in no team.
    [[nodiscard]] std::optional<ThreadRecord> record(int gdb_num) const;
    // Whether one that sleeps in its pool has been woken since; none of another.
    [[nodiscard]] std::optional<bool> is_woken_in_pool(const StackOfThread &stack) const;
    [[nodiscard]] std::optional<TeamBarrier> barrier_of(const ThreadRecord &thread) const;
    [[nodiscard]] std::set<TargetAddr> incomplete(TargetAddr task) const;
    // The barrier of its team in whose futex the thread sleeps.
    [[nodiscard]] std::optional<TeamBarrier> sleeps_at(const StackOfThread &stack) const;
    // The only thread that has the task on its stack for certain.
    [[nodiscard]] std::optional<int> executor(TargetAddr task) const;

    std::shared_ptr<AddressSpace> space_;
    Records records_;
    BarrierPlace barriers_;
    Pointers pointers_;
};

}  // namespace gdb_ompd::gnu
