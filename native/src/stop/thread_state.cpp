// SPDX-License-Identifier: Apache-2.0
#include "stop/thread_state.hpp"

#include "stop/waits.hpp"

#include <algorithm>
#include <array>

namespace gdb_ompd {

namespace {

using code::WaitKind;

constexpr std::string_view own_barrier = "wait_barrier_implementation";
constexpr std::string_view idle_state = "idle";

// The state of each kind; empty for those that have none of their own: what the runtime says stays.
std::string_view own_state(WaitKind kind) {
    switch (kind) {
    case WaitKind::explicit_barrier:
        return "wait_barrier_explicit";
    case WaitKind::loop_barrier:
    case WaitKind::sections_barrier:
    case WaitKind::single_barrier:
    case WaitKind::worksharing_barrier:
        return "wait_barrier_implicit_workshare";
    case WaitKind::region_barrier:
        return "wait_barrier_implicit_parallel";
    case WaitKind::not_begun:
        return "overhead";
    case WaitKind::critical:
        return "wait_critical";
    case WaitKind::lock:
    case WaitKind::nest_lock:
        return "wait_lock";
    case WaitKind::atomic:
        return "wait_atomic";
    case WaitKind::ordered:
    case WaitKind::doacross:
        return "wait_ordered";
    case WaitKind::taskwait:
    case WaitKind::dependence:
        return "wait_taskwait";
    case WaitKind::taskgroup:
    case WaitKind::taskloop:
        return "wait_taskgroup";
    case WaitKind::target:
        return "wait_target";
    case WaitKind::target_map:
        return "wait_target_map";
    case WaitKind::target_update:
        return "wait_target_update";
    default:
        return {};
    }
}

bool is_of_mutex(std::string_view state) {
    constexpr std::array<std::string_view, 4> states{"wait_mutex", "wait_lock", "wait_critical",
                                                     "wait_atomic"};
    return std::ranges::find(states, state) != states.end();
}

// The state of a thread that waits for nothing of OpenMP's.
std::optional<std::string_view> state_without_wait(const Shown &shown, const Recorded &recorded) {
    const auto &state = recorded.state;
    if (shown.in_runtime) {
        return state;
    }
    if (!shown.entry_point.empty()) {
        // A worker is in a region before LLVM's runtime has noted that it is idle no longer, and
        // GCC's notes nothing.
        const bool known = shown.entry_point != unnamed || shown.outside == the_runtime;
        const bool unnoted = state ? *state == idle_state : known;
        return unnoted ? std::optional<std::string_view>("overhead") : state;
    }
    // The user's code runs, and LLVM leaves "overhead" after a region in "teams".
    if (state && (state->starts_with("work") || *state == idle_state)) {
        return state;
    }
    return recorded.level.value_or(0) != 0 ? "work_parallel" : "work_serial";
}

}  // namespace

Shown shown_of(const Shown &shown, const Recorded &recorded) {
    if (!shown.in_runtime) {
        return shown;
    }
    const auto &state = recorded.state;
    if (recorded.idle) {
        return {.kind = WaitKind::idle, .in_runtime = true};
    }
    if (recorded.level == 0) {
        Shown found = shown;
        found.entry_point = unnamed;
        return found;
    }
    if (!state || *state == idle_state || state->starts_with("wait_barrier")) {
        return {.kind = WaitKind::region_barrier, .in_runtime = true};
    }
    return shown;
}

std::optional<std::string_view> state_of(const Shown &shown, const Recorded &recorded) {
    const auto &state = recorded.state;
    const bool is_told = shown.in_runtime && (!state || *state == idle_state);
    const Shown known =
        is_told ? shown_of(shown, {state, false, recorded.level.value_or(0)}) : shown;
    if (known.kind == WaitKind::none) {
        return state_without_wait(known, recorded);
    }
    if (known.kind == WaitKind::barrier && (!state || *state == own_barrier)) {
        return "wait_barrier";
    }
    const std::string_view own = own_state(known.kind);
    return own.empty() ? state : std::optional(own);
}

std::string disagreement(const Shown &shown, const Recorded &recorded) {
    if (!recorded.state || !recorded.state->starts_with("wait_") || shown.in_runtime) {
        return {};
    }
    std::string said(recorded.state->substr(std::string_view("wait_").size()));
    std::ranges::replace(said, '_', ' ');
    if (shown.kind == WaitKind::none) {
        return shown.entry_point.empty()
                   ? "the runtime says it waits (" + said + "), its stack is in the user's code"
                   : std::string();
    }
    const bool barrier = recorded.state->starts_with("wait_barrier");
    if ((is_mutex(shown.kind) && !is_of_mutex(*recorded.state)) ||
        (is_barrier(shown.kind) && !barrier)) {
        return "the runtime says it waits for " + said + ", its stack for " +
               std::string(text(shown.kind));
    }
    return {};
}

bool is_in_pool(WaitKind kind) {
    return kind == WaitKind::idle || kind == WaitKind::idle_or_region_barrier;
}

}  // namespace gdb_ompd
