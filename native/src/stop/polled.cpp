// SPDX-License-Identifier: Apache-2.0
#include "stop/polled.hpp"

#include "code/rounds.hpp"
#include "elf/address_space.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace gdb_ompd {

using code::Ahead;
using code::Frame;

namespace {

constexpr std::uint64_t red_zone = 1U << 12U;  // bytes
constexpr std::uint64_t record_size = 1U << 12U;
constexpr std::uint64_t stub_size = 16;  // bytes
constexpr std::size_t most_words = 8;
constexpr int most_callers = 5;  // whose loops may have called what the thread is in

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

// Where to begin, where a round of the loop ends, and what the flags are at the begin, if an
// instruction before has set them.
struct Beginning {
    std::uint64_t pc = 0;
    std::uint64_t round = 0;
    const code::Instruction *swapped = nullptr;
    std::uint64_t expected = 0;
};

// Has what a function returned that the thread's own has called.
using Return = std::function<void(Ahead &)>;

bool needs_flags(const code::Instruction &one) {
    const code::Arithmetic made = one.computation.arithmetic;
    return (one.operation == code::Operation::branch && !one.compares) ||
           made == code::Arithmetic::choose || made == code::Arithmetic::holds;
}

// Of what depends on a comparison at that, which changes nothing, or else at both of the places to
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
        return expected ? std::vector{Beginning{frame.pc, frame.pc, &swaps, *expected}}
                        : std::vector<Beginning>();
    }
    if (!index || !needs_flags(code->at(*index))) {
        return {{frame.pc, frame.pc}};
    }
    if (before && code->at(*before).sets_flags && code->at(*before).writes == 0) {
        return {{code->at(*before).address, code->at(*before).address}};
    }
    return code->at(*index).operation == code::Operation::branch
               ? std::vector<Beginning>{{code->at(*index).target, frame.pc},
                                        {code->at(*index).end(), frame.pc}}
               : std::vector<Beginning>{{frame.pc, frame.pc}};
}

// The thread where one of BEGINNINGS is, if a function that it has called has RETURNED.
Ahead ahead_of(code::UserCalls &calls, std::span<const Frame> users, const Beginning &at,
               const code::Ahead::Self &self, const Return &returned) {
    Frame begin = users.front();
    begin.pc = at.pc;
    const auto pointer = calls.functions().architecture()->convention().stack_pointer;
    Ahead ahead(calls, begin, own_stack(users, pointer));
    ahead.set_self(self);
    ahead.stop_time();
    if (at.swapped != nullptr) {
        ahead.set_swapped(*at.swapped, at.expected);
    }
    if (returned) {
        returned(ahead);
    }
    return ahead;
}

// What was read at ADDRESSES, if that alone was TRIED.
std::optional<code::Tried> only_tried(const std::vector<std::uint64_t> &addresses,
                                      const std::map<code::Piece, code::WaitKind> &tried) {
    const bool is_one = addresses.size() == 1 && tried.size() == 1 &&
                        tried.begin()->first.first == addresses.front();
    return is_one ? std::optional(code::Tried{tried.begin()->second, addresses.front()})
                  : std::nullopt;
}

// What the loop around PC reads if each round is like the one before.
Polled polled_alike(const Ahead &once, std::uint64_t pc) {
    Ahead twice = once;
    const bool repeats =
        twice.go_to(pc) == Ahead::End::comes && twice.state().is_same(once.state());
    if (!repeats || twice.state().changes_memory()) {
        return {};
    }
    Polled found{last_read(twice.state().read())};
    if (!twice.lets_go() && !twice.asks_time()) {
        found.tried = only_tried(found.addresses, twice.tried());
    }
    return found;
}

// What decides whether the thread at BEGIN goes on with the loop around PC, whatever differs from
// round to round: it may leave where that is not known or, where several things are put together
// for that, does so where it is otherwise.
Polled polled_anyway(code::UserCalls &calls, const Ahead &begin, std::uint64_t pc) {
    const code::Rounds rounds(calls, begin, pc);
    const auto supposing = [&](const code::Piece &piece, code::Value value) {
        Ahead other = begin;
        other.suppose(piece, value);
        return code::Rounds(calls, std::move(other), pc);
    };
    const auto those = [&](const auto &decides) {
        std::vector<std::uint64_t> found;
        for (const auto &each : rounds.read()) {
            if (!leads_on(each, rounds.read()) && decides(each)) {
                found.push_back(each.first.first);
            }
        }
        return found;
    };
    if (!rounds.go_on() || rounds.read().size() > most_words) {
        return {};
    }
    Polled found{those([&](const auto &each) {
        return supposing(each.first, std::nullopt).leaves().size() > rounds.leaves().size();
    })};
    if (found.addresses.empty()) {
        found.addresses = those([&](const auto &each) {
            return each.second && !supposing(each.first, *each.second == 0 ? 1 : 0).comes();
        });
    } else if (rounds.keeps_all()) {
        found.tried = only_tried(found.addresses, rounds.tried());
    }
    return found;
}

