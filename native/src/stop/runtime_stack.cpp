// SPDX-License-Identifier: Apache-2.0
#include "stop/runtime_stack.hpp"

#include "code/spin.hpp"
#include "stop/pthreads.hpp"

#include "elf/address_space.hpp"

#include <algorithm>

namespace gdb_ompd {

using code::Frame;
using code::Owner;
using code::Register;
using code::Role;

namespace {

constexpr std::size_t most_runtime_frames = 24;
constexpr std::uint64_t most_stack = 1U << 14U;  // bytes
constexpr std::size_t first_argument = 0;
constexpr std::size_t second_argument = 1;
constexpr std::size_t third_argument = 2;
// Of the kernel's call futex: FUTEX_PRIVATE_FLAG, and what is left of the operation without it and
// FUTEX_CLOCK_REALTIME.
constexpr std::uint64_t futex_private = 128;
constexpr std::uint64_t futex_operation = 127;
constexpr std::uint64_t futex_wait = 0;
constexpr std::uint64_t futex_wait_bits = 9;

}  // namespace

code::Role RuntimeStack::role(std::size_t place) const {
    const std::uint64_t pc = frames_[place].pc;
    // A call may be a function's last instruction: its caller is where it was made.
    return code::role_of(calls_.functions().identifier_at(pc - (pc == frames_.front().pc ? 0 : 1)));
}

bool RuntimeStack::is_user(std::size_t place) const {
    return calls_.code().is_user(frames_[place].pc);
}

// What calls a region's body is the end of the runtime's: the body leaves no frame where it has
// ended with a jump.
RuntimeStack::Part RuntimeStack::innermost() const {
    Part part;
    const std::size_t most = std::min(frames_.size(), most_runtime_frames);
    while (part.end < most && !is_user(part.end) && role(part.end) != Role::calls_body) {
        ++part.end;
    }
    part.last = part.end < most || part.end == 0 ? part.end : part.end - 1;
    return part;
}

RuntimeStack::Part RuntimeStack::below_task() const {
    Part part;
    const auto skip = [&](bool users) {
        while (part.begin < frames_.size() && is_user(part.begin) == users) {
            ++part.begin;
        }
    };
    skip(false);
    skip(true);
    part.end = part.begin;
    while (part.end < frames_.size() && !is_user(part.end)) {
        ++part.end;
        if (role(part.end - 1) == Role::calls_body ||
            part.end - part.begin == most_runtime_frames) {
            part.last = part.end - 1;
            return part;
        }
    }
    part.last = part.end < frames_.size() || part.end == part.begin ? part.end : part.end - 1;
    return part;
}

RuntimeStack::Part RuntimeStack::whole() const {
    return {0, std::min(frames_.size(), most_runtime_frames), 0};
}

bool RuntimeStack::has(const Part &part, Roles roles) const {
    for (std::size_t place = part.begin; place < part.end; ++place) {
        if (std::ranges::find(roles, role(place)) != roles.end()) {
            return true;
        }
    }
    return false;
}

Phase RuntimeStack::phase(const Part &part) const {
    for (std::size_t place = part.begin; place < part.end; ++place) {
        const Role own = role(place);
        if (own == Role::gathers || own == Role::releases) {
            return own == Role::gathers ? Phase::gathers : Phase::released;
        }
    }
    return Phase::unknown;
}

bool RuntimeStack::works_on_task(const Part &part) const {
    return has(part, {Role::executes_task, Role::works_on_task});
}

std::vector<std::uint64_t> RuntimeStack::words(const Part &part) const {
    const auto *const architecture = calls_.functions().architecture();
    if (architecture == nullptr || part.last >= frames_.size()) {
        return {};
    }
    const code::Register pointer = architecture->convention().stack_pointer;
    const auto begin = frames_[part.begin].held_by(pointer);
    const auto end = frames_[part.last].held_by(pointer);
    if (!begin || !end || *end <= *begin) {
        return {};
    }
    AddressSpace &space = calls_.functions().space();
    std::vector<std::byte> bytes(std::min(*end - *begin, most_stack) / pointer_size * pointer_size);
    if (!space.can_read(TargetAddr{*begin}, bytes)) {
        return {};
    }
    std::vector<std::uint64_t> found;
    for (std::size_t at = 0; at < bytes.size(); at += pointer_size) {
        found.push_back(space.to_uint(std::span(bytes).subspan(at, pointer_size)));
    }
    return found;
}

bool RuntimeStack::is_in_kernel() const {
    return !frames_.empty() &&
           is_behind_system_call(llvm::Memory(calls_.functions().space()), {frames_.front().pc});
}

std::optional<KernelCall> RuntimeStack::kernel_call() const {
    const auto *const architecture = calls_.functions().architecture();
    if (architecture == nullptr || !is_in_kernel()) {
        return std::nullopt;
    }
    const auto arguments = architecture->convention().arguments;
    const auto first = frames_.front().held_by(arguments[first_argument]);
    const auto third = frames_.front().held_by(arguments[third_argument]);
    const auto held = [&](Register number) { return frames_.front().held_by(number); };
    return first && third
               ? std::optional(KernelCall{*first, held(arguments[second_argument]), *third,
                                          held(architecture->convention().fourth_of_kernel)})
               : std::nullopt;
}

std::optional<bool> RuntimeStack::keeps_spinning() const {
    const code::FunctionCode *const code =
        frames_.empty() ? nullptr : calls_.functions().function(frames_.front().pc);
    if (code == nullptr) {
        return std::nullopt;
    }
    AddressSpace &space = calls_.functions().space();
    return code::keeps_spinning(
        *code, frames_.front().pc,
        [this](code::Register number) { return frames_.front().held_by(number); },
        [&](std::uint64_t address, unsigned size) {
            return space.uint_at(TargetAddr{address}, size);
        });
}

std::optional<Futex> RuntimeStack::futex() const {
    const auto call = kernel_call();
    return call ? std::optional(
                      Futex{TargetAddr{call->first}, static_cast<std::uint32_t>(call->third)})
                : std::nullopt;
}

std::optional<SleepsIn> RuntimeStack::sleeps_in() const {
    const auto call = kernel_call();
    if (!call || !call->second || !call->fourth) {
        return std::nullopt;
    }
    const std::uint64_t operation = *call->second & futex_operation;
    const bool is_private = (*call->second & futex_private) != 0;
    return operation == futex_wait || operation == futex_wait_bits
               ? std::optional(SleepsIn{TargetAddr{call->first},
                                        static_cast<std::uint32_t>(call->third), is_private,
                                        *call->fourth != 0})
               : std::nullopt;
}

std::size_t RuntimeStack::in_system() const {
    const auto inner = code::since_signal(frames_);
    const auto caller = std::ranges::find_if(inner, [this](const Frame &frame) {
        return calls_.code().owner(frame.pc) != Owner::system;
    });
    return static_cast<std::size_t>(caller - inner.begin());
}

}  // namespace gdb_ompd
