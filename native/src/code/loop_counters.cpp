// SPDX-License-Identifier: Apache-2.0
#include "code/loop_counters.hpp"

#include <set>

namespace gdb_ompd::code {

namespace {

// The registers that an instruction computes from.
std::uint64_t reads(const Instruction &each) {
    std::uint64_t found = bit_of(each.source) | bit_of(each.second_source);
    for (const Operand &operand : {each.computation.first, each.computation.second}) {
        if (operand.kind == Operand::Kind::in_register) {
            found |= bit_of(operand.number);
        }
    }
    if (each.operation == Operation::address ||
        each.computation.first.kind == Operand::Kind::address) {
        found |= bit_of(each.memory.base) | bit_of(each.memory.index);
    }
    return found;
}

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

std::vector<LoopCounter> loop_counters(const FunctionCode &code, Register frame_pointer,
                                       std::int64_t iteration) {
    std::vector<LoopCounter> found;
    // The registers and places that have something computed from it, on the way without a jump.
    std::uint64_t computed = 0;
    std::set<std::int64_t> places;
    for (std::size_t index = 0; index < code.instructions().size(); ++index) {
        const Instruction &each = code.at(index);
        if (each.is_call() || each.is_jump() || !code.jumps_to(index).empty()) {
            computed = 0;
        }
        if (each.is_jump() || !code.jumps_to(index).empty()) {
            places = {iteration};
        }
        const bool is_from = (reads(each) & computed) != 0;
        const bool is_in_frame = each.has_memory && each.memory.base == frame_pointer &&
                                 each.memory.index == no_register;
        const std::int64_t offset = each.memory.displacement;
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

}  // namespace gdb_ompd::code
