// SPDX-License-Identifier: Apache-2.0
// Why a region's team has the size that it has: by the rules of OpenMP 5.0, section 2.6.1.
#pragma once

#include "model/facts.hpp"
#include "stop/clauses.hpp"
#include "stop/team_requests.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace gdb_ompd {

enum class SizeRule : std::uint8_t {
    unknown,
    if_clause,          // it is false
    num_threads,        // the construct's clause
    if_or_num_threads,  // an if clause that is false, or num_threads(1)
    active_levels,      // the region would be nested deeper than max-active-levels-var
    thread_limit,       // thread-limit-var
    teams,        // the threads that the runtime lets a league have are divided among its teams
    dynamic,      // dyn-var: the runtime may give fewer
    environment,  // OMP_NUM_THREADS
    rejected,     // OMP_NUM_THREADS has a value that is none: nthreads-var is the runtime's
    processors,   // nothing is set: nthreads-var is the number of CPUs
    call,         // a call such as omp_set_num_threads has set nthreads-var
};

std::string_view text(SizeRule rule);

// The program's variables; empty where they are not known.
using Environment = std::map<std::string, std::string>;

// What is known of a region.
struct TeamSizeFacts {
    std::optional<std::int64_t> size;
    std::optional<int> level;
    std::optional<int> active_around;    // active levels around the region
    std::optional<TeamRequest> request;  // none where the call is not known
    SizeIcvs icvs;
    std::optional<std::int64_t> processors;  // num-procs-var
    // Threads that other teams have besides those that began them: of teams that count for the same
    // thread-limit-var, and of all the process's, with the threads that began their outermost ones.
    std::int64_t others = 0, elsewhere = 0;
    // Others share no limit with a team of a league, and its runtime may have set a lower one.
    bool in_league = false;
    std::int64_t teams = 0;  // of the league
    Environment environment;
    std::optional<SizeClauses> clauses;  // of the construct's directive, where its text is known
    // What the arguments of its clauses are now, where both may have made the team's thread alone.
    std::optional<bool> condition;
    std::optional<std::int64_t> threads;
};

struct TeamSize {
    SizeRule rule = SizeRule::unknown;
    bool is_certain = false;
    std::optional<std::int64_t> asked{};  // threads, by the construct or nthreads-var
    std::optional<std::int64_t> limit{};  // the value of the ICV that the rule is of
    // Who has a team without -why wants to know: it is smaller than was asked for, say.
    bool is_notable = false;
    std::string variable{};  // of the environment, by which it is so; empty for none
    std::int64_t others{};   // threads of other teams that the limit is for, too

    bool operator==(const TeamSize &) const = default;
};

TeamSize team_size(const TeamSizeFacts &facts);

}  // namespace gdb_ompd
