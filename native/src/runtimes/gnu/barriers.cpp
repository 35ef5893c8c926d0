// SPDX-License-Identifier: Apache-2.0
#include "runtimes/gnu/barriers.hpp"

#include "base/errors.hpp"
#include "runtimes/code_read.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace gdb_ompd::gnu {

namespace {

using code::Arithmetic;
using code::Instruction;
using code::Operand;
using code::Operation;

constexpr std::uint64_t total = 0, generation = 4, missing = 64, missing_at_end = 68;
constexpr code::Register first_argument = 7;  // rdi
constexpr std::size_t entry_size = 48, waits_size = 80;
constexpr std::uint64_t largest_team = 4096;

[[noreturn]] void refuse() { throw Inconsistent("where teams' barriers are was not found"); }

// What the first argument is made greater by.
std::optional<std::uint64_t> added(const Instruction &one) {
    const code::Computation &is = one.computation;
    if (is.destination != first_argument || is.width != 8 || is.first.number != first_argument ||
        is.second.kind != Operand::Kind::immediate) {
        return std::nullopt;
    }
    const auto value = static_cast<std::uint64_t>(one.immediate);
    return is.arithmetic == Arithmetic::add        ? std::optional(value)
           : is.arithmetic == Arithmetic::subtract ? std::optional(std::uint64_t{0} - value)
                                                   : std::nullopt;
}

struct Entered {
    std::uint64_t offset = 0;    // of the barrier in a team's record
    std::uint64_t function = 0;  // that waits in it
};

// GOMP_barrier jumps to the function with the address of the barrier in the thread's team.
Entered entered(AddressSpace &space, std::uint64_t team, std::int64_t record) {
    const auto entry = space.symbol_address("GOMP_barrier", std::nullopt, std::nullopt);
    bool has_team = false;
    std::optional<std::uint64_t> offset;
    for (const Instruction &one : code_read(space, entry, entry_size)) {
        const auto place = one.memory.displacement;
        const auto direct = record + static_cast<std::int64_t>(team);
        if (one.operation == Operation::load && one.memory.thread_local_segment &&
            one.destination == first_argument &&
            (place == static_cast<std::int64_t>(team) || place == direct)) {
            has_team = true;
        } else if (has_team && added(one)) {
            offset = added(one);
        } else if (offset && one.operation == Operation::jump && one.target != 0) {
            return {*offset, one.target};
        }
    }
    refuse();
}

// It takes down the generation and counts itself; behind it is the one for a region's end.
void prove_waits(AddressSpace &space, std::uint64_t function) {
    constexpr std::array<std::uint64_t, 6> expected{generation,     missing, generation,
                                                    missing_at_end, total,   missing_at_end};
    std::vector<std::uint64_t> found;
    for (const Instruction &one : code_read(space, TargetAddr{function}, waits_size)) {
        if (one.has_memory && one.memory.base == first_argument && one.width == 4 &&
            one.memory.index == code::no_register && found.size() < expected.size()) {
            found.push_back(static_cast<std::uint64_t>(one.memory.displacement));
        }
    }
    if (!std::ranges::equal(found, expected)) {
        refuse();
    }
}

}  // namespace

BarrierPlace::BarrierPlace(AddressSpace &space, std::uint64_t team, std::int64_t record)
    : space_(space) {
    const Entered found = entered(space, team, record);
    if (found.offset == 0 || found.offset > largest_team || found.offset % 64 != 0) {
        refuse();
    }
    prove_waits(space, found.function);
    offset_ = found.offset;
}

std::optional<TeamBarrier> BarrierPlace::read(TargetAddr team, std::uint32_t size) const {
    const TargetAddr at = team + offset_;
    const auto word = [&](std::uint64_t offset) { return space_.uint_at(at + offset, 4); };
    const auto all = word(total);
    const auto number = word(generation);
    const auto left = word(missing);
    const auto left_at_end = word(missing_at_end);
    if (!all || !number || !left || !left_at_end || *all != size || *left > size ||
        *left_at_end > size) {
        return std::nullopt;
    }
    return TeamBarrier{at + generation, size, Generation{static_cast<std::uint32_t>(*number)},
                       static_cast<std::uint32_t>(*left), static_cast<std::uint32_t>(*left_at_end)};
}

}  // namespace gdb_ompd::gnu
