// SPDX-License-Identifier: Apache-2.0
#include "runtimes/gnu/around_targets.hpp"

#include "base/errors.hpp"
#include "runtimes/gnu/kept_record.hpp"

#include <algorithm>

namespace gdb_ompd::gnu {

namespace {

constexpr int most_members = 1 << 16;

}  // namespace

AroundTargets::AroundTargets(AddressSpace &space, const Records &records, StopFacts &facts,
                             const Pointers &pointers)
    : space_(space), records_(records), facts_(facts), pointers_(pointers) {
    for (const ThreadFacts &thread : facts_.threads) {
        note_known(thread);
    }
}

void AroundTargets::note_known(const ThreadFacts &thread) {
    const auto pthread = pointers_.find(thread.gdb_num);
    int region = thread.region.value.value_or(0);
    if (region == 0 || pthread == pointers_.end()) {
        return;
    }
    TargetAddr team = records_.thread(pthread->second).team;
    while (region > 0 && team.value != 0 && teams_.emplace(team, region).second) {
        region = facts_.regions.at(static_cast<std::size_t>(region) - 1).parent.value.value_or(0);
        team = records_.outer_team(team);
    }
}

void AroundTargets::add(ThreadFacts &thread, const std::vector<code::Frame> &frames) {
    const auto pthread = pointers_.find(thread.gdb_num);
    for (const code::Frame &frame : frames) {
        OuterPlace place =
            pthread == pointers_.end() ? OuterPlace() : kept_in(frame, pthread->second);
        for (int level = 0; place.team.value != 0 && level < max_nesting; ++level) {
            const auto number = static_cast<std::size_t>(region_of(place.team)) - 1;
            RegionFacts &region = facts_.regions.at(number);
            if (place.thread_num >= region.threads.size()) {
                throw Inconsistent("a team is not its region's");
            }
            region.threads[place.thread_num] = thread.gdb_num;
            if (std::ranges::none_of(region.threads, [](const auto &one) { return !one; })) {
                region.threads_failed = nullptr;
            }
            if (place.thread_num != 0) {
                if (thread.kind.value == ThreadKind::initial) {
                    thread.kind = {ThreadKind::worker};  // of the regions that it has begun inside
                }
                break;  // another began the region
            }
            region.primary = thread.gdb_num;
            place = records_.outside(place.team);
        }
    }
}

// In no team where that is not known.
OuterPlace AroundTargets::kept_in(const code::Frame &frame, std::uint64_t pthread) const {
    const KeptRecord kept(space_, frame, pthread, records_.record_of(pthread));
    const auto team = kept.value(Records::team_of_thread, 8);
    const auto number = kept.value(Records::number_of_thread, 4);
    if (!team || !number || *team == 0) {
        return {};
    }
    const OuterPlace found{TargetAddr{*team}, static_cast<std::uint32_t>(*number)};
    const bool is_member = found.thread_num < records_.team_size(found.team) &&
                           records_.may_be_member(found.team, found.thread_num, pthread);
    return is_member ? found : OuterPlace();
}

int AroundTargets::region_of(TargetAddr team) {
    if (const auto known = teams_.find(team); known != teams_.end()) {
        return known->second;
    }
    const OuterPlace outside = records_.outside(team);
    const std::uint32_t size = records_.team_size(team);
    const std::uint32_t around =
        outside.team.value == 0 ? 0 : records_.outside(outside.team).level + 1;
    if (size == 0 || size > most_members || outside.level != around || around >= max_nesting) {
        throw Inconsistent("a record is not a team's");
    }
    RegionFacts region;
    region.parent = {outside.team.value == 0 ? 0 : region_of(outside.team)};
    region.level = {static_cast<int>(outside.level) + 1};
    region.active_level = {static_cast<int>(outside.active_level) + (size > 1 ? 1 : 0)};
    region.team_size = {static_cast<int>(size)};
    region.threads.resize(size);
    region.caller = region.function = Fact<TargetAddr>::unknown(nullptr, ompd_rc_unsupported);
    facts_.regions.push_back(std::move(region));
    const int number = static_cast<int>(facts_.regions.size());
    facts_.regions.back().identity = static_cast<std::uint64_t>(number);
    teams_.emplace(team, number);
    return number;
}

}  // namespace gdb_ompd::gnu
