// SPDX-License-Identifier: Apache-2.0
#include "code/function_values.hpp"

#include "base/target.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <set>

namespace gdb_ompd::code {

namespace {

constexpr int most_passes = 40;  // over a function
// How many bytes an instruction changes. A string's length is not known.
std::uint64_t bytes_changed(const Instruction &one) {
    constexpr std::uint64_t anything = 1 << 20;
    const bool is_pair = one.second_source != no_register;
    return one.repeats || one.width == 0 ? anything : std::uint64_t{one.width} * (is_pair ? 2 : 1);
}

}  // namespace

FunctionValues::FunctionValues(const FunctionCode &code, const Architecture &architecture)
    : convention_(architecture.convention()), flow_(code), memory_(terms_, convention_),
      entered_(flow_.blocks().size()), joints_(flow_.blocks().size()) {
    std::size_t known = 0;
    do {  // again, where addresses are given away that were not known to be
        known = memory_.given_away();
        follow();
    } while (memory_.given_away() != known);
    left_ = {};
    is_due_ = {};
}

void FunctionValues::follow() {
    std::ranges::fill(entered_, std::nullopt);
    std::ranges::fill(joints_, Joints());
    called_ = jumped_ = {};
    left_.assign(entered_.size(), std::nullopt);
    is_due_.assign(entered_.size(), true);
    int passes = 0;
    while (pass() && ++passes < most_passes) {
    }
    for (std::size_t number = 0; passes == most_passes && number < entered_.size(); ++number) {
        if (number > 0 || !flow_.blocks()[number].before.empty()) {
            entered_[number].reset();
        }
    }
}

// Also of one that no way leads to.
FunctionValues::State FunctionValues::entered(std::size_t number) {
    if (entered_[number]) {
        return *entered_[number];
    }
    State state;
    for (Register name = 0; name <= flags; ++name) {
        state.held[name] = Terms::unknown(flow_.blocks()[number].begin, name);
    }
    return state;
}

// Whether something has changed.
bool FunctionValues::pass() {
    bool changes = false;
    for (const std::size_t number : flow_.order()) {
        const ControlFlow::Block &block = flow_.blocks()[number];
        if (!is_due_[number] && !block.is_entered_from_anywhere()) {
            continue;
        }
        is_due_[number] = false;
        State state = joined(number);
        if (entered_[number] == state) {
            continue;
        }
        changes = true;
        entered_[number] = state;
        for (std::size_t index = block.begin; index < block.end; ++index) {
            step(state, index);
            if (flow_.has_handlers() && code().at(index).is_call()) {
                join(called_, state, 0);
            } else if (code().goes_anywhere(index)) {
                join(jumped_, state, 0);
            }
        }
        if (left_[number] != state) {
            left_[number] = std::move(state);
            for (const std::size_t next : block.next) {
                is_due_[next] = true;
            }
        }
    }
    return changes;
}

FunctionValues::State FunctionValues::joined(std::size_t number) {
    const ControlFlow::Block &block = flow_.blocks()[number];
    Common common{{}, joints_[number]};
    if (number == 0) {
        State begun;
        for (Register name = 0; name <= flags; ++name) {
            begun.held[name] = Terms::at_entry(name);
        }
        join(common, begun, block.begin);
    }
    for (const std::size_t before : block.before) {
        if (left_[before]) {
            join(common, *left_[before], block.begin);
        }
    }
    for (const Common *const from :
         {block.is_handler ? &called_ : nullptr, block.is_case ? &jumped_ : nullptr}) {
        if (from != nullptr && from->has_any) {
            common.joints |= from->joints;
            join(common, from->state, block.begin);
        }
    }
    if (!common.has_any) {
        return entered(number);
    }
    joints_[number] = common.joints;
    for (Register name = 0; block.is_handler && name <= flags; ++name) {
        if ((convention_.preserved_bits() & bit_of(name)) == 0) {
            common.state.held[name] = Terms::joint(block.begin, name);
        }
    }
    return std::move(common.state);
}

// A register that was once not the same by all ways to the instruction AT never is: else it would
// not end.
void FunctionValues::join(Common &into, const State &from, std::size_t at) {
    State &state = into.state;
    if (!into.has_any) {
        state = from;
    } else if (state.slots != from.slots) {
        std::erase_if(state.slots, [&](const Slot &one) {
            const auto other =
                std::ranges::lower_bound(from.slots, one.address, std::less<>(), &Slot::address);
            return other == from.slots.end() || *other != one;
        });
    }
    for (Register name = 0; name <= flags; ++name) {
        if (into.joints[name] || (into.has_any && state.held[name] != from.held[name])) {
            into.joints[name] = true;
            state.held[name] = Terms::joint(at, name);
        }
    }
    into.has_any = true;
}

std::optional<Term> FunctionValues::held(const State &state, Register name) {
    return name < flags ? std::optional(state.held[name]) : std::nullopt;
}

FunctionValues::State FunctionValues::before(std::size_t index) {
    const std::size_t number = flow_.block_of(index);
    State state = entered(number);
    run(state, flow_.blocks()[number].begin, index);
    return state;
}

Term FunctionValues::compared(std::size_t index) {
    State state = before(index);
    return code().at(index).compares ? comparison_by(state, index) : state.held[flags];
}

FunctionValues::State FunctionValues::behind(std::size_t number) {
    State state = entered(number);
    run(state, flow_.blocks()[number].begin, flow_.blocks()[number].end);
    return state;
}

void FunctionValues::run(State &state, std::size_t from, std::size_t to) {
    for (std::size_t index = from; index < to; ++index) {
        step(state, index);
    }
}

void FunctionValues::step(State &state, std::size_t index) {
    switch (code().at(index).operation) {
    case Operation::call:
        call(state, index);
        return;
    case Operation::push:
        push(state, index);
        return;
    case Operation::pop:
        pop(state, index);
        return;
    default:
        compute(state, index);
    }
}

void FunctionValues::set(State &state, Register name, Term value) {
    if (name >= flags) {
        return;
    }
    state.held[name] = value;
    const bool is_pointer = name == convention_.stack_pointer || name == convention_.frame_pointer;
    if (!is_pointer) {
        memory_.give_away(value);
    }
}

void FunctionValues::call(State &state, std::size_t index) {
    const std::uint64_t kept = convention_.preserved_bits();
    for (Register name = 0; name <= flags; ++name) {
        if ((kept & bit_of(name)) == 0) {
            state.held[name] = Terms::unknown(index, name);
        }
    }
    memory_.forget_shared(state.slots);
}

void FunctionValues::push(State &state, std::size_t index) {
    const Instruction &one = code().at(index);
    Term &stack = state.held[convention_.stack_pointer];
    std::optional<Term> pushed = Term{no_node, static_cast<std::uint64_t>(one.immediate)};
    if (one.has_memory) {
        const auto place = address(state, index);
        pushed = place ? std::optional(memory_.load(state.slots, index, *place, pointer_size))
                       : std::nullopt;
    } else if (one.source != no_register) {
        pushed = held(state, one.source);
    }
    stack.offset += static_cast<std::uint64_t>(std::int64_t{one.moves_stack});
    const unsigned width = one.width == 0 ? pointer_size : one.width;
    memory_.store(state.slots, stack, width, pushed);
    if (one.second_source != no_register) {
        memory_.store(state.slots, {stack.base, stack.offset + width}, width,
                      held(state, one.second_source));
    }
}

void FunctionValues::pop(State &state, std::size_t index) {
    const Instruction &one = code().at(index);
    const unsigned width = one.width == 0 ? pointer_size : one.width;
    const Term stack =
        state.held[one.source != no_register ? one.source : convention_.stack_pointer];
    const Term first = memory_.load(state.slots, index, stack, width);
    const Term second = memory_.load(state.slots, index, {stack.base, stack.offset + width}, width);
    state.held[convention_.stack_pointer] = {
        stack.base, stack.offset + static_cast<std::uint64_t>(std::int64_t{one.moves_stack})};
    set(state, one.destination, first);
    if (one.second_source != no_register) {
        set(state, one.second_source, second);
    }
}

void FunctionValues::compute(State &state, std::size_t index) {
    const Instruction &one = code().at(index);
    const Computation &computation = one.computation;
    const auto found = result(state, index, false);
    const auto upper = computation.upper != no_register ? result(state, index, true) : std::nullopt;
    std::optional<Term> second;
    if (one.operation == Operation::load && one.second_source != no_register) {
        if (const auto place = address(state, index)) {
            second = memory_.load(state.slots, index, {place->base, place->offset + one.width},
                                  one.width);
        }
    }
    const auto comparison =
        one.sets_flags ? std::optional(comparison_by(state, index)) : std::nullopt;
    change_memory(state, index);
    for (std::uint64_t left = one.writes & (bit_of(flags) - 1); left != 0; left &= left - 1) {
        const auto name = static_cast<Register>(std::countr_zero(left));
        state.held[name] = Terms::unknown(index, name);
    }
    if (found) {
        set(state, computation.destination, *found);
    }
    if (upper) {
        set(state, computation.upper, *upper);
    }
    if (second) {
        set(state, one.second_source, *second);
    }
    if (comparison) {
        state.held[flags] = *comparison;
    }
}

Term FunctionValues::comparison_by(State &state, std::size_t index) {
    const Computation &computation = code().at(index).computation;
    const auto left = operand(state, index, computation.first);
    const auto right = operand(state, index, computation.second);
    return left && right ? terms_.made({.kind = Node::Kind::compared,
                                        .at = static_cast<std::uint32_t>(index),
                                        .first = *left,
                                        .second = *right})
                         : Terms::unknown(index, flags);
}

void FunctionValues::change_memory(State &state, std::size_t index) {
    const Instruction &one = code().at(index);
    const auto place = one.changes_memory() ? address(state, index) : std::nullopt;
    if (!place) {
        return;  // of another segment, or none
    }
    if (one.operation != Operation::store) {
        memory_.forget(state.slots, *place, bytes_changed(one));
        return;
    }
    const auto stored = [&](Register source) -> std::optional<Term> {
        const auto value =
            source == no_register
                ? std::optional(Term{no_node, static_cast<std::uint64_t>(one.immediate)})
                : held(state, source);
        return value ? std::optional(terms_.part(*value, one.width, false)) : std::nullopt;
    };
    memory_.store(state.slots, *place, one.width, stored(one.source));
    if (one.second_source != no_register) {
        memory_.store(state.slots, {place->base, place->offset + one.width}, one.width,
                      stored(one.second_source));
    }
}

std::optional<Term> FunctionValues::address(const State &state, std::size_t index) {
    const Instruction &one = code().at(index);
    const Memory &memory = one.memory;
    const bool is_followed = !memory.thread_local_segment &&
                             (memory.base == no_register || memory.base < flags) &&
                             (memory.index == no_register || memory.index < flags);
    if (!is_followed) {
        return std::nullopt;
    }
    Term found = memory.base == no_register ? Term() : state.held[memory.base];
    found.offset += static_cast<std::uint64_t>(memory.displacement);
    return memory.index == no_register ? found
                                       : terms_.sum(found, state.held[memory.index], memory.scale);
}

std::optional<Term> FunctionValues::operand(State &state, std::size_t index,
                                            const Operand &operand) {
    switch (operand.kind) {
    case Operand::Kind::immediate:
        return Term{no_node, static_cast<std::uint64_t>(code().at(index).immediate)};
    case Operand::Kind::in_register:
        return operand.number < flags ? std::optional(terms_.part(state.held[operand.number],
                                                                  operand.width, operand.is_signed))
                                      : std::nullopt;
    case Operand::Kind::memory:
        if (const auto place = address(state, index)) {
            return terms_.part(memory_.load(state.slots, index, *place, operand.width),
                               operand.width, operand.is_signed);
        }
        return std::nullopt;
    case Operand::Kind::address:
        return address(state, index);
    case Operand::Kind::none:
        break;
    }
    return std::nullopt;
}

std::optional<Term> FunctionValues::goes_to(std::size_t index) {
    State state = before(index);
    const Instruction &call = code().at(index);
    if (!call.has_memory) {
        return held(state, call.source);
    }
    const auto place = address(state, index);
    return place ? std::optional(memory_.load(state.slots, index, *place, pointer_size))
                 : std::nullopt;
}

// What an instruction leaves in a register, or in the one of its second result.
std::optional<Term> FunctionValues::result(State &state, std::size_t index, bool is_upper) {
    const Instruction &one = code().at(index);
    const Computation &made_of = one.computation;
    if (made_of.destination >= flags || made_of.arithmetic == Arithmetic::unknown) {
        return std::nullopt;
    }
    const bool is_alone = made_of.arithmetic == Arithmetic::first;
    const auto first = operand(state, index, made_of.first);
    const auto second = is_alone ? std::optional(Term()) : operand(state, index, made_of.second);
    if (!first || !second) {
        return std::nullopt;
    }
    Term found = is_alone ? *first : terms_.computed(index, one, *first, *second);
    const bool has_two = made_of.upper != no_register;
    if (has_two || made_of.arithmetic == Arithmetic::choose ||
        made_of.arithmetic == Arithmetic::holds) {
        found = terms_.made({.kind = is_upper ? Node::Kind::upper : Node::Kind::computed,
                             .at = static_cast<std::uint32_t>(index),
                             .first = *first,
                             .second = *second,
                             .third = state.held[has_two ? made_of.upper : flags]});
    }
    if (made_of.width >= 4) {
        return terms_.part(found, made_of.width, false);
    }
    return terms_.made({.kind = Node::Kind::merged,
                        .width = made_of.width,
                        .first = state.held[made_of.destination],
                        .second = found});
}

Term FunctionValues::stored_once(Term term) {
    const Node node = terms_.node(term.base);
    if (node.kind != Node::Kind::load || term.offset != 0 || memory_.is_shared(node.first)) {
        return term;
    }
    find_places_once();
    const auto writes = [&](const auto &place) {
        return place && place->first.base == node.first.base &&
               memory_.overlaps(place->first, place->second, node.first, node.width);
    };
    const auto writer = std::ranges::find_if(places_, writes);
    const bool is_followed = places_.end() - writer > 1;
    if (!is_followed || std::any_of(writer + 1, places_.end(), writes)) {
        return term;
    }
    const State state = before(static_cast<std::size_t>(writer + 1 - places_.begin()));
    const auto slot = std::ranges::find(state.slots, node.first, &Slot::address);
    return slot != state.slots.end() && slot->width >= node.width ? slot->value : term;
}

bool FunctionValues::may_change(std::size_t index, Term address, unsigned width) {
    if (code().at(index).is_call()) {
        return memory_.is_shared(address);
    }
    find_places_once();
    return places_[index] &&
           memory_.overlaps(places_[index]->first, places_[index]->second, address, width);
}

bool FunctionValues::is_stack(Term address) const {
    const Node base = terms_.node(address.base);
    return base.kind == Node::Kind::sum ? is_stack(base.first) || is_stack(base.second)
                                        : terms_.is_from(address, convention_.stack_pointer);
}

std::optional<Term> FunctionValues::operand_place(std::size_t index) {
    find_places_once();
    return operands_[index];
}

std::vector<std::size_t> FunctionValues::pointing_to(Term begin, std::uint64_t size) {
    find_places_once();
    return among(pointers_, begin, size);
}

std::vector<std::size_t> FunctionValues::handing_over(Term begin, std::uint64_t size) {
    find_places_once();
    for (auto &[index, one] : handed_over_) {
        one = stored_once(one);
    }
    std::erase_if(handed_over_, [this](const auto &one) {
        const auto &[index, term] = one;
        const std::optional<Term> place = operands_[index];
        const bool is_kept = code().at(index).changes_memory() && place && is_stack(*place) &&
                             !memory_.is_shared(*place);
        return is_kept || (code().at(index).is_call() ? !is_stack(term) : !may_be_stack(term));
    });
    return among(handed_over_, begin, size);
}

std::vector<std::size_t> FunctionValues::among(const Pointers &pointers, Term begin,
                                               std::uint64_t size) {
    std::vector<std::size_t> found;
    for (const auto &[index, one] : pointers) {
        if (one.base != begin.base || one.offset - begin.offset < size) {
            found.push_back(index);
        }
    }
    return found;
}

// What is loaded was stored before, and what a function returns was handed over to it.
bool FunctionValues::may_be_stack(Term term) const {
    std::set<NodeNumber> seen;
    std::vector<Term> due{term};
    while (!due.empty()) {
        const Term one = due.back();
        due.pop_back();
        if (one.is_number() || !seen.insert(one.base).second) {
            continue;
        }
        const Node base = terms_.node(one.base);
        const auto sets = [&](const auto &pointer) {
            return (code().at(pointer.first).writes & bit_of(base.register_number)) != 0;
        };
        switch (base.kind) {
        case Node::Kind::joint:
            if (std::ranges::any_of(pointers_, sets)) {
                return true;
            }
            break;
        case Node::Kind::unknown:
            if ((computes_from(code().at(base.at)) & (bit_of(flags) - 1)) != 0) {
                return true;
            }
            break;
        case Node::Kind::entry:
            if (is_stack(one)) {
                return true;
            }
            break;
        case Node::Kind::load:
        case Node::Kind::compared:
            break;
        case Node::Kind::part:
            if (base.width == pointer_size) {
                due.push_back(base.first);
            }
            break;
        default:
            due.insert(due.end(), {base.first, base.second});
        }
    }
    return false;
}

// Of a call the arguments are in registers that were set in its block: others are left over there.
void FunctionValues::note_handed_over(const State &state, std::size_t index, std::uint64_t set) {
    const Instruction &one = code().at(index);
    std::uint64_t from = 0;
    if (one.is_call()) {
        for (const Register name : convention_.arguments) {
            from |= bit_of(name) & set;
        }
    } else if (one.changes_memory() || one.operation == Operation::push ||
               one.destination >= flags) {
        from = computes_from(one);
    }
    for (from &= bit_of(flags) - 1; from != 0; from &= from - 1) {
        handed_over_.emplace_back(index,
                                  state.held[static_cast<std::size_t>(std::countr_zero(from))]);
    }
}

void FunctionValues::find_places_once() {
    if (places_.empty()) {
        find_places();
    }
}

void FunctionValues::find_places() {
    places_.resize(code().instructions().size());
    operands_.resize(places_.size());
    for (std::size_t number = 0; number < entered_.size(); ++number) {
        State state = entered(number);
        const ControlFlow::Block &block = flow_.blocks()[number];
        std::uint64_t set = 0;
        for (std::size_t index = block.begin; index < block.end; ++index) {
            const Instruction &one = code().at(index);
            const auto place = address(state, index);
            operands_[index] = one.has_memory ? place : std::nullopt;
            note_handed_over(state, index, set);
            set = one.is_call() ? 0 : set | one.writes;
            step(state, index);
            for (std::uint64_t left = one.writes & (bit_of(flags) - 1); left != 0;
                 left &= left - 1) {
                const auto name = static_cast<Register>(std::countr_zero(left));
                if (name != convention_.stack_pointer && is_stack(state.held[name])) {
                    pointers_.emplace_back(index, state.held[name]);
                }
            }
            if (one.operation == Operation::push) {
                places_[index].emplace(state.held[convention_.stack_pointer], 2 * pointer_size);
            } else if (place && one.changes_memory()) {
                places_[index].emplace(*place, bytes_changed(one));
            }
        }
    }
}

}  // namespace gdb_ompd::code
