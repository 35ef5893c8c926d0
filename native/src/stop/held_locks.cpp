// SPDX-License-Identifier: Apache-2.0
#include "stop/held_locks.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace gdb_ompd {

using code::Frame;
using code::FunctionCode;

std::vector<UserPlace> user_places(code::UserCalls &calls, std::span<const Frame> frames) {
    std::vector<UserPlace> found;
    std::set<std::uint64_t> passed;  // functions that are inlined share their place
    for (std::size_t number = 0; number < frames.size(); ++number) {
        const Frame &frame = frames[number];
        if (!calls.code().is_user(frame.pc) || !passed.insert(frame.pc).second) {
            continue;
        }
        const bool has_called = number > 0 && !code::is_interrupted(frames, number);
        const FunctionCode *const code =
            calls.functions().function(has_called ? frame.pc - 1 : frame.pc);
        if (code == nullptr) {
            continue;
        }
        const auto here = has_called ? code->call_before(frame.pc) : code->index_of(frame.pc);
        if (here) {
            found.push_back({&frame, code, *here, has_called});
        }
    }
    return found;
}

std::vector<HeldLock> HeldLocks::of(std::span<const Frame> frames) {
    std::vector<HeldLock> found;
    for (const UserPlace &place : user_places(calls_, frames)) {
        note(found, *place.code, *place.frame, place.here);
    }
    return found;
}

void HeldLocks::note(std::vector<HeldLock> &found, const FunctionCode &code, const Frame &frame,
                     std::size_t here) {
    const LockChanges changes = lock_calls_.changes(code, frame, here);
    if (std::ranges::none_of(changes, &LockChange::enters)) {
        return;
    }
    const std::function<Behind(std::size_t)> behind = [&](std::size_t index) {
        return lock_calls_.behind(code, index);
    };
    const LockFlow flow(code, changes, behind);
    const Inside open = flow.before(here);
    std::map<std::size_t, std::size_t> known;  // by the first place of each lock, where it is FOUND
    for (auto place = open.perhaps.rbegin(); place != open.perhaps.rend(); ++place) {
        const LockChange &one = changes[*place];
        if (one.has_object && !one.object) {
            continue;
        }
        const std::size_t first = flow.first_of(*place);
        const auto [same, is_new] = known.try_emplace(first, found.size());
        if (!is_new) {
            found[same->second].entered_at = 0;  // not known by which of them
            continue;
        }
        const bool certain = (one.stable || !one.has_object) && open.surely.contains(first);
        found.push_back({one.kind, one.object, code.at(one.index).address, frame.pc, certain});
    }
}

}  // namespace gdb_ompd
