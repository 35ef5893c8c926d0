// SPDX-License-Identifier: Apache-2.0
#include "stop/innermost_runtime.hpp"

#include <map>
#include <utility>
#include <vector>

namespace gdb_ompd {

namespace {

std::optional<AllRuntimes::Position> innermost(const AllRuntimes &runtimes,
                                               const ThreadPlace &place,
                                               std::span<const code::Frame> frames,
                                               const code::CodeMap &code) {
    const code::EntryPoint *const entry = code::entry_point(place.wait->entry_point);
    bool is_below_user = entry != nullptr && entry->begins_region;
    for (const code::Frame &frame : frames) {
        const auto found = runtimes.runtime_at(frame.pc);
        if (found && is_below_user) {
            return found;
        }
        is_below_user = is_below_user || code.is_user(frame.pc);
    }
    return std::nullopt;
}

}  // namespace

void choose_innermost(AllRuntimes &runtimes, Stacks &stacks) {
    const std::vector<int> undecided = runtimes.undecided();
    if (undecided.empty()) {
        return;
    }
    std::map<int, AllRuntimes::Position> chosen;
    for (const auto &[number, place] : stacks.places(undecided)) {
        if (const auto own = innermost(runtimes, *place, stacks.whole().of(number),
                                       stacks.reader().calls().code())) {
            chosen.emplace(number, *own);
        }
    }
    runtimes.choose(std::move(chosen));
}

}  // namespace gdb_ompd
