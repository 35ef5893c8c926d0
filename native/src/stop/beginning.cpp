// SPDX-License-Identifier: Apache-2.0
#include "stop/beginning.hpp"

#include <algorithm>

namespace gdb_ompd {

using code::Frame;
using code::Owner;
using code::Role;

namespace {

StackOfThread at_join(int gdb_num) { return {gdb_num, BarrierType::forkjoin, Phase::unknown, {}}; }

}  // namespace

BegunTeam begun_team(const WaitingTeam &team, const std::map<int, StandsAt> &places,
                     const KnownRuntimes &runtimes) {
    const auto place_of = [&](std::optional<int> thread) -> const StandsAt * {
        const auto known = thread ? places.find(*thread) : places.end();
        return known == places.end() ? nullptr : &known->second;
    };
    BegunTeam found;
    for (std::size_t number = 1; number < team.threads.size(); ++number) {
        const StandsAt *const place = place_of(team.threads[number]);
        found.has_worker_inside =
            found.has_worker_inside || (place != nullptr && place->in_users_code);
    }
    const std::optional<int> primary = team.threads.empty() ? std::nullopt : team.threads.front();
    const StandsAt *const place = place_of(primary);
    found.may_have_ended = place == nullptr || place->kind == code::WaitKind::region_barrier;
    if (place != nullptr) {
        found.primary = place->in_users_code ? primary : std::nullopt;
        found.entry_point = place->entry_point;
    }
    for (const int worker : team.workers) {
        const StandsAt *const at = place_of(worker);
        if (Capabilities *const runtime = runtimes.of(worker)) {
            found.workers.push_back({worker, runtime, at != nullptr && at->before_body});
        }
    }
    return found;
}

std::map<int, bool> BeginningReader::read(const BegunTeam &team) {
    std::map<int, bool> found;
    std::optional<bool> is_inside;
    for (const auto &[gdb_num, runtime, before_body] : team.workers) {
        if (!is_inside) {
            is_inside = lasts(team, *runtime);
        }
        const std::optional<bool> has_not_begun = before_body
                                                      ? in_pool(gdb_num, *runtime, team, *is_inside)
                                                      : read(gdb_num, *runtime, *is_inside);
        if (has_not_begun) {
            found.emplace(gdb_num, *has_not_begun);
        }
    }
    return found;
}

// One that calls a body next, maybe of a region to come. Where the primary thread has executed
// the region's, this one was woken for it or has come back from it; only where it sleeps can that
// be told.
std::optional<bool> BeginningReader::in_pool(int gdb_num, Capabilities &runtime,
                                             const BegunTeam &team, bool lasts) {
    if (lasts || !team.may_have_ended) {
        return true;
    }
    if (!team.primary) {
        return false;
    }
    StackOfThread at = at_join(gdb_num);
    at.sleeps_in = RuntimeStack(waits_.calls(), frames_(gdb_num)).futex();
    const std::optional<bool> has_begun = runtime.has_begun(at, false);
    if (!has_begun) {
        return false;
    }
    return *has_begun ? std::nullopt : std::optional(true);
}

// Most say by a word of their record that they have come to the region's end; of the others those
// that gather threads there tell it by their stacks alone. One has not begun if the runtime has
// just woken it, or if it sleeps or is at the barrier before a region. Nor has one that has not
// come to the runtime yet.
std::optional<bool> BeginningReader::read(int gdb_num, Capabilities &runtime, bool lasts) {
    StackOfThread at = at_join(gdb_num);
    std::vector<Frame> frames;
    if (!runtime.tells_who_has_come()) {  // where it sleeps is to tell what its record does not
        frames = frames_(gdb_num);
        at.sleeps_in = RuntimeStack(waits_.calls(), frames).futex();
    }
    if (runtime.has_begun(at, lasts).value_or(true)) {
        return std::nullopt;
    }
    if (frames.empty()) {
        frames = frames_(gdb_num);
    }
    const RuntimeStack stack(waits_.calls(), frames);
    const auto whole = stack.whole();
    const std::span innermost(frames.data(), whole.end);
    if (std::ranges::any_of(innermost,
                            [&](auto &one) { return waits_.bodies().is_inside(one.pc); })) {
        return false;
    }
    at.words = stack.words(stack.innermost());
    // Maybe at the end of the region before.
    const bool is_woken = !runtime.has_begun(at, false).value_or(true);
    const auto joins = [&] { return stack.has(whole, {Role::waits_behind_region}); };
    if (!is_woken && (joins() || runtime.has_begun(at, lasts).value_or(true))) {
        return std::nullopt;
    }
    const bool has_come = std::ranges::any_of(innermost, [&](const Frame &one) {
        return waits_.calls().code().owner(one.pc) == Owner::runtime;
    });
    return is_woken || !has_come || stack.has(whole, {Role::waits_before_region}) ||
           stack.is_in_kernel();
}

// Whether a region has begun and not ended, for certain. A worker is in the user's code, or the
// primary thread is, which has not called what begins or ends a region. Or that one is about to
// call the region's body, or waits for the others at its end.
bool BeginningReader::lasts(const BegunTeam &team, Capabilities &runtime) {
    if (team.has_worker_inside || !team.primary) {
        return team.has_worker_inside;
    }
    const code::EntryPoint *const entry = code::entry_point(team.entry_point);
    if (!team.may_have_ended && (entry == nullptr || !entry->begins_region)) {
        return true;
    }
    const std::vector<Frame> frames = frames_(*team.primary);
    const RuntimeStack stack(waits_.calls(), frames);
    StackOfThread at = at_join(*team.primary);
    at.words = stack.words(stack.innermost());
    at.sleeps_in = stack.futex();
    if (team.may_have_ended && runtime.kept_at_barrier(at).value_or(false)) {
        return true;
    }
    // What is on its stack until the body is called, and afterwards. A stripped runtime's functions
    // have few names.
    const auto whole = stack.whole();
    return stack.has(whole, {Role::forks}) && !stack.has(whole, {Role::joins});
}

}  // namespace gdb_ompd
