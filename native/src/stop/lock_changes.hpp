// SPDX-License-Identifier: Apache-2.0
// What the calls in a user's function do to locks. They are those of the runtime's, and those of
// the user's own functions that take a lock, let one go, or return with one.
#pragma once

#include "code/user_calls.hpp"
#include "stop/lock_flow.hpp"

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>

namespace gdb_ompd {

// Of what the calls have done, to mutexes too or to what keeps no owner alone, or of what they may
// do: that what is tried is taken, and what nobody has called yet is called. What is given to a
// region, a task or a thread is executed.
enum class Calls : std::uint8_t { have_done, have_done_to_mutexes, may_do };

// A function of a runtime's, or of the C library's for locks, by its name; null for others.
[[nodiscard]] const code::EntryPoint *lock_call(std::string_view name);

// Whether a function of the C library's waits for a semaphore, or posts one.
[[nodiscard]] bool is_of_semaphore(std::string_view name);

class LockCalls {
public:
    explicit LockCalls(code::UserCalls &calls, Calls which = Calls::have_done)
        : calls_(calls), may_do_(which == Calls::may_do),
          least_(which == Calls::have_done ? code::WaitKind::rwlock : code::WaitKind::mutex) {}

    // Of a function that a thread is in at the instruction HERE, in FRAME.
    [[nodiscard]] LockChanges changes(const code::FunctionCode &code, const code::Frame &frame,
                                      std::size_t here);
    // Of a function that somebody may call.
    [[nodiscard]] LockChanges changes(const code::FunctionCode &code);
    // The function that a call gives to a region, a task or a thread; null for none.
    [[nodiscard]] const code::FunctionCode *given(const code::FunctionCode &code,
                                                  code::Evaluation &values, std::size_t index);
    // Whether a call gives any.
    [[nodiscard]] bool gives(const code::Instruction &instruction) {
        return given_by(instruction) >= 0;
    }
    // The values of a function that somebody may call.
    [[nodiscard]] code::Evaluation values_of(const code::FunctionCode &code);
    [[nodiscard]] Behind behind(const code::FunctionCode &code, std::size_t index) const;

private:
    [[nodiscard]] LockChanges changes(const code::FunctionCode &code, code::Evaluation &values,
                                      int depth);
    [[nodiscard]] LockChanges of_function(const code::FunctionCode &code, code::Evaluation &values);
    [[nodiscard]] LockChanges of_call(const code::FunctionCode &called, code::Evaluation &values,
                                      std::size_t index, int depth, bool is_given);
    // The values of a function that was GIVEN its arguments.
    [[nodiscard]] code::Evaluation
    called_with(const code::FunctionCode &called,
                const std::function<code::Former(code::Register)> &given, int depth);
    // The entry point that an instruction calls, and what it is called otherwise.
    [[nodiscard]] const code::EntryPoint *entry_of(const code::Instruction &instruction);
    [[nodiscard]] std::string name_of(const code::Instruction &instruction);
    // What a call at that INDEX that tries to take a lock has to do with the branch behind it.
    [[nodiscard]] std::optional<Success> success_of(const code::FunctionCode &code,
                                                    std::size_t index,
                                                    const code::EntryPoint &entry) const;
    [[nodiscard]] int given_by(const code::Instruction &instruction);
    // What is in a function, and in those that it calls: nothing that is done to a lock, a call of
    // what is not known, or a lock.
    enum class Has : std::uint8_t { nothing, unknown, lock };
    [[nodiscard]] Has has(const code::FunctionCode &code, int depth);
    // The user's function that an instruction calls or jumps to. UNKNOWN tells that it calls one
    // which cannot be told.
    [[nodiscard]] const code::FunctionCode *called_by(const code::Instruction &instruction,
                                                      bool &unknown);
    [[nodiscard]] std::optional<bool> decided(const code::FunctionCode &code,
                                              std::size_t index) const;
    [[nodiscard]] bool is_first(const code::Instruction &instruction) const;

    code::UserCalls &calls_;
    bool may_do_;
    code::WaitKind least_;  // of the system's locks the first kind that counts
    std::unordered_map<std::uint64_t, Has> known_;  // by where the function begins
    int followed_ = 0;                              // calls, from one frame
    std::set<std::uint64_t> open_;                  // functions that are being looked at
};

}  // namespace gdb_ompd
