// SPDX-License-Identifier: Apache-2.0
#include "stop/begun_teams.hpp"

#include <map>
#include <set>
#include <vector>

namespace gdb_ompd {

namespace {

// The calls in CODE that begin a team, and where they return to.
std::map<std::size_t, std::uint64_t> beginning_calls(code::UserCalls &calls,
                                                     const code::FunctionCode &code) {
    std::map<std::size_t, std::uint64_t> found;
    for (const code::CallMade &made : calls.code_around(code.start()).calls_made()) {
        const auto called = calls.of_call(made.returns_to);
        const auto at = code.call_before(made.returns_to);
        if (at && called && called->entry != nullptr &&
            called->entry->role == code::Role::begins_team) {
            found.emplace(*at, made.returns_to);
        }
    }
    return found;
}

}  // namespace

std::optional<std::uint64_t> team_begun(code::UserCalls &calls, std::uint64_t pc, bool innermost) {
    const code::FunctionCode *const code = calls.functions().function(innermost ? pc : pc - 1);
    if (code == nullptr || code->instructions().empty()) {
        return std::nullopt;
    }
    const auto beginning = beginning_calls(calls, *code);
    const auto here = innermost ? code->index_of(pc) : code->call_before(pc);
    if (beginning.empty() || !here) {
        return std::nullopt;
    }
    std::vector<std::size_t> waiting{0};
    std::set<std::size_t> known{0};
    while (!waiting.empty()) {
        const std::size_t at = waiting.back();
        waiting.pop_back();
        if (at == *here) {
            return std::nullopt;
        }
        if (beginning.contains(at)) {
            continue;
        }
        for (const std::size_t next : code->successors(at)) {
            if (known.insert(next).second) {
                waiting.push_back(next);
            }
        }
    }
    return beginning.begin()->second;
}

}  // namespace gdb_ompd
