// SPDX-License-Identifier: Apache-2.0
#include "base/budget.hpp"

#include <string>

namespace gdb_ompd {

namespace {

std::chrono::seconds longest{0};

constexpr std::uint64_t steps_between_looks_at_the_clock = 64;

}  // namespace

Budget::Budget(std::uint64_t steps, std::chrono::steady_clock::duration time)
    : steps_(steps), left_(steps), time_(time) {}

void Budget::step() {
    if (left_ == 0 || --left_ == 0) {
        throw BudgetSpent("the walk did not end after " + std::to_string(steps_) +
                          " steps: memory may be damaged");
    }
    if (time_.count() != 0 && left_ % steps_between_looks_at_the_clock == 0 &&
        std::chrono::steady_clock::now() - begin_ > time_) {
        left_ = 0;
        throw BudgetSpent("the walk took longer than 'set ompd timeout' allows");
    }
}

void Budget::set_time_limit(int seconds) noexcept { longest = std::chrono::seconds(seconds); }

std::chrono::steady_clock::duration Budget::time_limit() noexcept { return longest; }

}  // namespace gdb_ompd
