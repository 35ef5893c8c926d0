// SPDX-License-Identifier: Apache-2.0
// The values of a function's terms, worked out from what is still there: the registers that a
// callee preserves, the stack, constants, and what the function was called with.
//
// Where several ways lead to a place, and the conditions on them do not tell by which of them it
// was reached, they must agree.
#pragma once

#include "code/arithmetic.hpp"
#include "code/function_values.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace gdb_ompd::code {

// A value, and whether it cannot have been another, however often the instruction was executed.
struct Former {
    Value value;
    bool is_stable = false;
};

using ReadRegister = std::function<Value(Register)>;
// As many bytes at an address as are there now; stable is what nobody can change.
using ReadMemory = std::function<Former(std::uint64_t, unsigned)>;

// Where a function is, and what can be asked there.
struct Surroundings {
    std::optional<std::size_t> here;  // none of one that has returned, or jumped on
    ReadRegister held_by;             // a register as it is HERE
    ReadMemory memory;
    // What the function was called with; the stack pointer, too.
    std::function<Former(Register)> at_entry;
    // What a node is that the code alone does not tell; none where it is worked out as any other.
    std::function<std::optional<Former>(NodeNumber)> given{};
};

class Evaluation {
public:
    Evaluation(FunctionValues &values, Surroundings surroundings);

    // What a TERM was before an instruction, when that was executed last.
    [[nodiscard]] Former ask(std::size_t index, Term term);
    // What a register held before an instruction, when that was executed last.
    [[nodiscard]] Former held_by(std::size_t index, Register name);
    // An integer argument of the call at an instruction, counted from 0.
    [[nodiscard]] Former argument(std::size_t index, std::size_t number);
    // Where a call or jump through a register or memory goes.
    [[nodiscard]] Former destination(std::size_t index);
    // What a register held when the function began.
    [[nodiscard]] Former at_entry(Register name);
    // Whether the condition of an instruction is true.
    [[nodiscard]] std::optional<bool> holds(std::size_t index);

private:
    // Before an instruction, or, ON_WAY, where one of the ways there has come to it.
    struct Moment {
        std::size_t index = 0;
        bool on_way = false;

        bool operator<(const Moment &other) const {
            return index != other.index ? index < other.index : !on_way && other.on_way;
        }
    };

    void know(NodeNumber number, std::uint64_t value);
    [[nodiscard]] Former value(Term term, Moment moment);
    [[nodiscard]] Former value(NodeNumber number, Moment moment);
    [[nodiscard]] Former kept(NodeNumber number, Moment moment);
    [[nodiscard]] Value in_memory(NodeNumber number, std::span<const Slot> slots,
                                  std::optional<std::size_t> since);
    [[nodiscard]] Former worked_out(NodeNumber number, Moment moment);
    [[nodiscard]] Former loaded(NodeNumber number, Moment moment);
    [[nodiscard]] Former of_joint(NodeNumber number, Moment moment);
    [[nodiscard]] Former of_two(NodeNumber number, Moment moment);
    [[nodiscard]] bool is_ruled_out(std::size_t way, std::size_t next, Moment moment);
    [[nodiscard]] std::optional<bool> holds(std::size_t index, Term flags, Moment moment);
    // Whether something that a node is made of was executed between MOMENT and here; AGAIN: or may
    // have been since the first time.
    [[nodiscard]] bool is_another(NodeNumber number, Moment moment, bool again);
    [[nodiscard]] const std::vector<bool> &between(std::size_t index, bool again);
    [[nodiscard]] bool is_changed(std::size_t since, Term address, unsigned width);

    FunctionValues &values_;
    Surroundings now_;
    std::optional<FunctionValues::State> state_;  // here
    std::map<NodeNumber, Value> known_now_;
    std::map<std::pair<NodeNumber, Moment>, Former> known_;
    std::map<std::pair<std::size_t, bool>, std::vector<bool>> between_;
    bool is_of_now_ = false;  // what is asked is of HERE itself
    int steps_ = 0;
};

}  // namespace gdb_ompd::code
