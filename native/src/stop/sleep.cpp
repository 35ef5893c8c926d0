// SPDX-License-Identifier: Apache-2.0
#include "stop/sleep.hpp"

#include "code/ahead.hpp"
#include "elf/address_space.hpp"
#include "stop/lock_changes.hpp"

#include <cerrno>

namespace gdb_ompd {

using code::Ahead;
using code::Piece;

namespace {

constexpr std::uint64_t callers_stack = 1U << 20U;  // bytes
constexpr std::uint64_t callees_stack = 1U << 12U;
constexpr int most_outer = 4;  // functions whose loops may have called what the thread sleeps in

}  // namespace

// The C++ library does not tell the kernel that its words are the process's own.
Sleep SleepReader::sleep(const IsSo &is_own, const IsSo &is_posted) const {
    const auto futex = RuntimeStack(calls_, frames_).sleeps_in();
    if (!futex) {
        return Sleep::none;
    }
    const std::uint64_t word = futex->address.value;
    if (is_of_semaphore(called_) && (!futex->is_private || is_posted(word))) {
        return Sleep::none;
    }
    const bool is_known = futex->is_private || called_.starts_with("std::") ||
                          called_ == "cxa_guard_acquire" ||
                          calls_.functions().module_at(word) != nullptr;
    if (!is_known && !is_own(word)) {
        return Sleep::none;
    }
    const auto now = calls_.functions().space().uint_at(futex->address, sizeof(futex->value));
    // C++'s latch changes with each thread that comes, and wakes nobody before the last.
    const bool is_by_itself = calls_.libraries().outside(frames_.first(1), nullptr) == calls_kernel;
    if (now != futex->value && !(is_by_itself && waits_again(0))) {
        return Sleep::none;  // it has been woken
    }
    if (!futex->is_timed) {
        return Sleep::until_woken;
    }
    return is_condition() && waits_again(ETIMEDOUT) ? Sleep::repeats : Sleep::none;
}

// The call in the user's code that it sleeps in.
std::optional<std::uint64_t> SleepReader::call() const {
    if (in_system_ >= frames_.size() || !calls_.code().is_user(frames_[in_system_].pc)) {
        return std::nullopt;  // its function has jumped on
    }
    const std::uint64_t pc = frames_[in_system_].pc;
    const code::FunctionCode *const code = calls_.functions().function(pc - 1);
    const auto index = code != nullptr ? code->call_before(pc) : std::nullopt;
    return index ? std::optional(code->at(*index).address) : std::nullopt;
}

code::Ahead SleepReader::in_frame(std::size_t number) const {
    const code::Frame &frame = frames_[number];
    const auto pointer = calls_.functions().architecture()->convention().stack_pointer;
    const std::uint64_t top = frame.held_by(pointer).value_or(callees_stack);
    return {calls_, frame, {top - callees_stack, top + callers_stack}};
}

code::Ahead SleepReader::woken(std::uint64_t result) const {
    Ahead ahead = in_frame(in_system_);
    ahead.set_result(result);
    return ahead;
}

// The thread where it comes to the CALL once more, from the function of a frame or from one of so
// MANY callers of that.
std::optional<code::Ahead> SleepReader::again(Ahead from, std::size_t number, std::uint64_t call,
                                              int many) const {
    const Ahead::End end = from.go_to(call, Ahead::Until::in_callees);
    if (end != Ahead::End::returns || many == 0) {
        return end == Ahead::End::comes ? std::optional(std::move(from)) : std::nullopt;
    }
    while (code::is_inlined(frames_, number)) {
        ++number;
    }
    number = code::that_called(frames_, number + 1);
    if (number >= frames_.size() || !calls_.code().is_user(frames_[number].pc)) {
        return std::nullopt;
    }
    Ahead caller = in_frame(number);
    caller.set_returned(from);
    return again(std::move(caller), number, call, many - 1);
}

// Whether it comes to the call once more, and so every time.
bool SleepReader::waits_again(std::uint64_t result) const {
    const auto call = this->call();
    const auto once = call ? again(woken(result), in_system_, *call, most_outer) : std::nullopt;
    if (!once) {
        return false;
    }
    Ahead twice = *once;
    twice.pass_call(result);
    return twice.go_to(*call, Ahead::Until::in_callees) == Ahead::End::comes &&
           twice.place() == once->place() && twice.state().is_same(once->state());
}

std::optional<int> SleepReader::taken_by(std::uint64_t self, const Names &names) const {
    const auto call = is_condition() ? this->call() : std::nullopt;
    if (!call) {
        return std::nullopt;
    }
    Ahead again = woken(0);
    if (again.go_to(*call) != Ahead::End::comes) {
        return std::nullopt;
    }
    AddressSpace &space = calls_.functions().space();
    for (const auto &[flag, value] : again.state().read()) {
        if (!value) {
            continue;
        }
        Ahead taking = woken(0);
        taking.set_self({self, std::nullopt});
        taking.set_memory(flag, *value == 0 ? 1 : 0);
        const bool comes = taking.go_to(*call) == Ahead::End::comes;
        const auto taken = taking.state().written().find(flag);
        if (comes || taken->second != value) {
            continue;  // it is not what has to change, or is not taken
        }
        for (const auto &[piece, own] : taking.state().written()) {
            const auto other = own && piece.second == pointer_size
                                   ? space.uint_at(TargetAddr{piece.first}, pointer_size)
                                   : std::nullopt;
            if (const auto thread = other ? names(*own, *other) : std::nullopt) {
                return thread;
            }
        }
    }
    return std::nullopt;
}

}  // namespace gdb_ompd
