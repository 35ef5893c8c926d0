// SPDX-License-Identifier: Apache-2.0
#include "code/evaluation.hpp"

#include "base/target.hpp"
#include "code/known.hpp"

#include <algorithm>
#include <span>

namespace gdb_ompd::code {

namespace {

constexpr int most_steps = 4000;  // of one question

}  // namespace

Evaluation::Evaluation(FunctionValues &values, Surroundings surroundings)
    : values_(values), now_(std::move(surroundings)) {
    if (!now_.here) {
        return;
    }
    state_ = values_.before(*now_.here);
    // What is called has registers of its own.
    const bool calls = values_.code().at(*now_.here).is_call();
    const std::uint64_t kept = values_.convention().preserved_bits();
    for (Register name = 0; name < first_vector_register; ++name) {
        const Term term = state_->held[name];
        const bool is_known = !term.is_number() && (!calls || (kept & bit_of(name)) != 0);
        if (const Value held = is_known ? now_.held_by(name) : std::nullopt) {
            know(term.base, *held - term.offset);
        }
    }
}

// A part that is extended by zeros tells what it is when it is extended by its sign, and the other
// way round.
void Evaluation::know(NodeNumber number, std::uint64_t value) {
    known_now_[number] = value;
    const Node node = values_.node(number);
    const Term other = node.kind == Node::Kind::part
                           ? values_.part(node.first, node.width, !node.is_signed)
                           : Term();
    if (!other.is_number() && other.offset == 0) {
        known_now_[other.base] =
            node.is_signed ? cut(value, node.width) : extended(value, node.width);
    }
}

Former Evaluation::ask(std::size_t index, Term term) {
    steps_ = 0;
    if (is_of_now_ != (now_.here == index)) {
        is_of_now_ = !is_of_now_;
        known_.clear();
    }
    return value(term, {index, false});
}

Former Evaluation::held_by(std::size_t index, Register name) {
    return ask(index, values_.before(index).held[name]);
}

Former Evaluation::argument(std::size_t index, std::size_t number) {
    const CallingConvention &convention = values_.convention();
    if (number < convention.arguments.size()) {
        return held_by(index, convention.arguments[number]);
    }
    const auto state = values_.before(index);
    Term place = state.held[convention.stack_pointer];
    place.offset += pointer_size * (number - convention.arguments.size());
    if (now_.here != index) {
        const auto slot = std::ranges::find(state.slots, place, &Slot::address);
        return slot == state.slots.end() ? Former() : ask(index, slot->value);
    }
    const Former address = ask(index, place);
    return {address.value ? now_.memory(*address.value, pointer_size).value : std::nullopt, false};
}

Former Evaluation::destination(std::size_t index) {
    const Instruction &one = values_.code().at(index);
    if (!one.has_memory) {
        return one.source == no_register ? Former() : held_by(index, one.source);
    }
    const auto place = values_.address(values_.before(index), index);
    const Former address = place ? ask(index, *place) : Former();
    return {address.value ? now_.memory(*address.value, pointer_size).value : std::nullopt, false};
}

Former Evaluation::at_entry(Register name) {
    return ask(now_.here.value_or(0), Terms::at_entry(name));
}

std::optional<bool> Evaluation::holds(std::size_t index) {
    steps_ = 0;
    return holds(index, values_.compared(index), {index, false});
}

Former Evaluation::value(Term term, Moment moment) {
    if (term.is_number()) {
        return {term.offset, true};
    }
    Former found = value(term.base, moment);
    if (found.value) {
        *found.value += term.offset;
    }
    return found;
}

Former Evaluation::value(NodeNumber number, Moment moment) {
    if (const auto known = known_.find({number, moment}); known != known_.end()) {
        return known->second;  // nothing of one that is made of itself
    }
    if (++steps_ > most_steps) {
        return {};
    }
    known_[{number, moment}] = {};
    if (const auto given = now_.given ? now_.given(number) : std::nullopt) {
        return known_[{number, moment}] = *given;
    }
    Former found = kept(number, moment);
    if (!found.value) {
        found = worked_out(number, moment);
    }
    return known_[{number, moment}] = found;
}

// What a register or the stack still has.
Former Evaluation::kept(NodeNumber number, Moment moment) {
    if (!state_ || is_another(number, moment, false)) {
        return {};
    }
    const auto [known, is_new] = known_now_.try_emplace(number);
    if (is_new) {
        known_now_[number] = in_memory(number, state_->slots, std::nullopt);
    }
    Value found = known_now_[number];
    if (!found && !moment.on_way) {
        found = in_memory(number, values_.before(moment.index).slots, moment.index);
    }
    return {found, found && !is_another(number, moment, true)};
}

// What one of SLOTS tells of a node, which has had it since an instruction, or has it here.
Value Evaluation::in_memory(NodeNumber number, std::span<const Slot> slots,
                            std::optional<std::size_t> since) {
    for (const Slot &slot : slots) {
        if (slot.value.base != number || (slot.width < pointer_size && slot.value.offset != 0) ||
            (since && (values_.may_change(*since, slot.address, slot.width) ||
                       is_changed(*since, slot.address, slot.width)))) {
            continue;
        }
        const Value address = value(slot.address, {*now_.here, false}).value;
        if (const Value found = address ? now_.memory(*address, slot.width).value : std::nullopt) {
            return *found - slot.value.offset;
        }
    }
    return std::nullopt;
}

Former Evaluation::worked_out(NodeNumber number, Moment moment) {
    const Node node = values_.node(number);
    switch (node.kind) {
    case Node::Kind::entry:
        return now_.at_entry(node.register_number);
    case Node::Kind::load:
        return loaded(number, moment);
    case Node::Kind::joint:
        return of_joint(number, moment);
    case Node::Kind::part: {
        Former found = value(node.first, moment);
        if (found.value) {
            found.value =
                node.is_signed ? extended(*found.value, node.width) : cut(*found.value, node.width);
        }
        return found;
    }
    case Node::Kind::computed:
    case Node::Kind::upper:
    case Node::Kind::merged:
    case Node::Kind::sum:
        return of_two(number, moment);
    case Node::Kind::unknown:
    case Node::Kind::compared:
        break;
    }
    return {};
}

Former Evaluation::of_two(NodeNumber number, Moment moment) {
    const Node node = values_.node(number);
    const Instruction &one = values_.code().at(node.at);
    const Computation &made = one.computation;
    const bool is_computed = node.kind == Node::Kind::computed || node.kind == Node::Kind::upper;
    const Arithmetic by = is_computed ? made.arithmetic : Arithmetic::unknown;
    if (by == Arithmetic::choose || by == Arithmetic::holds) {
        const auto is_so = holds(node.at, node.third, moment);
        if (!is_so || by == Arithmetic::holds) {
            return {is_so ? Value{*is_so ? 1 : 0} : std::nullopt, false};
        }
        return {value(*is_so ? node.second : node.first, moment).value, false};
    }
    const Former first = value(node.first, moment);
    const Former second = value(node.second, moment);
    if (!first.value || !second.value) {
        return {};
    }
    const bool is_upper = node.kind == Node::Kind::upper;
    Value found;
    if (node.kind == Node::Kind::sum) {
        found = *first.value + *second.value * node.width;
    } else if (node.kind == Node::Kind::merged) {
        found = *first.value - cut(*first.value, node.width) + cut(*second.value, node.width);
    } else if (by == Arithmetic::multiply_wide) {
        found =
            is_upper ? upper_half(made, *first.value, *second.value) : *first.value * *second.value;
    } else if (by == Arithmetic::divide) {
        const Value upper = value(node.third, moment).value;
        found = upper ? divided(made, *upper, *first.value, *second.value, is_upper) : std::nullopt;
    } else {
        found = computed(one, *first.value, *second.value);
    }
    return {found, first.is_stable && second.is_stable};
}

// Memory that may be another by now tells what was loaded last, but not for certain.
Former Evaluation::loaded(NodeNumber number, Moment moment) {
    const Node node = values_.node(number);
    const Former address = value(node.first, moment);
    if (!address.value) {
        return {};
    }
    const Former found = now_.memory(*address.value, node.width);
    if (found.is_stable) {
        return {found.value, address.is_stable};
    }
    const bool is_kept = now_.here && !is_changed(node.at, node.first, node.width);
    if (is_another(number, moment, false) || (is_of_now_ && !is_kept)) {
        return {};
    }
    return {found.value, is_kept && address.is_stable && !is_another(number, moment, true)};
}

Former Evaluation::of_joint(NodeNumber number, Moment moment) {
    const Node node = values_.node(number);
    const std::size_t block = values_.flow().block_of(node.at);
    const auto &ways = values_.flow().blocks()[block].before;
    if (values_.flow().blocks()[block].is_entered_from_anywhere() ||
        is_another(number, moment, false)) {
        return {};
    }
    const Moment then{node.at, true};
    std::vector<Former> found;
    found.reserve(ways.size() + 1);
    for (const std::size_t way : ways) {
        found.push_back(value(values_.behind(way).held[node.register_number], then));
    }
    if (node.at == 0) {  // or the function begins
        found.push_back(value(Terms::at_entry(node.register_number), then));
    }
    const auto agree = [&] {
        return !found.empty() && std::ranges::all_of(found, [&](const Former &one) {
            return one.value && one.value == found.front().value;
        });
    };
    const auto is_loop = [&] {
        return node.at == 0 || std::ranges::any_of(ways, [&](std::size_t way) {
                   return values_.flow().leads_to(block, way);
               });
    };
    if (!agree() && !is_loop()) {
        for (std::size_t way = ways.size(); way-- > 0;) {
            const std::size_t last = values_.flow().blocks()[ways[way]].end - 1;
            if (is_ruled_out(last, node.at, then)) {
                found.erase(found.begin() + static_cast<std::ptrdiff_t>(way));
            }
        }
    }
    if (!agree()) {
        return {};
    }
    const bool is_stable = std::ranges::all_of(found, &Former::is_stable);
    return {found.front().value,
            is_stable && found.size() >= ways.size() && !is_another(number, moment, true)};
}

// Whether the place at NEXT was not reached by WAY, the instruction before it: a condition on
// the way there says so.
bool Evaluation::is_ruled_out(std::size_t way, std::size_t next, Moment moment) {
    const FunctionCode &code = values_.code();
    for (std::size_t position = way; ++steps_ < most_steps;) {
        if (code.at(position).operation == Operation::branch) {
            const Term compared = values_.compared(position);
            if (const auto is_taken = holds(position, compared, moment)) {
                return *is_taken != (next != position + 1);
            }
        }
        const auto before = values_.flow().before(position);
        if (before.size() != 1 || before.front() >= position) {
            return false;
        }
        next = position;
        position = before.front();
    }
    return false;
}

// Whether the condition of an instruction is true of the flags there.
std::optional<bool> Evaluation::holds(std::size_t index, Term flags, Moment moment) {
    const Node node = values_.node(flags.base);
    if (node.kind != Node::Kind::compared || is_another(flags.base, moment, false)) {
        return std::nullopt;
    }
    const Value first = value(node.first, moment).value;
    const Value second = value(node.second, moment).value;
    return first && second ? is_true(values_.code().at(index).condition,
                                     values_.code().at(node.at).computation, *first, *second)
                           : std::nullopt;
}

bool Evaluation::is_another(NodeNumber number, Moment moment, bool again) {
    if (number == no_node || !now_.here) {
        return false;
    }
    const Node node = values_.node(number);
    switch (node.kind) {
    case Node::Kind::entry:
        return false;
    case Node::Kind::unknown:
    case Node::Kind::load:
    case Node::Kind::joint:
        if (node.at == moment.index && !again) {
            return moment.on_way || node.kind != Node::Kind::joint;
        }
        return between(moment.index, again)[node.at];
    default:
        return is_another(node.first.base, moment, again) ||
               is_another(node.second.base, moment, again) ||
               is_another(node.third.base, moment, again);
    }
}

const std::vector<bool> &Evaluation::between(std::size_t index, bool again) {
    const auto [known, is_new] = between_.try_emplace({index, again});
    if (is_new) {
        known->second = values_.flow().between(index, *now_.here, again);
    }
    return known->second;
}

// Whether what is at ADDRESS may have been changed since the instruction SINCE was executed last.
bool Evaluation::is_changed(std::size_t since, Term address, unsigned width) {
    const std::vector<bool> passed = between(since, false);
    for (std::size_t index = 0; index < passed.size(); ++index) {
        if (passed[index] && values_.may_change(index, address, width)) {
            return true;
        }
    }
    return false;
}

}  // namespace gdb_ompd::code
