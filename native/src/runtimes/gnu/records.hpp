// SPDX-License-Identifier: Apache-2.0
// Where GCC's libgomp keeps what its OMPD library has no word for: the tasks that no thread
// executes. The library has proved of which releases the layout is (docs/libgompd.md).
#pragma once

#include "elf/address_space.hpp"
#include "runtimes/capabilities.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

namespace gdb_ompd::gnu {

// A task that is executed while its event is not fulfilled is detached.
enum class Stage : std::uint32_t { implicit, undeferred, waiting, begun, on_device, detached };

// The nodes by which a task is in the lists of its team, its parent and its taskgroup.
enum class ListOf : std::uint8_t { team, parent, taskgroup };

// Offsets in bytes; those that are the same in all releases are in records.cpp.
struct Layout {
    std::string_view releases;   // as the library calls them
    std::uint64_t current;       // in a thread's record: its task
    std::uint64_t members;       // in a team's: its list of the threads' semaphores
    std::uint64_t predecessors;  // in a task's: how many it waits for,
    std::uint64_t nodes;         // its nodes,
    std::uint64_t function, kind, is_final;
    std::uint64_t size;
    bool counts_detached;  // in a team's record
};

// None where the layout of RELEASES is not known.
[[nodiscard]] const Layout *layout_of(std::string_view releases);

struct ThreadRecord {
    TargetAddr team, task, pool;
    std::uint32_t thread_num = 0;
};

// Where the thread that began a team was before.
struct OuterPlace {
    TargetAddr team;  // 0 outside of all
    std::uint32_t thread_num = 0, level = 0, active_level = 0;
};

struct TaskRecord {
    TargetAddr address, parent;
    TargetAddr taskgroup, successors;  // 0 for none
    TargetAddr function;
    std::uint64_t predecessors = 0;
    Stage stage = Stage::implicit;
    bool is_final = false;
};

// What only the runtime's code tells of its records: the same for a run of the program.
struct RecordPlaces {
    std::int64_t record = 0;                      // a thread's, from its thread pointer
    std::optional<std::uint64_t> count_of_group;  // in a taskgroup's
    // In a thread's record: its OpenMP place, counted from 1, and how many places its partition
    // has.
    std::optional<std::uint64_t> place, places;
    std::optional<std::uint64_t> num_teams;  // in a thread's: its league has one more

    // Throws Inconsistent where the code is not as known.
    [[nodiscard]] static RecordPlaces in_code(AddressSpace &space);
};

// Reads records, each doubted. Throws Inconsistent where one cannot be what it is to be, and
// where more is read than a program has.
class Records {
public:
    Records(AddressSpace &space, const Layout &layout, const RecordPlaces &places);

    static constexpr std::uint64_t team_of_thread = 16, number_of_thread = 40;  // in its record

    [[nodiscard]] ThreadRecord thread(std::uint64_t thread_pointer) const;
    [[nodiscard]] TargetAddr record_of(std::uint64_t thread_pointer) const {
        return {thread_pointer + static_cast<std::uint64_t>(places_.record)};
    }
    // omp_get_team_num() and omp_get_num_teams(), none where the runtime keeps them elsewhere.
    [[nodiscard]] std::optional<std::pair<int, int>> league(std::uint64_t thread_pointer) const;
    [[nodiscard]] std::uint32_t team_size(TargetAddr team) const;
    [[nodiscard]] OuterPlace outside(TargetAddr team) const;
    [[nodiscard]] TargetAddr outer_team(TargetAddr team) const { return outside(team).team; }
    // How many tasks of the team are made and not complete, but those executed at once; none
    // while a thread changes its lists.
    [[nodiscard]] std::optional<std::uint32_t> task_count(TargetAddr team) const;
    // How many of them wait for their events alone.
    [[nodiscard]] std::uint32_t detached_count(TargetAddr team) const;
    [[nodiscard]] TargetAddr implicit_task(TargetAddr team, std::uint32_t thread_num) const;
    [[nodiscard]] TaskRecord task(TargetAddr address) const;
    // The task of which the ICVs are at ICVS.
    [[nodiscard]] TargetAddr task_with_icvs(TargetAddr icvs) const;
    // The tasks that a thread has begun and not ended, as far as records tell. They are its current
    // one, what that interrupts for certain, its implicit tasks and those that began their regions.
    [[nodiscard]] std::vector<TargetAddr> executed_by(std::uint64_t thread_pointer) const;

