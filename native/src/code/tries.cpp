// SPDX-License-Identifier: Apache-2.0
#include "code/tries.hpp"

#include <string_view>

namespace gdb_ompd::code {

namespace {

constexpr std::string_view tries_mutex = "pthread_mutex_trylock";
constexpr std::string_view tries_spin_lock = "pthread_spin_trylock";
constexpr std::uint64_t busy = 16;  // EBUSY

}  // namespace

std::optional<Try> tried_by(UserCalls &calls, const Instruction &call) {
    const auto called = calls.of_call(call.end());
    if (called && called->entry != nullptr) {
        return called->entry->lock == LockEffect::tries
                   ? std::optional(Try{called->entry->kind, called->entry->object, 0})
                   : std::nullopt;
    }
    const auto target = calls.targets().destination(call);
    const auto name = target ? calls.functions().plain_name(*target) : std::nullopt;
    if (name != tries_mutex && name != tries_spin_lock) {
        return std::nullopt;
    }
    return Try{name == tries_mutex ? WaitKind::mutex : WaitKind::spin_lock, 0, busy};
}

}  // namespace gdb_ompd::code
