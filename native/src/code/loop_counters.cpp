// SPDX-License-Identifier: Apache-2.0
#include "code/loop_counters.hpp"

#include "code/control_flow.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

namespace gdb_ompd::code {

namespace {

// Where the innermost loop ends that an instruction is in; 0 for none.
std::uint64_t loop_around(const FunctionCode &code, std::size_t inside) {
    for (std::size_t index = inside + 1; index-- > 0;) {
        for (const std::size_t source : code.jumps_to(index)) {
            if (source > inside) {
                return code.at(source).address;
            }
        }
    }
    return 0;
}

}  // namespace

std::vector<LoopCounter> loop_counters(const FunctionCode &code,
                                       const CallingConvention &convention,
                                       std::int64_t iteration) {
    std::vector<LoopCounter> found;
    const Register object = convention.arguments[0];
    const Register number = convention.arguments[1];
    std::optional<std::int64_t> advanced;  // where the first argument of the next call leads to
    // The registers and places that have something computed from it, on the way without a jump.
    std::uint64_t computed = 0;
    std::set<std::int64_t> places;
    for (std::size_t index = 0; index < code.instructions().size(); ++index) {
        const Instruction &each = code.at(index);
        if (each.is_call() && advanced && (computed & bit_of(number)) != 0) {
            found.push_back({each.end(), loop_around(code, index), *advanced, 0});
        }
        if (each.is_call() || each.is_jump() || !code.jumps_to(index).empty()) {
            computed = 0;
        }
        if (each.is_jump() || !code.jumps_to(index).empty()) {
            places = {iteration};
        }
        const bool is_from = (computes_from(each) & computed) != 0;
        const bool is_in_frame = each.has_memory && each.memory.base == convention.frame_pointer &&
                                 each.memory.index == no_register;
        const std::int64_t offset = each.memory.displacement;
        if ((each.writes & bit_of(object)) != 0 || each.is_call()) {
            const bool leads = each.operation == Operation::address && is_in_frame;
            advanced = leads ? std::optional(offset) : std::nullopt;
        }
        if (each.operation == Operation::store) {
            if (is_from && is_in_frame && offset != iteration) {
                found.push_back({each.end(), loop_around(code, index), offset, each.width});
                places.insert(offset);
            }
            continue;
        }
        const bool loads = is_in_frame && places.contains(offset) && !each.changes_memory() &&
                           each.operation != Operation::address;
        computed = is_from || loads ? computed | each.writes : computed & ~each.writes;
    }
    std::erase_if(found, [](const LoopCounter &each) { return each.loop_ends == 0; });
    return found;
}

bool is_stored(FunctionReader &functions, std::uint64_t pc, std::string_view name,
               std::int64_t offset) {
    const FunctionCode *const code = functions.function(pc);
    const auto here = code != nullptr ? code->index_of(pc) : std::nullopt;
    if (!here) {
        return false;
    }
    const Register pointer = functions.architecture()->named(name);
    const ControlFlow flow(*code);
    // With whether a call is between there and here.
    std::set<std::pair<std::size_t, bool>> seen;
    std::vector<std::pair<std::size_t, bool>> ways{{*here, false}};
    while (!ways.empty()) {
        const auto [index, has_called] = ways.back();
        ways.pop_back();
        const std::vector<std::size_t> before = flow.before(index);
        if (before.empty()) {
            return false;
        }
        for (const std::size_t one : before) {
            const Instruction &each = code->at(one);
            const bool is_there = each.has_memory && each.memory.base == pointer &&
                                  each.memory.index == no_register &&
                                  each.memory.displacement == offset;
            const bool stores = each.operation == Operation::store ||
                                (each.operation == Operation::address && has_called);
            const std::pair next(one, has_called || each.is_call());
            if (!(is_there && stores) && seen.insert(next).second) {
                ways.push_back(next);
            }
        }
    }
    return true;
}

bool changes_in_place(const FunctionCode &code, Register name) {
    return std::ranges::any_of(code.instructions(), [&](const Instruction &each) {
        const bool is_untold = each.operation == Operation::other &&
                               each.computation.arithmetic == Arithmetic::unknown;
        return (each.writes & bit_of(name)) != 0 &&
               (is_untold || (computes_from(each) & bit_of(name)) != 0);
    });
}

}  // namespace gdb_ompd::code
