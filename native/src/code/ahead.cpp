// SPDX-License-Identifier: Apache-2.0
#include "code/ahead.hpp"

#include "code/call_arguments.hpp"
#include "code/harmless_calls.hpp"

#include <algorithm>
#include <string_view>

namespace gdb_ompd::code {

namespace {

constexpr int most_instructions = 2000;
constexpr std::size_t most_calls = 6;  // of functions that call each other
constexpr unsigned lock_size = 4;      // bytes of one that are read

constexpr std::string_view lets_mutex_go = "pthread_mutex_unlock";

// What an instruction calls of the runtime's that enters or leaves a mutex.
const EntryPoint *mutex_call(UserCalls &calls, const Instruction &call) {
    const auto called = calls.of_call(call.end());
    const bool is_of_mutex =
        called && called->entry != nullptr && called->entry->lock != LockEffect::none;
    return is_of_mutex ? called->entry : nullptr;
}

Value returned(const Harmless &called, const Ahead::Self &self) {
    switch (called.result) {
    case Harmless::Result::zero:
        return 0;
    case Harmless::Result::self:
        return self.pthread;
    case Harmless::Result::thread_num:
        return self.thread_num;
    case Harmless::Result::num_threads:
        return self.num_threads;
    case Harmless::Result::unknown:
        break;
    }
    return std::nullopt;
}

}  // namespace

Ahead::Ahead(UserCalls &calls, const Frame &frame, std::pair<std::uint64_t, std::uint64_t> stack)
    : calls_(calls), state_(calls.functions(), frame, std::move(stack)), pc_(frame.pc) {}

void Ahead::set_result(Value result) { state_.hold(state_.convention().returned, result); }

Value Ahead::result_of_call(UserCalls &calls, std::span<const Frame> frames, const Self &self) {
    const std::uint64_t pc = frames.front().pc;
    const FunctionCode *const code = calls.functions().function(pc - 1);
    const auto index = code != nullptr ? code->call_before(pc) : std::nullopt;
    if (const auto tries = index ? tried_by(calls, code->at(*index)) : std::nullopt) {
        const Value lock =
            CallArguments(calls).argument(static_cast<std::size_t>(tries->object), {}, frames);
        const bool has_failed =
            lock && self.has_failed && self.has_failed(Tried{tries->kind, *lock});
        return has_failed ? Value{tries->failed} : std::nullopt;  // it may have just set it
    }
    const Harmless *const called = index ? harmless_call(calls, code->at(*index)) : nullptr;
    return called != nullptr && !called->tells_time ? returned(*called, self) : Value{0};
}

void Ahead::pass_call(std::uint64_t result) {
    if (const Instruction *const call = instruction()) {
        state_.forget(~state_.convention().preserved_bits());
        set_result(result);
        pc_ = call->end();
    }
}

Ahead::End Ahead::go_to(std::uint64_t address, Until until) {
    for (int steps = 0; steps < most_instructions; ++steps) {
        const Instruction *const next = instruction();
        if (next == nullptr) {
            return End::unknown;
        }
        switch (step(*next)) {
        case Step::fails:
            return End::unknown;
        case Step::forks:
            return End::forks;
        case Step::ends:
            return End::returns;
        case Step::next:
            break;
        }
        if (pc_ == address && (callers_.empty() || until == Until::in_callees)) {
            return End::comes;
        }
        if (until == Until::at_turns && next->is_jump() && pc_ <= next->address) {
            return End::turns;
        }
    }
    return End::unknown;
}

const Instruction *Ahead::instruction() {
    const FunctionCode *const code = calls_.functions().function(pc_);
    const auto index = code != nullptr ? code->index_of(pc_) : std::nullopt;
    return index ? &code->at(*index) : nullptr;
}

Ahead::Step Ahead::step(const Instruction &instruction) {
    if (instruction.sets_flags) {
        state_.compare(instruction);
    }
    switch (instruction.operation) {
    case Operation::call:
        return call(instruction);
    case Operation::give_back:
        return give_back();
    case Operation::jump:
    case Operation::branch:
        return jump(instruction);
    case Operation::trap:
        return Step::fails;
    case Operation::push:
        state_.push();
        break;
    case Operation::pop:
        state_.pop(instruction);
        break;
    case Operation::store:
    case Operation::store_or:
    case Operation::store_and:
    case Operation::update:
        if (instruction.swaps || instruction.swaps_if_equal) {
            if (!state_.swap(instruction)) {
                return Step::fails;
            }
            break;
        }
        if (!state_.store(instruction)) {
            return Step::fails;
        }
        [[fallthrough]];
    default:
        state_.compute(instruction);
    }
    pc_ = instruction.end();
    return Step::next;
}

// The program's own functions are followed, too; those that are harmless have returned.
Ahead::Step Ahead::call(const Instruction &instruction) {
    const Caller caller{instruction.end(), state_.registers()};
    const auto target = calls_.targets().destination(instruction);
    if (!target || !calls_.code().is_user(*target)) {
        return call_outside(instruction, caller);
    }
    if (callers_.size() == most_calls || calls_.functions().function_at_start(*target) == nullptr) {
        return Step::fails;
    }
    callers_.push_back(caller);
    state_.move_stack(-static_cast<std::int64_t>(state_.convention().pushed_by_call));
    pc_ = *target;
    return Step::next;
}

Ahead::Step Ahead::call_outside(const Instruction &instruction, const Caller &caller) {
    if (const auto tries = tried_by(calls_, instruction)) {
        return fail_to_set(*tries, caller);
    }
    if (const EntryPoint *const mutex = mutex_call(calls_, instruction)) {
        lets_go_ = lets_go_ || mutex->lock == LockEffect::leaves;
        return have_returned(caller, std::nullopt);
    }
    const Harmless *const called = harmless_call(calls_, instruction);
    if (called == nullptr) {
        return Step::fails;
    }
    lets_go_ = lets_go_ || called->name == lets_mutex_go;
    asks_time_ = asks_time_ || called->tells_time;
    const bool stands = called->tells_time && time_stands_;
    if (called->record >= 0 && !stands) {
        const auto number = static_cast<std::size_t>(called->record);
        const Value record = state_.held_by(state_.convention().arguments[number]);
        if (!record) {
            return Step::fails;
        }
        if (*record != 0) {
            state_.write({*record, called->size}, std::nullopt);
        }
    }
    return have_returned(caller, stands ? 0 : returned(*called, self_));
}

// The lock is read by that, and stays as it is.
Ahead::Step Ahead::fail_to_set(const Try &tries, const Caller &caller) {
    const auto number = static_cast<std::size_t>(tries.object);
    const Value lock = state_.held_by(state_.convention().arguments[number]);
    if (!lock || !self_.fails || !self_.fails(Tried{tries.kind, *lock})) {
        return Step::fails;
    }
    const Piece word{*lock, lock_size};
    tried_.emplace(word, tries.kind);
    state_.note_read(word);
    return have_returned(caller, state_.is_supposed(word) ? std::nullopt : Value{tries.failed});
}

Ahead::Step Ahead::have_returned(const Caller &caller, Value result) {
    callers_.push_back(caller);
    state_.forget(~std::uint64_t{0});
    set_result(result);
    return give_back();
}

Ahead::Step Ahead::give_back() {
    if (callers_.empty()) {
        return Step::ends;
    }
    state_.give_back(callers_.back().registers);
    pc_ = callers_.back().returns_to;
    callers_.pop_back();
    return Step::next;
}

Ahead::Step Ahead::jump(const Instruction &instruction) {
    const auto goes = instruction.operation == Operation::jump ? true : state_.holds(instruction);
    if (!goes) {
        return Step::forks;
    }
    if (instruction.operation == Operation::branch && callers_.empty()) {
        decided_.insert(instruction.address);
    }
    const auto target = goes_to(instruction);
    if (*goes && (!target || !calls_.code().is_user(*target))) {
        return Step::fails;
    }
    pc_ = *goes ? *target : instruction.end();
    return Step::next;
}

std::optional<std::uint64_t> Ahead::goes_to(const Instruction &instruction) const {
    const auto target = calls_.targets().destination(instruction);
    const bool is_by_table =
        !target && instruction.target == 0 && instruction.source != no_register;
    return is_by_table ? state_.held_by(instruction.source) : target;
}

std::vector<std::uint64_t> Ahead::place() const {
    std::vector<std::uint64_t> found{pc_};
    for (const Caller &caller : callers_) {
        found.push_back(caller.returns_to);
    }
    return found;
}

void Ahead::take(bool branch) {
    if (const Instruction *const fork = instruction()) {
        pc_ = branch ? fork->target : fork->end();
    }
}

}  // namespace gdb_ompd::code
