// SPDX-License-Identifier: Apache-2.0
// One task's record, read at once: its kmp_taskdata_t and the kmp_task_t behind it.
#pragma once

#include "model/facts.hpp"
#include "runtimes/llvm/private_fields.hpp"
#include "runtimes/llvm/records.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace gdb_ompd::llvm {

struct TaskRecord {
    TargetAddr address;
    std::uint64_t flags = 0;
    TargetAddr parent;
    TargetAddr team;  // its kmp_base_team_t
    TargetAddr allocator;
    TargetAddr ident;
    TargetAddr routine;
    TargetAddr shareds;
    std::int64_t children = 0;  // that are not complete
    TargetAddr dephash, depnode, last_tied, scheduler;
    bool awaits_event = false;  // its event has been handed out, and is not fulfilled
};

// Masks of td_flags.
struct TaskFlags {
    std::uint64_t tied, proxy, detachable, final_task, explicit_task, tasking_serial, team_serial,
        started, executing, complete, freed;
};

// Reads each record once. Throws UnknownField when made.
class TaskRecords {
public:
    using CodeRanges = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

    // RUNTIME is where the runtime's code is.
    TaskRecords(const PrivateFields &fields, const Layout &layout, CodeRanges runtime);

    // The record at ADDRESS, null where there can be none.
    const TaskRecord *read(const Memory &memory, TargetAddr address);

    [[nodiscard]] bool is_explicit(const TaskRecord &task) const {
        return (task.flags & flags_.explicit_task) != 0;
    }
    [[nodiscard]] bool is_live(const TaskRecord &task) const {
        return (task.flags & (flags_.complete | flags_.freed)) == 0;
    }
    // Whether its parent counts it (__kmp_track_children_task).
    [[nodiscard]] bool is_tracked(const TaskRecord &task) const;
    // The user's function of a task.
    std::optional<TargetAddr> function_of(const Memory &memory, const TaskRecord &task);
    // The task of a large taskloop that a task of the runtime's own divides: it is never
    // executed itself, and counted as a child all the same.
    const TaskRecord *pattern_of(const Memory &memory, const TaskRecord &task);
    // None where the compiler has not told it, or memory does not hold it.
    std::optional<ConstructPlace> construct_of(const Memory &memory, const TaskRecord &task);

    [[nodiscard]] const TaskFlags &flags() const noexcept { return flags_; }
    [[nodiscard]] std::uint64_t size() const noexcept { return places_.task_size; }

private:
    [[nodiscard]] std::optional<TaskRecord> fetch(const Memory &memory, TargetAddr address) const;
    [[nodiscard]] bool is_own(TargetAddr function) const;

    Places places_;
    TaskFlags flags_;
    CodeRanges runtime_;
    FieldPlace allocator_, ident_, children_, dephash_, depnode_, last_tied_;
    FieldPlace scheduler_, event_kind_, event_task_, source_;
    std::unordered_map<std::uint64_t, std::optional<TaskRecord>> known_;
    std::unordered_map<std::uint64_t, std::optional<ConstructPlace>> constructs_;  // by ident_t
};

}  // namespace gdb_ompd::llvm
