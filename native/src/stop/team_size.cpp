// SPDX-License-Identifier: Apache-2.0
#include "stop/team_size.hpp"

#include "runtimes/settings.hpp"

#include <algorithm>
#include <array>

namespace gdb_ompd {

namespace {

using Number = std::optional<std::int64_t>;

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
    if (facts.has_if && facts.has_num_threads && *facts.has_if != *facts.has_num_threads) {
        return *facts.has_if ? TeamSize{SizeRule::if_clause, is_known}
                             : TeamSize{SizeRule::num_threads, is_known, 1};
    }
    const bool is_text_known = facts.has_if && facts.has_num_threads;
    if (!is_text_known && request.is_constant) {
        return TeamSize{SizeRule::num_threads, false, 1};
    }
    return TeamSize{SizeRule::if_or_num_threads, false};
}

// What nthreads-var was for the region: of a list, each level has its own.
Number by_icv(const TeamSizeFacts &facts) {
    const auto list = facts.environment ? numbers_of(*facts.environment) : std::nullopt;
    if (list && list->size() > 1 && facts.level && *facts.level > 0) {
        return (
            *list)[std::min<std::size_t>(static_cast<std::size_t>(*facts.level), list->size()) - 1];
    }
    return facts.nthreads;
}

// Where nthreads-var has its value from.
TeamSize by_setting(const TeamSizeFacts &facts, std::int64_t asked) {
    if (facts.environment) {
        const auto list = numbers_of(*facts.environment);
        if (!list) {
            return {SizeRule::rejected, true, asked};
        }
        const bool is_in_list = std::ranges::find(*list, asked) != list->end();
        return {is_in_list ? SizeRule::environment : SizeRule::call, is_in_list, asked};
    }
    if (!facts.knows_environment) {
        return {SizeRule::unknown, false, asked};
    }
    const bool is_default = facts.processors == asked;
    return {is_default ? SizeRule::processors : SizeRule::call, false, asked, facts.processors};
}

// What can have made a team smaller than was asked for, be it that the number is not known.
std::optional<TeamSize> fewer(const TeamSizeFacts &facts, Number asked) {
    if (facts.thread_limit &&
        (asked ? *facts.thread_limit < *asked : facts.size == facts.thread_limit)) {
        const bool is_certain = asked && facts.size == facts.thread_limit;
        return TeamSize{SizeRule::thread_limit, is_certain, asked, facts.thread_limit};
    }
    if (facts.dynamic == true) {
        return TeamSize{SizeRule::dynamic, false, asked, facts.processors};
    }
    return std::nullopt;
}

// What was asked for, where the code or else the directive's text tells whether it was.
TeamRequest request_of(const TeamSizeFacts &facts) {
    TeamRequest request = facts.request.value_or(TeamRequest());
    if (request.may_be_unasked) {
        request.is_asked = facts.has_num_threads.value_or(true);
        request.may_be_unasked = !facts.has_num_threads;
        if (!request.is_asked || request.may_be_unasked) {
            request.threads.reset();
        }
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
        asked = request.is_asked ? Number(request.threads) : by_icv(facts);
    }
    if (facts.size == 1 && facts.active_around && facts.max_active_levels &&
        *facts.active_around >= *facts.max_active_levels && asked != 1) {
        return {SizeRule::active_levels, asked.has_value(), asked, facts.max_active_levels};
    }
    if (!facts.request || !facts.size || (!asked && !request.is_asked)) {
        return {};
    }
    if (!asked || *facts.size < *asked) {
        if (const auto found = fewer(facts, asked)) {
            return *found;
        }
    }
    if (request.may_be_unasked) {
        return {};
    }
    if (alone) {
        return *alone;
    }
    if (request.is_asked && (!asked || *asked == *facts.size)) {
        return {SizeRule::num_threads, asked.has_value(), asked};
    }
    // A program may have set the ICV to what it is now since it began the region.
    return *asked == *facts.size ? by_setting(facts, *asked)
                                 : TeamSize{SizeRule::unknown, false, asked};
}

}  // namespace

std::string_view text(SizeRule rule) {
    constexpr std::array<std::string_view, 11> texts{"unknown",
                                                     "if",
                                                     "num_threads",
                                                     "if or num_threads",
                                                     "max-active-levels-var",
                                                     "thread-limit-var",
                                                     "dyn-var",
                                                     "environment",
                                                     "rejected",
                                                     "num-procs-var",
                                                     "call"};
    return texts.at(static_cast<std::size_t>(rule));
}

TeamSize team_size(const TeamSizeFacts &facts) {
    TeamSize found = by_rule(facts);
    const auto is_fewer = [&](Number asked) { return asked && facts.size && *facts.size < *asked; };
    // The clause is plain to see, but why it is 1 there may not be.
    const bool is_clauses = found.rule == SizeRule::num_threads && facts.size != 1;
    found.is_notable = is_fewer(found.asked) || (is_fewer(by_icv(facts)) && !is_clauses) ||
                       found.rule == SizeRule::rejected || found.rule == SizeRule::active_levels;
    return found;
}

}  // namespace gdb_ompd
