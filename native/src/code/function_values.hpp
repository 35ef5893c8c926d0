// SPDX-License-Identifier: Apache-2.0
// What the registers and the stack hold before each instruction of a function.
//
// Each is a term. The stack pointer is a register like the others.
#pragma once

#include "code/architecture.hpp"
#include "code/control_flow.hpp"
#include "code/memory_rules.hpp"
#include "code/terms.hpp"

#include <array>
#include <bitset>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace gdb_ompd::code {

// Where the flags are, behind the general registers; others are not followed.
inline constexpr Register flags = first_vector_register;

class FunctionValues {
public:
    struct State {
        std::array<Term, flags + 1> held;
        Slots slots;

        bool operator==(const State &) const = default;
    };

    // CODE outlives it.
    FunctionValues(const FunctionCode &code, const Architecture &architecture);
    FunctionValues(const FunctionValues &) = delete;
    FunctionValues &operator=(const FunctionValues &) = delete;
    FunctionValues(FunctionValues &&) = delete;
    FunctionValues &operator=(FunctionValues &&) = delete;
    ~FunctionValues() = default;

    [[nodiscard]] const FunctionCode &code() const { return flow_.code(); }
    [[nodiscard]] const ControlFlow &flow() const { return flow_; }
    [[nodiscard]] const CallingConvention &convention() const { return convention_; }
    [[nodiscard]] Node node(NodeNumber number) const { return terms_.node(number); }
    // Whether a way from the function's beginning to an instruction is known.
    [[nodiscard]] bool is_reached(std::size_t index) const {
        return entered_[flow_.block_of(index)].has_value();
    }
    // What the registers hold before an instruction, and behind the last one of the block NUMBER.
    [[nodiscard]] State before(std::size_t index);
    [[nodiscard]] State behind(std::size_t number);
    // What the condition of an instruction is of.
    [[nodiscard]] Term compared(std::size_t index);
    // Where the memory is that an instruction reads or writes; none of another segment.
    [[nodiscard]] std::optional<Term> address(const State &state, std::size_t index);
    // Where a call or jump through a register, or through memory, goes.
    [[nodiscard]] std::optional<Term> goes_to(std::size_t index);
    // Whether it is of the function's stack.
    [[nodiscard]] bool is_stack(Term address) const;
    // The low WIDTH bytes of a TERM, extended by zeros or by their sign.
    [[nodiscard]] Term part(Term term, unsigned width, bool is_signed) {
        return terms_.part(term, width, is_signed);
    }
    // What a TERM that was loaded from a variable of the function's own is, if one instruction
    // alone stores there and nobody is given its address.
    [[nodiscard]] Term stored_once(Term term);
    // Whether an instruction may change WIDTH bytes at ADDRESS.
    [[nodiscard]] bool may_change(std::size_t index, Term address, unsigned width);
    // Where the memory is that an instruction has as its operand, and whether a register, other
    // than the stack pointer, ever has the address of one of SIZE bytes from BEGIN.
    [[nodiscard]] std::optional<Term> operand_place(std::size_t index);
    [[nodiscard]] std::vector<std::size_t> pointing_to(Term begin, std::uint64_t size);
    // Whether a term may be an address in the stack; of what others may know see HANDING_OVER.
    [[nodiscard]] bool may_be_stack(Term term) const;
    // Which instructions may let others know an address there: those that store one, move it to
    // where it is not followed, or call a function with it as an argument.
    [[nodiscard]] std::vector<std::size_t> handing_over(Term begin, std::uint64_t size);

private:
    using Joints = std::bitset<flags + 1>;

    void follow();
    [[nodiscard]] bool pass();
    [[nodiscard]] State entered(std::size_t number);
    [[nodiscard]] State joined(std::size_t number);
    // What all of several places have in common, with a joint for the others.
    struct Common {
        State state;
        Joints joints;
        bool has_any = false;
    };
    static void join(Common &into, const State &from, std::size_t at);
    // What a general register holds; none of another.
    [[nodiscard]] static std::optional<Term> held(const State &state, Register name);
    void step(State &state, std::size_t index);
    void run(State &state, std::size_t from, std::size_t to);

    void call(State &state, std::size_t index);
    void push(State &state, std::size_t index);
    void pop(State &state, std::size_t index);
    void compute(State &state, std::size_t index);
    void change_memory(State &state, std::size_t index);
    [[nodiscard]] Term comparison_by(State &state, std::size_t index);
    void set(State &state, Register name, Term value);

    [[nodiscard]] std::optional<Term> operand(State &state, std::size_t index,
                                              const Operand &operand);
    [[nodiscard]] std::optional<Term> result(State &state, std::size_t index, bool is_upper);
    using Pointers = std::vector<std::pair<std::size_t, Term>>;  // into the stack, by instruction
    [[nodiscard]] static std::vector<std::size_t> among(const Pointers &pointers, Term begin,
                                                        std::uint64_t size);
    void note_handed_over(const State &state, std::size_t index, std::uint64_t set);
    void find_places();
    void find_places_once();

    CallingConvention convention_;
    ControlFlow flow_;
    Terms terms_;
    MemoryRules memory_;
    std::vector<std::optional<State>> entered_;  // by block
    std::vector<std::optional<State>> left_;     // by block, until all is known
    std::vector<bool> is_due_;                   // by block
    std::vector<Joints> joints_;                 // by block
    Common called_;                              // behind all calls, where there are handlers
    Common jumped_;                              // at all indirect jumps
    // By instruction, where one changes memory; once they are asked for.
    std::vector<std::optional<std::pair<Term, std::uint64_t>>> places_;
    std::vector<std::optional<Term>> operands_;
    Pointers pointers_;
    Pointers handed_over_;  // that may be some
};

}  // namespace gdb_ompd::code
