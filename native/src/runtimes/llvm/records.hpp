// SPDX-License-Identifier: Apache-2.0
// Fields of the records that LLVM's runtime keeps of threads, teams and tasks: kmp_info_t,
// kmp_team_t and kmp_taskdata_t in openmp/runtime/src/kmp.h.
#pragma once

#include "base/budget.hpp"
#include "base/errors.hpp"
#include "runtimes/llvm/layout.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace gdb_ompd::llvm {

// Where the fields are, looked up by name once for a layout.
struct Places {
    // Of a field that OMPD does not publish; asked when it is needed.
    using AskPlace = std::function<std::optional<FieldPlace>()>;
    explicit Places(const Layout &layout, AskPlace nested = {});

    std::uint64_t thread_in_info;   // the kmp_base_info_t in its kmp_info_t
    std::uint64_t team_in_pointer;  // the kmp_base_team_t in its kmp_team_t
    std::uint64_t task_size;        // of a kmp_taskdata_t, which a kmp_task_t follows

    struct {
        FieldPlace pthread_id, thread_num, gtid, team, task, ompt_info;
    } thread;  // of kmp_base_info_t
    struct {
        FieldPlace parent, size, level, active_level, threads, master_tid, function, implicit_tasks,
            serialized, caller;
        AskPlace nested;  // t_serialized
    } team;               // of kmp_base_team_t
    struct {
        FieldPlace flags, team, parent;
        std::uint64_t info = 0;  // its ompt_task_info_t
    } task;                      // of kmp_taskdata_t
    struct {
        FieldPlace parent, caller;
        std::uint64_t task_info = 0;
    } serialized;  // of ompt_lw_taskteam_t, of an enclosing serialized region
    struct {
        FieldPlace enter_frame, exit_frame, scheduling;
    } task_info;                                               // of ompt_task_info_t
    FieldPlace routine;                                        // of kmp_task_t
    std::uint64_t explicit_task, final_task, undeferred_task;  // masks of td_flags
};

// More bytes of environment variables, which the runtime keeps, are damaged memory.
inline constexpr std::uint64_t max_environment = 1U << 20U;

// Tell what may point to something from small numbers and from damage.
[[nodiscard]] constexpr bool could_be_address(TargetAddr address) {
    return address.value >= 4096 && address.value < std::uint64_t{1} << 56U;
}

// Memory that cannot be read. What is asked about is unknown then.
class Unreadable : public Inconsistent {
public:
    explicit Unreadable(TargetAddr address);
};

// A program's memory as the records are read from it. Damaged pointers wrap around at the
// end of memory, as they do in C. Unreadable where memory cannot be read; anything else
// that the target throws, such as an interrupt by the user, passes through. Each read of a
// memory that is for a walk is a step of the walk's budget, so that no loop that reads is
// without an end.
class Memory {
public:
    explicit Memory(AddressSpace &space) : space_(&space) {}

    // The same memory for another walk, which begins now.
    [[nodiscard]] Memory for_walk(Budget budget) const {
        return {*space_, std::make_shared<Budget>(budget)};
    }

    void read(TargetAddr address, std::span<std::byte> out) const;
    [[nodiscard]] std::uint64_t field(TargetAddr record, FieldPlace place) const;
    [[nodiscard]] TargetAddr pointer(TargetAddr record, FieldPlace place) const {
        return TargetAddr{field(record, place)};
    }
    [[nodiscard]] TargetAddr pointer(TargetAddr address) const { return pointer(address, {0, 8}); }

    [[nodiscard]] std::int64_t signed_field(TargetAddr record, FieldPlace place) const;
    [[nodiscard]] bool is_readable(TargetAddr address, std::size_t size) const;
    // Up to the NUL, or LIMIT bytes where there is none in them.
    [[nodiscard]] std::string text(TargetAddr address, std::size_t limit) const;

    [[nodiscard]] AddressSpace &space() const noexcept { return *space_; }

private:
    Memory(AddressSpace &space, std::shared_ptr<Budget> budget)
        : space_(&space), budget_(std::move(budget)) {}

    AddressSpace *space_;
    std::shared_ptr<Budget> budget_;  // null: what is read is bounded otherwise
};

// The signed number that VALUE is, which was read from SIZE bytes.
constexpr std::int64_t to_signed(std::uint64_t value, std::size_t size) {
    const std::uint64_t sign = std::uint64_t{1} << (8 * size - 1);
    return static_cast<std::int64_t>((value ^ sign) - sign);
}

}  // namespace gdb_ompd::llvm
