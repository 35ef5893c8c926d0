// SPDX-License-Identifier: Apache-2.0
#include "stop/team_targets.hpp"

#include <algorithm>

namespace gdb_ompd {

const ThreadTargets &TeamTargets::on_stack(int gdb_num) {
    const auto found = on_stack_.find(gdb_num);
    return found != on_stack_.end()
               ? found->second
               : on_stack_.emplace(gdb_num, stacks_.targets(gdb_num)).first->second;
}

std::vector<std::optional<TargetConstruct>>
TeamTargets::of(const std::vector<KnownThread> &threads) {
    std::vector<std::optional<TargetConstruct>> found;
    std::vector<int> asked;
    for (const KnownThread &thread : threads) {
        found.push_back(innermost(thread));
        if (found.back() && found.back()->is_for_default() && !found.back()->on_host) {
            asked.push_back(thread.gdb_num);
        }
    }
    const auto devices = asked.empty() ? std::map<int, std::int64_t>() : teams_.devices(asked);
    for (std::size_t at = 0; at < threads.size(); ++at) {
        const auto device = devices.find(threads[at].gdb_num);
        if (device != devices.end()) {
            found[at]->default_device = device->second;
        }
    }
    return found;
}

std::optional<TargetConstruct> TeamTargets::innermost(const KnownThread &thread) {
    if (thread.running || thread.is_helper() || !stacks_.reader().has_targets()) {
        return std::nullopt;
    }
    const ThreadTargets &own = on_stack(thread.gdb_num);
    if (!own.constructs.empty()) {
        return own.constructs.front();
    }
    auto found = thread.region ? around(*thread.region) : std::nullopt;
    return found || thread.league == 0 ? found : around_league(thread.league);
}

// By the stack of the thread that has begun it.
std::optional<TargetConstruct> TeamTargets::around_league(std::uint64_t league) {
    const auto known = leagues_.find(league);
    if (known != leagues_.end()) {
        return known->second;
    }
    auto &found = leagues_[league];
    for (const auto &[number, thread] : teams_.threads()) {
        if (thread.league != league || thread.running) {
            continue;
        }
        const auto &constructs = on_stack(number).constructs;
        const auto own = std::ranges::find_if(constructs, &TargetConstruct::has_league);
        if (own != constructs.end()) {
            found = *own;
            break;
        }
    }
    return found;
}

std::optional<TargetConstruct> TeamTargets::around(int region) {
    if (!regions_) {
        regions_.emplace();
        for (KnownRegion &one : teams_.regions()) {
            const int number = one.number;
            regions_->emplace(number, std::move(one));
        }
    }
    for (auto left = regions_->size(); left > 0; --left) {
        const auto known = regions_->find(region);
        if (known == regions_->end()) {
            return std::nullopt;
        }
        if (auto found = begun_in(known->second)) {
            return found;
        }
        region = known->second.parent.value_or(0);
    }
    return std::nullopt;
}

// Whether REGION is that many regions outside of the one INSIDE.
bool TeamTargets::is_around(const KnownRegion &region, std::optional<int> inside, int outer) const {
    for (; outer > 0 && inside; --outer) {
        const auto known = regions_->find(*inside);
        inside = known == regions_->end() ? std::nullopt : known->second.parent;
    }
    return inside == region.number;
}

// By the stack of the region's primary thread, if that shows each region that this one has begun,
// as far as it is recorded: the calls inside of the construct are then those of its innermost ones.
std::optional<TargetConstruct> TeamTargets::begun_in(const KnownRegion &region) {
    const auto primary = region.threads.empty() ? std::nullopt : region.threads.front();
    const auto &threads = teams_.threads();
    const auto known = primary ? threads.find(*primary) : threads.end();
    if (known == threads.end() || known->second.running || !known->second.level || !region.level) {
        return std::nullopt;
    }
    const ThreadTargets &own = on_stack(*primary);
    const auto begun = own.constructs.empty() ? std::nullopt : teams_.begun_by(*primary);
    const int deeper = *known->second.level - *region.level;
    const auto anew = std::ranges::find_if(own.constructs, &TargetConstruct::is_anew);
    const auto shown = anew == own.constructs.end() ? own.regions : anew->regions;
    if (anew != own.constructs.end() && !is_around(region, known->second.region, deeper)) {
        return std::nullopt;  // the thread was in it before
    }
    if (!begun || static_cast<std::size_t>(*begun) != shown || deeper < 0) {
        return std::nullopt;
    }
    const auto found = std::ranges::find_if(own.constructs, [deeper](const auto &one) {
        return one.regions > static_cast<std::size_t>(deeper);
    });
    return found == own.constructs.end() ? std::nullopt : std::optional(*found);
}

}  // namespace gdb_ompd
