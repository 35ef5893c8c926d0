// SPDX-License-Identifier: Apache-2.0
#include "stop/interruption.hpp"

#include "elf/address_space.hpp"

#include <algorithm>
#include <bit>
#include <string_view>

namespace gdb_ompd {

using code::Frame;
using code::Owner;

namespace {

// The kernel's record, at the stack pointer with which a handler returns: the context of the
// interrupted code, with the signals that it had blocked, and what is told to handlers that ask.
constexpr std::string_view with_record = "x86-64";
constexpr std::uint64_t blocked_before = 296;
constexpr std::uint64_t told = 304;
constexpr int most_signals = 64;

std::uint64_t bit_of(std::uint64_t signal) { return 1ULL << (signal - 1); }

// A handler blocks its signal, and others that it was set up to block.
std::optional<int> signal_of(code::UserCalls &calls, const Frame &returns, std::uint64_t blocked) {
    const auto *const architecture = calls.functions().architecture();
    const auto record = architecture != nullptr && architecture->name() == with_record
                            ? returns.held_by(architecture->convention().stack_pointer)
                            : std::nullopt;
    AddressSpace &space = calls.functions().space();
    const auto before =
        record ? space.uint_at(TargetAddr{*record + blocked_before}, pointer_size) : std::nullopt;
    const std::uint64_t added = before ? blocked & ~*before : 0;
    if (std::has_single_bit(added)) {
        return std::countr_zero(added) + 1;
    }
    const auto number =
        added != 0 ? space.uint_at(TargetAddr{*record + told}, sizeof(int)) : std::nullopt;
    return number && *number >= 1 && *number <= most_signals && (added & bit_of(*number)) != 0
               ? std::optional(static_cast<int>(*number))
               : std::nullopt;
}

}  // namespace

std::optional<Interruption>
interruption(code::UserCalls &calls, std::span<const Frame> frames,
             const std::function<std::optional<std::uint64_t>()> &blocked) {
    for (std::size_t number = 1; number < frames.size(); ++number) {
        if (!code::is_interrupted(frames, number)) {
            continue;
        }
        // Behind the frame of another signal is other code: its handler may have jumped to this.
        std::size_t end = number;
        bool is_there = false;
        while (end < frames.size() && (end == number || !code::is_interrupted(frames, end))) {
            is_there = calls.code().is_user(frames[end].pc);
            if (is_there) {
                break;
            }
            ++end;
        }
        const bool has_kernels = !is_there && end < frames.size();
        const auto inside = frames.subspan(number, end - number - (has_kernels ? 1 : 0));
        Interruption found{is_there ? frames[end].pc : 0, !inside.empty(), {}};
        if (!inside.empty() && calls.code().owner(inside.back().pc) == Owner::runtime) {
            const code::EntryPoint *const entry = calls.around(inside.back().pc - 1);
            found.function = entry == nullptr ? std::string_view() : entry->name;
        } else if (!inside.empty()) {
            found.function = calls.libraries().outside(inside, is_there ? &frames[end] : nullptr);
        }
        if (const auto now = blocked()) {
            found.signal = signal_of(calls, frames[number - 1], *now);
        }
        return found;
    }
    return std::nullopt;
}

}  // namespace gdb_ompd
