// SPDX-License-Identifier: Apache-2.0
#include "recovery/settings.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace gdb_ompd::recovery {

namespace {

// Exported functions that return a variable, perhaps after initialising it.
const std::multimap<std::string, std::string> &returning_functions() {
    static const std::multimap<std::string, std::string> known = {
        {"__kmp_avail_proc", "omp_get_num_procs"},
        {"__kmp_avail_proc", "omp_get_num_procs_"},
        {"__kmp_avail_proc", "ompc_get_num_procs"},
        {"__kmp_nth", "kmp_get_num_known_threads"},
        {"__kmp_stksize", "kmp_get_stacksize_s"},
        {"__kmp_omp_cancellation", "omp_get_cancellation"},
        {"__kmp_max_task_priority", "omp_get_max_task_priority"},
    };
    return known;
}

// Exported functions that look their caller's record up in __kmp_threads.
constexpr std::array anchors = {
    "__kmpc_push_num_threads",
    "__kmpc_push_proc_bind",
    "__kmpc_barrier",
    "__kmpc_omp_taskwait",
    "__kmpc_master",
    "__kmpc_end_serialized_parallel",
    "__kmpc_bound_num_threads",
    "omp_get_level",
    "omp_get_team_size",
    "__kmpc_single",
};

// One damaged instruction must not name a variable.
constexpr std::size_t fewest_users = 3;

constexpr std::uint32_t thread_unknown = 0xfffffffe;  // KMP_GTID_DNE, -2

}  // namespace

void find_returned_variables(const code::CodeIndex &code, Findings &findings) {
    for (const auto &[variable, function_name] : returning_functions()) {
        const auto function = code.exported(function_name);
        if (!function) {
            continue;
        }
        std::set<std::uint64_t> returned;
        for (const code::Effect &effect : code.whole_effects(*function)) {
            if (effect.kind == code::Effect::Kind::gives_back &&
                code.image().is_writable(effect.address)) {
                returned.insert(effect.address);
            }
        }
        if (!returned.empty()) {
            findings.found_only(variable, returned, SymbolKind::data,
                                function_name + "()'s result");
            findings.require(code.users(*returned.begin()).size() >= fewest_users,
                             variable + " is hardly used");
        }
    }
}

// The array that by far most functions index, exported ones among them.
void find_thread_table(const code::CodeIndex &code, Findings &findings) {
    constexpr std::size_t far_ahead = 5;
    std::vector<std::pair<std::size_t, std::uint64_t>> votes;
    for (const auto &[variable, functions] : code.indexers()) {
        if (code.image().is_writable(variable)) {
            votes.emplace_back(functions.size(), variable);
        }
    }
    std::sort(votes.rbegin(), votes.rend());
    std::map<std::uint64_t, int> anchored;
    for (const char *anchor : anchors) {
        const auto function = code.exported(anchor);
        for (const auto &[variable, functions] : code.indexers()) {
            if (function && std::binary_search(functions.begin(), functions.end(), *function)) {
                ++anchored[variable];
            }
        }
    }
    const auto most_anchored =
        std::max_element(anchored.begin(), anchored.end(),
                         [](const auto &a, const auto &b) { return a.second < b.second; });
    const bool clear =
        !votes.empty() && (votes.size() == 1 || votes[0].first >= far_ahead * votes[1].first);
    if (!clear || anchored.empty() || most_anchored->first != votes[0].second) {
        findings.refuse("__kmp_threads: no variable is clearly the one that functions index");
        return;
    }
    findings.found("__kmp_threads", votes[0].second, SymbolKind::data,
                   "the functions that index it");
}

// const int, after __kmp_version_major, _minor and _build (kmp_version.cpp), in
// either order.
void find_version(const code::Image &image, Findings &findings) {
    constexpr std::array<std::uint64_t, 6> versions = {201511, 201611, 201811,
                                                       202011, 202111, 202411};
    constexpr std::array<std::uint32_t, 3> before = {5, 0, 20140926};
    constexpr std::array<std::uint32_t, 3> after = {20140926, 0, 5};
    constexpr std::uint64_t size = sizeof(std::uint32_t);
    const auto find = [&](const auto &numbers) {
        return image.find({reinterpret_cast<const char *>(numbers.data()), sizeof numbers});
    };
    std::set<std::uint64_t> places;
    const auto consider = [&](std::uint64_t place) {
        const auto value = image.constant(place, size);
        if (place % size == 0 && value &&
            std::find(versions.begin(), versions.end(), *value) != versions.end()) {
            places.insert(place);
        }
    };
    for (const std::uint64_t place : find(before)) {
        consider(place + sizeof before);
    }
    for (const std::uint64_t place : find(after)) {
        consider(place - size);
    }
    findings.found_only("__kmp_openmp_version", places, SymbolKind::data,
                        "the version numbers beside it");
}

// The only thread-local word that starts as "unknown"; older builds export it.
void find_thread_number(const code::Image &image, Findings &findings) {
    const std::string name = "__kmp_gtid";
    if (const auto exported = image.exported_thread_local(name)) {
        findings.found(name, *exported, SymbolKind::tls, "the dynamic symbols");
    }
    std::set<std::uint64_t> places;
    if (const auto &block = image.thread_local_template()) {
        for (std::size_t at = 0; at + 4 <= block->initial.size(); at += 4) {
            std::uint32_t value = 0;
            for (std::size_t i = 4; i-- > 0;) {
                value = value << 8U | std::to_integer<std::uint32_t>(block->initial[at + i]);
            }
            if (value == thread_unknown) {
                places.insert(at);
            }
        }
    }
    findings.found_only(name, places, SymbolKind::tls, "the initial thread-local storage");
}

}  // namespace gdb_ompd::recovery
