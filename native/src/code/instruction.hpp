// SPDX-License-Identifier: Apache-2.0
// A machine instruction, reduced to what is asked of it: what it does to memory, where
// control goes, and what it leaves in a register.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>

namespace gdb_ompd::code {

// Registers are numbered by the architecture: general ones from 0, vector ones
// from 32 on. All widths of one register have the same number.
using Register = std::uint8_t;
inline constexpr Register no_register = 0xff;
inline constexpr Register first_vector_register = 32;
inline constexpr int register_count = 64;

enum class Operation : std::uint8_t {
    nothing,         // a no-op, or a marker such as endbr64
    move,            // destination = source register, or immediate
    insert,          // destination's 16 bits at SHIFT = immediate, the others stay (aarch64 movk)
    add,             // destination = source + immediate
    bit_or,          // destination = source | immediate
    address,         // destination = the memory operand's address
    thread_pointer,  // destination = what thread-local storage is relative to
    load,
    store,
    store_or,   // memory |= source or immediate
    store_and,  // memory &= source or immediate
    update,     // memory is changed in another way: unless it is 0, the immediate is added
    compare,    // memory is only looked at
    push,       // of an immediate, of SOURCE (a register, or the first of two), or of memory
    pop,  // to a register or two; from SOURCE, to which the stack pointer is set first, if any
    call,
    jump,
    branch,
    give_back,  // the return instruction
    trap,       // the flow ends here
    other,
};

struct Memory {
    Register base = no_register;
    Register index = no_register;
    std::uint8_t scale = 1;
    bool thread_local_segment = false;
    std::int64_t displacement = 0;  // the address itself where there is no register
};

enum class Arithmetic : std::uint8_t {
    unknown,
    first,  // the first operand alone
    add,
    subtract,
    multiply,
    shift_left,
    shift_right,  // what comes in is the first operand's sign where that is signed
    bit_and,
    bit_or,
    bit_xor,
    // With two results: the product's lower and upper half, the quotient and the remainder.
    multiply_wide,
    divide,
    insert,  // the first operand with the immediate as its 16 bits at SHIFT
    choose,  // the second operand where the instruction's condition holds, else the first
    holds,   // 1 where the instruction's condition holds, else 0
};

// What of the last comparison an instruction depends on: of its operands as numbers without
// (BELOW) or with a sign (LESS), or of their difference's sign.
enum class Condition : std::uint8_t {
    none,
    equal,
    unequal,
    below,
    not_below,
    below_or_equal,
    above,
    less,
    not_less,
    less_or_equal,
    greater,
    negative,
    not_negative,
};

struct Operand {
    enum class Kind : std::uint8_t { none, in_register, immediate, memory, address };

    Kind kind = Kind::none;
    Register number = no_register;
    std::uint8_t width = 0;  // bytes
    bool is_signed = false;

    bool operator==(const Operand &) const = default;
};

// What an instruction leaves in a general register, where that is plain; of one that only
// compares, what it compares by.
struct Computation {
    Arithmetic arithmetic = Arithmetic::unknown;
    Register destination = no_register;
    std::uint8_t width = 0;  // bytes; those above become 0, but stay where it is less than 4
    Operand first;
    Operand second;
    Register upper = no_register;  // gets the second result, holds a dividend's upper half

    bool operator==(const Computation &) const = default;
};

struct Instruction {
    std::uint64_t address = 0;
    std::uint64_t writes = 0;  // a bit for each register whose value changes
    std::int64_t immediate = 0;
    std::uint64_t target = 0;  // of a call, jump or branch; 0 where it is not a constant
    Memory memory;
    Operation operation = Operation::other;
    Register destination = no_register;
    Register source = no_register;  // no_register: the immediate is the source
    Register second_source = no_register;
    std::uint8_t width = 0;  // bytes moved; of each register where two are
    std::uint8_t shift = 0;
    std::uint8_t length = 0;                // bytes of code
    std::int16_t moves_stack = 0;           // bytes, of what pushes or pops
    bool has_memory = false;                // MEMORY is an operand
    bool sets_flags = false;                // conditions are then of what it computes
    bool compares = false;                  // a branch: its condition is of what it computes itself
    Condition condition = Condition::none;  // on which it branches or chooses
    bool repeats = false;                   // as often as a register tells: a string's
    bool swaps = false;                     // an update that leaves in SOURCE what was in memory
    // An update that writes SOURCE where memory has what the first register compared holds, and
    // else leaves in that what memory has.
    bool swaps_if_equal = false;
    Computation computation;
    // Of a call or jump through a register, the constant place that the function's address was
    // loaded from, if the code around tells it.
    std::uint64_t loaded_from = 0;

    [[nodiscard]] std::uint64_t end() const { return address + length; }
    [[nodiscard]] bool changes_memory() const {
        return operation == Operation::store || operation == Operation::store_or ||
               operation == Operation::store_and || operation == Operation::update;
    }
    [[nodiscard]] bool is_call() const { return operation == Operation::call; }
    // Whether it may go on elsewhere.
    [[nodiscard]] bool is_jump() const {
        return operation == Operation::jump || operation == Operation::branch;
    }
    // Whether the next instruction is never what is executed after it.
    [[nodiscard]] bool ends_flow() const {
        return operation == Operation::jump || operation == Operation::give_back ||
               operation == Operation::trap;
    }
    // Where memory has its operand, if that hangs on no register.
    [[nodiscard]] std::optional<std::uint64_t> constant_place() const {
        const bool is_constant = has_memory && memory.base == no_register &&
                                 memory.index == no_register && !memory.thread_local_segment;
        return is_constant ? std::optional(static_cast<std::uint64_t>(memory.displacement))
                           : std::nullopt;
    }
    // Whether it goes where a register or memory tells.
    [[nodiscard]] bool is_indirect() const { return is_jump() && target == 0; }
};

constexpr std::uint64_t bit_of(Register number) {
    return number < register_count ? std::uint64_t{1} << number : 0;
}

// The registers that an instruction computes from, a bit for each.
constexpr std::uint64_t computes_from(const Instruction &one) {
    std::uint64_t found = bit_of(one.source) | bit_of(one.second_source);
    for (const Operand &operand : {one.computation.first, one.computation.second}) {
        if (operand.kind == Operand::Kind::in_register) {
            found |= bit_of(operand.number);
        }
    }
    if (one.operation == Operation::address ||
        one.computation.first.kind == Operand::Kind::address) {
        found |= bit_of(one.memory.base) | bit_of(one.memory.index);
    }
    return found;
}

}  // namespace gdb_ompd::code
