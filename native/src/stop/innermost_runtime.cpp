// SPDX-License-Identifier: Apache-2.0
#include "stop/innermost_runtime.hpp"

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

std::map<int, AllRuntimes::Position>
innermost_runtimes(const AllRuntimes &runtimes, const ThreadPlaces &places, WholeStacks &stacks) {
    std::map<int, AllRuntimes::Position> found;
    for (const auto &[number, place] : places) {
        if (const auto own =
                innermost(runtimes, *place, stacks.of(number), stacks.reader().calls().code())) {
            found.emplace(number, *own);
        }
    }
    return found;
}

}  // namespace gdb_ompd
