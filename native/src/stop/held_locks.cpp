// SPDX-License-Identifier: Apache-2.0
#include "stop/held_locks.hpp"

#include "code/call_site.hpp"
#include "elf/address_space.hpp"

#include <algorithm>
#include <array>
#include <functional>

namespace gdb_ompd {

using code::Arithmetic;
using code::EntryPoint;
using code::Frame;
using code::FunctionCode;
using code::Instruction;
using code::LockEffect;
using code::Operand;
using code::Operation;
using code::Register;
using code::Value;

namespace {

// A call that enters or leaves a lock, and which one where that is known. STABLE tells that
// it cannot have been another when the call was made.
struct LockCall {
    const EntryPoint *entry = nullptr;
    Value object;
    bool stable = true;

    [[nodiscard]] bool enters() const { return entry->lock == LockEffect::enters; }
    [[nodiscard]] bool may_be(const LockCall &other) const {
        if (entry->kind != other.entry->kind) {
            return false;
        }
        if (entry->object < 0 || other.entry->object < 0) {
            return entry->object == other.entry->object;
        }
        return !(stable && other.stable) || object == other.object;
    }
};

using LockCalls = std::map<std::size_t, LockCall>;  // by instruction
using Open = std::set<std::size_t>;                 // entering calls

bool sets(const Instruction &instruction, Register name) {
    return instruction.operation != Operation::push && instruction.operation != Operation::pop &&
           !instruction.is_call() && !instruction.is_jump() &&
           (instruction.writes & recovery::bit_of(name)) != 0;
}

// One user function of the thread's, at its frame.
class LockingFunction {
public:
    LockingFunction(code::UserCalls &calls, const FunctionCode &code, const Frame &frame)
        : calls_(calls), code_(code), frame_(frame),
          convention_(calls.functions().architecture()->convention()) {}

    [[nodiscard]] LockCalls lock_calls() {
        LockCalls found;
        for (std::size_t index = 0; index < code_.instructions().size(); ++index) {
            const EntryPoint *const entry =
                code_.at(index).is_call() ? calls_.entry_of(code_.at(index)) : nullptr;
            if (entry != nullptr && entry->lock != LockEffect::none) {
                found[index] = {entry, std::nullopt, true};
            }
        }
        const bool any = std::any_of(found.begin(), found.end(),
                                     [](const auto &one) { return one.second.enters(); });
        if (!any) {
            return {};
        }
        for (auto &[index, call] : found) {
            note_object(index, call);
        }
        return found;
    }

private:
    void note_object(std::size_t index, LockCall &call) {
        if (call.entry->object < 0) {
            return;
        }
        code::CallSite site(
            code_, index, *calls_.functions().architecture(),
            [this](Register name) { return unchanging(name); },
            [&](std::uint64_t address, unsigned size) {
                call.stable = call.stable && is_set_once(address);
                return calls_.functions().space().uint_at(TargetAddr{address}, size);
            },
            [](Register) { return Value(); });
        call.object = site.argument(static_cast<std::size_t>(call.entry->object));
        call.stable = call.stable && call.object;
    }

    // A register that the function sets once, or to one constant only: then it is the same
    // now. The saving and restoring of the caller's value are left out.
    [[nodiscard]] Value unchanging(Register name) const {
        if (name == convention_.stack_pointer) {
            return frame_.held_by(name);
        }
        std::size_t count = 0;
        bool alike = true;
        Value constant;
        for (const Instruction &instruction : code_.instructions()) {
            if (!sets(instruction, name)) {
                continue;
            }
            ++count;
            const bool is_address = instruction.computation.arithmetic == Arithmetic::first &&
                                    instruction.computation.first.kind == Operand::Kind::address &&
                                    instruction.memory.base == recovery::no_register &&
                                    instruction.memory.index == recovery::no_register;
            const auto address = static_cast<std::uint64_t>(instruction.memory.displacement);
            alike = alike && is_address && (!constant || constant == address);
            constant = address;
        }
        return count > 1 ? (alike ? constant : std::nullopt) : frame_.held_by(name);
    }

    // Whether a variable of the function's frame is set at one place, and its address is
    // given to nobody: what it is now, it was at every call.
    [[nodiscard]] bool is_set_once(std::uint64_t address) const {
        int stores = 0;
        for (const Instruction &instruction : code_.instructions()) {
            if (slot(instruction) != address) {
                continue;
            }
            if (instruction.operation == Operation::address) {
                return false;
            }
            const bool changes = instruction.operation == Operation::store ||
                                 instruction.operation == Operation::store_or ||
                                 instruction.operation == Operation::store_and ||
                                 instruction.operation == Operation::update;
            stores += changes ? 1 : 0;
        }
        return stores == 1;
    }

    // The address of an operand in the function's frame.
    [[nodiscard]] Value slot(const Instruction &instruction) const {
        const Register base = instruction.memory.base;
        if ((base != convention_.stack_pointer && base != convention_.frame_pointer) ||
            instruction.memory.index != recovery::no_register) {
            return std::nullopt;
        }
        const Value start = unchanging(base);
        return start ? Value{*start + static_cast<std::uint64_t>(instruction.memory.displacement)}
                     : std::nullopt;
    }

