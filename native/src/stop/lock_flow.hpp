// SPDX-License-Identifier: Apache-2.0
// Which locks are taken and not let go at a place in a function, by all ways that lead there.
#pragma once

#include "code/arithmetic.hpp"
#include "code/entry_table.hpp"
#include "code/function_code.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace gdb_ompd {

// The branch behind a call that tries to take a lock, and whether it is taken if the call has.
struct Success {
    std::size_t branch = 0;
    bool is_taken = false;
};

// What a call, or a jump out of the function, does to a lock.
struct LockChange {
    std::size_t index = 0;                       // the instruction
    code::WaitKind kind = code::WaitKind::none;  // none: it may let go any lock
    bool enters = false;
    bool waits = false;       // of one that enters: until the lock is free
    bool has_object = false;  // false of what has no word of its own
    code::Value object;       // as it was when the call was last made
    bool stable = false;      // it cannot have been another, however often it was made
    bool sure = true;         // false: the function that is called does so on some ways only
    bool is_left = false;     // of one that enters: something here may let it go again
    std::optional<Success> success{};  // of one that tries, where the next branch tells
    bool enters_there = false;         // on that way of the branch alone

    [[nodiscard]] bool may_be(const LockChange &other) const {
        if (kind != other.kind || has_object != other.has_object) {
            return false;
        }
        return !has_object || !(stable && other.stable) || object == other.object;
    }
    [[nodiscard]] bool is_same(const LockChange &other) const {
        return may_be(other) && (!has_object || (object && stable && other.stable));
    }
};

// In the order in which they are made, by instruction.
using LockChanges = std::vector<LockChange>;
using Open = std::set<std::size_t>;  // by their places in the changes

struct Inside {
    Open surely;   // on every way from the function's start; of each lock the first place
    Open perhaps;  // on some way

    bool operator==(const Inside &) const = default;
};

// Whether what LEAVES a lock is executed from the instructions START on before the lock is waited
// for.
[[nodiscard]] bool leaves_first(const code::FunctionCode &code, const LockChanges &changes,
                                const LockChange &leaves, std::vector<std::size_t> start);

// Whether the flow has gone on behind an instruction: it may call what ends by throwing, be a call
// that nobody has made yet, or a branch that is always taken, or never.
enum class Behind : std::uint8_t { goes_on, throws, unmade, always, never };

class LockFlow {
public:
    LockFlow(const code::FunctionCode &code, const LockChanges &changes,
             const std::function<Behind(std::size_t)> &behind);

    // Whether any way has come to an instruction.
    [[nodiscard]] bool comes_to(std::size_t index) const { return known_.contains(index); }
    // Whether one comes there without an exception, by calls that nobody has made yet, too.
    [[nodiscard]] bool is_usual(std::size_t index) const { return usual_[index]; }
    // Whether each way to what leaves a lock has taken it.
    [[nodiscard]] bool is_balanced(const LockChange &leaves) const;
    // The first place in the changes that takes the same lock as the one there.
    [[nodiscard]] std::size_t first_of(std::size_t place) const;
    [[nodiscard]] Inside before(std::size_t index) const;
    [[nodiscard]] Inside after(std::size_t index) const;

private:
    void follow(std::size_t start);
    [[nodiscard]] Inside on_way(Inside behind, std::size_t branch, bool is_taken) const;
    [[nodiscard]] std::vector<bool> usual() const;
    void change(Inside &inside, const LockChange &by, std::size_t place) const;

    const code::FunctionCode &code_;
    const LockChanges &changes_;
    const std::function<Behind(std::size_t)> &behind_;
    std::map<std::size_t, Inside> known_;  // before each instruction
    std::vector<bool> usual_;
};

}  // namespace gdb_ompd
