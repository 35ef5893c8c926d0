// SPDX-License-Identifier: Apache-2.0
#include "runtimes/llvm/helpers.hpp"

#include "elf/address_space.hpp"

namespace gdb_ompd::llvm {

namespace {

// Helpers have the global numbers from 1 on, which no other thread ever gets (kmp.h,
// KMP_HIDDEN_HELPER_THREAD). Their team may have workers of other numbers: libomp 14 takes them
// from the pool, and one that has not run yet has none.
constexpr std::uint64_t first_helper = 1;

std::uint64_t count(const Memory &memory) {
    const auto at = memory.space().symbol_address("__kmp_hidden_helper_threads_num", std::nullopt,
                                                  std::nullopt);
    return at ? memory.field(*at, {0, 4}) : 0;
}

// Whether TEAM is the helpers' own, of which the first helper is the initial thread. What is
// begun in a task that a helper executes is the program's.
bool is_of_helpers(const Team &team, TargetAddr first) {
    const auto leads = [first](const Team &led) {
        return !led.threads.empty() && led.threads.front() == first;
    };
    const Team &root = team.root();
    return leads(root) && (&team == &root || (team.parent == &root && leads(team)));
}

}  // namespace

bool has_helpers(const Memory &memory) { return count(memory) != 0; }

bool is_helper(const OmpThread &thread, const TaskChains &chains) {
    const Teams &teams = chains.teams();
    if (thread.team == nullptr) {
        return thread.gtid && *thread.gtid >= first_helper &&
               *thread.gtid < first_helper + count(teams.memory());
    }
    const auto first = teams.record(first_helper);
    return first && is_of_helpers(*thread.team, *first) &&
           chains.current_kind(thread) != TaskKind::explicit_;
}

}  // namespace gdb_ompd::llvm