    // The pthread_t of the team's thread of that number, which is not 0, whether or not it is still
    // there; none where it is not known.
    [[nodiscard]] std::optional<std::uint64_t> member(TargetAddr team, std::uint32_t number) const;
    // The one that it had where another thread of the team has it now. A thread that a forked
    // process makes may get the stack of one that fork() has not copied.
    [[nodiscard]] std::optional<std::uint64_t> replaced(TargetAddr team,
                                                        std::uint32_t number) const;
    // Whether a thread is listed for that number, whatever its record says. The list tells not who
    // is number 0, but that the team is one.
    [[nodiscard]] bool may_be_member(TargetAddr team, std::uint32_t number,
                                     std::uint64_t thread_pointer) const;
    // Whether a worker was given a region that it has not begun.
    [[nodiscard]] bool is_given_region(std::uint64_t thread_pointer) const;
    // The pthread_t of the workers of a pool, whether or not they are still there; none for one
    // that is not known.
    [[nodiscard]] std::vector<std::optional<std::uint64_t>> workers(TargetAddr pool) const;
    // The loop that a thread has begun last, where the runtime shares it out.
    [[nodiscard]] std::optional<LoopRecord> loop(std::uint64_t thread_pointer) const;
    // Where a thread is bound: nowhere where the runtime has not bound it.
    [[nodiscard]] OmpPlace place(std::uint64_t thread_pointer) const;
    // Whether a thread that waits for its turn has been told that it has come.
    [[nodiscard]] bool is_released(const ThreadRecord &thread) const;
    // The futex in which the idle workers of a pool sleep.
    [[nodiscard]] static TargetAddr dock(TargetAddr pool);
    [[nodiscard]] TargetAddr outer_group(TargetAddr group) const;
    // How many tasks of a taskgroup are made and not complete, but those executed at once; none
    // where the runtime's code does not tell where that is.
    [[nodiscard]] std::optional<std::int64_t> count_in_group(TargetAddr group) const;

    using Visit = std::function<void(TargetAddr)>;
    // Visit the tasks that are queued in a team, those of a taskgroup, and those that wait for a
    // task. Of a task's children visit those that are not complete and had nothing to wait for when
    // they were made.
    void queued(TargetAddr team, const Visit &visit) const;
    void children(const TaskRecord &task, const Visit &visit) const;
    void of_taskgroup(TargetAddr group, const Visit &visit) const;
    void successors(const TaskRecord &task, const Visit &visit) const;

private:
    // The pthread_t of the thread of a team whose record is that of the one of that NUMBER.
    [[nodiscard]] std::optional<std::uint64_t> recorded_at(TargetAddr team,
                                                           std::uint32_t number) const;
    // The pthread_t of the thread with that record; none where it is no thread's.
    [[nodiscard]] std::optional<std::uint64_t> pthread_of(std::uint64_t record) const;
    [[nodiscard]] TargetAddr semaphore(TargetAddr team, std::uint32_t number) const;
    [[nodiscard]] TargetAddr pointer(TargetAddr address) const;
    [[nodiscard]] std::uint32_t number(TargetAddr address) const;
    void queue(TargetAddr address, ListOf of, const Visit &visit) const;
    void list(TargetAddr first, ListOf of, const Visit &visit) const;

    AddressSpace &space_;
    const Layout &layout_;
    RecordPlaces places_;
    mutable std::size_t budget_;
};

}  // namespace gdb_ompd::gnu
