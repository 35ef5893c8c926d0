// SPDX-License-Identifier: Apache-2.0
// What the runtimes tell of threads and of regions, and whose records tell of a thread.
#pragma once

#include "model/facts.hpp"
#include "runtimes/capabilities.hpp"
#include "stop/thread_state.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
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

// What the runtimes tell of a thread, whichever it is in.
struct KnownThread {
    int gdb_num = 0;
    std::optional<ThreadKind> kind;
    bool running = false;
    bool idle = false;
    std::optional<int> thread_num, team_size, level, region;
    std::uint64_t league = 0;          // an identity; 0 outside of one, or where it is not known
    std::optional<std::string> state;  // OMPT's without "ompt_state_"
    bool in_explicit_task = false;
    bool is_unread = false;  // it could not be read

    [[nodiscard]] bool is_helper() const { return kind == ThreadKind::helper; }
    // It is, or may be, one of OpenMP's.
    [[nodiscard]] bool is_omp() const { return !is_helper() && kind != ThreadKind::native; }
    // Its record may be as if it were not OpenMP's, which GCC's runtime gives a thread while it
    // executes a target region on the host.
    [[nodiscard]] bool may_be_hidden() const {
        return kind.value_or(ThreadKind::native) == ThreadKind::native && !is_unread && !running;
    }
    [[nodiscard]] Recorded recorded() const {
        return {state ? std::optional<std::string_view>(*state) : std::nullopt, idle, level};
    }
};

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
