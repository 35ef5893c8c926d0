// SPDX-License-Identifier: Apache-2.0
// The bound of one walk over a target's memory: records in damaged memory may lead to each
// other for ever, and memory behind a slow line takes its time.
#pragma once

#include "base/errors.hpp"

#include <chrono>
#include <cstdint>

namespace gdb_ompd {

// A walk has taken all the steps or all the time that it had; the text says which.
class BudgetSpent : public Inconsistent {
public:
    using Inconsistent::Inconsistent;
};

class Budget {
public:
    static constexpr std::uint64_t most_steps = 5'000'000;

    explicit Budget(std::uint64_t steps = most_steps,
                    std::chrono::steady_clock::duration time = time_limit());

    // Take a step; throws BudgetSpent where there is none left, and from then on.
    void step();

    // How long each walk may take, as the user has set it; 0 seconds are for ever.
    static void set_time_limit(int seconds) noexcept;
    [[nodiscard]] static std::chrono::steady_clock::duration time_limit() noexcept;

private:
    std::uint64_t steps_;
    std::uint64_t left_;
    std::chrono::steady_clock::duration time_;
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace gdb_ompd
