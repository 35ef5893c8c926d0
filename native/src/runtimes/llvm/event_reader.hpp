// SPDX-License-Identifier: Apache-2.0
// What LLVM's runtime has recorded of the region or task that begins or ends where a thread
// has stopped: OMPD does not say. Each question reads memory as it is now, and needs no OMPD
// library; what addresses mean is kept, as long as the reader is.
#pragma once

#include "code/code_map.hpp"
#include "runtimes/llvm/alone.hpp"
#include "runtimes/llvm/event_regions.hpp"

#include <memory>
#include <optional>
#include <span>
#include <unordered_map>

namespace gdb_ompd::llvm {

struct EventTask {
    TargetAddr record;   // its kmp_taskdata_t
    TargetAddr routine;  // the function that the compiler made of it
};

// The task that generated another: an explicit one by its function, an implicit one by its
// thread's number in its team.
struct TaskMaker {
    TaskKind kind = TaskKind::initial;
    std::optional<TargetAddr> function;
    std::optional<int> thread_num;
};

// Throws Inconsistent where memory is damaged or cannot be read.
class EventReader {
public:
    EventReader(std::shared_ptr<AddressSpace> space, Layout layout, Modules modules,
                std::shared_ptr<const code::CodeMap> code);

    // The process whose memory the kernel gives, none where it does not.
    void read_from_kernel(std::optional<int> process) noexcept { process_ = process; }

    // The explicit task that a function announces which has REGISTERS in its callee-saved ones.
    // None if none or more than one can be it. __kmp_invoke_task (kmp_tasking.cpp) needs the task
    // again after the announcement, so that one points to its kmp_task_t.
    [[nodiscard]] std::optional<EventTask> announced_task(std::span<const std::uint64_t> registers);
    // The explicit task that a thread executes, none if it executes none. LLVM's runtime makes
    // it the thread's own before it announces its begin, and another one after its end.
    [[nodiscard]] std::optional<EventTask> executed_task(const NativeThread &thread);
    // The task that generated the one whose record is at TASK.
    [[nodiscard]] std::optional<TaskMaker> maker(TargetAddr task);

    [[nodiscard]] std::optional<EventRegion> region(const NativeThread &thread,
                                                    const Announcement &said);
    // The outlined function of the `teams` construct that a thread executes. The runtime keeps
    // it in the thread's record (th_teams_microtask), the only function of the program there;
    // a team's own is an inner region's when it ends.
    [[nodiscard]] std::optional<TargetAddr> teams_function(const NativeThread &thread);
    // None for a thread that is in no team.
    [[nodiscard]] std::optional<Place> place(const NativeThread &thread);

    // Whether a function of the program begins at ADDRESS, and none of the runtime's own:
    // halves of a large `taskloop` are tasks, too.
    [[nodiscard]] bool is_users(TargetAddr function) {
        return begins_function(function) && code_->is_user(function.value);
    }

private:
    [[nodiscard]] std::optional<ThreadAlone> find(const NativeThread &thread) {
        return thread_alone(*space_, places_, thread);
    }
    [[nodiscard]] std::optional<EventTask> task_at(const Memory &memory, TargetAddr address);
    // Of the program or the runtime.
    [[nodiscard]] bool begins_function(TargetAddr address);
    [[nodiscard]] bool can_begin_function(TargetAddr address) const;

    std::shared_ptr<AddressSpace> space_;
    Layout layout_;
    Places places_;
    Modules modules_;
    std::shared_ptr<const code::CodeMap> code_;
    std::optional<int> process_;
    std::unordered_map<std::uint64_t, bool> begins_function_;
};

}  // namespace gdb_ompd::llvm
