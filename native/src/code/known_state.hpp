// SPDX-License-Identifier: Apache-2.0
// What is known of a thread's registers and of memory, and what instructions make of that.
#pragma once

#include "code/user_calls.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace gdb_ompd::code {

// A piece of memory: its address, and its size in bytes.
using Piece = std::pair<std::uint64_t, unsigned>;

class KnownState {
public:
    // The low bytes of a register that are known.
    struct Held {
        std::uint64_t value = 0;
        unsigned known = 0;

        bool operator==(const Held &) const = default;
    };
    using Registers = std::array<Held, first_vector_register>;

    // Of FRAME. STACK is what of the memory is the thread's own.
    KnownState(FunctionReader &functions, const Frame &frame,
               std::pair<std::uint64_t, std::uint64_t> stack);

    [[nodiscard]] const CallingConvention &convention() const { return convention_; }
    [[nodiscard]] const Registers &registers() const { return registers_; }
    [[nodiscard]] Value held_by(Register name, unsigned width = pointer_size) const;
    void hold(Register name, Value value, unsigned width = pointer_size);
    void forget(std::uint64_t registers);
    void move_stack(std::int64_t bytes);
    // What a callee preserves is as it was in its CALLER.
    void give_back(const Registers &caller);
    // Memory, and what a CALLEE does not preserve, are as that has left them.
    void follow(const KnownState &callee);

    void write(const Piece &piece, Value value);
    // As if others had written VALUE to one, or what is not known.
    void suppose(const Piece &piece, Value value) { supposed_ = {piece, value}; }
    [[nodiscard]] bool is_supposed(const Piece &piece) const {
        return supposed_ && supposed_->first == piece;
    }
    // What a call has read, whatever that was.
    void note_read(const Piece &piece) { read_.emplace(piece, std::nullopt); }
    // What was read of memory that is not the thread's own and may change, and what is there.
    [[nodiscard]] const std::map<Piece, Value> &read() const { return read_; }
    // The same of memory that is its own: whoever was given a variable's address may write it.
    [[nodiscard]] const std::map<Piece, Value> &own_read() const { return own_read_; }
    // What was written there.
    [[nodiscard]] const std::map<Piece, Value> &written() const { return written_; }
    // Whether memory that is not the thread's own has got another value: who tries to set a flag
    // writes what is there.
    [[nodiscard]] bool changes_memory() const;

    // What an INSTRUCTION that sets flags compares. One that swaps if equal compared EXPECTED.
    void compare(const Instruction &instruction);
    void compare_swapped(const Instruction &instruction, std::uint64_t expected);
    // Whether a CONDITION is true of what was compared last.
    [[nodiscard]] std::optional<bool> holds(const Instruction &instruction) const;
    void compute(const Instruction &instruction);
    void push();
    void pop(const Instruction &instruction);
    // Writes memory. False where that is not known.
    [[nodiscard]] bool store(const Instruction &instruction);
    [[nodiscard]] bool swap(const Instruction &instruction);

    // Whether all is as it is in another one.
    [[nodiscard]] bool is_same(const KnownState &other) const {
        return registers_ == other.registers_ && written_ == other.written_;
    }
    // Forgets what is not so in another one, too. Returns whether it was anything.
    bool join(KnownState &other);

private:
    [[nodiscard]] Value operand(const Instruction &instruction, const Operand &operand);
    [[nodiscard]] Value address(const Instruction &instruction) const;
    [[nodiscard]] Value load(std::uint64_t address, unsigned width);
    [[nodiscard]] bool is_own(std::uint64_t address) const;

    FunctionReader &functions_;
    CallingConvention convention_;
    std::pair<std::uint64_t, std::uint64_t> stack_;
    Registers registers_{};
    std::map<Piece, Value> written_;
    std::map<Piece, Value> read_, own_read_;
    std::optional<std::pair<Piece, Value>> supposed_;
    // The last comparison, and what it compared.
    Computation compared_;
    Value first_;
    Value second_;
};

}  // namespace gdb_ompd::code
