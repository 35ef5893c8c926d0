// SPDX-License-Identifier: Apache-2.0
#include "stop/host_fallbacks.hpp"

#include <algorithm>
#include <iterator>

namespace gdb_ompd {

bool HostFallbacks::calls_region(std::uint64_t pc) {
    if (!starts_) {
        const auto waiting = called_by(code::WaitKind::dependence);
        starts_ = called_by(code::WaitKind::target);
        std::erase_if(*starts_, [&](std::uint64_t one) { return waiting.contains(one); });
    }
    return !calls_.is_direct(pc) && calls_.code().owner(pc) == code::Owner::runtime &&
           starts_->contains(calls_.functions().start_of(pc - 1));
}

std::vector<code::Frame> HostFallbacks::among(std::span<const code::Frame> frames) {
    std::vector<code::Frame> found;
    std::ranges::copy_if(frames, std::back_inserter(found),
                         [this](const code::Frame &one) { return calls_region(one.pc); });
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
            const auto jumps = calls_.code_around(start).jumps_out();
            found.insert(jumps.begin(), jumps.end());
        }
    }
    return found;
}

}  // namespace gdb_ompd
