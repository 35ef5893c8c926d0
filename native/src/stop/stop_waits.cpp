// SPDX-License-Identifier: Apache-2.0
#include "stop/stop_waits.hpp"

#include "stop/beginning.hpp"

#include <algorithm>
#include <utility>

namespace gdb_ompd {

using code::WaitKind;

namespace {

bool is_own_lock(LockType lock) { return lock == LockType::systems || lock == LockType::runtimes; }

const KnownThread *thread_of(StopTeams &teams, int gdb_num) {
    const auto found = teams.threads().find(gdb_num);
    return found == teams.threads().end() ? nullptr : &found->second;
}

// What one thread's frames name is the same object for those that have left theirs.
void share_names(ThreadPlaces &places) {
    std::map<std::uint64_t, std::string> names;
    for (const auto &[number, place] : places) {
        if (place->wait->address && place->wait->name && !place->wait->name->empty()) {
            names.emplace(*place->wait->address, *place->wait->name);
        }
    }
    for (auto &[number, place] : places) {
        const Wait &wait = *place->wait;
        const auto name = wait.address && !wait.name ? names.find(*wait.address) : names.end();
        if (name != names.end()) {
            Wait named = wait;
            named.name = name->second;
            ThreadPlace known = *place;
            known.wait = std::make_shared<const Wait>(std::move(named));
            place = std::make_shared<const ThreadPlace>(std::move(known));
        }
    }
}

}  // namespace

void StopWaits::find(const std::vector<int> &gdb_nums, StopTeams &teams) {
    std::vector<int> missing;
    std::ranges::copy_if(gdb_nums, std::back_inserter(missing),
                         [this](int number) { return !places_.contains(number); });
    if (missing.empty()) {
        return;
    }
    places_.merge(teams.places(missing));
    share_names(places_);
    name_calls(missing, teams);
    mark_left(missing, teams);
    mark_not_begun(missing, teams);
}

const ThreadPlace &StopWaits::place(int gdb_num, StopTeams &teams) {
    find({gdb_num}, teams);
    return *places_.at(gdb_num);
}

void StopWaits::set_wait(int gdb_num, Wait wait) {
    ThreadPlace place = *places_.at(gdb_num);
    place.wait = std::make_shared<const Wait>(std::move(wait));
    places_[gdb_num] = std::make_shared<const ThreadPlace>(std::move(place));
}

// The function of a library that the user's code called where the library has begun the region:
// only the stack of the region's primary thread has it.
void StopWaits::name_calls(const std::vector<int> &gdb_nums, StopTeams &teams) {
    for (const int number : gdb_nums) {
        const Wait &wait = *places_.at(number)->wait;
        const KnownThread *const known = wait.in_library ? thread_of(teams, number) : nullptr;
        if (known != nullptr && known->region) {
            Wait named = wait;
            named.library = teams.library_call(*known->region);
            set_wait(number, std::move(named));
        }
    }
}

// A thread may still be in the call that began an inner region when the runtime has taken it out of
// that. It does not wait at the end of the region that it is in. A thread at its end is in the
// line of its construct, where GCC may give the call another one.
void StopWaits::mark_left(const std::vector<int> &gdb_nums, StopTeams &teams) {
    for (const int number : gdb_nums) {
        const Wait &wait = *places_.at(number)->wait;
        const KnownThread *const known =
            wait.kind == WaitKind::region_barrier ? thread_of(teams, number) : nullptr;
        const auto count = known != nullptr ? teams.begun_by(number) : std::nullopt;
        const auto begun = count ? calls_.begun(number).constructs : std::vector<PlaceRef>();
        if (begun.empty()) {
            continue;
        }
        Wait marked = wait;
        if (begun.size() > static_cast<std::size_t>(*count)) {
            marked.kind = WaitKind::none;
        } else if (begun.back()->has_source) {
            marked.location = begun.back();
        } else if (known->region) {  // no frame of the user's is left that made the call
            if (const auto construct = teams.construct(*known->region, begun.back()->pc)) {
                marked.location = construct;
            }
        }
        set_wait(number, std::move(marked));
    }
}

void StopWaits::mark_not_begun(const std::vector<int> &gdb_nums, StopTeams &teams) {
    std::map<int, std::vector<int>> by_region;
    for (const int number : gdb_nums) {
        const ThreadPlace &place = *places_.at(number);
        const KnownThread *const known =
            place.is_elsewhere() && !place.is_unreadable ? thread_of(teams, number) : nullptr;
        if (known != nullptr && known->region && known->thread_num.value_or(0) != 0) {
            by_region[*known->region].push_back(number);
        }
    }
    if (by_region.empty()) {
        return;
    }
    const KnownRuntimes runtimes = teams.runtimes();
    BeginningReader reader(stacks_.reader(), [this](int number) { return stacks_.of(number); });
    const auto stands_at = [this](int number) {
        const ThreadPlace &place = *places_.at(number);
        return StandsAt{place.wait->location != nullptr, place.wait->kind, place.wait->entry_point,
                        place.before_body};
    };
    std::map<int, bool> found;
    for (const KnownRegion &region : teams.regions()) {
        const auto own = by_region.find(region.number);
        if (own == by_region.end()) {
            continue;
        }
        std::map<int, StandsAt> known;
        for (const auto &number : region.threads) {
            if (number && places_.contains(*number)) {
                known.emplace(*number, stands_at(*number));
            }
        }
        found.merge(reader.read(begun_team({region.threads, own->second}, known, runtimes)));
    }
    for (const auto &[number, begins] : found) {
        ThreadPlace place;
        if (begins) {
            place.wait = wait_of_kind(WaitKind::not_begun);
        } else {
            Wait wait;
            wait.entry_point = unnamed;
            wait.outside = the_runtime;
            place.wait = std::make_shared<const Wait>(std::move(wait));
        }
        places_[number] = std::make_shared<const ThreadPlace>(std::move(place));
    }
}

StopWaits::Waits StopWaits::waits(const std::vector<int> &gdb_nums, StopTeams &teams) {
    find(gdb_nums, teams);
    std::optional<bool> is_early;
    std::optional<bool> in_region;
    const auto wait_of = [&](int number, const ThreadPlace &place) -> WaitRef {
        const Shown shown = place.shown();
        if (!place.is_elsewhere()) {
            if (!is_barrier(shown.kind)) {
                return place.wait;
            }
            is_early = is_early ? is_early : teams.is_early();
            if (!*is_early) {
                return place.wait;
            }
            Wait made = *place.wait;
            made.kind = WaitKind::none;
            return std::make_shared<const Wait>(std::move(made));
        }
        if (const KnownThread *const known = thread_of(teams, number)) {
            if (!place.in_runtime) {  // it begins, or is about to end
                return known->idle ? wait_of_kind(WaitKind::idle) : place.wait;
            }
            return wait_shown(shown_of(shown, known->recorded()), place);
        }
        if (!place.in_runtime) {
            return place.wait;
        }
        in_region = in_region ? *in_region : std::ranges::any_of(teams.stopped(), [this](int one) {
            return calls_.is_in_region(one);
        });
        return wait_of_kind(*in_region ? WaitKind::idle_or_region_barrier : WaitKind::idle);
    };
    Waits found;
    for (const int number : gdb_nums) {
        found.emplace(number, wait_of(number, *places_.at(number)));
    }
    return found;
}

OutsideRef StopWaits::outside(const KnownThread &thread, const WaitRef &wait) {
    if (thread.is_helper() || wait == nullptr || !is_outside(ThreadPlace::shown_in(*wait, false))) {
        return nullptr;
    }
    OutsideRef &found = outside_[thread.gdb_num];
    if (found == nullptr) {
        StandingThread standing;
        standing.gdb_num = thread.gdb_num;
        standing.outside = wait->outside;
        standing.entry_point = wait->entry_point;
        const SystemCall call = hangs_.kernel_calls().of(standing, stacks_.around(thread.gdb_num));
        // The name of a mutex depends on the thread's frames.
        if (last_ == nullptr || wait != last_wait_ || call != last_call_ || call.mutex) {
            last_ = std::make_shared<const Outside>(completed(thread.gdb_num, wait, call));
            last_wait_ = wait;
            last_call_ = call;
        }
        found = last_;
    }
    return found;
}

Outside StopWaits::completed(int gdb_num, const WaitRef &wait, SystemCall call) {
    Wait made = *wait;
    if (call.function == unnamed) {
        call.function = the_runtime;
    }
    if (call.calls_workers) {
        made.outside = made.entry_point;
    }
    if (call.mutex && !is_own_lock(call.lock)) {
        made.name =
            names_.mutex(*call.mutex, gdb_num, made.location != nullptr ? made.location->pc : 0);
    }
    if (!made.library.empty()) {
        made.outside = made.library;
        const bool is_blocked = !call.function.empty() || names_.waits_for_others(made.library);
        if (is_blocked && !is_own_lock(call.lock)) {
            call.function = made.library;
        }
    }
    return {std::make_shared<const Wait>(std::move(made)), std::move(call)};
}

}  // namespace gdb_ompd