// The thread's own variables that another one has the address of, as those that queue for a lock of
// their own making have: what the loop around PC reads and leaves alone, and would leave it by.
Polled polled_own(code::UserCalls &calls, const Ahead &begin, std::uint64_t pc) {
    const code::Rounds rounds(calls, begin, pc);
    Polled found;
    if (!rounds.go_on() || !rounds.keeps_all() || !rounds.read().empty() ||
        !rounds.tried().empty() || rounds.own_read().size() > most_words) {
        return found;
    }
    for (const auto &each : rounds.own_read()) {
        Ahead other = begin;
        other.suppose(each.first, std::nullopt);
        const code::Rounds otherwise(calls, std::move(other), pc);
        if (!rounds.writes(each.first) && !leads_on(each, rounds.own_read()) &&
            !(otherwise.go_on() && otherwise.keeps_all())) {
            found.addresses.push_back(each.first.first);
        }
    }
    found.is_endless = rounds.own_read().empty();
    return found;
}

// What the loop around the place of the first of USERS reads, whose call has RETURNED: that becomes
// its own function's return where that ends.
Polled polled_in(code::UserCalls &calls, std::span<const Frame> users,
                 const code::Ahead::Self &self, Return &returned) {
    const Return called = std::exchange(returned, nullptr);
    for (const Beginning &at : beginnings(calls, users.front())) {
        const Ahead begin = ahead_of(calls, users, at, self, called);
        Ahead once = begin;
        const Ahead::End end = once.go_to(at.round);
        const bool comes = end == Ahead::End::comes;
        auto found = polled_anyway(calls, comes ? once : begin, at.round);
        if (found.addresses.empty() && comes) {
            found = polled_alike(once, at.round);
        }
        if (!found.is_known()) {
            found = polled_own(calls, begin, at.round);
        }
        if (found.is_known()) {
            return found;
        }
        if (end == Ahead::End::returns) {
            returned = [once](Ahead &caller) { caller.set_returned(once); };
        }
    }
    return {};
}

// Whether the first of FRAMES is in a stub of the linkage table, on the way to another file.
bool is_in_stub(code::UserCalls &calls, std::span<const Frame> frames) {
    const std::uint64_t pc = frames.front().pc;
    const auto caller = code::that_called(frames, 1);
    const std::uint64_t returns_to = caller < frames.size() ? frames[caller].pc : 0;
    const code::FunctionCode *const code = calls.functions().function(returns_to - 1);
    const auto index = code != nullptr ? code->call_before(returns_to) : std::nullopt;
    if (!index) {
        return false;
    }
    const code::Instruction &call = code->at(*index);
    const auto leads_to = calls.targets().destination(call);
    return call.target <= pc && pc - call.target < stub_size && leads_to &&
           !calls.code().is_user(*leads_to);
}

}  // namespace

Polled polled(code::UserCalls &calls, std::span<const Frame> frames,
              const code::Ahead::Self &self) {
    const auto is_users = [&](const Frame &one) { return calls.code().is_user(one.pc); };
    auto user = std::ranges::find_if(frames, is_users);
    if (calls.functions().architecture() == nullptr || user == frames.end()) {
        return {};
    }
    if (user == frames.begin() && is_in_stub(calls, frames)) {
        ++user;
    }
    Return returned;
    const bool is_called = user != frames.begin();
    if (is_called) {
        const auto result = Ahead::result_of_call(calls, std::span(user, frames.end()), self);
        returned = [result](Ahead &caller) { caller.set_result(result); };
    }
    for (int count = 0; user != frames.end() && is_users(*user) && count < most_callers;
         ++count, ++user) {
        auto found = polled_in(calls, std::span(user, frames.end()), self, returned);
        found.is_endless = found.is_endless && !is_called;  // the function that it is in tells more
        if (found.is_known() || !returned) {
            return found;
        }
    }
    return {};
}

}  // namespace gdb_ompd
