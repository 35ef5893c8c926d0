// SPDX-License-Identifier: Apache-2.0
#include "stop/polled.hpp"

#include "code/ahead.hpp"
#include "elf/address_space.hpp"

#include <algorithm>
#include <utility>

namespace gdb_ompd {

using code::Ahead;
using code::Frame;

namespace {

constexpr std::uint64_t red_zone = 1U << 12U;  // bytes
constexpr std::uint64_t record_size = 1U << 12U;
constexpr int most_callers = 3;  // whose loops may have called what the thread is in

// What of the stack no other thread should know: the frame of the first of FRAMES, and below.
std::pair<std::uint64_t, std::uint64_t> own_stack(std::span<const Frame> frames,
                                                  code::Register pointer) {
    const std::uint64_t top = frames.front().held_by(pointer).value_or(red_zone);
    const auto outer = std::ranges::find_if(
        frames, [&](const Frame &one) { return one.held_by(pointer).value_or(0) > top; });
    const std::uint64_t end = outer == frames.end() ? top : *outer->held_by(pointer);
    return {top - red_zone, end};
}

// Whether POINTER leads to what another piece of those READ is in.
bool leads_on(const std::pair<const code::Piece, code::Value> &pointer,
              const std::map<code::Piece, code::Value> &read) {
    return pointer.first.second == pointer_size && pointer.second &&
           std::ranges::any_of(read, [&](const auto &other) {
               const std::uint64_t at = other.first.first;
               return other.first != pointer.first && *pointer.second <= at &&
                      at - *pointer.second < record_size;
           });
}

// The addresses of those READ that no pointer to others is at.
std::vector<std::uint64_t> last_read(const std::map<code::Piece, code::Value> &read) {
    std::vector<std::uint64_t> found;
    for (const auto &piece : read) {
        if (!leads_on(piece, read)) {
            found.push_back(piece.first.first);
        }
    }
    return found;
}

// Where to begin, and what the flags are there, if an instruction before has set them.
struct Beginning {
    std::uint64_t pc = 0;
    const code::Instruction *swapped = nullptr;
    std::uint64_t expected = 0;
};

// Of a jump at the comparison before it, which changes nothing, or else at both of the places to
// which it goes. Behind what swaps if equal its register tells whether it has.
std::vector<Beginning> beginnings(code::UserCalls &calls, const Frame &frame) {
    const code::FunctionCode *const code = calls.functions().function(frame.pc);
    const auto index = code != nullptr ? code->index_of(frame.pc) : std::nullopt;
    const auto before = index ? code->only_before(*index) : std::nullopt;
    if (before && code->at(*before).swaps_if_equal && code->at(*before).end() == frame.pc) {
        const code::Instruction &swaps = code->at(*before);
        const auto expected = calls.in_frame(*code, *index, frame)
                                  .held_by(*before, swaps.computation.first.number)
                                  .value;
        return expected ? std::vector{Beginning{frame.pc, &swaps, *expected}}
                        : std::vector<Beginning>();
    }
    if (!index || code->at(*index).operation != code::Operation::branch) {
        return {{frame.pc}};
    }
    if (before && code->at(*before).sets_flags && code->at(*before).writes == 0) {
        return {{code->at(*before).address}};
    }
    return {{code->at(*index).target}, {code->at(*index).end()}};
}

// Whether memory that is not on the STACK has got another value: who tries to set a flag writes
// what is there.
bool changes_memory(const code::UserCalls &calls, const Ahead &ahead,
                    std::pair<std::uint64_t, std::uint64_t> stack) {
    return std::ranges::any_of(ahead.written(), [&](const auto &one) {
        const auto &[piece, value] = one;
        const bool is_own = stack.first <= piece.first && piece.first < stack.second;
        return !is_own && (!value || calls.functions().space().uint_at(TargetAddr{piece.first},
                                                                       piece.second) != value);
    });
}

// What the loop around the place of the first of USERS reads; RESULT is what a function that it has
// called returns, and becomes what its own function returns where that ends.
std::vector<std::uint64_t> polled_in(code::UserCalls &calls, std::span<const Frame> users,
                                     code::Value &result) {
    const code::Architecture &architecture = *calls.functions().architecture();
    const auto stack = own_stack(users, architecture.convention().stack_pointer);
    const code::Value called = std::exchange(result, std::nullopt);
    for (const Beginning &at : beginnings(calls, users.front())) {
        Frame begin = users.front();
        begin.pc = at.pc;
        Ahead once(calls, begin, stack);
        if (at.swapped != nullptr) {
            once.set_swapped(*at.swapped, at.expected);
        }
        if (called) {
            once.set_result(*called);
        }
        const Ahead::End end = once.go_to(users.front().pc);
        if (end == Ahead::End::returns) {
            result = once.result();
        }
        if (end != Ahead::End::comes) {
            continue;
        }
        Ahead twice = once;
        const bool repeats =
            twice.go_to(users.front().pc) == Ahead::End::comes && twice.is_same(once);
        if (repeats && !changes_memory(calls, twice, stack)) {
            return last_read(twice.read());
        }
    }
    return {};
}

}  // namespace

std::vector<std::uint64_t> polled(code::UserCalls &calls, std::span<const Frame> frames) {
    const auto is_users = [&](const Frame &one) { return calls.code().is_user(one.pc); };
    auto user = std::ranges::find_if(frames, is_users);
    code::Value result;
    if (user != frames.begin()) {
        result = 0;
    }
    for (int count = 0; calls.functions().architecture() != nullptr && user != frames.end() &&
                        is_users(*user) && count < most_callers;
         ++count, ++user) {
        auto found = polled_in(calls, std::span(user, frames.end()), result);
        if (!found.empty() || !result) {
            return found;
        }
    }
    return {};
}

}  // namespace gdb_ompd
