// SPDX-License-Identifier: Apache-2.0
#include "code/register_states.hpp"

namespace gdb_ompd::code {

RegisterStates::RegisterStates(std::span<const std::span<const Instruction>> pieces) {
    for (const auto &piece : pieces) {
        for (const Instruction &instruction : piece) {
            const bool jumps = instruction.operation == Operation::branch ||
                               instruction.operation == Operation::jump;
            if (jumps && instruction.target != 0 && instruction.target <= instruction.address) {
                loop_heads_.insert(instruction.target);
            }
        }
    }
}

void RegisterStates::arrive(std::uint64_t address) {
    const auto saved = at_target_.find(address);
    if (saved != at_target_.end()) {
        if (alive_) {
            keep_common(state_, saved->second);
        } else {
            state_ = saved->second;
        }
    } else if (!alive_) {
        state_ = {};
    }
    if (loop_heads_.contains(address)) {
        state_ = {};
    }
    alive_ = true;
}

void RegisterStates::leave_to(std::uint64_t target) {
    const auto [place, fresh] = at_target_.try_emplace(target, state_);
    if (!fresh) {
        keep_common(place->second, state_);
    }
}

void RegisterStates::keep_common(State &state, const State &other) {
    for (int number = 0; number < register_count; ++number) {
        if (state[number] != other[number]) {
            state[number] = {};
        }
    }
}

void RegisterStates::forget(std::uint64_t registers) {
    for (int number = 0; number < register_count; ++number) {
        if ((registers >> number & 1U) != 0) {
            state_[number] = {};
        }
    }
}

}  // namespace gdb_ompd::code