    code::UserCalls &calls_;
    const FunctionCode &code_;
    const Frame &frame_;
    recovery::CallingConvention convention_;
};

// The open calls behind an instruction. A call that leaves a lock which is not known closes
// all of them where SURE is wanted, none where not.
Open after(Open open, const LockCalls &calls, std::size_t index, bool sure) {
    const auto found = calls.find(index);
    if (found == calls.end()) {
        return open;
    }
    const LockCall &call = found->second;
    if (call.enters()) {
        open.insert(index);
        return open;
    }
    std::erase_if(open, [&](std::size_t one) {
        const LockCall &entered = calls.at(one);
        return entered.may_be(call) && (sure || entered.object == call.object);
    });
    return open;
}

struct Inside {
    Open surely;   // on every way from the function's start
    Open perhaps;  // on some way

    bool operator==(const Inside &) const = default;
};

Inside joined(const Inside &one, const Inside &other) {
    Inside both;
    std::set_intersection(one.surely.begin(), one.surely.end(), other.surely.begin(),
                          other.surely.end(), std::inserter(both.surely, both.surely.end()));
    both.perhaps = one.perhaps;
    both.perhaps.insert(other.perhaps.begin(), other.perhaps.end());
    return both;
}

using Known = std::map<std::size_t, Inside>;  // before each instruction

// Follow what is known before the instruction START.
void follow(Known &known, const FunctionCode &code, const LockCalls &calls, std::size_t start,
            const std::function<bool(std::size_t)> &returns) {
    std::vector<std::size_t> left{start};
    while (!left.empty()) {
        const std::size_t index = left.back();
        left.pop_back();
        if (!returns(index)) {
            continue;
        }
        const Inside behind{after(known[index].surely, calls, index, true),
                            after(known[index].perhaps, calls, index, false)};
        for (const std::size_t next : code.successors(index)) {
            const auto [place, is_new] = known.try_emplace(next, behind);
            const Inside both = is_new ? behind : joined(place->second, behind);
            if (is_new || both != place->second) {
                place->second = both;
                left.push_back(next);
            }
        }
    }
}

// The entering calls that are open before the instruction HERE. Code that no way leads to
// handles exceptions, from anywhere in the function. RETURNS tells of a call that it may.
Inside inside(const FunctionCode &code, const LockCalls &calls, std::size_t here,
              const std::function<bool(std::size_t)> &returns) {
    Known known{{0, {}}};
    follow(known, code, calls, 0, returns);
    Inside thrown;
    for (const auto &[index, call] : calls) {
        if (call.enters()) {
            thrown.perhaps.insert(index);
        }
    }
    for (std::size_t index = 0; index < code.instructions().size(); ++index) {
        const bool is_padding = code.at(index).operation == Operation::nothing;
        if (!is_padding && known.try_emplace(index, thrown).second) {
            follow(known, code, calls, index, returns);
        }
    }
    Inside found = known[here];
    if (code.jumps_anywhere()) {
        found.surely.clear();
    }
    return found;
}

// Whether the flow goes on behind an instruction, which may be a call of what ends by throwing.
bool may_return(const code::UserCalls &calls, const FunctionCode &code, std::size_t index) {
    static constexpr std::array throwing{"__cxa_throw", "__cxa_rethrow", "_Unwind_Resume"};
    if (!code.at(index).is_call() || index + 1 >= code.instructions().size()) {
        return true;
    }
    const auto name = calls.name_called(code.at(index + 1).address);
    return !name || std::ranges::find(throwing, *name) == throwing.end();
}

}  // namespace

std::vector<HeldLock> held_locks(code::UserCalls &calls, std::span<const Frame> frames) {
    std::vector<HeldLock> found;
    std::set<std::uint64_t> passed;  // functions that are inlined share their place
    for (std::size_t number = 0; number < frames.size(); ++number) {
        const Frame &frame = frames[number];
        if (!calls.code().is_user(frame.pc) || !passed.insert(frame.pc).second) {
            continue;
        }
        const FunctionCode *const code =
            calls.functions().function(number > 0 ? frame.pc - 1 : frame.pc);
        if (code == nullptr) {
            continue;
        }
        const auto here = number == 0 ? code->index_of(frame.pc) : code->call_before(frame.pc);
        const LockCalls lock_calls =
            here ? LockingFunction(calls, *code, frame).lock_calls() : LockCalls();
        if (lock_calls.empty()) {
            continue;
        }
        const auto returns = [&](std::size_t index) { return may_return(calls, *code, index); };
        const Inside open = inside(*code, lock_calls, *here, returns);
        for (auto index = open.perhaps.rbegin(); index != open.perhaps.rend(); ++index) {
            const LockCall &call = lock_calls.at(*index);
            if (call.object || call.entry->object < 0) {
                found.push_back({call.entry->kind, call.object, code->at(*index).address, frame.pc,
                                 call.stable && open.surely.contains(*index)});
            }
        }
    }
    return found;
}

}  // namespace gdb_ompd
