// SPDX-License-Identifier: Apache-2.0
// What the registers hold at each instruction of a function, as far as every way there
// agrees on it. The instructions are told in the order of their addresses.
#pragma once

#include "code/instruction.hpp"
#include "code/known.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <unordered_set>

namespace gdb_ompd::code {

class RegisterStates {
public:
    // PIECES are the parts of the function. A loop changes registers after its head was
    // passed: nothing is known there.
    explicit RegisterStates(std::span<const std::span<const Instruction>> pieces);

    // The instruction at ADDRESS is next.
    void arrive(std::uint64_t address);
    // It may go on at TARGET, with what the registers hold now.
    void leave_to(std::uint64_t target);
    // It never goes on at the next one.
    void stop() { alive_ = false; }

    [[nodiscard]] Known held_by(Register number) const {
        return number < register_count ? state_[number] : Known{};
    }
    void set(Register number, const Known &known) {
        if (number < register_count) {
            state_[number] = known;
        }
    }
    // Nothing is known any more of REGISTERS, a bit for each.
    void forget(std::uint64_t registers);

private:
    using State = std::array<Known, register_count>;

    static void keep_common(State &state, const State &other);

    State state_{};
    bool alive_ = true;
    std::unordered_map<std::uint64_t, State> at_target_;
    std::unordered_set<std::uint64_t> loop_heads_;
};

}  // namespace gdb_ompd::code
