// SPDX-License-Identifier: Apache-2.0
#include "code/known_state.hpp"

#include "code/known.hpp"
#include "elf/address_space.hpp"

#include <algorithm>

namespace gdb_ompd::code {

namespace {

constexpr unsigned narrowest = 4;  // bytes: what is written sets the others of the register to 0

bool overlaps(const Piece &one, const Piece &other) {
    return one.first < other.first + other.second && other.first < one.first + one.second;
}

}  // namespace

KnownState::KnownState(FunctionReader &functions, const Frame &frame,
                       std::pair<std::uint64_t, std::uint64_t> stack)
    : functions_(functions), convention_(functions.architecture()->convention()),
      stack_(std::move(stack)) {
    for (std::size_t number = 0; number < registers_.size(); ++number) {
        const auto name = static_cast<Register>(number);
        hold(name, frame.held_by(name));
    }
}

Value KnownState::held_by(Register name, unsigned width) const {
    const Held held = name < registers_.size() ? registers_.at(name) : Held{};
    return width <= held.known ? Value{cut(held.value, width)} : std::nullopt;
}

void KnownState::hold(Register name, Value value, unsigned width) {
    if (name >= registers_.size()) {
        return;
    }
    Held &held = registers_.at(name);
    if (!value) {
        held = {};
    } else if (width >= narrowest) {
        held = {cut(*value, width), pointer_size};
    } else {
        const std::uint64_t others = held.known > width ? held.value - cut(held.value, width) : 0;
        held = {others | cut(*value, width), std::max(held.known, width)};
    }
}

void KnownState::forget(std::uint64_t registers) {
    for (std::size_t number = 0; number < registers_.size(); ++number) {
        if ((registers & bit_of(static_cast<Register>(number))) != 0) {
            registers_.at(number) = {};
        }
    }
}

void KnownState::move_stack(std::int64_t bytes) {
    const Value top = held_by(convention_.stack_pointer, pointer_size);
    hold(convention_.stack_pointer,
         top ? Value{*top + static_cast<std::uint64_t>(bytes)} : std::nullopt, pointer_size);
}

void KnownState::give_back(const Registers &caller) {
    for (const NamedRegister &one : convention_.preserved) {
        registers_.at(one.number) = caller.at(one.number);
    }
}

void KnownState::follow(const KnownState &callee) {
    for (std::size_t number = 0; number < registers_.size(); ++number) {
        const auto name = static_cast<Register>(number);
        const bool is_left = (convention_.preserved_bits() & bit_of(name)) == 0;
        if (is_left && name != convention_.stack_pointer) {
            registers_.at(number) = callee.registers_.at(number);
        }
    }
    written_ = callee.written_;
}

void KnownState::compare(const Instruction &instruction) {
    compared_ = instruction.computation;
    first_ = operand(instruction, compared_.first);
    second_ = operand(instruction, compared_.second);
}

void KnownState::compare_swapped(const Instruction &instruction, std::uint64_t expected) {
    compared_ = instruction.computation;
    first_ = cut(expected, instruction.width);
    second_ = held_by(compared_.first.number, instruction.width);
}

void KnownState::push() {
    move_stack(-static_cast<std::int64_t>(pointer_size));
    if (const Value top = held_by(convention_.stack_pointer)) {
        write({*top, pointer_size}, std::nullopt);
    }
}

void KnownState::pop(const Instruction &instruction) {
    // With the frame pointer the stack pointer may have been set to it.
    if (instruction.destination == convention_.frame_pointer) {
        forget(bit_of(convention_.stack_pointer));
    }
    forget(bit_of(instruction.destination));
    move_stack(pointer_size);
}

void KnownState::compute(const Instruction &instruction) {
    const Computation &made = instruction.computation;
    Value found;
    const bool is_conditional =
        made.arithmetic == Arithmetic::choose || made.arithmetic == Arithmetic::holds;
    if (is_conditional) {
        const auto is_so = holds(instruction);
        if (is_so && made.arithmetic == Arithmetic::holds) {
            found = *is_so ? 1 : 0;
        } else if (is_so) {
            found = operand(instruction, *is_so ? made.second : made.first);
        }
    } else if (made.destination != no_register) {
        const Value first = operand(instruction, made.first);
        const bool is_alone = made.arithmetic == Arithmetic::first;
        const Value second = is_alone ? Value{0} : operand(instruction, made.second);
        found = first && second ? computed(instruction, *first, *second) : std::nullopt;
    }
    const bool is_plain = made.arithmetic != Arithmetic::unknown && made.destination != no_register;
    forget(instruction.writes & ~(is_plain ? bit_of(made.destination) : 0));
    if (is_plain) {
        hold(made.destination, found, made.width);
    }
}

std::optional<bool> KnownState::holds(const Instruction &instruction) const {
    if (!instruction.compares) {
        return first_ && second_ ? is_true(instruction.condition, compared_, *first_, *second_)
                                 : std::nullopt;
    }
    const Computation &by = instruction.computation;  // a register, with a constant
    const Value tested = held_by(by.first.number, by.first.width);
    return tested ? is_true(instruction.condition, by, *tested,
                            static_cast<std::uint64_t>(instruction.immediate))
                  : std::nullopt;
}

bool KnownState::store(const Instruction &instruction) {
    const Value at = address(instruction);
    if (!at || instruction.width == 0) {
        return false;
    }
    const bool adds = instruction.operation == Operation::update;
    const bool is_known =
        (!adds || instruction.immediate != 0) && instruction.width <= pointer_size;
    const Value source = instruction.source == no_register
                             ? Value{static_cast<std::uint64_t>(instruction.immediate)}
                             : held_by(instruction.source, instruction.width);
    const bool is_plain = instruction.operation == Operation::store;
    const Value before = is_known && !is_plain ? load(*at, instruction.width) : Value{0};
    const auto combined = [&] {
        if (adds) {
            return *before + *source;
        }
        return instruction.operation == Operation::store_and ? *before & *source
                                                             : *before | *source;
    };
    const Value value =
        is_known && before && source ? Value{cut(combined(), instruction.width)} : std::nullopt;
    if (instruction.second_source != no_register) {
        write({*at + instruction.width, instruction.width}, std::nullopt);
    }
    write({*at, instruction.width}, value);
    return true;
}

bool KnownState::swap(const Instruction &instruction) {
    const Value at = address(instruction);
    const unsigned width = instruction.width;
    if (!at || width == 0 || width > pointer_size) {
        return false;
    }
    const Value before = load(*at, width);
    const Value source = held_by(instruction.source, width);
    if (instruction.swaps) {
        write({*at, width}, source);
        hold(instruction.source, before, width);
        return true;
    }
    const Register compared = instruction.computation.first.number;
    const Value expected = held_by(compared, width);
    if (!before || !expected) {
        return false;
    }
    if (*before == *expected) {
        write({*at, width}, source);
    } else {
        hold(compared, before, width);
    }
    return true;
}

Value KnownState::operand(const Instruction &instruction, const Operand &operand) {
    Value found;
    switch (operand.kind) {
    case Operand::Kind::immediate:
        return static_cast<std::uint64_t>(instruction.immediate);
    case Operand::Kind::in_register:
        found = held_by(operand.number, operand.width);
        break;
    case Operand::Kind::memory: {
        const Value at = address(instruction);
        found = at ? load(*at, operand.width) : std::nullopt;
        break;
    }
    case Operand::Kind::address:
        return address(instruction);
    case Operand::Kind::none:
        break;
    }
    return found && operand.is_signed ? Value{extended(*found, operand.width)} : found;
}

Value KnownState::address(const Instruction &instruction) const {
    const Memory &memory = instruction.memory;
    if (memory.thread_local_segment) {
        return std::nullopt;
    }
    auto found = static_cast<std::uint64_t>(memory.displacement);
    for (const auto &[name, scale] :
         {std::pair(memory.base, 1U), std::pair(memory.index, unsigned{memory.scale})}) {
        if (name != no_register) {
            const Value part = held_by(name, pointer_size);
            if (!part) {
                return std::nullopt;
            }
            found += *part * scale;
        }
    }
    return found;
}

Value KnownState::load(std::uint64_t address, unsigned width) {
    const Piece piece{address, width};
    const auto written = written_.find(piece);
    if (written != written_.end()) {
        return written->second;
    }
    if (std::ranges::any_of(written_,
                            [&](const auto &one) { return overlaps(one.first, piece); })) {
        return std::nullopt;
    }
    if (supposed_ && overlaps(supposed_->first, piece)) {
        return supposed_->first == piece ? supposed_->second : std::nullopt;
    }
    const Value found = functions_.space().uint_at(TargetAddr{address}, width);
    if (!functions_.is_constant(address)) {
        (is_own(address) ? own_read_ : read_)[piece] = found;
    }
    return found;
}

void KnownState::write(const Piece &piece, Value value) {
    for (auto &[other, known] : written_) {
        if (other != piece && overlaps(other, piece)) {
            known.reset();
        }
    }
    written_[piece] = value;
}

bool KnownState::is_own(std::uint64_t address) const {
    return stack_.first <= address && address < stack_.second;
}

bool KnownState::changes_memory() const {
    return std::ranges::any_of(written_, [this](const auto &one) {
        const auto &[piece, value] = one;
        return !is_own(piece.first) &&
               (!value ||
                functions_.space().uint_at(TargetAddr{piece.first}, piece.second) != value);
    });
}

bool KnownState::join(KnownState &other) {
    bool changes = false;
    for (std::size_t number = 0; number < registers_.size(); ++number) {
        Held &held = registers_.at(number);
        if (held.known != 0 && held != other.registers_.at(number)) {
            held = {};
            changes = true;
        }
    }
    std::map<Piece, Value> both = written_;
    both.insert(other.written_.begin(), other.written_.end());
    for (const auto &[piece, value] : both) {
        const Value own = load(piece.first, piece.second);
        const bool differs = own && own != other.load(piece.first, piece.second);
        changes = changes || differs;
        written_[piece] = differs ? std::nullopt : own;
    }
    if (compared_ != other.compared_ || first_ != other.first_ || second_ != other.second_) {
        first_.reset();
        second_.reset();
    }
    return changes;
}

}  // namespace gdb_ompd::code
