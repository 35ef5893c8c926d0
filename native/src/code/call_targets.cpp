// SPDX-License-Identifier: Apache-2.0
#include "code/call_targets.hpp"

#include "base/byte_order.hpp"
#include "base/target.hpp"
#include "code/linkage_stub.hpp"
#include "elf/address_space.hpp"

#include <algorithm>

namespace gdb_ompd::code {

namespace {

constexpr std::size_t looked_at = 16;  // bytes
constexpr std::size_t most_steps_back = 16;

}  // namespace

const std::vector<Instruction> &CallTargets::decoded(std::uint64_t address,
                                                     std::size_t size) const {
    std::vector<std::byte> bytes(size);
    if (!space_.can_read(TargetAddr{address}, bytes)) {
        bytes.clear();
    }
    Piece &known = pieces_[{address, size}];
    if (!are_same(known.bytes, bytes)) {
        known.instructions.clear();
        architecture_->decode(bytes, address, known.instructions);
        known.bytes = std::move(bytes);
    }
    return known.instructions;
}

Value CallTargets::pointer(std::uint64_t address) const {
    return space_.uint_at(TargetAddr{address}, space_.layout().type_sizes.sizeof_pointer);
}

// The one instruction of LENGTH bytes before END.
std::optional<Instruction> CallTargets::single(std::uint64_t end, std::uint8_t length) const {
    const std::vector<Instruction> &found = decoded(end - length, length);
    if (found.size() != 1 || found.front().length != length) {
        return std::nullopt;
    }
    return found.front();
}

const std::vector<Instruction> &CallTargets::calls(std::uint64_t return_address) const {
    const auto [place, is_new] = calls_.try_emplace(return_address);
    if (is_new && architecture_ != nullptr) {
        for (const std::uint8_t length : architecture_->call_lengths()) {
            const auto call = single(return_address, length);
            if (call && call->is_call()) {
                place->second.push_back(*call);
            }
        }
    }
    return place->second;
}

const std::vector<std::uint64_t> &CallTargets::targets(std::uint64_t return_address) const {
    const auto [place, is_new] = targets_.try_emplace(return_address);
    if (is_new) {
        for (const Instruction &call : calls(return_address)) {
            if (const auto target = destination(call)) {
                place->second.push_back(*target);
            }
        }
        if (place->second.empty() && functions_ != nullptr && !calls(return_address).empty()) {
            const auto call = call_in(functions_->function(return_address - 1), return_address);
            if (const auto target = call ? destination(*call) : std::nullopt) {
                place->second.push_back(*target);
            }
        }
    }
    return place->second;
}

std::optional<std::uint64_t> CallTargets::destination(const Instruction &instruction) const {
    if (instruction.target != 0) {
        return final(instruction.target);
    }
    if (instruction.loaded_from != 0) {
        return pointer(instruction.loaded_from);
    }
    const auto place = instruction.constant_place();
    return place ? pointer(*place) : std::nullopt;
}

std::optional<Instruction> CallTargets::call_in(const FunctionCode *function,
                                                std::uint64_t return_address) const {
    // Decoding ends at an instruction that Capstone does not know.
    const auto index = function == nullptr ? std::nullopt : function->call_before(return_address);
    if (index) {
        return function->at(*index);
    }
    const std::vector<Instruction> &found = calls(return_address);
    const auto longest = std::max_element(
        found.begin(), found.end(),
        [](const Instruction &one, const Instruction &other) { return one.length < other.length; });
    return longest == found.end() ? std::nullopt : std::optional(*longest);
}

Value CallTargets::indirect(std::uint64_t return_address, const ReadRegister &preserved,
                            const FunctionCode *function) const {
    const auto call = architecture_ == nullptr ? std::nullopt : call_in(function, return_address);
    if (!call || call->target != 0) {
        return std::nullopt;
    }
    const auto convention = architecture_->convention();
    const std::uint64_t kept = convention.preserved_bits() & ~bit_of(convention.stack_pointer);
    const Register from = call->has_memory ? call->memory.base : call->source;
    if (!call->has_memory && (bit_of(from) & kept) == 0) {
        return loaded(return_address, from, preserved, function);
    }
    const Value held = (bit_of(from) & kept) != 0 ? preserved(from) : std::nullopt;
    if (!call->has_memory || !held) {
        return held;
    }
    return call->memory.index == no_register
               ? pointer(*held + static_cast<std::uint64_t>(call->memory.displacement))
               : std::nullopt;
}

bool CallTargets::is_indirect(std::uint64_t return_address, const FunctionCode *function) const {
    const auto call = architecture_ == nullptr ? std::nullopt : call_in(function, return_address);
    return call && call->target == 0 && !call->constant_place();
}

// Runtimes take a body's address out of a task's record shortly before they call it.
Value CallTargets::loaded(std::uint64_t return_address, Register from,
                          const ReadRegister &preserved, const FunctionCode *function) const {
    auto index = function == nullptr ? std::nullopt : function->call_before(return_address);
    const auto convention = architecture_->convention();
    std::uint64_t kept = convention.preserved_bits() & ~bit_of(convention.stack_pointer);
    for (std::size_t steps = 0; index && steps < most_steps_back; ++steps) {
        index = function->only_before(*index);
        if (!index || function->at(*index).is_call()) {
            return std::nullopt;
        }
        const Instruction &before = function->at(*index);
        if ((before.writes & bit_of(from)) != 0) {
            const Memory &place = before.memory;
            const bool is_load = before.operation == Operation::load &&
                                 before.width == pointer_size && place.index == no_register &&
                                 !place.thread_local_segment;
            const Value base =
                is_load && (bit_of(place.base) & kept) != 0 ? preserved(place.base) : std::nullopt;
            return base ? pointer(*base + static_cast<std::uint64_t>(place.displacement))
                        : std::nullopt;
        }
        kept &= ~before.writes;
    }
    return std::nullopt;
}

std::uint64_t CallTargets::final(std::uint64_t target) const {
    if (architecture_ == nullptr) {
        return target;
    }
    if (const auto known = finals_.find(target); known != finals_.end()) {
        return known->second;
    }
    return finals_.emplace(target, is_function(target) ? target : beyond_stub(target))
        .first->second;
}

// Whether a function that only jumps begins there: it ends with the jump, where stubs have padding,
// and one entry of the unwind table.
bool CallTargets::is_function(std::uint64_t target) const {
    const FunctionCode *const code =
        functions_ == nullptr ? nullptr : functions_->function_at_start(target);
    return code != nullptr && !code->instructions().empty() &&
           code->instructions().back().operation == Operation::jump &&
           code->instructions().back().end() == code->end();
}

std::uint64_t CallTargets::beyond_stub(std::uint64_t target) const {
    const auto end =
        stub_end(decoded(target, stub_size), architecture_->convention().stub_registers);
    const Value found = end && end->is_in_memory ? pointer(end->address)
                        : end                    ? Value(end->address)
                                                 : std::nullopt;
    return found.value_or(target);
}

Value CallTargets::behind_repeated(std::uint64_t address) const {
    if (architecture_ == nullptr) {
        return std::nullopt;
    }
    const std::vector<Instruction> &code = decoded(address, looked_at);
    return !code.empty() && code[0].repeats ? Value(code[0].end()) : std::nullopt;
}

bool CallTargets::sets_up_frame(std::uint64_t start) const {
    if (architecture_ == nullptr) {
        return false;
    }
    std::vector<Instruction> code = decoded(start, looked_at);
    std::erase_if(code, [](const Instruction &one) { return one.operation == Operation::nothing; });
    if (code.size() < 2 || code[0].operation != Operation::push) {
        return false;
    }
    const auto convention = architecture_->convention();
    const Computation &made = code[1].computation;
    const bool from_stack_pointer = made.first.number == convention.stack_pointer ||
                                    (made.first.kind == Operand::Kind::address &&
                                     code[1].memory.base == convention.stack_pointer);
    return made.destination == convention.frame_pointer && from_stack_pointer;
}

}  // namespace gdb_ompd::code
