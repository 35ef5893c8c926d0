// SPDX-License-Identifier: Apache-2.0
// What the calls in a user's function do to locks: those of the runtime's, and those of the
// user's own functions that take a lock, let one go, or return with one.
#pragma once

#include "code/user_calls.hpp"
#include "stop/lock_flow.hpp"

#include <set>
#include <unordered_map>

namespace gdb_ompd {

class LockCalls {
public:
    explicit LockCalls(code::UserCalls &calls) : calls_(calls) {}

    // Of a function that a thread is in at the instruction HERE, in FRAME.
    [[nodiscard]] LockChanges changes(const code::FunctionCode &code, const code::Frame &frame,
                                      std::size_t here);
    [[nodiscard]] Behind behind(const code::FunctionCode &code, std::size_t index) const;

private:
    [[nodiscard]] LockChanges changes(const code::FunctionCode &code, code::Evaluation &values,
                                      int depth);
    [[nodiscard]] LockChanges of_call(const code::FunctionCode &called, code::Evaluation &values,
                                      std::size_t index, int depth);
    // The values of a function that was called at an instruction, and has returned.
    [[nodiscard]] code::Evaluation called_with(const code::FunctionCode &called,
                                               code::Evaluation &caller, std::size_t index,
                                               int depth);
    // What is in a function, and in those that it calls: nothing that is done to a lock, a call of
    // what is not known, or a lock.
    enum class Has : std::uint8_t { nothing, unknown, lock };
    [[nodiscard]] Has has(const code::FunctionCode &code, int depth);
    // The user's function that an instruction calls or jumps to. UNKNOWN tells that it calls one
    // which cannot be told.
    [[nodiscard]] const code::FunctionCode *called_by(const code::Instruction &instruction,
                                                      bool &unknown);
    [[nodiscard]] bool is_first(const code::Instruction &instruction) const;

    code::UserCalls &calls_;
    std::unordered_map<std::uint64_t, Has> known_;  // by where the function begins
    int followed_ = 0;                              // calls, from one frame
    std::set<std::uint64_t> open_;                  // functions that are being looked at
};

}  // namespace gdb_ompd
