// SPDX-License-Identifier: Apache-2.0
#include "runtimes/gnu/barriers.hpp"

#include "base/errors.hpp"
#include "runtimes/gnu/record_code.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace gdb_ompd::gnu {

namespace {

constexpr std::uint64_t total = 0, generation = 4, missing = 64, missing_at_end = 68;
constexpr std::size_t entry_size = 48, waits_size = 160;
constexpr std::uint64_t largest_team = 4096;

[[noreturn]] void refuse() { throw Inconsistent("where teams' barriers are was not found"); }

struct Entered {
    std::uint64_t offset = 0;    // of the barrier in a team's record
    std::uint64_t function = 0;  // that waits in it
};

// GOMP_barrier jumps to the function with the address of the barrier in the thread's team.
Entered entered(AddressSpace &space, std::uint64_t team, std::int64_t record) {
    const auto entry = space.symbol_address("GOMP_barrier", std::nullopt, std::nullopt);
    const std::int64_t place = record + static_cast<std::int64_t>(team);
    std::optional<std::size_t> found;  // the access that reads the team
    const auto accesses = record_accesses(space, entry, entry_size);
    for (std::size_t index = 0; index < accesses.size(); ++index) {
        const Access &one = accesses[index];
        if (one.place.to == Relative::To::thread_pointer && one.place.offset == place) {
            found = index;
        } else if (one.how == Access::How::jumps && one.place.is_of(found)) {
            return {static_cast<std::uint64_t>(one.place.offset), one.target};
        }
    }
    refuse();
}

// It takes down the generation and counts itself, which a function may do for it; behind it is the
// one for a region's end.
void prove_waits(AddressSpace &space, std::uint64_t function) {
    constexpr std::array<std::uint64_t, 6> expected{generation,     missing, generation,
                                                    missing_at_end, total,   missing_at_end};
    std::vector<std::uint64_t> found;
    for (const Access &one : record_accesses(space, TargetAddr{function}, waits_size)) {
        const auto place = static_cast<std::uint64_t>(one.place.offset);
        const bool is_counter =
            one.how == Access::How::passed || (one.how == Access::How::memory && one.width == 4);
        // An atomic change may be a load and a store of the same place.
        if (is_counter && one.place.to == Relative::To::argument &&
            found.size() < expected.size() && (found.empty() || found.back() != place)) {
            found.push_back(place);
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
