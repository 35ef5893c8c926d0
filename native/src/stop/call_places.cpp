// SPDX-License-Identifier: Apache-2.0
#include "stop/call_places.hpp"

#include <algorithm>

namespace gdb_ompd {

using code::Called;
using code::EntryPoint;
using code::Frame;
using code::Site;
using code::WaitKind;

// The barrier of a loop has the flags of one that the compiler adds, as for copyin. It is a
// loop's if one was begun before it in the code.
bool CallPlaces::follow_loop(const Called &called, const Frame *user) {
    const auto sites = arguments_.sites(called, user);
    return std::ranges::all_of(sites, [this](const Site &site) {
        const auto [known, is_new] = after_loops_.try_emplace(site.address(), false);
        for (std::size_t at = site.index; is_new && at-- > 0 && !known->second;) {
            if (site.code->at(at).is_call()) {
                const auto name = calls_.name_called(site.code->at(at + 1).address);
                known->second = name && code::starts_loop(*name);
            }
        }
        return known->second;
    });
}

std::vector<CallPlace> CallPlaces::of(const Called &called, const Frame *user) {
    std::vector<CallPlace> found;
    for (const Site &site : arguments_.sites(called, user)) {
        found.push_back(place_of(site, *called.entry));
    }
    return found;
}

// A barrier may end a single construct, the end of a taskgroup a taskloop. The call that began it
// is before it in the code, of a taskloop the last one.
const CallPlace &CallPlaces::place_of(const Site &site, const EntryPoint &entry) {
    const auto [known, is_new] = known_.try_emplace({site.address(), &entry});
    CallPlace &place = known->second;
    if (!is_new) {
        return place;
    }
    place = {site.address(), site.code->start(), {}};
    const bool is_barrier = entry.kind == WaitKind::barrier;
    if (!is_barrier && entry.role != code::Role::ends_any_taskgroup) {
        return place;
    }
    for (std::size_t index = site.index; index-- > 0;) {
        const auto &instruction = site.code->at(index);
        if (!instruction.is_call()) {
            continue;
        }
        const EntryPoint *const before = calls_.entry_of(instruction);
        if (before != nullptr &&
            (is_barrier ? before->role == code::Role::starts_single : code::is_taskloop(*before))) {
            place.starts.push_back(instruction.address);
        }
        if (!is_barrier) {
            break;
        }
    }
    return place;
}

// The same entry point serves a taskwait with dependences. What is called afterwards would
// tell as well, but its slot in the linkage table may not be filled yet.
bool CallPlaces::are_undeferred(const Called &called, const Frame *user) {
    if (!called.through.empty()) {
        return false;
    }
    const auto sites = arguments_.sites(called, user);
    return !sites.empty() && std::all_of(sites.begin(), sites.end(), [this](const Site &site) {
        const auto end = site.code->call_leading_to(site.index);
        const auto name = end ? calls_.name_called(*end) : std::nullopt;
        return name && code::role_of(*name) == code::Role::allocates_task;
    });
}

}  // namespace gdb_ompd
