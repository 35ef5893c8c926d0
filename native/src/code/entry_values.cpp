// SPDX-License-Identifier: Apache-2.0
#include "code/entry_values.hpp"

#include <algorithm>

namespace gdb_ompd::code {

namespace {

constexpr std::size_t most_joints_followed = 20000;

}  // namespace

EntryValues::EntryValues(const FunctionCode &code, const Architecture &architecture)
    : code_(code), architecture_(architecture) {
    if (code.instructions().empty()) {
        return;
    }
    State &first = joints_[0];
    for (std::size_t number = 0; number < general_registers; ++number) {
        first.registers[number] = {number, 0};
    }
    std::vector<std::size_t> waiting{0};
    for (std::size_t steps = 0; !waiting.empty() && steps < most_joints_followed; ++steps) {
        const std::size_t from = waiting.back();
        waiting.pop_back();
        follow(from, waiting);
    }
    if (!waiting.empty()) {
        joints_.clear();
    }
}

void EntryValues::State::keep_common(const State &other) {
    for (std::size_t number = 0; number < general_registers; ++number) {
        if (registers[number] != other.registers[number]) {
            registers[number] = {};
        }
    }
    std::erase_if(saved, [&](const auto &one) { return saved_at(other, one.first) != one.second; });
}

// Up to the next joint.
void EntryValues::follow(std::size_t from, std::vector<std::size_t> &waiting) {
    State state = joints_.at(from);
    for (std::size_t at = from; at < code_.instructions().size(); ++at) {
        if (at != from && !code_.jumps_to(at).empty()) {
            arrive(at, state, waiting);
            return;
        }
        step(at, state);
        const Instruction &one = code_.at(at);
        const auto target = one.is_jump() ? code_.index_of(one.target) : std::nullopt;
        if (target) {
            arrive(*target, state, waiting);
        }
        if (one.ends_flow()) {
            return;
        }
    }
}

void EntryValues::arrive(std::size_t at, const State &state, std::vector<std::size_t> &waiting) {
    const auto [place, is_new] = joints_.try_emplace(at, state);
    if (!is_new) {
        State common = place->second;
        common.keep_common(state);
        if (common == place->second) {
            return;
        }
        place->second = std::move(common);
    }
    waiting.push_back(at);
}

EntryValues::Linear EntryValues::register_of(const State &state, Register number) {
    return number < general_registers ? state.registers[number] : Linear{};
}

EntryValues::Linear EntryValues::saved_at(const State &state, const Linear &place) {
    const auto found = state.saved.find(place);
    return found == state.saved.end() ? Linear{} : found->second;
}

EntryValues::Linear EntryValues::place(const Instruction &one, const State &state) {
    const bool is_plain = one.memory.index == no_register && !one.memory.thread_local_segment;
    return is_plain ? register_of(state, one.memory.base).plus(one.memory.displacement) : Linear{};
}

void EntryValues::forget(State &state, const Linear &place, std::uint64_t size) {
    std::erase_if(state.saved, [&](const auto &one) {
        const std::int64_t distance = one.first.offset - place.offset;
        return one.first.origin == place.origin && distance < static_cast<std::int64_t>(size) &&
               distance > -std::int64_t{pointer_size};
    });
}

// A store to a place that is not known is taken to be to another one than registers are saved in.
void EntryValues::store(const Instruction &one, State &state) {
    const Linear at = place(one, state);
    if (!at.is_known()) {
        return;
    }
    const bool is_whole = one.operation == Operation::store && one.width == pointer_size;
    const Linear value = is_whole ? register_of(state, one.source) : Linear{};
    forget(state, at, one.width);
    if (value.is_known()) {
        state.saved[at] = value;
    }
}

void EntryValues::pop(const Instruction &one, State &state) const {
    Linear &top = state.registers[architecture_.convention().stack_pointer];
    if (one.source != no_register) {
        top = register_of(state, one.source);
    }
    const Linear value = saved_at(state, top);
    top = top.plus(pointer_size);
    if (one.destination < general_registers) {
        state.registers[one.destination] = value;
    }
}

// What an instruction leaves in the register that it computes.
EntryValues::Linear EntryValues::result(std::size_t at, const State &state) const {
    const Instruction &one = code_.at(at);
    const Computation &how = one.computation;
    if (how.width != pointer_size) {
        return {};
    }
    const Linear first =
        how.first.width == pointer_size ? register_of(state, how.first.number) : Linear{};
    const bool is_constant = how.second.kind == Operand::Kind::immediate;
    switch (how.arithmetic) {
    case Arithmetic::first:
        switch (how.first.kind) {
        case Operand::Kind::in_register:
            return first;
        case Operand::Kind::address:
            return place(one, state);
        case Operand::Kind::memory:
            return how.first.width == pointer_size ? saved_at(state, place(one, state)) : Linear{};
        default:
            return {};
        }
    case Arithmetic::add:
        return is_constant ? first.plus(one.immediate) : Linear{};
    case Arithmetic::subtract:
        return is_constant ? first.plus(-one.immediate) : Linear{};
    case Arithmetic::bit_and: {
        const bool aligns = is_constant &&
                            how.destination == architecture_.convention().stack_pointer &&
                            first.is_known();
        return aligns ? Linear{general_registers + at, 0} : Linear{};
    }
    default:
        return {};
    }
}

void EntryValues::step(std::size_t at, State &state) const {
    const Instruction &one = code_.at(at);
    if (one.operation == Operation::push) {
        Linear &top = state.registers[architecture_.convention().stack_pointer];
        const Linear value = one.has_memory ? Linear{} : register_of(state, one.source);
        top = top.plus(-std::int64_t{pointer_size});
        forget(state, top, pointer_size);
        if (top.is_known() && value.is_known()) {
            state.saved[top] = value;
        }
        return;
    }
    if (one.operation == Operation::pop) {
        pop(one, state);
        return;
    }
    if (one.changes_memory()) {
        store(one, state);
    }
    const Linear computed = result(at, state);
    const std::uint64_t changed = one.is_call() ? architecture_.call_clobbered() : one.writes;
    for (std::size_t number = 0; number < general_registers; ++number) {
        if ((changed & bit_of(static_cast<Register>(number))) != 0) {
            state.registers[number] = {};
        }
    }
    if (one.computation.destination < general_registers && !one.is_call()) {
        state.registers[one.computation.destination] = computed;
    }
}

std::optional<EntryValues::State> EntryValues::state_before(std::size_t index) const {
    const auto after = joints_.upper_bound(index);
    if (after == joints_.begin()) {
        return std::nullopt;
    }
    std::size_t at = std::prev(after)->first;
    State state = std::prev(after)->second;
    for (; at < index; ++at) {
        if (code_.at(at).ends_flow()) {
            return std::nullopt;
        }
        step(at, state);
    }
    return state;
}

std::optional<GeneralRegisters> EntryValues::solved(const State &state, const ReadHeld &held,
                                                    const ReadStack &memory) {
    std::map<std::size_t, std::uint64_t> origins;
    bool is_consistent = true;
    const auto note = [&](const Linear &one, Value value) {
        if (one.is_known() && value) {
            const std::uint64_t origin = *value - static_cast<std::uint64_t>(one.offset);
            const auto [place, is_new] = origins.try_emplace(one.origin, origin);
            is_consistent = is_consistent && place->second == origin;
            return is_new;
        }
        return false;
    };
    for (std::size_t number = 0; number < general_registers; ++number) {
        note(state.registers[number], held(static_cast<Register>(number)));
    }
    for (bool is_more = true; is_more;) {
        is_more = false;
        for (const auto &[place, value] : state.saved) {
            const auto base = origins.find(place.origin);
            if (base != origins.end() && !origins.contains(value.origin)) {
                const std::uint64_t at = base->second + static_cast<std::uint64_t>(place.offset);
                is_more = note(value, memory(at, pointer_size)) || is_more;
            }
        }
    }
    GeneralRegisters found{};
    for (std::size_t number = 0; number < general_registers; ++number) {
        if (const auto origin = origins.find(number); origin != origins.end()) {
            found[number] = origin->second;
        }
    }
    return is_consistent ? std::optional(found) : std::nullopt;
}

std::optional<GeneralRegisters> EntryValues::read(std::size_t before, const ReadHeld &held,
                                                  const ReadStack &memory) const {
    const auto state = state_before(before);
    return state ? solved(*state, held, memory) : std::nullopt;
}

std::vector<GeneralRegisters> EntryValues::guesses(const ReadHeld &held,
                                                   const ReadStack &memory) const {
    std::vector<GeneralRegisters> found;
    for (const auto &[at, state] : joints_) {
        const auto one = solved(state, held, memory);
        if (one && std::ranges::find(found, *one) == found.end()) {
            found.push_back(*one);
        }
    }
    return found;
}

}  // namespace gdb_ompd::code
