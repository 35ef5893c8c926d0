// SPDX-License-Identifier: Apache-2.0
#include "stop/team_size.hpp"

#include "runtimes/settings.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <span>

namespace gdb_ompd {

namespace {

using Number = std::optional<std::int64_t>;

constexpr const char *num_threads = "OMP_NUM_THREADS";
constexpr std::int64_t no_limit = std::numeric_limits<std::int32_t>::max();

// Which of two clauses has made the team's thread alone, as far as their values tell that. These
// may have changed since.
TeamSize by_values(const TeamSizeFacts &facts) {
    const bool asks_for_more = facts.threads.value_or(1) > 1;
    if (facts.condition == false || (!facts.condition && asks_for_more)) {
        return {SizeRule::if_clause, false};
    }
    return facts.condition && !asks_for_more ? TeamSize{SizeRule::num_threads, false, 1}
                                             : TeamSize{SizeRule::if_or_num_threads, false};
}

// Why the construct alone makes the team's thread work alone, if it does. With a request for a
// number that is not known, what else can be the reason is asked before.
std::optional<TeamSize> alone_by_construct(const TeamSizeFacts &facts, const TeamRequest &request) {
    if (request.is_serialized) {
        return TeamSize{SizeRule::if_clause, true};
    }
    if (!request.is_asked || request.threads.value_or(1) != 1 || facts.size != 1) {
        return std::nullopt;
    }
    const bool is_known = request.threads.has_value();
    if (!request.may_be_if) {
        return TeamSize{SizeRule::num_threads, is_known, is_known ? Number(1) : std::nullopt};
    }
    if (facts.clauses && facts.clauses->has_if) {
        const bool asks_for_more = facts.clauses->threads && *facts.clauses->threads > 1;
        return facts.clauses->has_num_threads && !asks_for_more
                   ? by_values(facts)
                   : TeamSize{SizeRule::if_clause, is_known};
    }
    if (facts.clauses && facts.clauses->has_num_threads) {
        return TeamSize{SizeRule::num_threads, is_known, 1};
    }
    switch (request.origin) {
    case code::Origin::condition:
        return TeamSize{SizeRule::if_clause, false};
    case code::Origin::variable:
        return TeamSize{SizeRule::num_threads, false, 1};
    default:
        return TeamSize{SizeRule::if_or_num_threads, false};
    }
}

// Which of two reasons it was, as far as the values of the clauses tell that: BY_CONSTRUCT, or
// what lets a team be smaller than was asked for.
TeamSize by_clauses(const TeamSizeFacts &facts, const TeamSize &by_construct,
                    const TeamSize &otherwise) {
    if (facts.condition == false || facts.threads == 1) {
        return by_construct;
    }
    const bool may_be_if = !facts.clauses || (facts.clauses->has_if && !facts.condition);
    const bool may_be_one =
        facts.clauses && facts.clauses->has_num_threads && facts.threads.value_or(1) == 1;
    return may_be_if || may_be_one ? TeamSize{} : otherwise;
}

std::optional<std::string> setting(const TeamSizeFacts &facts, const char *variable) {
    const auto found = facts.environment.find(variable);
    return found == facts.environment.end() ? std::nullopt : std::optional(found->second);
}

// What a LIST of numbers has for the region: each level has its own, those inside the last one.
Number in_list(const TeamSizeFacts &facts, const std::vector<std::int64_t> &list) {
    if (list.size() > 1 && facts.level.value_or(0) < 1) {
        return std::nullopt;
    }
    const std::size_t at = list.size() > 1 ? static_cast<std::size_t>(*facts.level) - 1 : 0;
    return list[std::min(at, list.size() - 1)];
}

// Where nthreads-var has its value from.
TeamSize by_setting(const TeamSizeFacts &facts, std::int64_t asked) {
    if (const auto value = setting(facts, num_threads)) {
        const auto list = numbers_of(*value);
        const bool is_in_list = list && in_list(facts, *list) == asked;
        // Runtimes differ in what they take, but none has another number then.
        const bool may_be_rejected = list ? is_doubtful(num_threads, *value) && !is_in_list
                                          : asked == facts.processors || asked == 1;
        return {may_be_rejected ? SizeRule::rejected
                : is_in_list    ? SizeRule::environment
                                : SizeRule::call,
                is_in_list || may_be_rejected,
                asked,
                {},
                false,
                num_threads};
    }
    if (facts.environment.empty()) {
        return {SizeRule::unknown, false, asked};
    }
    const bool is_default = facts.processors == asked;
    return {is_default ? SizeRule::processors : SizeRule::call, false, asked, facts.processors};
}

// The variable that has set an ICV to LIMIT. Instead of values that are none, runtimes take 1.
std::string set_by(const TeamSizeFacts &facts, std::span<const char *const> variables,
                   Number limit) {
    for (const char *const variable : variables) {
        const auto value = setting(facts, variable);
        const auto list = value ? numbers_of(*value) : std::nullopt;
        const bool is_instead = limit == 1 && value && is_rejected(variable, *value);
        if (is_instead || (list && list->front() == limit)) {
            return variable;
        }
    }
    return "";
}

// How many threads a team can have where LIMIT is for the OTHERS, too.
std::int64_t left_of(std::int64_t limit, std::int64_t others) {
    return std::max<std::int64_t>(limit - others, 1);
}

// Whether the threads of all teams of a league are too few. Where no variable sets how many there
// may be, these are as many as CPUs.
std::optional<TeamSize> divided(const TeamSizeFacts &facts, Number asked) {
    const std::string variable(facts.icvs.limits_league);
    if (!facts.in_league || variable.empty()) {
        return std::nullopt;
    }
    const auto value = setting(facts, variable.c_str());
    const auto list = value ? numbers_of(*value) : std::nullopt;
    const Number most = list ? Number(list->front()) : value ? Number() : facts.processors;
    const Number each = most ? Number(std::max<std::int64_t>(*most / facts.teams, 1)) : most;
    return each && facts.size == each && asked && *each < *asked
               ? std::optional(TeamSize{SizeRule::teams, false, asked, most, false, variable})
               : std::nullopt;
}

// What can have made a team smaller than was asked for, be it that the number is not known.
std::optional<TeamSize> fewer(const TeamSizeFacts &facts, Number asked) {
    constexpr std::array limits{"OMP_THREAD_LIMIT", "OMP_TEAMS_THREAD_LIMIT"};
    const Number room =
        facts.icvs.thread_limit ? left_of(*facts.icvs.thread_limit, facts.others) : Number();
    const bool is_lower = facts.in_league && room && facts.size && *facts.size < *room;
    const bool is_dynamic = facts.icvs.dynamic.value_or(0) != 0;
    const bool can_be_room = asked && room && *room < *asked && !is_dynamic && !is_lower;
    const auto by_limit = [&](bool is_certain) -> std::optional<TeamSize> {
        return TeamSize{SizeRule::thread_limit,
                        is_certain,
                        asked,
                        facts.icvs.thread_limit,
                        false,
                        set_by(facts, limits, facts.icvs.thread_limit),
                        facts.others};
    };
    if (room && (facts.size == room || can_be_room)) {
        return by_limit(asked && facts.size == room);
    }
    if (auto found = divided(facts, asked)) {
        return found;
    }
    if (is_dynamic) {
        const auto value = setting(facts, "OMP_DYNAMIC");
        const bool is_set = value && is_true(*value);
        return TeamSize{SizeRule::dynamic, false, asked,
                        facts.processors,  false, is_set ? "OMP_DYNAMIC" : ""};
    }
    for (const auto &[variable, value] : facts.environment) {
        const auto most = most_threads(variable, value);
        const Number left = most ? left_of(*most, facts.elsewhere) : Number();
        if (left && asked && facts.size <= *left && *left < *asked) {
            return TeamSize{SizeRule::thread_limit, false, asked, most, false, variable};
        }
    }
    // Nothing else is left. A runtime may count idle threads, too.
    const bool is_limited = facts.icvs.thread_limit.value_or(no_limit) < no_limit;
    return asked && is_limited && facts.icvs.dynamic && !facts.in_league ? by_limit(false)
                                                                         : std::nullopt;
}

// Whether a team can have its size without having asked for it.
bool can_be_unasked(const TeamSizeFacts &facts) {
    const Number nthreads =
        facts.icvs.is_shared || facts.in_league ? Number() : facts.icvs.nthreads;
    return !nthreads || facts.size == nthreads ||
           (*facts.size < *nthreads && fewer(facts, nthreads));
}

// What was asked for, where the code or else the directive's text tells whether it was.
TeamRequest request_of(const TeamSizeFacts &facts) {
    TeamRequest request = facts.request.value_or(TeamRequest());
    if (request.may_be_unasked) {
        request.is_asked = !facts.clauses || facts.clauses->has_num_threads;
        request.may_be_unasked = !facts.clauses;
        if (!request.is_asked || request.may_be_unasked) {
            request.threads.reset();
        }
    }
    // With the clause if alone, what is passed is 1 or nothing is asked for.
    if (request.may_be_if && !request.threads && facts.size != 1) {
        const bool is_if_alone = facts.clauses
                                     ? facts.clauses->has_if && !facts.clauses->has_num_threads
                                     : request.origin == code::Origin::condition;
        request.is_asked = request.is_asked && !is_if_alone;
        request.may_be_unasked = !facts.clauses && request.origin == code::Origin::unknown;
    }
    return request;
}

// The rule that a team has its size by.
TeamSize by_rule(const TeamSizeFacts &facts) {
    const TeamRequest request = request_of(facts);
    const auto alone = alone_by_construct(facts, request);
    if (alone && (alone->is_certain || request.threads)) {
        return *alone;
    }
    Number asked;
    if (facts.request) {
        asked = request.is_asked ? Number(request.threads) : facts.icvs.nthreads;
    }
    if (facts.size == 1 && facts.active_around && facts.icvs.max_active_levels &&
        *facts.active_around >= *facts.icvs.max_active_levels && asked != 1) {
        constexpr std::array limits{"OMP_MAX_ACTIVE_LEVELS", "OMP_NESTED"};
        return {SizeRule::active_levels,
                asked.has_value(),
                asked,
                facts.icvs.max_active_levels,
                false,
                set_by(facts, limits, facts.icvs.max_active_levels)};
    }
    if (!facts.request || !facts.size) {
        return {};
    }
    if (!asked && !request.is_asked) {  // but by nthreads-var, which is not known
        const auto found = fewer(facts, asked);
        return found && found->rule == SizeRule::thread_limit ? *found : TeamSize{};
    }
    // With a true condition it is one by nthreads-var: then that is so either way.
    if (alone && alone->rule == SizeRule::if_clause && facts.icvs.nthreads == 1) {
        return by_setting(facts, 1);
    }
    if (!asked || *facts.size < *asked) {
        if (const auto found = fewer(facts, asked)) {
            // dyn-var lets a team be smaller, and forces it to nothing.
            const bool is_allowed = found->rule == SizeRule::dynamic;
            const bool may_be_deep = facts.size == 1 && !facts.icvs.max_active_levels;
            // The number that nobody knows may be just what the limit leaves.
            const bool may_be_exact = !is_allowed && !asked && facts.size != 1;
            return is_allowed && alone ? by_clauses(facts, *alone, *found)
                   : may_be_exact || (is_allowed && may_be_deep)
                       ? TeamSize{SizeRule::unknown, false, asked}
                       : *found;
        }
    }
    if (request.may_be_unasked) {
        return can_be_unasked(facts) ? TeamSize{} : TeamSize{SizeRule::num_threads};
    }
    if (alone) {
        return *alone;
    }
    if (request.is_asked && (!asked || *asked == *facts.size)) {
        return {SizeRule::num_threads, asked.has_value(), asked};
    }
    if (*asked == *facts.size) {
        return by_setting(facts, *asked);
    }
    // Nobody has asked for fewer threads than there are: the ICV is another one by now.
    return {SizeRule::unknown, false, *facts.size < *asked ? asked : Number()};
}

}  // namespace

std::string_view text(SizeRule rule) {
    constexpr std::array<std::string_view, 12> texts{
        "unknown",          "if",    "num_threads", "if or num_threads", "max-active-levels-var",
        "thread-limit-var", "teams", "dyn-var",     "environment",       "rejected",
        "num-procs-var",    "call"};
    return texts.at(static_cast<std::size_t>(rule));
}

TeamSize team_size(const TeamSizeFacts &facts) {
    TeamSize found = by_rule(facts);
    const auto is_fewer = [&](Number asked) { return asked && facts.size && *facts.size < *asked; };
    // The clause is plain to see, but why it is 1 there may not be.
    const bool is_clauses = found.rule == SizeRule::num_threads && facts.size != 1;
    // No call sets thread-limit-var.
    const bool is_of_construct =
        found.rule == SizeRule::if_clause || found.rule == SizeRule::num_threads ||
        (found.rule == SizeRule::thread_limit && request_of(facts).is_asked);
    found.is_certain = found.is_certain && (is_of_construct || !facts.icvs.is_shared);
    found.is_notable = is_fewer(found.asked) || (is_fewer(facts.icvs.nthreads) && !is_clauses) ||
                       found.rule == SizeRule::rejected || found.rule == SizeRule::active_levels ||
                       (found.rule == SizeRule::processors && facts.size == 1);
    return found;
}

}  // namespace gdb_ompd
