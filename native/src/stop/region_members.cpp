// SPDX-License-Identifier: Apache-2.0
#include "stop/region_members.hpp"

#include <algorithm>
#include <iterator>
#include <memory>

namespace gdb_ompd {

namespace {

// A thread of a region that stands still, and how many regions it is in that are further inside.
struct Member {
    std::shared_ptr<Capabilities> records;  // of the region's runtime
    int thread = 0;
    int outer = 0;
};

// By whom the records of REGION's team are asked; none where nothing tells it.
std::optional<Member> asked_by(AllRuntimes &runtimes, const KnownRegion &region) {
    const std::vector<KnownRegion> &regions = runtimes.regions();
    for (const std::optional<int> &thread : region.threads) {
        auto inside = thread ? runtimes.region_of(*thread) : std::nullopt;
        for (int outer = 0; inside && outer < static_cast<int>(regions.size()); ++outer) {
            if (*inside == region.number) {
                auto records = runtimes.records(runtimes.runtime_of_region(region.number));
                return records == nullptr
                           ? std::nullopt
                           : std::optional(Member{std::move(records), *thread, outer});
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

Members RegionMembers::of(const KnownRegion &region, const Threads &threads, StopTeams &teams) {
    Members found;
    found.threads = region.threads;
    const std::ptrdiff_t missing = lacking(found.threads);
    if (missing > 0) {
        found.is_starting = is_starting(region, found.threads.front(), threads, teams);
        if (!may_come(found, threads)) {
            add_absent(found, region);
        }
    }
    found.is_complete = found.is_starting || missing == std::ssize(found.absent);
    return found;
}

// Whether a member may be a thread of which the runtime knows nothing yet. One tells it by itself
// that it is there: until then the runtime lists, for that number, who had it before. The primary
// thread waits for all of them before it goes on, unless it is making them.
bool RegionMembers::may_come(const Members &found, const Threads &threads) {
    const auto is_new = [this](const KnownThread &thread) {
        return !thread.region && !thread.is_unread && !thread.running &&
               has_only_begun(thread.gdb_num);
    };
    if (std::ranges::any_of(threads, is_new)) {
        return true;
    }
    if (!found.is_starting) {
        return false;
    }
    const auto frames = stacks_.of(*found.threads.front());
    const bool waits = RuntimeStack(stacks_.reader().calls(), frames).sleeps_in().has_value();
    return hangs_.makes_worker(frames) || !(waits || hangs_.is_forked());
}

// Whether a thread has come to no code yet but that every stack begins with, which has no name
// where the C library has no symbols.
bool RegionMembers::has_only_begun(int gdb_num) {
    code::UserCalls &calls = stacks_.reader().calls();
    const auto frames = stacks_.of(gdb_num);
    return !frames.empty() && std::ranges::all_of(frames, [&](const code::Frame &frame) {
        const std::string &name = calls.functions().plain_name_around(frame.pc);
        return frame.pc == 0 || (calls.code().owner(frame.pc) == code::Owner::system &&
                                 (name.empty() || code::starts_stack(name)));
    });
}

void RegionMembers::add_absent(Members &found, const KnownRegion &region) {
    const auto asked = asked_by(runtimes_, region);
    if (!asked) {
        return;
    }
    found.absent = hangs_.absent(*asked->records, asked->thread, asked->outer);
    if (is_forked_alone(runtimes_, region, process_)) {
        for (int own = 0; own < std::ssize(region.threads); ++own) {
            const auto is_own = [&](const auto &one) { return one.thread.thread_num == own; };
            if (!region.threads[static_cast<std::size_t>(own)] &&
                std::ranges::none_of(found.absent, is_own)) {
                found.absent.push_back({{own}, Absence::forked});
            }
        }
    }
    std::ranges::sort(found.absent, {}, [](const auto &one) { return one.thread.thread_num; });
}

// Whether a team's primary thread is in the call that begins the region, and not another one, and
// has not come to its body.
bool RegionMembers::is_starting(const KnownRegion &region, const std::optional<int> &primary,
                                const Threads &threads, StopTeams &teams) {
    const auto own = std::ranges::find_if(threads, [&](const KnownThread &thread) {
        return thread.gdb_num == primary && !thread.is_unread && !thread.running;
    });
    if (own == threads.end() || own->region != region.number) {
        return false;
    }
    const Wait &wait = *waits_.place(*primary, teams).wait;
    const code::EntryPoint *const entry = code::entry_point(wait.entry_point);
    const auto begun = runtimes_.begun_by(*primary);
    return wait.kind == code::WaitKind::none && entry != nullptr && entry->begins_region && begun &&
           calls_.begun(*primary).constructs.size() == static_cast<std::size_t>(*begun);
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
