// SPDX-License-Identifier: Apache-2.0
#include "code/call_site.hpp"

#include "base/target.hpp"
#include "code/known.hpp"

#include <algorithm>
#include <set>

namespace gdb_ompd::code {

namespace {

constexpr int most_steps = 4000;

}  // namespace

Register copy_of(Register name, const Instruction &instruction) {
    const Computation &made = instruction.computation;
    const bool is_copy = made.arithmetic == Arithmetic::first && made.width == pointer_size &&
                         made.first.kind == Operand::Kind::in_register &&
                         made.first.number == name && made.first.width == pointer_size;
    return is_copy ? made.destination : no_register;
}

bool writes(const Instruction &instruction, Register name, const CallingConvention &convention) {
    if (instruction.is_call()) {
        return (convention.preserved_bits() & bit_of(name)) == 0;
    }
    const bool moves_stack =
        instruction.operation == Operation::push || instruction.operation == Operation::pop;
    if (name == convention.stack_pointer && moves_stack) {
        return true;
    }
    return (instruction.writes & bit_of(name)) != 0;
}

// A joint of control flow that was met on the way back, with the register asked for.
struct CallSite::Joint {
    const Joint *before;
    Register name;
    std::size_t position;
};

// What lies between an instruction and the call: the preserved registers that are changed
// there, the joints, and whether there is a loop, which may have changed any memory since.
struct CallSite::Path {
    std::uint64_t changed = 0;
    bool has_loop = false;
    const Joint *met = nullptr;

