// SPDX-License-Identifier: Apache-2.0
#include "runtimes/gnu/event_places.hpp"

#include "base/errors.hpp"
#include "recovery/gnu_events.hpp"

#include <array>

namespace gdb_ompd::gnu {

std::optional<std::uint64_t> EventPlaces::told(std::uint64_t pc, const char *what) const {
    const auto found = told_.find(recovery::gnu_place(pc - bias_, what));
    return found == told_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<std::uint64_t> EventPlaces::function(std::uint64_t pc,
                                                   std::span<const std::uint64_t> registers) {
    const auto number = told(pc, "register");
    if (!number || *number >= registers.size()) {
        return std::nullopt;
    }
    const auto offset = told(pc, "offset");
    if (!offset) {
        return registers[*number];
    }
    std::array<std::byte, 8> pointer{};
    try {
        // Asked in conditions of breakpoints: what was read before is no longer so.
        space_->target().read_memory(TargetAddr{registers[*number] + *offset}, pointer);
    } catch (const MemoryUnreadable &) {
        return std::nullopt;
    }
    return space_->to_uint(pointer);
}

}  // namespace gdb_ompd::gnu
