// SPDX-License-Identifier: Apache-2.0
#include "stop/team_sizes.hpp"

#include <algorithm>
#include <iterator>

namespace gdb_ompd {

namespace {

std::optional<int> primary_of(const KnownRegion &region) {
    return region.threads.empty() ? std::nullopt : region.threads.front();
}

}  // namespace

std::vector<SizeOfRegion> TeamSizes::of(const std::vector<int> &regions) {
    std::vector<SizeOfRegion> found;
    for (const int number : regions) {
        const KnownRegion &region = known(number);
        if (!region.threads.empty()) {
            const TeamSizeFacts own = facts(region);
            found.push_back({number, region.team_size, own.icvs.nthreads, team_size(own)});
        }
    }
    return found;
}

std::optional<std::int64_t> TeamSizes::processors(AllRuntimes::Position position) {
    const auto [known, is_new] = processors_.try_emplace(position);
    if (is_new) {
        for (const IcvFacts &one : runtimes_.reader(position).icvs({}, {})) {
            if (one.icv->name == "num-procs-var") {
                known->second = one.number.value;
            }
        }
    }
    return known->second;
}

TeamSizeFacts TeamSizes::facts(const KnownRegion &region) {
    TeamSizeFacts facts;
    facts.size = region.team_size;
    facts.level = region.level;
    facts.active_around = active_around(region);
    const auto primary = primary_of(region);
    facts.request = primary ? request(region.number, *primary) : std::nullopt;
    const auto position = runtimes_.runtime_of_region(region.number);
    facts.icvs =
        runtimes_.reader(position).size_icvs(region.number - runtimes_.first_region(position));
    facts.processors = processors(position);
    // A list has a number for each level: a record of tasks of several has that of the innermost.
    const auto setting = environment_.find("OMP_NUM_THREADS");
    const bool is_list =
        setting != environment_.end() && setting->second.find(',') != std::string::npos;
    if (facts.icvs.is_shared && is_list) {
        facts.icvs.nthreads.reset();
    }
    facts.teams = primary ? runtimes_.teams_around(*primary) : 0;
    facts.in_league = facts.teams > 0;
    count_others(region, facts);
    facts.environment = environment_;
    if (facts.request) {
        const auto text =
            names_.directive(facts.request->caller, constructs_.region(region.number).place);
        if (text) {
            facts.clauses = size_clauses(*text);
            add_values(*primary, size_arguments(*text), facts);
        }
    }
    return facts;
}

// What the clauses ask for, where they may have made the team's thread alone and the call does not
// tell which of them has.
void TeamSizes::add_values(int primary, const SizeArguments &arguments, TeamSizeFacts &facts) {
    const SizeClauses &clauses = *facts.clauses;
    const bool may_be_either = clauses.has_if && clauses.has_num_threads;
    const bool is_passed = facts.request->may_be_if || facts.request->is_asked;
    if (facts.size != 1 || !is_passed || (facts.request->threads && !may_be_either)) {
        return;
    }
    const auto value = [&](const std::string &expression) {
        return names_.value(primary, facts.request->caller, expression);
    };
    const auto condition = clauses.has_if ? value(arguments.condition) : std::nullopt;
    if (condition) {
        facts.condition = *condition != 0;
    }
    if (clauses.has_num_threads) {
        facts.threads = clauses.threads ? clauses.threads : value(arguments.threads);
    }
}

int TeamSizes::outermost(int region) const {
    while (const auto parent = known(region).parent) {
        region = *parent;
    }
    return region;
}

// Each initial thread has a limit of its own, and each team of a league.
void TeamSizes::count_others(const KnownRegion &region, TeamSizeFacts &facts) const {
    const auto is_inside = [&](std::optional<int> other) {
        while (other && *other != region.number) {
            other = known(*other).parent;
        }
        return other.has_value();
    };
    const int around = outermost(region.number);
    for (const KnownRegion &other : runtimes_.regions()) {
        if (is_inside(other.number) || runtimes_.runtime_of_region(other.number) !=
                                           runtimes_.runtime_of_region(region.number)) {
            continue;
        }
        const bool is_beside = outermost(other.number) != around;
        const int more = std::max(other.team_size.value_or(1) - 1, 0);
        facts.elsewhere += more + (is_beside && !other.parent ? 1 : 0);
        facts.others += is_beside || facts.in_league ? 0 : more;
    }
}

std::optional<int> TeamSizes::active_around(const KnownRegion &region) const {
    if (region.parent) {
        return known(*region.parent).active_level;
    }
    return region.level == 1 ? std::optional(0) : std::nullopt;
}

const std::vector<TeamRequest> &TeamSizes::requests(int gdb_num) {
    const auto [found, is_new] = requests_.try_emplace(gdb_num);
    if (is_new) {
        found->second =
            team_requests(constructs_.stacks().reader(), constructs_.stacks().of(gdb_num));
    }
    return found->second;
}

// What the call asked for that began a region. Of all that its PRIMARY thread has begun there is
// one each. One more can be of a region that has not begun, or has ended, or in which a target
// region begins anew. Where a function has ended with a jump there are fewer. Then the construct
// tells it, or its body.
std::optional<TeamRequest> TeamSizes::request(int region, int primary) {
    const std::vector<int> begun = runtimes_.begun_around(primary);
    const auto own = std::ranges::find(begun, region);
    if (own == begun.end()) {
        return std::nullopt;
    }
    const std::vector<TeamRequest> &all = requests(primary);
    const auto outwards = static_cast<std::size_t>(own - begun.begin());
    if (all.size() == begun.size()) {
        return all[begun.size() - 1 - outwards];
    }
    if (auto found = by_construct(region, begun, all)) {
        return found;
    }
    if (auto found = by_jump(region, begun, primary)) {
        return found;
    }
    if (auto found = by_last_jump(region, primary)) {
        return found;
    }
    const bool is_one_more = all.size() == begun.size() + 1 && !runtimes_.is_in_league(primary);
    return is_one_more ? std::optional(all[begun.size() - 1 - outwards]) : std::nullopt;
}

// The one of REQUESTS that is of the construct of REGION, which no other one that was BEGUN is of.
std::optional<TeamRequest> TeamSizes::by_construct(int region, const std::vector<int> &begun,
                                                   const std::vector<TeamRequest> &requests) {
    const PlaceRef place = constructs_.region(region).place;
    const auto is_its = [&](const PlaceRef &other) {
        return names_.is_same_construct(place, other);
    };
    if (std::ranges::count_if(
            begun, [&](int one) { return is_its(constructs_.region(one).place); }) != 1) {
        return std::nullopt;
    }
    std::vector<TeamRequest> found;
    std::ranges::copy_if(requests, std::back_inserter(found), [&](const TeamRequest &one) {
        return is_its(names_.construct_called(names_.call_place(one.caller), one.body));
    });
    return found.size() == 1 ? std::optional(found.front()) : std::nullopt;
}

// By the outlined function of REGION: the one that the runtime keeps or, where it has called one
// for each region that was BEGUN, that on the stack. Of a team of one the runtime may keep
// another's.
std::optional<TeamRequest> TeamSizes::by_jump(int region, const std::vector<int> &begun,
                                              int primary) {
    const auto own = static_cast<std::size_t>(std::ranges::find(begun, region) - begun.begin());
    code::Value body = known(region).team_size == 1 ? std::nullopt : constructs_.body(region);
    for (const auto &called : {bodies(primary), functions_called(primary)}) {
        if (!body && called.size() == begun.size()) {
            body = called[own];
        }
    }
    return body ? request_by_jump(constructs_.stacks().reader(), *body) : std::nullopt;
}

// The body of the region around one, or of the teams construct that its PRIMARY thread has begun.
code::Value TeamSizes::body_around(int region, int primary) {
    const auto parent = known(region).parent;
    if (!parent) {
        return league_body(constructs_.stacks().reader(), constructs_.stacks().of(primary));
    }
    const auto began = primary_of(known(*parent));
    const auto outer = began ? request(*parent, *began) : std::nullopt;
    return outer ? outer->body : std::nullopt;
}

// The construct around has a body that is not on the stack, and can have left it with one jump
// alone: that which begins REGION.
std::optional<TeamRequest> TeamSizes::by_last_jump(int region, int primary) {
    const code::Value body = body_around(region, primary);
    if (!body) {
        return std::nullopt;
    }
    code::UserCalls &calls = constructs_.stacks().reader().calls();
    const auto frames = constructs_.stacks().of(primary);
    const bool is_there = std::ranges::any_of(
        frames, [&](const auto &frame) { return calls.functions().start_of(frame.pc) == *body; });
    return is_there ? std::nullopt : request_by_last_jump(constructs_.stacks().reader(), *body);
}

// What the runtime has called on a thread's stack, innermost first.
std::vector<std::uint64_t> TeamSizes::bodies(int gdb_num) {
    std::vector<std::uint64_t> found;
    for (const CalledBody &one : constructs_.stacks().bodies(gdb_num)) {
        if (one.function != 0) {
            found.push_back(one.function);
        }
    }
    return found;
}

// The same by the functions of the frames alone: one may be what a body has ended with a jump to.
std::vector<std::uint64_t> TeamSizes::functions_called(int gdb_num) {
    code::UserCalls &calls = constructs_.stacks().reader().calls();
    const auto frames = constructs_.stacks().of(gdb_num);
    std::vector<std::uint64_t> found;
    for (std::size_t at = 0; at + 1 < frames.size(); ++at) {
        if (calls.code().is_user(frames[at].pc) &&
            calls.code().owner(frames[at + 1].pc) == code::Owner::runtime) {
            found.push_back(calls.functions().start_of(frames[at].pc));
        }
    }
    return found;
}

}  // namespace gdb_ompd
