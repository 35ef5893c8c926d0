// SPDX-License-Identifier: Apache-2.0
#include "stop/absent_members.hpp"

#include <algorithm>
#include <utility>

namespace gdb_ompd {

namespace {

// A thread of REGION that stands still, and how many regions it is in that are further inside.
std::optional<std::pair<int, int>> member(const AllRuntimes &runtimes, const KnownRegion &region) {
    const std::vector<KnownRegion> &regions = runtimes.regions();
    for (const std::optional<int> &thread : region.threads) {
        auto inside = thread ? runtimes.region_of(*thread) : std::nullopt;
        for (int outer = 0; inside && outer < static_cast<int>(regions.size()); ++outer) {
            if (*inside == region.number) {
                return std::pair(*thread, outer);
            }
            inside = regions.at(static_cast<std::size_t>(*inside) - 1).parent;
        }
    }
    return std::nullopt;
}

// Whether a worker is the first thread of its process, and the only one: it has called fork().
bool is_forked_alone(const AllRuntimes &runtimes, const KnownRegion &region,
                     std::uint64_t process) {
    return runtimes.natives().size() == 1 && runtimes.natives().front().lwp == process &&
           !region.threads.front();
}

}  // namespace

std::vector<HangReader::Absent> absent_members(AllRuntimes &runtimes, HangReader &hangs, int number,
                                               std::uint64_t process) {
    const KnownRegion &region = runtimes.regions().at(static_cast<std::size_t>(number) - 1);
    const auto asked = member(runtimes, region);
    const auto records = asked ? runtimes.records(runtimes.runtime_of_region(number)) : nullptr;
    if (records == nullptr) {
        return {};
    }
    auto found = hangs.absent(*records, asked->first, asked->second);
    if (is_forked_alone(runtimes, region, process)) {
        for (int own = 0; own < static_cast<int>(region.threads.size()); ++own) {
            const auto is_own = [&](const auto &one) { return one.thread.thread_num == own; };
            if (!region.threads[static_cast<std::size_t>(own)] &&
                std::ranges::none_of(found, is_own)) {
                found.push_back({{own}, Absence::forked});
            }
        }
    }
    std::ranges::sort(found, {}, [](const auto &one) { return one.thread.thread_num; });
    return found;
}

std::vector<std::pair<int, int>> hidden_members(AllRuntimes &runtimes, int number) {
    const KnownRegion &region = runtimes.regions().at(static_cast<std::size_t>(number) - 1);
    const auto asked = member(runtimes, region);
    const auto records = asked ? runtimes.records(runtimes.runtime_of_region(number)) : nullptr;
    std::vector<std::pair<int, int>> found;
    if (records == nullptr) {
        return found;
    }
    for (const auto &[own, pthread] : records->hidden(asked->first, asked->second)) {
        const auto native =
            std::ranges::find(runtimes.natives(), pthread, &NativeThread::pthread_id);
        if (native != runtimes.natives().end()) {
            found.emplace_back(own, native->gdb_num);
        }
    }
    return found;
}

std::optional<int> without_workers(AllRuntimes &runtimes, HangReader &hangs) {
    for (const int thread : runtimes.initial_threads()) {
        std::vector<HangReader::Absent> rows;
        for (std::size_t position = 0; position < runtimes.size(); ++position) {
            if (const auto records = runtimes.records(position)) {
                std::ranges::copy(hangs.absent_workers(*records, thread), std::back_inserter(rows));
            }
        }
        const auto is_forked = [](const auto &one) { return one.why == Absence::forked; };
        if (!rows.empty() && std::ranges::all_of(rows, is_forked)) {
            return thread;
        }
    }
    return std::nullopt;
}

}  // namespace gdb_ompd
