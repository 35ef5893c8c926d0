// SPDX-License-Identifier: Apache-2.0
// What a thread executes next if nobody else changes memory: its code, followed with the values
// that its registers and memory have now.
#pragma once

#include "code/known_state.hpp"
#include "code/tries.hpp"
#include "code/user_calls.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

namespace gdb_ompd::code {

class Ahead {
public:
    // Begins where the function of FRAME is. STACK is what of the memory is the thread's own.
    Ahead(UserCalls &calls, const Frame &frame, std::pair<std::uint64_t, std::uint64_t> stack);

    // As if the function that FRAME has called had returned RESULT; the same of the call at which
    // go_to has ended.
    void set_result(Value result);
    void pass_call(std::uint64_t result);
    // As if it had been CALLEE, which go_to has followed to its end: GCC's callers know which
    // registers that leaves alone.
    void set_returned(const Ahead &callee) { state_.follow(callee.state_); }
    // The thread is behind an INSTRUCTION that swaps if equal, for which its register held
    // EXPECTED.
    void set_swapped(const Instruction &instruction, std::uint64_t expected) {
        state_.compare_swapped(instruction, expected);
    }
    // As if a piece of memory held VALUE.
    void set_memory(const Piece &piece, std::uint64_t value) { state_.write(piece, value); }
    // As if others had written VALUE to one, or what is not known.
    void suppose(const Piece &piece, Value value) { state_.suppose(piece, value); }
    // What pthread_self, omp_get_thread_num and omp_get_num_threads return to the thread, whether
    // trying to set a lock fails, and whether that has failed where the thread is in the call.
    struct Self {
        using IsSo = std::function<bool(const Tried &)>;
        Value pthread{}, thread_num{}, num_threads{};
        IsSo fails{}, has_failed{};
    };
    void set_self(const Self &self) { self_ = self; }
    // As if no time passed: it is 0, and what was told before is told again.
    void stop_time() { time_stands_ = true; }
    // What the function returns to SELF that the first of FRAMES has called; 0 where its name tells
    // nothing.
    [[nodiscard]] static Value result_of_call(UserCalls &calls, std::span<const Frame> frames,
                                              const Self &self);

    enum class End : std::uint8_t {
        unknown,  // what follows depends on what is not known
        comes,    // to the instruction that was asked for
        returns,  // from the function
        forks,    // at a branch that depends on what is not known
        turns,    // behind a jump back
    };
    // Where it ends: in the same call of the function, there and behind each jump back, or also in
    // the functions that this calls.
    enum class Until : std::uint8_t { in_call, at_turns, in_callees };
    // Follows the code to the instruction at ADDRESS. The call at ADDRESS is not made.
    [[nodiscard]] End go_to(std::uint64_t address, Until until = Until::in_call);

    // Where it is, with where the functions return to that were called meanwhile.
    [[nodiscard]] std::vector<std::uint64_t> place() const;
    // Where the branch at which it forks leads, or what follows that.
    void take(bool branch);
    // The branches of the function that known values have decided, and whether it asked for the
    // time.
    [[nodiscard]] const std::set<std::uint64_t> &decided() const { return decided_; }
    [[nodiscard]] bool asks_time() const { return asks_time_; }
    void forget_decided() { decided_.clear(); }

    // What is known there.
    [[nodiscard]] const KnownState &state() const { return state_; }
    // Forgets what is not so in another one that has come to the same place, too. Returns whether
    // it was anything.
    bool join(Ahead &other) { return state_.join(other.state_); }
    // The locks that it has tried to set, as pieces that were read, and whether it has let any go.
    [[nodiscard]] const std::map<Piece, WaitKind> &tried() const { return tried_; }
    [[nodiscard]] bool lets_go() const { return lets_go_; }

private:
    struct Caller {
        std::uint64_t returns_to = 0;
        KnownState::Registers registers{};
    };
    enum class Step : std::uint8_t { next, ends, fails, forks };

    [[nodiscard]] const Instruction *instruction();
    [[nodiscard]] Step step(const Instruction &instruction);
    [[nodiscard]] Step call(const Instruction &instruction);
    [[nodiscard]] Step call_outside(const Instruction &instruction, const Caller &caller);
    [[nodiscard]] Step fail_to_set(const Try &tries, const Caller &caller);
    [[nodiscard]] Step have_returned(const Caller &caller, Value result);
    [[nodiscard]] Step give_back();
    [[nodiscard]] Step jump(const Instruction &instruction);
    [[nodiscard]] std::optional<std::uint64_t> goes_to(const Instruction &instruction) const;

    UserCalls &calls_;
    KnownState state_;
    std::uint64_t pc_;
    std::map<Piece, WaitKind> tried_;
    bool lets_go_ = false;
    std::vector<Caller> callers_;  // of functions that were called meanwhile
    std::set<std::uint64_t> decided_;
    bool asks_time_ = false;
    bool time_stands_ = false;
    Self self_;
};

}  // namespace gdb_ompd::code
