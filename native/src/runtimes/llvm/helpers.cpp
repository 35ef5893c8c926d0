// SPDX-License-Identifier: Apache-2.0
#include "runtimes/llvm/helpers.hpp"

#include "elf/address_space.hpp"

#include <algorithm>

namespace gdb_ompd::llvm {

namespace {

// Helpers have the global numbers from 1 on, which no other thread ever gets (kmp.h,
// KMP_HIDDEN_HELPER_THREAD). Their team may have workers of other numbers: libomp 14 takes them
// from the pool, and one that has not run yet has none.
constexpr std::uint64_t first_helper = 1;

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

std::uint64_t Helpers::count() {
    if (!count_) {
        const Memory &memory = chains_->teams().memory();
        const auto at = memory.space().symbol_address("__kmp_hidden_helper_threads_num",
                                                      std::nullopt, std::nullopt);
        count_ = at ? memory.field(*at, {0, 4}) : 0;
    }
    return *count_;
}

bool Helpers::is_one(const OmpThread &thread) {
    if (count() == 0) {
        return false;
    }
    if (thread.team == nullptr) {
        return thread.gtid && *thread.gtid >= first_helper && *thread.gtid < first_helper + count();
    }
    return have(*thread.team) && chains_->current_kind(thread) != TaskKind::explicit_;
}

bool Helpers::have(const Team &team) {
    const auto first = count() == 0 ? std::nullopt : chains_->teams().record(first_helper);
    return first && is_of_helpers(team, *first);
}

bool Helpers::is_outside(const OmpThread &thread) {
    return thread.team == nullptr || (is_one(thread) && !is_at_work(*thread.team));
}

bool Helpers::is_at_work(const Team &team) {
    const auto known = at_work_.find(team.address.value);
    if (known != at_work_.end()) {
        return known->second;
    }
    const auto works = [this](TargetAddr address) {
        if (address.value == 0) {
            return false;  // not made yet
        }
        try {
            const OmpThread member = chains_->teams().thread_at(address, std::nullopt);
            return member.team != nullptr && !is_one(member);
        } catch (const Inconsistent &) {
            return false;  // its own row says so
        }
    };
    return at_work_[team.address.value] = std::ranges::any_of(team.threads, works);
}

}  // namespace gdb_ompd::llvm
