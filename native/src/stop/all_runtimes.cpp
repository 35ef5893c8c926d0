// SPDX-License-Identifier: Apache-2.0
#include "stop/all_runtimes.hpp"

#include "base/errors.hpp"
#include "model/waiting_states.hpp"

#include <algorithm>
#include <span>
#include <string_view>

namespace gdb_ompd {

namespace {

constexpr std::string_view default_device = "default-device-var";

// How many of the regions that a thread is in it has begun itself: the innermost ones, of whose
// teams it is the primary thread.
std::optional<int> begun_by_itself(const ThreadFacts &thread) {
    const auto level = static_cast<std::size_t>(std::max(0, thread.level.value.value_or(0)));
    if (!thread.level.known() || thread.memberships.size() < level) {
        return std::nullopt;
    }
    const auto inside = std::span(thread.memberships).first(level);
    const auto given = std::ranges::find_if(
        inside, [](const Membership &one) { return one.thread_num.value_or(0) != 0; });
    return static_cast<int>(given - inside.begin());
}

// How far inside a runtime's regions a thread is: of two runtimes the greater number is that of the
// region which it executes. A thread executes the deeper of two regions, for a region waits for
// those that are begun in it. But a region that another thread has begun, so that this one is not
// its number 0, is around all regions that it has begun itself.
int inside(const ThreadFacts &thread) {
    const int level = thread.level.value.value_or(-1);
    const bool is_given = level > 0 && thread.thread_num.value.value_or(0) != 0;
    return is_given ? 1 : level < 1 ? level : level + 1;
}

}  // namespace

AllRuntimes::View AllRuntimes::view_of(const ThreadFacts &thread, int first_region) {
    constexpr int unknown = -2;
    const bool is_known = thread.kind.known() && *thread.kind.value != ThreadKind::native;
    return {is_known,
            is_known ? inside(thread) : unknown,
            thread.task.value == TaskKind::explicit_,
            thread.state.known() && waiting_kind(*thread.state.value).has_value(),
            begun_by_itself(thread),
            number_of(thread.region.value, first_region),
            thread.kind.value == ThreadKind::initial && thread.level.value == 0,
            thread.league.value.value_or(0) != 0 ? thread.num_teams.value.value_or(1) : 0};
}

void AllRuntimes::add(RuntimeReader &reader, std::string file, std::vector<Range> code) {
    const StopFacts &facts = reader.read(natives_);
    reader.add_around_targets(fallbacks_);
    Part part{&reader, std::move(file), std::move(code), static_cast<int>(regions_.size()),
              {},      &facts};
    std::ranges::transform(
        facts.threads, std::back_inserter(part.views),
        [&](const ThreadFacts &thread) { return view_of(thread, part.first_region); });
    for (const RegionFacts &region : facts.regions) {
        regions_.push_back({static_cast<int>(regions_.size()) + 1, region.threads,
                            number_of(region.parent.value, part.first_region), region.level.value,
                            region.active_level.value, region.team_size.value,
                            to_known(region.caller.value), to_known(region.function.value),
                            region.primary});
    }
    if (rows_.empty()) {
        for (std::size_t row = 0; row < natives_.size(); ++row) {
            rows_.emplace(natives_[row].gdb_num, row);
        }
    }
    parts_.push_back(std::move(part));
}

std::vector<KnownThread> AllRuntimes::threads() const {
    std::vector<KnownThread> found;
    for (std::size_t row = 0; row < natives_.size(); ++row) {
        const Part &part = parts_[runtime_of(row)];
        const ThreadFacts &facts = part.facts->threads[row];
        KnownThread &thread = found.emplace_back();
        thread.gdb_num = natives_[row].gdb_num;
        thread.kind = facts.kind.value;
        thread.running = natives_[row].running;
        thread.idle = facts.idle;
        thread.thread_num = facts.thread_num.value;
        thread.team_size = facts.team_size.value;
        thread.level = facts.level.value;
        thread.region = number_of(facts.region.value, part.first_region);
        thread.league = facts.league.value.value_or(0);
        thread.state = facts.idle ? "idle" : facts.state.value;
        thread.in_explicit_task = facts.task.value == TaskKind::explicit_;
        thread.is_unread = !facts.error.empty();
        if (!doubt_.empty() && thread.kind == ThreadKind::native) {
            thread.kind.reset();
            thread.is_unread = true;
        }
    }
    return found;
}

AllRuntimes::Position AllRuntimes::runtime_of_region(int region) const {
    const auto is_behind = [&](const Part &part) { return part.first_region >= region; };
    const auto behind = std::ranges::find_if(parts_, is_behind);
    return static_cast<Position>(behind - parts_.begin()) - 1;
}

std::optional<AllRuntimes::Position> AllRuntimes::runtime_at(std::uint64_t pc) const {
    const auto is_own = [&](const Part &part) {
        return std::ranges::any_of(
            part.code, [&](const Range &one) { return one.first <= pc && pc < one.second; });
    };
    const auto found = std::ranges::find_if(parts_, is_own);
    return found == parts_.end() ? std::nullopt
                                 : std::optional(static_cast<Position>(found - parts_.begin()));
}

AllRuntimes::Position AllRuntimes::runtime_of(std::size_t row) const {
    const auto chosen = chosen_.find(natives_[row].gdb_num);
    const auto most_inside = std::ranges::max_element(
        parts_, {}, [&](const Part &part) { return part.views[row].rank(); });
    return chosen != chosen_.end() ? chosen->second
                                   : static_cast<Position>(most_inside - parts_.begin());
}

std::vector<std::pair<AllRuntimes::Position, std::vector<int>>>
AllRuntimes::by_runtime(std::span<const int> gdb_nums) const {
    std::vector<std::pair<Position, std::vector<int>>> found;
    for (const int number : gdb_nums) {
        const Position position = parts_.size() == 1 ? 0 : runtime_of(rows_.at(number));
        if (found.empty() || found.back().first != position) {
            found.push_back({position, {}});
        }
        found.back().second.push_back(number);
    }
    return found;
}

std::vector<int> AllRuntimes::undecided() const {
    std::vector<int> found;
    for (std::size_t row = 0; parts_.size() > 1 && row < natives_.size(); ++row) {
        std::vector<int> depths;
        std::ranges::transform(parts_, std::back_inserter(depths),
                               [&](const Part &part) { return part.views[row].inside; });
        std::ranges::sort(depths, std::greater());
        if (depths[0] == depths[1] && depths[0] > 1) {
            found.push_back(natives_[row].gdb_num);
        }
    }
    return found;
}

std::vector<int> AllRuntimes::known_to(Position position, std::span<const int> threads) const {
    std::vector<int> found;
    std::ranges::copy_if(threads, std::back_inserter(found), [&](int number) {
        const auto row = rows_.find(number);
        return row != rows_.end() && parts_.at(position).views[row->second].is_known;
    });
    return found;
}

std::vector<int> AllRuntimes::own_regions(Position position, std::span<const int> regions) const {
    std::vector<int> found;
    for (const int region : regions) {
        if (runtime_of_region(region) == position) {
            found.push_back(region - first_region(position));
        }
    }
    return found;
}

std::optional<int> AllRuntimes::begun_by(int gdb_num) const {
    const auto row = rows_.find(gdb_num);
    int sum = 0;
    for (const Part &part : parts_) {
        if (row == rows_.end() || !part.views[row->second].is_known) {
            continue;
        }
        const auto begun = part.views[row->second].begun;
        if (!begun) {
            return std::nullopt;
        }
        sum += *begun;
    }
    return sum;
}

std::optional<int> AllRuntimes::region_of(int gdb_num) const {
    const auto row = rows_.find(gdb_num);
    return row == rows_.end() || natives_[row->second].running
               ? std::nullopt
               : parts_[runtime_of(row->second)].views[row->second].region;
}

bool AllRuntimes::is_worker(int gdb_num) const {
    return std::ranges::any_of(regions_, [&](const KnownRegion &region) {
        const auto own = std::ranges::find(region.threads, gdb_num);
        return own != region.threads.end() && own != region.threads.begin();
    });
}

std::vector<int> AllRuntimes::begun_around(int gdb_num) const {
    std::vector<int> found;
    auto region = region_of(gdb_num);
    for (auto left = regions_.size(); region && left > 0; --left) {
        const KnownRegion &one = regions_.at(static_cast<std::size_t>(*region) - 1);
        if (!one.threads.empty() && one.threads.front() == gdb_num) {
            found.push_back(*region);
        }
        region = one.parent;
    }
    return found;
}

std::vector<int> AllRuntimes::begun(int gdb_num) const {
    std::vector<int> found;
    for (const KnownRegion &one : regions_) {
        if (one.primary == gdb_num) {
            found.push_back(one.number);
        }
    }
    const std::vector<int> inside = begun_around(gdb_num);
    std::stable_partition(found.begin(), found.end(), [&](int number) {
        return std::ranges::find(inside, number) == inside.end();
    });
    return found;
}

int AllRuntimes::teams_around(int gdb_num) const {
    const auto row = rows_.find(gdb_num);
    return row == rows_.end() ? 0 : parts_[runtime_of(row->second)].views[row->second].teams;
}

std::vector<int> AllRuntimes::initial_threads() const {
    std::vector<int> found;
    for (std::size_t row = 0; row < natives_.size(); ++row) {
        if (!natives_[row].running && parts_[runtime_of(row)].views[row].is_initial) {
            found.push_back(natives_[row].gdb_num);
        }
    }
    return found;
}

std::map<int, TaskIds> AllRuntimes::task_ids(std::span<const int> gdb_nums) {
    std::map<int, TaskIds> found;
    for (const auto &[position, numbers] : by_runtime(gdb_nums)) {
        try {
            found.merge(gdb_ompd::task_ids(reader(position).tasks(numbers)));
        } catch (const Inconsistent &) {
            continue;
        }
    }
    return found;
}

std::map<int, std::int64_t> AllRuntimes::default_devices(std::span<const int> gdb_nums) {
    std::map<int, std::int64_t> found;
    for (const auto &[position, numbers] : by_runtime(gdb_nums)) {
        try {
            for (const IcvFacts &one : reader(position).icvs(numbers, {})) {
                if (one.gdb_num && one.number.known() && one.icv->name == default_device) {
                    found[*one.gdb_num] = *one.number.value;
                }
            }
        } catch (const Inconsistent &) {
            continue;
        } catch (const OmpdError &) {
            continue;
        }
    }
    return found;
}

std::shared_ptr<Capabilities> AllRuntimes::records(Position position) {
    try {
        return reader(position).capabilities();
    } catch (const Inconsistent &) {
        return nullptr;
    } catch (const OmpdError &) {
        return nullptr;
    } catch (const MemoryUnreadable &) {
        return nullptr;
    }
}

KnownRuntimes AllRuntimes::known() {
    std::vector<Capabilities *> own;
    std::vector<Capabilities *> readable;
    for (Position position = 0; position < parts_.size(); ++position) {
        own.push_back(records(position).get());  // which its reader keeps
        if (own.back() != nullptr) {
            readable.push_back(own.back());
        }
    }
    std::map<int, std::optional<Capabilities *>> chosen;
    for (std::size_t row = 0; parts_.size() > 1 && row < natives_.size(); ++row) {
        chosen.emplace(natives_[row].gdb_num, own[runtime_of(row)]);
    }
    return {std::move(readable), std::move(chosen)};
}

}  // namespace gdb_ompd
