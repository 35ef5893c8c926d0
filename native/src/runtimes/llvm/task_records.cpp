// SPDX-License-Identifier: Apache-2.0
#include "runtimes/llvm/task_records.hpp"

#include "base/target.hpp"
#include "elf/address_space.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace gdb_ompd::llvm {

namespace {

constexpr std::size_t longest_source = 4096;
constexpr std::uint64_t awaited = 1;  // KMP_EVENT_ALLOW_COMPLETION

// ";file;function;line;column;;", as the compiler writes it.
std::optional<ConstructPlace> parse_source(std::string_view text) {
    std::vector<std::string_view> parts;
    for (std::size_t at = 0; at <= text.size() && parts.size() < 5;) {
        const std::size_t end = std::min(text.find(';', at), text.size());
        parts.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    if (parts.size() < 5 || !parts[0].empty() || parts[1].empty() || parts[1] == "unknown") {
        return std::nullopt;
    }
    ConstructPlace place{std::string(parts[1])};
    const char *const end = parts[3].data() + parts[3].size();
    const auto [stop, error] = std::from_chars(parts[3].data(), end, place.line);
    return error == std::errc() && stop == end && place.line > 0 ? std::optional(place)
                                                                 : std::nullopt;
}

}  // namespace

TaskRecords::TaskRecords(const PrivateFields &fields, const Layout &layout, CodeRanges runtime)
    : places_(layout), flags_{}, runtime_(std::move(runtime)) {
    const auto own = [&](const char *name) {
        return fields.at(std::string("kmp_tasking_flags_t.") + name);
    };
    const auto mask = [&](const char *name) { return std::uint64_t{1} << own(name).offset; };
    flags_ = {mask("tiedness"),          mask("proxy"),          mask("detachable"),
              layout.bit("final"),       layout.bit("tasktype"), layout.bit("tasking_ser"),
              layout.bit("team_serial"), layout.bit("started"),  layout.bit("executing"),
              layout.bit("complete"),    layout.bit("freed")};
    const auto of_task = [&](const char *name) {
        return fields.at(std::string("kmp_taskdata_t.") + name);
    };
    allocator_ = of_task("td_alloc_thread");
    ident_ = of_task("td_ident");
    children_ = of_task("td_incomplete_child_tasks");
    dephash_ = of_task("td_dephash");
    depnode_ = of_task("td_depnode");
    last_tied_ = of_task("td_last_tied");
    scheduler_ = {places_.task.info + places_.task_info.scheduling.offset, pointer_size};
    const FieldPlace event = of_task("td_allow_completion_event");
    event_kind_ = within(event, {fields.at("kmp_event_t.type").offset, 4});
    event_task_ = within(event, {fields.at("kmp_event_t.ed").offset, pointer_size});
    source_ = fields.at("ident_t.psource");
}

const TaskRecord *TaskRecords::read(const Memory &memory, TargetAddr address) {
    auto found = known_.find(address.value);
    if (found == known_.end()) {
        found = known_.emplace(address.value, fetch(memory, address)).first;
    }
    return found->second ? &*found->second : nullptr;
}

std::optional<TaskRecord> TaskRecords::fetch(const Memory &memory, TargetAddr address) const {
    if (address.value % pointer_size != 0 || !could_be_address(address)) {
        return std::nullopt;
    }
    std::vector<std::byte> bytes(size() + places_.routine.offset + pointer_size);
    try {
        memory.read(address, bytes);
    } catch (const Unreadable &) {
        return std::nullopt;
    }
    const auto value = [&](FieldPlace at) {
        return memory.space().to_uint(std::span(bytes).subspan(at.offset, at.size));
    };
    const auto pointer = [&](FieldPlace at) { return TargetAddr{value(at)}; };
    const auto number = [&](FieldPlace at) { return to_signed(value(at), at.size); };
    TaskRecord task;
    task.address = address;
    task.flags = value(places_.task.flags);
    task.parent = pointer(places_.task.parent);
    const TargetAddr team = pointer(places_.task.team);
    task.team = team.value == 0 ? team : team + places_.team_in_pointer;
    task.allocator = pointer(allocator_);
    task.ident = pointer(ident_);
    task.routine = pointer({size() + places_.routine.offset, pointer_size});
    task.shareds = pointer({size(), pointer_size});
    task.children = number(children_);
    task.dephash = pointer(dephash_);
    task.depnode = pointer(depnode_);
    task.last_tied = pointer(last_tied_);
    task.scheduler = pointer(scheduler_);
    // The runtime empties the event when it is fulfilled (__kmp_fulfill_event).
    task.awaits_event =
        value(event_kind_) == awaited && value(event_task_) == address.value + size();
    return task;
}

bool TaskRecords::is_tracked(const TaskRecord &task) const {
    return (task.flags & (flags_.proxy | flags_.detachable)) != 0 ||
           (task.flags & (flags_.team_serial | flags_.tasking_serial)) == 0;
}

std::optional<TargetAddr> TaskRecords::function_of(const Memory &memory, const TaskRecord &task) {
    const TaskRecord *const made_by = is_own(task.routine) ? pattern_of(memory, task) : &task;
    if (made_by == nullptr || made_by->routine.value == 0) {
        return std::nullopt;
    }
    return made_by->routine;
}

// It is the first of what the other shares (__taskloop_params_t, kmp_tasking.cpp).
const TaskRecord *TaskRecords::pattern_of(const Memory &memory, const TaskRecord &task) {
    if (!is_own(task.routine)) {
        return nullptr;
    }
    const TaskRecord *pattern = nullptr;
    try {
        pattern = read(memory, TargetAddr{memory.pointer(task.shareds).value - size()});
    } catch (const Unreadable &) {
        return nullptr;
    }
    const bool is_one = pattern != nullptr && is_explicit(*pattern) && !is_own(pattern->routine);
    return is_one ? pattern : nullptr;
}

std::optional<ConstructPlace> TaskRecords::construct_of(const Memory &memory,
                                                        const TaskRecord &task) {
    const TaskRecord *const pattern = pattern_of(memory, task);
    const TargetAddr ident = pattern == nullptr ? task.ident : pattern->ident;
    if (ident.value == 0) {
        return std::nullopt;
    }
    if (const auto found = constructs_.find(ident.value); found != constructs_.end()) {
        return found->second;
    }
    std::optional<ConstructPlace> place;
    try {
        const TargetAddr source = memory.pointer(ident, source_);
        place = source.value == 0 ? place : parse_source(memory.text(source, longest_source));
    } catch (const Unreadable &) {
        place = std::nullopt;
    }
    return constructs_.emplace(ident.value, std::move(place)).first->second;
}

bool TaskRecords::is_own(TargetAddr function) const {
    return std::ranges::any_of(runtime_, [&](const auto &range) {
        return range.first <= function.value && function.value < range.second;
    });
}

}  // namespace gdb_ompd::llvm
