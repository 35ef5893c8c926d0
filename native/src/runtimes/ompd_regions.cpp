// SPDX-License-Identifier: Apache-2.0
#include "runtimes/ompd_regions.hpp"

#include "runtimes/ompd_asking.hpp"

#include <algorithm>
#include <climits>

namespace gdb_ompd {

namespace {

using Region = ParallelRegions::Region;

// What the construct of a region is known by: the function of its implicit tasks.
Fact<TargetAddr> function_of(const Region &region) {
    const auto task = task_in_parallel(*region.handle, 0);
    return task.handle ? task_function(*task.handle) : task.unknown<TargetAddr>();
}

RegionFacts facts_of(const Region &region) {
    RegionFacts facts;
    facts.identity = static_cast<std::uint64_t>(region.number);
    facts.parent = region.parent_failed != nullptr
                       ? Fact<int>::unknown(region.parent_failed, region.parent_code)
                       : Fact<int>{region.parent == nullptr ? 0 : region.parent->number};
    facts.level = region.level;
    facts.active_level = region.active_level;
    facts.team_size = region.team_size;
    facts.threads = region.threads;
    facts.threads_failed = region.threads_failed;
    facts.function = function_of(region);
    facts.caller = Fact<TargetAddr>::unknown(nullptr, ompd_rc_unsupported);
    facts.primary = region.primary();
    return facts;
}

}  // namespace

bool Region::implicit() const noexcept {
    if (level.known()) {
        return *level.value == 0;
    }
    // More threads than one execute no implicit region around a program.
    return parent == nullptr && !(team_size.known() && *team_size.value > 1);
}

std::optional<int> Region::thread_num_of(std::optional<int> gdb_num) const {
    const auto found = gdb_num ? std::find(threads.begin(), threads.end(), gdb_num) : threads.end();
    if (found == threads.end()) {
        return std::nullopt;
    }
    return static_cast<int>(found - threads.begin());
}

const Region *ParallelRegions::note(std::unique_ptr<ParallelHandle> handle) {
    Region *innermost = nullptr;
    Region *below = nullptr;
    std::vector<const Region *> pending;
    while (handle != nullptr) {
        Region *region = known(*handle);
        const bool is_new = region == nullptr;
        if (is_new) {
            region = insert(std::move(handle));
        }
        if (below != nullptr) {
            below->parent = region;
        }
        innermost = innermost == nullptr ? region : innermost;
        if (!is_new) {
            const bool cycle = std::find(pending.begin(), pending.end(), region) != pending.end();
            if (cycle) {
                below->parent = nullptr;
                below->parent_failed = function_names.get_enclosing_parallel_handle.name;
                below->parent_code = ompd_rc_error;
            } else {
                read_primaries(std::move(handle));
            }
            break;
        }
        pending.push_back(region);
        auto enclosing = enclosing_parallel(*region->handle);
        if (pending.size() > max_nesting) {
            enclosing = {nullptr,
                         {function_names.get_enclosing_parallel_handle.name, ompd_rc_error}};
        }
        if (enclosing.handle == nullptr && !enclosing.none()) {
            region->parent_failed = enclosing.failure.function;
            region->parent_code = enclosing.failure.code;
        }
        below = region;
        handle = std::move(enclosing.handle);
    }
    last_ = innermost;
    return innermost;
}

const Region *ParallelRegions::find(const ParallelHandle &handle) const { return known(handle); }

Region *ParallelRegions::known(const ParallelHandle &handle) const {
    if (last_ != nullptr && last_->handle->compare(handle) == 0) {
        return last_;
    }
    const auto found = by_handle_.find(&handle);
    return found == by_handle_.end() ? nullptr : found->second;
}

Region *ParallelRegions::insert(std::unique_ptr<ParallelHandle> handle) {
    auto region = std::make_unique<Region>();
    const IcvTable::Owners owners{nullptr, handle.get(), nullptr};
    region->level = icvs_.number(icv_names::levels, owners, 0, INT_MAX);
    region->active_level = icvs_.number(icv_names::active_levels, owners, 0, INT_MAX);
    region->team_size = icvs_.number(icv_names::team_size, owners, 1, max_team_size);
    region->handle = std::move(handle);
    read_threads(*region);
    Region *const made = region.get();
    by_handle_.emplace(made->handle.get(), made);
    regions_.push_back(std::move(region));
    return made;
}

void ParallelRegions::read_threads(Region &region) const {
    const int size = region.team_size.value.value_or(0);
    region.threads.resize(static_cast<std::size_t>(size));
    for (int thread_num = 0; thread_num < size; ++thread_num) {
        read_thread(region, *region.handle, thread_num);
    }
}

void ParallelRegions::read_thread(Region &region, const ParallelHandle &handle,
                                  int thread_num) const {
    const auto thread = thread_in_parallel(handle, thread_num);
    const Failure failure = thread.handle == nullptr
                                ? thread.failure
                                : failure_of(function_names.get_thread_id.name, [&] {
                                      region.threads[static_cast<std::size_t>(thread_num)] =
                                          gdb_number_(*thread.handle);
                                  });
    if (failure.function != nullptr) {
        region.threads_failed = failure.function;
    }
}

void ParallelRegions::read_primaries(std::unique_ptr<ParallelHandle> handle) const {
    while (handle != nullptr) {
        Region *const region = known(*handle);
        if (region == nullptr || region->threads.empty() || region->primary()) {
            return;
        }
        read_thread(*region, *handle, 0);
        if (std::ranges::find(region->threads, std::optional<int>()) == region->threads.end()) {
            region->threads_failed = nullptr;
        }
        handle = enclosing_parallel(*handle).handle;
    }
}

std::vector<RegionFacts> ParallelRegions::facts() {
    numbered_.clear();
    number_below(nullptr);
    std::vector<RegionFacts> found;
    found.reserve(numbered_.size());
    for (const Region *region : numbered_) {
        found.push_back(facts_of(*region));
    }
    return found;
}

void ParallelRegions::number_below(const Region *parent) {
    std::vector<Region *> children;
    for (const auto &region : regions_) {
        if (region->parent == parent) {
            children.push_back(region.get());
        }
    }
    // In the order of the threads that began them.
    const auto order = [&](const Region *region) {
        const auto thread_num =
            parent == nullptr ? std::nullopt : parent->thread_num_of(region->primary());
        return std::pair(thread_num.value_or(INT_MAX), region->primary().value_or(INT_MAX));
    };
    std::stable_sort(children.begin(), children.end(), [&](const Region *one, const Region *other) {
        return order(one) < order(other);
    });
    for (Region *region : children) {
        if (!region->implicit()) {
            numbered_.push_back(region);
            region->number = static_cast<int>(numbered_.size());
        }
        number_below(region);
    }
}

const Region *ParallelRegions::numbered(int number) const noexcept {
    const auto position = static_cast<std::size_t>(number) - 1;
    return position < numbered_.size() ? numbered_[position] : nullptr;
}

void set_memberships(ThreadFacts &facts, const Region &region) {
    facts.memberships.clear();
    if (!region.level.known()) {
        return;
    }
    if (*region.level.value > max_nesting) {
        facts.memberships_failed = function_names.get_enclosing_parallel_handle.name;
        return;
    }
    const auto deepest = static_cast<std::size_t>(*region.level.value);
    std::vector<Membership> found(deepest + 1);
    std::optional<int> number = facts.thread_num.value;
    const Region *inside = nullptr;
    for (const Region *each = &region; each != nullptr; each = each->parent) {
        if (inside != nullptr) {
            // Alone in its team, whoever it is.
            number = each->team_size.value == 1 ? std::optional(0)
                                                : each->thread_num_of(inside->primary());
        }
        inside = each;
        const auto level = static_cast<std::size_t>(each->level.value.value_or(INT_MAX));
        if (level <= deepest && !found[deepest - level].team_size) {
            found[deepest - level] = {number, each->team_size.value};
        }
        if (!number) {
            facts.memberships_failed = each->threads_failed;
        }
        if (each->parent_failed != nullptr) {
            facts.memberships_failed = each->parent_failed;
        }
    }
    found.back() = {0, 1};
    facts.memberships = std::move(found);
}

}  // namespace gdb_ompd
