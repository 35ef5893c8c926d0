// SPDX-License-Identifier: Apache-2.0
// The registers as a function's caller left them, by what the function's own instructions do: for
// code that no unwind table describes, as hand-written assembly has none.
#pragma once

#include "code/arithmetic.hpp"
#include "code/function_code.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

namespace gdb_ompd::code {

inline constexpr std::size_t general_registers = 16;
using GeneralRegisters = std::array<Value, general_registers>;
using ReadHeld = std::function<Value(Register)>;
using ReadStack = std::function<Value(std::uint64_t, unsigned)>;

// Every way through the function is followed, from its first instruction on. A register holds what
// another one held at the beginning, and a constant more; so does a place in the stack.
class EntryValues {
public:
    EntryValues(const FunctionCode &code, const Architecture &architecture);

    // What the registers held at the function's beginning, as far as it can be told from those
    // HELD before the instruction with the number BEFORE. None where no way leads there.
    [[nodiscard]] std::optional<GeneralRegisters> read(std::size_t before, const ReadHeld &held,
                                                       const ReadStack &memory) const;
    // Where the stack pointer may have been at the beginning, if the code did to it what it does on
    // some way: for instructions that no known way leads to.
    [[nodiscard]] std::vector<GeneralRegisters> guesses(const ReadHeld &held,
                                                        const ReadStack &memory) const;

private:
    // What ORIGIN held, and OFFSET more: a register at the beginning or, from general_registers
    // on, the stack pointer as the instruction with that number has aligned it.
    struct Linear {
        std::size_t origin = unknown;
        std::int64_t offset = 0;

        static constexpr std::size_t unknown = ~std::size_t{0};
        [[nodiscard]] bool is_known() const { return origin != unknown; }
        [[nodiscard]] Linear plus(std::int64_t more) const {
            return is_known() ? Linear{origin, offset + more} : Linear{};
        }
        bool operator==(const Linear &) const = default;
        bool operator<(const Linear &other) const {
            return origin != other.origin ? origin < other.origin : offset < other.offset;
        }
    };
    struct State {
        std::array<Linear, general_registers> registers;
        std::map<Linear, Linear> saved;  // by their places, of 8 bytes

        bool operator==(const State &) const = default;
        void keep_common(const State &other);
    };

    void follow(std::size_t from, std::vector<std::size_t> &waiting);
    void arrive(std::size_t at, const State &state, std::vector<std::size_t> &waiting);
    void step(std::size_t at, State &state) const;
    void pop(const Instruction &one, State &state) const;
    static void store(const Instruction &one, State &state);
    static void forget(State &state, const Linear &place, std::uint64_t size);
    [[nodiscard]] Linear result(std::size_t at, const State &state) const;
    [[nodiscard]] static Linear register_of(const State &state, Register number);
    [[nodiscard]] static Linear saved_at(const State &state, const Linear &place);
    [[nodiscard]] static Linear place(const Instruction &one, const State &state);
    [[nodiscard]] std::optional<State> state_before(std::size_t index) const;
    [[nodiscard]] static std::optional<GeneralRegisters>
    solved(const State &state, const ReadHeld &held, const ReadStack &memory);

    const FunctionCode &code_;
    const Architecture &architecture_;
    std::map<std::size_t, State> joints_;  // where ways meet
};

}  // namespace gdb_ompd::code
