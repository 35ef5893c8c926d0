// SPDX-License-Identifier: Apache-2.0
// Fields of the records that LLVM's runtime keeps of threads, teams and tasks: kmp_info_t,
// kmp_team_t and kmp_taskdata_t in openmp/runtime/src/kmp.h.
#pragma once

#include "base/errors.hpp"
#include "runtimes/llvm/layout.hpp"

#include <cstdint>
#include <span>

namespace gdb_ompd::llvm {

// Where the fields are, looked up by name once for a layout.
struct Places {
    explicit Places(const Layout &layout);

    std::uint64_t thread_in_info;   // the kmp_base_info_t in its kmp_info_t
    std::uint64_t team_in_pointer;  // the kmp_base_team_t in its kmp_team_t
    std::uint64_t task_size;        // of a kmp_taskdata_t, which a kmp_task_t follows

    struct {
        FieldPlace pthread_id, thread_num, team, task, state, wait_id;
    } thread;  // of kmp_base_info_t
    struct {
        FieldPlace parent, size, level, active_level, threads, master_tid, function, implicit_tasks,
            serialized, caller;
    } team;  // of kmp_base_team_t
    struct {
        FieldPlace flags, team, parent;
        std::uint64_t info;  // its ompt_task_info_t
    } task;                  // of kmp_taskdata_t
    struct {
        FieldPlace parent, caller;
        std::uint64_t task_info;
    } serialized;  // of ompt_lw_taskteam_t, of an enclosing serialized region
    struct {
        FieldPlace enter_frame, exit_frame, scheduling;
    } task_info;                              // of ompt_task_info_t
    FieldPlace routine;                       // of kmp_task_t
    std::uint64_t explicit_task, final_task;  // masks of td_flags
};

// Memory that cannot be read. What is asked about is unknown then.
class Unreadable : public Inconsistent {
public:
    explicit Unreadable(TargetAddr address);
};

// A program's memory as the records are read from it. Damaged pointers wrap around at the
// end of memory, as they do in C. Unreadable where memory cannot be read; anything else
// that the target throws, such as an interrupt by the user, passes through.
class Memory {
public:
    explicit Memory(AddressSpace &space) : space_(&space) {}

    void read(TargetAddr address, std::span<std::byte> out) const;
    [[nodiscard]] std::uint64_t field(TargetAddr record, FieldPlace place) const;
    [[nodiscard]] TargetAddr pointer(TargetAddr record, FieldPlace place) const {
        return TargetAddr{field(record, place)};
    }
    [[nodiscard]] TargetAddr pointer(TargetAddr address) const { return pointer(address, {0, 8}); }

    [[nodiscard]] AddressSpace &space() const noexcept { return *space_; }

private:
    AddressSpace *space_;
};

}  // namespace gdb_ompd::llvm
