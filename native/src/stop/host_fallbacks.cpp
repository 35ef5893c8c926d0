// SPDX-License-Identifier: Apache-2.0
#include "stop/host_fallbacks.hpp"

#include <algorithm>
#include <iterator>

namespace gdb_ompd {

bool HostFallbacks::calls_region(std::uint64_t pc) { return !calls_.is_direct(pc) && is_one(pc); }

bool HostFallbacks::is_one(std::uint64_t pc) {
    if (!starts_) {
        const auto waiting = called_by(code::WaitKind::dependence);
        starts_ = called_by(code::WaitKind::target);
        std::erase_if(*starts_, [&](std::uint64_t one) { return waiting.contains(one); });
    }
    return calls_.code().owner(pc) == code::Owner::runtime &&
           starts_->contains(calls_.functions().start_of(pc - 1));
}

bool HostFallbacks::has_region(std::uint64_t pc) {
    const code::FunctionCode *const function =
        is_one(pc) ? calls_.functions().function(pc - 1) : nullptr;
    return function != nullptr && std::ranges::any_of(function->instructions(), [](auto &each) {
               return each.is_call() && each.target == 0;
           });
}

std::vector<code::Frame> HostFallbacks::among(std::span<const code::Frame> frames) {
    std::vector<code::Frame> found;
    std::ranges::copy_if(frames, std::back_inserter(found),
                         [this](const code::Frame &one) { return has_region(one.pc); });
    std::ranges::reverse(found);
    return found;
}

// What GCC's entry points of KIND call or end with a jump to.
std::set<std::uint64_t> HostFallbacks::called_by(code::WaitKind kind) {
    std::set<std::uint64_t> found;
    for (const code::EntryPoint &entry : code::entry_points()) {
        if (entry.kind != kind || !entry.is_of_gcc()) {
            continue;
        }
        for (const std::uint64_t start : calls_.starts(entry)) {
            for (const auto &made : calls_.code_around(start).calls_made()) {
                found.insert(made.target);
            }
            for (const auto &jump : calls_.code_around(start).jumps_out()) {
                found.insert(jump.target);
            }
        }
    }
    return found;
}

}  // namespace gdb_ompd