    [[nodiscard]] bool has_met(Register name, std::size_t position) const {
        for (const Joint *joint = met; joint != nullptr; joint = joint->before) {
            if (joint->name == name && joint->position == position) {
                return true;
            }
        }
        return false;
    }
};

CallSite::CallSite(const FunctionCode &code, std::size_t call, const Architecture &architecture,
                   ReadRegister preserved, ReadMemory memory, ReadRegister at_entry)
    : code_(code), call_(call), convention_(architecture.convention()),
      preserved_bits_(convention_.preserved_bits()), preserved_(std::move(preserved)),
      memory_(std::move(memory)), at_entry_(std::move(at_entry)) {}

Value CallSite::argument(std::size_t number) {
    steps_ = 0;
    if (number < convention_.arguments.size()) {
        return value(convention_.arguments[number], call_, {});
    }
    const Value stack = preserved_(convention_.stack_pointer);
    if (!stack) {
        return std::nullopt;
    }
    return load(*stack + pointer_size * (number - convention_.arguments.size()), pointer_size);
}

Value CallSite::held_by(Register name) {
    steps_ = 0;
    return value(name, call_, {});
}

Value CallSite::load(Value address, unsigned size) const {
    return address ? memory_(*address, size) : std::nullopt;
}

std::uint64_t CallSite::changed_by(std::size_t position) const {
    std::uint64_t changed = 0;
    for (const NamedRegister &one : convention_.preserved) {
        if (writes(code_.at(position), one.number, convention_)) {
            changed |= bit_of(one.number);
        }
    }
    return changed;
}

// What the register NAME holds before the instruction at BEFORE.
Value CallSite::value(Register name, std::size_t before, Path path, unsigned wanted) {
    for (std::size_t position = before;;) {
        if ((bit_of(name) & preserved_bits_ & ~path.changed) != 0) {
            // Where it is not known to be the same now, the code may tell what it was.
            if (const Value kept = preserved_(name)) {
                return kept;
            }
        }
        if (++steps_ > most_steps) {
            return std::nullopt;
        }
        if (!code_.jumps_to(position).empty()) {
            return merged(name, position, path, wanted);
        }
        if (position == 0) {
            return at_entry_(name);
        }
        --position;
        const Instruction &instruction = code_.at(position);
        if (instruction.ends_flow()) {
            return std::nullopt;  // an unknown jump leads here
        }
        if (writes(instruction, name, convention_)) {
            return result(position, name, path, wanted);
        }
        const Register copy = copy_of(name, instruction);
        const bool kept = (bit_of(copy) & preserved_bits_ & ~path.changed) != 0;
        path.changed |= changed_by(position);
        if (kept) {
            const Value original = value(name, position, path);
            return original ? original : preserved_(copy);
        }
    }
}

// The same at a place to which several ways lead.
Value CallSite::merged(Register name, std::size_t position, Path path, unsigned wanted) {
    if (code_.jumps_anywhere() || path.has_met(name, position)) {
        return std::nullopt;
    }
    const Joint joint{path.met, name, position};
    path.met = &joint;
    const auto sources = code_.jumps_to(position);
    std::vector<std::size_t> ways(sources.begin(), sources.end());
    if (position > 0 && !code_.at(position - 1).ends_flow()) {
        ways.push_back(position - 1);
    }
    std::erase_if(ways, [&](std::size_t way) {
        const auto changed = way < position ? std::nullopt : kept_around(name, position, way);
        path.has_loop |= changed.has_value();
        path.changed |= changed.value_or(0);
        return changed.has_value();
    });
    std::vector<Value> values;
    for (const std::size_t way : ways) {
        if (writes(code_.at(way), name, convention_)) {
            values.push_back(result(way, name, path, wanted));
        } else {
            Path longer = path;
            longer.changed |= changed_by(way);
            values.push_back(value(name, way, longer, wanted));
        }
    }
    const Value found = common(values, ways, position, path);
    return position > 0 || (found && found == at_entry_(name)) ? found : std::nullopt;
}

// The preserved registers that a loop changes, from the place at POSITION to WAY, which leads back
// there; none where it may change the register NAME, or is not entered by that place alone.
std::optional<std::uint64_t> CallSite::kept_around(Register name, std::size_t position,
                                                   std::size_t way) {
    std::uint64_t changed = 0;
    std::set<std::size_t> seen;
    for (std::vector<std::size_t> left{way}; !left.empty();) {
        const std::size_t here = left.back();
        left.pop_back();
        if (!seen.insert(here).second) {
            continue;
        }
        if (++steps_ > most_steps || writes(code_.at(here), name, convention_)) {
            return std::nullopt;
        }
        changed |= changed_by(here);
        if (here == position) {
            continue;
        }
        const auto sources = code_.jumps_to(here);
        left.insert(left.end(), sources.begin(), sources.end());
        const bool falls = here > 0 && !code_.at(here - 1).ends_flow();
        if (here == 0 || (!falls && sources.empty())) {
            return std::nullopt;
        }
        if (falls) {
            left.push_back(here - 1);
        }
    }
    return changed;
}

// The value on which the WAYS to a place agree, of which it is one each; of ways that part and
// meet again, without those that it was not reached by.
Value CallSite::common(std::span<const Value> values, std::span<const std::size_t> ways,
                       std::size_t position, const Path &path) {
    const auto is_first = [&](const Value &one) { return one == values.front(); };
    if (values.empty() || std::all_of(values.begin(), values.end(), is_first)) {
        return values.empty() ? std::nullopt : values.front();
    }
    // In a loop what a condition was made of may have changed since.
    if (path.has_loop ||
        std::any_of(ways.begin(), ways.end(), [&](std::size_t way) { return way >= position; })) {
        return std::nullopt;
    }
    std::vector<Value> left;
    for (std::size_t i = 0; i < ways.size(); ++i) {
        if (!is_ruled_out(ways[i], position, path)) {
            left.push_back(values[i]);
        }
    }
    const bool agree =
        std::all_of(left.begin(), left.end(), [&](Value one) { return one == left.front(); });
    return !left.empty() && agree ? left.front() : std::nullopt;
}

// Whether the condition of the instruction at POSITION is true there, where the comparison that
// it is of is right before it, as far as flow goes.
std::optional<bool> CallSite::holds(std::size_t position, Path path) {
    const Condition condition = code_.at(position).condition;
    while (position > 0 && code_.jumps_to(position).empty()) {
        const Instruction &before = code_.at(--position);
        if (before.is_call() || before.ends_flow()) {
            return std::nullopt;
        }
        path.changed |= changed_by(position);
        if (before.sets_flags) {
            const Computation &made = before.computation;
            const Value first = operand(made.first, position, path);
            const Value second = operand(made.second, position, path);
            return first && second ? is_true(condition, made, *first, *second) : std::nullopt;
        }
    }
    return std::nullopt;
}

// Whether the place at NEXT was not reached by WAY, the instruction before it: a condition on
// the way there says so.
bool CallSite::is_ruled_out(std::size_t way, std::size_t next, Path path) {
    for (std::size_t position = way;;) {
        const Instruction &instruction = code_.at(position);
        path.changed |= changed_by(position);
        const bool branches = instruction.operation == Operation::branch;
        if (const auto is_taken = branches ? holds(position, path) : std::nullopt) {
            return *is_taken != (next != position + 1);
        }
        const auto sources = code_.jumps_to(position);
        const bool falls = position > 0 && !code_.at(position - 1).ends_flow();
        if (++steps_ > most_steps || sources.size() + (falls ? 1 : 0) != 1) {
            return false;
        }
        next = position;
        position = falls ? position - 1 : sources.front();
        if (position >= next) {
            return false;
        }
    }
}

// What an instruction leaves in the register that it writes.
Value CallSite::result(std::size_t position, Register name, Path path, unsigned wanted) {
    const Instruction &instruction = code_.at(position);
    const Computation &made = instruction.computation;
    const bool is_upper = made.upper == name && name != no_register;
    const bool leaves_rest = made.width < 4 && made.width < wanted;
    if ((made.destination != name && !is_upper) || made.arithmetic == Arithmetic::unknown ||
        leaves_rest) {
        return std::nullopt;
    }
    path.changed |= changed_by(position);
    if (made.arithmetic == Arithmetic::choose || made.arithmetic == Arithmetic::holds) {
        const auto is_so = holds(position, path);
        if (!is_so || made.arithmetic == Arithmetic::holds) {
            return is_so ? Value{*is_so ? 1 : 0} : std::nullopt;
        }
        return operand(*is_so ? made.second : made.first, position, path);
    }
    const Value first = operand(made.first, position, path);
    const bool is_alone = made.arithmetic == Arithmetic::first;
    const Value second = is_alone ? Value{0} : operand(made.second, position, path);
    if (!first || !second) {
        return std::nullopt;
    }
    Value found = computed(instruction, *first, *second);
    if (made.arithmetic == Arithmetic::multiply_wide) {
        found = is_upper ? upper_half(made, *first, *second) : *first * *second;
    } else if (made.arithmetic == Arithmetic::divide) {
        const Value upper = value(made.upper, position, path);
        found = upper ? divided(made, *upper, *first, *second, is_upper) : std::nullopt;
    }
    return found ? Value{cut(*found, made.width)} : std::nullopt;
}

Value CallSite::operand(const Operand &operand, std::size_t position, const Path &path) {
    Value found;
    switch (operand.kind) {
    case Operand::Kind::immediate:
        return static_cast<std::uint64_t>(code_.at(position).immediate);
    case Operand::Kind::in_register:
        found = value(operand.number, position, path, operand.width);
        break;
    case Operand::Kind::memory:
        found = path.has_loop ? std::nullopt : load(address(position, path), operand.width);
        break;
    case Operand::Kind::address:
        return address(position, path);
    case Operand::Kind::none:
        break;
    }
    if (!found) {
        return std::nullopt;
    }
    return operand.is_signed ? extended(*found, operand.width) : cut(*found, operand.width);
}

Value CallSite::address(std::size_t position, const Path &path) {
    const Memory &memory = code_.at(position).memory;
    if (memory.thread_local_segment) {
        return std::nullopt;
    }
    auto found = static_cast<std::uint64_t>(memory.displacement);
    for (const auto &[name, scale] :
         {std::pair(memory.base, 1U), std::pair(memory.index, unsigned{memory.scale})}) {
        if (name != no_register) {
            const Value part = value(name, position, path);
            if (!part) {
                return std::nullopt;
            }
            found += *part * scale;
        }
    }
    return found;
}

}  // namespace gdb_ompd::code
