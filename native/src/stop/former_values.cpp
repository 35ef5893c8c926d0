// SPDX-License-Identifier: Apache-2.0
#include "stop/former_values.hpp"

#include "code/call_site.hpp"
#include "elf/address_space.hpp"

#include <algorithm>

namespace gdb_ompd {

using code::CallSite;
using code::FunctionCode;
using code::Instruction;
using code::Operation;
using code::Register;
using code::Value;

namespace {

constexpr std::uint64_t first_made_up = 0x4100000000000000;
constexpr std::uint64_t made_up_bits = 0xff00000000000000;
constexpr unsigned apart = 40;                // bits
constexpr std::uint64_t most_registers = 64;  // of a function
constexpr int most_looked_through = 200;      // stores in a function

bool sets(const Instruction &instruction, Register name) {
    return instruction.operation != Operation::push && instruction.operation != Operation::pop &&
           !instruction.is_call() && !instruction.is_jump() &&
           (instruction.writes & code::bit_of(name)) != 0;
}

bool changes_memory(const Instruction &instruction) {
    return instruction.operation == Operation::store ||
           instruction.operation == Operation::store_or ||
           instruction.operation == Operation::store_and ||
           instruction.operation == Operation::update;
}

// What the flow reaches from STARTS without going on behind LAST.
std::vector<bool> reached(const FunctionCode &code, std::vector<std::size_t> left,
                          std::optional<std::size_t> last) {
    std::vector<bool> found(code.instructions().size());
    while (!left.empty()) {
        const std::size_t index = left.back();
        left.pop_back();
        if (found[index]) {
            continue;
        }
        found[index] = true;
        if (index != last) {
            const auto next = code.successors(index);
            left.insert(left.end(), next.begin(), next.end());
        }
    }
    return found;
}

}  // namespace

Value FormerValues::memory(std::uint64_t address, unsigned size) const {
    return ValuesOfCall::is_made_up(address)
               ? std::nullopt
               : calls_.functions().space().uint_at(TargetAddr{address}, size);
}

// The value is that of the last time. It is stable if nothing has changed what it is made of since
// the first time either.
template <class Ask> Former ValuesOfFrame::ask(std::size_t index, Ask question) {
    bool is_kept_here = true;
    const auto value = [&](bool again) {
        CallSite site(
            code_, index, *calls_.functions().architecture(),
            [&](Register name) { return unchanged(name, index, again); },
            [&](std::uint64_t address, unsigned size) {
                is_kept_here = is_kept_here && (calls_.functions().is_constant(address) ||
                                                is_kept(address, index, again));
                return memory(address, size);
            },
            [](Register) { return Value(); });
        return question(site);
    };
    const Value last = value(false);
    return {last, last && value(true) == last && is_kept_here};
}

Former ValuesOfFrame::argument(std::size_t index, std::size_t number) {
    return ask(index, [&](CallSite &site) { return site.argument(number); });
}

Former ValuesOfFrame::held_by(std::size_t index, Register name) {
    return ask(index, [&](CallSite &site) { return site.held_by(name); });
}

const ValuesOfFrame::Between &ValuesOfFrame::between(std::size_t index, bool again) {
    const auto [known, is_new] = between_.try_emplace({index, again});
    if (is_new) {
        known->second = ways(index, again);
    }
    return known->second;
}

// What may have been executed between the instruction at INDEX and HERE, where it was not executed
// AGAIN meanwhile or even so. Code that no way leads to handles exceptions, from anywhere.
ValuesOfFrame::Between ValuesOfFrame::ways(std::size_t index, bool again) const {
    const std::size_t size = code_.instructions().size();
    const auto last = again ? std::nullopt : std::optional(index);
    auto starts = code_.successors(index);
    const auto usual = reached(code_, {0}, std::nullopt);
    for (std::size_t one = 0; one < size; ++one) {
        if (!usual[one]) {
            starts.push_back(one);
        }
    }
    const auto behind = reached(code_, starts, last);
    if (code_.jumps_anywhere() || !behind[here_]) {
        return std::nullopt;
    }
    std::vector<std::vector<std::size_t>> before(size);
    for (std::size_t one = 0; one < size; ++one) {
        if (behind[one] && one != last) {
            for (const std::size_t next : code_.successors(one)) {
                before[next].push_back(one);
            }
        }
    }
    std::vector<bool> found(size);
    for (std::vector<std::size_t> left{here_}; !left.empty();) {
        const std::size_t one = left.back();
        left.pop_back();
        for (const std::size_t other : before[one]) {
            if (!found[other]) {
                found[other] = true;
                left.push_back(other);
            }
        }
    }
    return found;
}

// A register that has been the same since then. The saving and restoring of the caller's value
// are left out.
Value ValuesOfFrame::unchanged(Register name, std::size_t index, bool again) {
    if (name == convention_.stack_pointer) {
        return frame_.held_by(name);
    }
    const auto [known, is_new] = unchanged_.try_emplace({name, index, again});
    if (is_new) {
        const Between &ways = between(index, again);
        std::size_t count = 0;
        for (std::size_t one = 0; one < code_.instructions().size(); ++one) {
            count += sets(code_.at(one), name) && (!ways || (*ways)[one]) ? 1 : 0;
        }
        // Where the ways are not known, what is set once was so before.
        known->second = count > (ways ? 0 : 1) ? std::nullopt : frame_.held_by(name);
    }
    return known->second;
}

// Whether ADDRESS is that of a variable of the function's frame whose address is given to nobody,
// and which has not been set since then.
bool ValuesOfFrame::is_kept(std::uint64_t address, std::size_t index, bool again) {
    const Between &ways = between(index, again);
    const Value stack = unchanged(convention_.stack_pointer, index, true);
    const Value frame = unchanged(convention_.frame_pointer, index, true);
    std::size_t all = 0;
    std::size_t since = 0;
    for (std::size_t one = 0; one < code_.instructions().size(); ++one) {
        const Instruction &instruction = code_.at(one);
        const code::Memory &memory = instruction.memory;
        const Value start = memory.base == convention_.stack_pointer   ? stack
                            : memory.base == convention_.frame_pointer ? frame
                                                                       : std::nullopt;
        const bool is_address = instruction.operation == Operation::address;
        const bool is_slot = start && memory.index == code::no_register &&
                             *start + static_cast<std::uint64_t>(memory.displacement) == address;
        if (!is_slot || (!is_address && !changes_memory(instruction))) {
            continue;
        }
        if (is_address) {
            return false;
        }
        ++all;
        since += ways && (*ways)[one] ? 1 : 0;
    }
    return ways ? all > 0 && since == 0 : all == 1;
}

bool ValuesOfCall::is_made_up(std::uint64_t address) {
    return (address & made_up_bits) == (first_made_up & made_up_bits);
}

std::uint64_t ValuesOfCall::made_up(Register name) const {
    const std::uint64_t number = static_cast<std::uint64_t>(depth_) * most_registers + name + 1;
    return first_made_up + (number << apart);
}

// As code that is not optimised does.
bool ValuesOfCall::sets_up_frame() const {
    return std::ranges::count_if(code_.instructions(), [&](const Instruction &one) {
               return code::copy_of(convention_.stack_pointer, one) == convention_.frame_pointer;
           }) == 1;
}

template <class Ask> Former ValuesOfCall::ask(std::size_t index, Ask question) {
    bool stable = true;
    const auto taken = [&](const Former &former) {
        stable = stable && former.stable;
        return former.value;
    };
    CallSite site(
        code_, index, *calls_.functions().architecture(),
        [&](Register name) {
            const bool is_frame = has_frame_ && name == convention_.frame_pointer;
            return is_frame ? Value(made_up(name)) : std::nullopt;
        },
        [&](std::uint64_t address, unsigned size) {
            const Former former = stored(address, index);
            const bool is_known = former.value || is_made_up(address) || former.stable;
            return is_known
                       ? taken(former)
                       : taken({memory(address, size), calls_.functions().is_constant(address)});
        },
        [&](Register name) { return taken(at_entry(name)); });
    const Value found = question(site);
    return {found, found && stable};
}

Former ValuesOfCall::argument(std::size_t index, std::size_t number) {
    return ask(index, [&](CallSite &site) { return site.argument(number); });
}

Former ValuesOfCall::held_by(std::size_t index, Register name) {
    return ask(index, [&](CallSite &site) { return site.held_by(name); });
}

Former ValuesOfCall::at_entry(Register name) {
    if (std::ranges::find(convention_.arguments, name) == convention_.arguments.end()) {
        return {};
    }
    const auto [known, is_new] = entry_.try_emplace(name);
    if (is_new) {
        known->second = caller_.held_by(call_, name);
        if (!known->second.value) {
            known->second = {made_up(name), true};
        }
    }
    return known->second;
}

// Where a store goes; none where that is not known, or is being worked out.
Value ValuesOfCall::place(std::size_t store) {
    const auto [known, is_new] = places_.try_emplace(store);
    if (is_new) {
        const code::Memory &memory = code_.at(store).memory;
        const Value base = held_by(store, memory.base).value;
        if (base) {
            places_[store] = *base + static_cast<std::uint64_t>(memory.displacement);
        }
    }
    return places_[store];
}

// What the only store to ADDRESS before an instruction has left there. That there are several, or
// may be, is told by no value that is stable.
Former ValuesOfCall::stored(std::uint64_t address, std::size_t before) {
    constexpr Former several{std::nullopt, true};
    std::optional<Former> found;
    for (std::size_t one = 0; one < code_.instructions().size(); ++one) {
        const Instruction &instruction = code_.at(one);
        const code::Memory &memory = instruction.memory;
        const bool in_frame = has_frame_ && memory.base == convention_.frame_pointer;
        // What is in the frame is stored to by its pointer alone, where that is given to nobody.
        if (!changes_memory(instruction) || in_frame != is_made_up(address) ||
            memory.base == code::no_register || memory.index != code::no_register ||
            place(one) != address) {
            continue;
        }
        const bool is_plain = !found && instruction.operation == Operation::store && one < before &&
                              instruction.source != code::no_register &&
                              instruction.width == pointer_size;
        if (!is_plain || ++looked_through_ > most_looked_through) {
            return several;
        }
        found = held_by(one, instruction.source);
    }
    return found.value_or(Former{});
}

}  // namespace gdb_ompd
