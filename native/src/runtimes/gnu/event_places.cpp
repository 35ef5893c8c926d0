// SPDX-License-Identifier: Apache-2.0
#include "runtimes/gnu/event_places.hpp"

#include "base/errors.hpp"
#include "recovery/gnu_events.hpp"

#include <array>

namespace gdb_ompd::gnu {

namespace {

constexpr std::uint64_t only_a_task = 1;   // GOMP_TARGET_FLAG_NOWAIT
constexpr std::size_t flags_argument = 6;  // counted from 0

}  // namespace

std::optional<std::uint64_t> EventPlaces::told(std::uint64_t pc, const char *what) const {
    const auto found = told_.find(recovery::gnu_place(pc - bias_, what));
    return found == told_.end() ? std::nullopt : std::optional(found->second);
}

std::string_view EventPlaces::name_of(std::uint64_t number) const {
    if (architecture_ != nullptr) {
        const code::CallingConvention convention = architecture_->convention();
        for (const auto &registers : {convention.preserved, convention.others}) {
            for (const code::NamedRegister &one : registers) {
                if (one.number == number) {
                    return one.name;
                }
            }
        }
    }
    return {};
}

std::optional<std::uint64_t> EventPlaces::function(std::uint64_t pc, const ReadRegister &read) {
    const auto number = told(pc, "register");
    const auto name = number ? name_of(*number) : std::string_view();
    if (name.empty()) {
        return std::nullopt;
    }
    const std::uint64_t value = read(name);
    const auto offset = told(pc, "offset");
    if (!offset) {
        return value;
    }
    std::array<std::byte, 8> pointer{};
    try {
        // Asked in conditions of breakpoints: what was read before is no longer so.
        space_->target().read_memory(TargetAddr{value + *offset}, pointer);
    } catch (const MemoryUnreadable &) {
        return std::nullopt;
    }
    return space_->to_uint(pointer);
}

bool EventPlaces::is_target_call(std::uint64_t pc) const {
    const auto begin = told_.find(recovery::gnu_target_begin);
    const auto end = told_.find(recovery::gnu_target_end);
    return begin != told_.end() && end != told_.end() && pc - bias_ >= begin->second &&
           pc - bias_ < end->second;
}

bool EventPlaces::executes_target(std::uint64_t pc, std::uint64_t sp) const {
    if (!is_target_call(pc)) {
        return false;
    }
    if (architecture_ == nullptr ||
        architecture_->convention().arguments.size() != flags_argument) {
        return true;  // they are in no register any more, or never were on the stack
    }
    std::array<std::byte, 4> flags{};
    try {
        space_->target().read_memory(TargetAddr{sp}, flags);
    } catch (const MemoryUnreadable &) {
        return true;
    }
    return (space_->to_uint(flags) & only_a_task) == 0;
}

}  // namespace gdb_ompd::gnu
