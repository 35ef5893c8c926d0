// SPDX-License-Identifier: Apache-2.0
#include "stop/polled.hpp"

#include "code/ahead.hpp"

#include <algorithm>
#include <utility>

namespace gdb_ompd {

using code::Ahead;
using code::Frame;

namespace {

constexpr std::uint64_t red_zone = 1U << 12U;  // bytes
constexpr std::uint64_t record_size = 1U << 12U;

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

// Where to begin: of a jump whose comparison was made before, at both of the places to which it
// goes.
std::vector<std::uint64_t> beginnings(code::UserCalls &calls, std::uint64_t pc) {
    const code::FunctionCode *const code = calls.functions().function(pc);
    const auto index = code != nullptr ? code->index_of(pc) : std::nullopt;
    if (!index || code->at(*index).operation != code::Operation::branch) {
        return {pc};
    }
    return {code->at(*index).target, code->at(*index).end()};
}

}  // namespace

std::vector<std::uint64_t> polled(code::UserCalls &calls, std::span<const Frame> frames) {
    const auto user = std::ranges::find_if(
        frames, [&](const Frame &one) { return calls.code().is_user(one.pc); });
    const code::Architecture *const architecture = calls.functions().architecture();
    if (user == frames.end() || architecture == nullptr) {
        return {};
    }
    const std::span<const Frame> users(user, frames.end());
    const auto stack = own_stack(users, architecture->convention().stack_pointer);
    for (const std::uint64_t pc : beginnings(calls, user->pc)) {
        Frame begin = *user;
        begin.pc = pc;
        Ahead once(calls, begin, stack);
        if (user != frames.begin()) {
            once.set_result(0);
        }
        if (once.go_to(user->pc) != Ahead::End::comes) {
            continue;
        }
        Ahead twice = once;
        const bool repeats = twice.go_to(user->pc) == Ahead::End::comes && twice.is_same(once);
        const bool writes = std::ranges::any_of(twice.written(), [&](const auto &one) {
            return one.first.first < stack.first || stack.second <= one.first.first;
        });
        if (repeats && !writes) {
            return last_read(twice.read());
        }
    }
    return {};
}

}  // namespace gdb_ompd
