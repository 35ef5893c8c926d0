// SPDX-License-Identifier: Apache-2.0
#include "runtimes/llvm/event_reader.hpp"

#include "base/target.hpp"
#include "elf/address_space.hpp"
#include "runtimes/llvm/task_chain.hpp"

#include <algorithm>
#include <set>

namespace gdb_ompd::llvm {

namespace {

// While it exists, memory is read as it is now, and nothing of it is kept after: nobody tells
// that the program goes on from a breakpoint's condition.
class ReadsAnew {
public:
    ReadsAnew(PageCache &cache, std::optional<int> process)
        : cache_(cache), reads_(cache, process) {
        cache_.clear();
    }
    ~ReadsAnew() { cache_.clear(); }
    ReadsAnew(const ReadsAnew &) = delete;
    ReadsAnew &operator=(const ReadsAnew &) = delete;

private:
    PageCache &cache_;
    KernelReads reads_;
};

}  // namespace

EventReader::EventReader(std::shared_ptr<AddressSpace> space, Layout layout, Modules modules,
                         std::shared_ptr<const code::CodeMap> code)
    : space_(std::move(space)), layout_(std::move(layout)), places_(layout_),
      modules_(std::move(modules)), code_(std::move(code)) {}

// Tasks

std::optional<EventTask> EventReader::announced_task(std::span<const std::uint64_t> registers) {
    const ReadsAnew reads(space_->cache(), process_);
    const Memory memory(*space_);
    std::optional<EventTask> found;
    for (const std::uint64_t value : std::set(registers.begin(), registers.end())) {
        if (const auto task = task_at(memory, TargetAddr{value})) {
            if (found) {
                return std::nullopt;
            }
            found = task;
        }
    }
    return found;
}

// The record of a task is right before its kmp_task_t, which is at ADDRESS if it is one.
std::optional<EventTask> EventReader::task_at(const Memory &memory, TargetAddr address) {
    if (address.value % pointer_size != 0 || address.value < places_.task_size ||
        !could_be_address(address)) {
        return std::nullopt;
    }
    try {
        const TargetAddr record{address.value - places_.task_size};
        const TargetAddr routine = memory.pointer(address, places_.routine);
        const bool is_task = begins_function(routine) && (memory.field(record, places_.task.flags) &
                                                          places_.explicit_task) != 0;
        return is_task ? std::optional(EventTask{record, routine}) : std::nullopt;
    } catch (const Unreadable &) {
        return std::nullopt;
    }
}

std::optional<EventTask> EventReader::executed_task(const NativeThread &thread) {
    const ReadsAnew reads(space_->cache(), process_);
    const auto found = find(thread);
    if (!found) {
        return std::nullopt;
    }
    const TaskChains chains(*found->teams);
    if (chains.current_kind(found->thread) != TaskKind::explicit_) {
        return std::nullopt;
    }
    return EventTask{found->thread.task, chains.routine_of(found->thread.task)};
}

std::optional<TaskMaker> EventReader::maker(TargetAddr task) {
    const ReadsAnew reads(space_->cache(), process_);
    Teams teams(*space_, places_, threads_array(*space_));
    const Memory &memory = teams.memory();
    const TargetAddr parent = memory.pointer(task, places_.task.parent);
    if (parent.value == 0) {
        return std::nullopt;
    }
    const TaskChains chains(teams);
    const TaskKind kind = chains.kind_of(parent);
    if (kind == TaskKind::explicit_) {
        return TaskMaker{kind, chains.routine_of(parent), std::nullopt};
    }
    return TaskMaker{kind, std::nullopt, chains.thread_num_of(parent)};
}

// Regions

std::optional<EventRegion> EventReader::region(const NativeThread &thread,
                                               const Announcement &said) {
    const ReadsAnew reads(space_->cache(), process_);
    const auto found = find(thread);
    return found ? event_region(*found->teams, layout_, found->thread, said) : std::nullopt;
}

std::optional<TargetAddr> EventReader::teams_function(const NativeThread &thread) {
    const ReadsAnew reads(space_->cache(), process_);
    const auto found = find(thread);
    if (!found) {
        return std::nullopt;
    }
    const auto words =
        addresses_in(found->teams->memory(), found->thread.address, layout_.size_of("kmp_info_t"));
    std::set<std::uint64_t> functions;
    for (const std::uint64_t each : words) {
        if (is_users(TargetAddr{each})) {
            functions.insert(each);
        }
    }
    return functions.size() == 1 ? std::optional(TargetAddr{*functions.begin()}) : std::nullopt;
}

std::optional<Place> EventReader::place(const NativeThread &thread) {
    const ReadsAnew reads(space_->cache(), process_);
    return place_of(find(thread));
}

// Code

bool EventReader::begins_function(TargetAddr address) {
    auto found = begins_function_.find(address.value);
    if (found == begins_function_.end()) {
        found = begins_function_.emplace(address.value, can_begin_function(address)).first;
    }
    return found->second;
}

// In a file without symbols, any code can.
bool EventReader::can_begin_function(TargetAddr address) const {
    if (code_->owner(address.value) == code::Owner::system) {
        return false;
    }
    for (const auto &module : modules_) {
        const std::uint64_t value = address.value - module->bias;
        for (const Segment &segment : module->elf->headers().segments) {
            if (value >= segment.address && value - segment.address < segment.size) {
                const auto function = module->elf->function_at(value);
                return segment.flags.find('x') != std::string::npos &&
                       (!function || function->value == value);
            }
        }
    }
    return false;
}

}  // namespace gdb_ompd::llvm
