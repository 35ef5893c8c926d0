// SPDX-License-Identifier: Apache-2.0
// Which runtime's records tell of a thread, and which threads regions have.
#pragma once

#include "runtimes/capabilities.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace gdb_ompd {

// RUNTIMES read the records of those that have any. CHOSEN tells whose region a thread is in that
// several know, null for one without records.
class KnownRuntimes {
public:
    KnownRuntimes(std::vector<Capabilities *> runtimes,
                  std::map<int, std::optional<Capabilities *>> chosen)
        : runtimes_(std::move(runtimes)), chosen_(std::move(chosen)) {}

    // Null where no records are known.
    [[nodiscard]] Capabilities *of(int gdb_num) const {
        const auto own = chosen_.find(gdb_num);
        const auto knows = [&](const Capabilities *one) {
            return (own == chosen_.end() || own->second == one) && one->knows(gdb_num);
        };
        const auto found = std::ranges::find_if(runtimes_, knows);
        return found == runtimes_.end() ? nullptr : *found;
    }

    // The only one of the process; null where there are several, or its records are not known.
    [[nodiscard]] Capabilities *only() const {
        return runtimes_.size() == 1 && chosen_.empty() ? runtimes_.front() : nullptr;
    }

private:
    std::vector<Capabilities *> runtimes_;
    std::map<int, std::optional<Capabilities *>> chosen_;
};

// How many of a team's THREADS are not known.
inline std::ptrdiff_t lacking(const std::vector<std::optional<int>> &threads) {
    return std::count(threads.begin(), threads.end(), std::nullopt);
}

struct KnownRegion {
    int number = 0;
    std::vector<std::optional<int>> threads;  // by thread number
    std::optional<int> parent{};              // another one's number
    std::optional<int> level{}, active_level{};
    std::optional<int> team_size{};
    // Of its construct, as far as the runtime knows: see RegionFacts.
    std::optional<std::uint64_t> caller{}, function{};
    std::optional<int> primary{};

    [[nodiscard]] bool lacks_threads() const { return lacking(threads) > 0; }
};

}  // namespace gdb_ompd
