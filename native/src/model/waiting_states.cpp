// SPDX-License-Identifier: Apache-2.0
#include "model/waiting_states.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace gdb_ompd {

namespace {

// LLVM sets one state for locks, critical sections, atomics and reductions.
constexpr std::array<std::pair<std::string_view, WaitingKind>, 7> kinds{{
    {"wait_taskwait", {"taskwait", false}},
    {"wait_taskgroup", {"taskgroup", false}},
    {"wait_mutex", {"mutex", true}},
    {"wait_lock", {"mutex", true}},
    {"wait_critical", {"critical", true}},
    {"wait_atomic", {"atomic", true}},
    {"wait_ordered", {"ordered", true}},
}};

}  // namespace

std::optional<WaitingKind> waiting_kind(std::string_view state) {
    if (state.starts_with("wait_barrier")) {
        return WaitingKind{"barrier", false};
    }
    const auto *const found = std::ranges::find(kinds, state, &decltype(kinds)::value_type::first);
    return found == kinds.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace gdb_ompd
