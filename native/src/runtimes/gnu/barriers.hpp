// SPDX-License-Identifier: Apache-2.0
// The barrier in the record of a team of GCC's libgomp. All barriers of a region but the one at its
// end are one, in which threads count down and wait for the next generation. Where it is in the
// record, and its fields in it, is proved on the runtime's code.
#pragma once

#include "elf/address_space.hpp"

#include <cstdint>
#include <optional>

namespace gdb_ompd::gnu {

// As the runtime's flags tell of a generation.
struct Generation {
    std::uint32_t word = 0;

    [[nodiscard]] bool is_as(Generation other) const { return (word ^ other.word) < first_number; }
    [[nodiscard]] bool has_tasks() const { return (word & 1U) != 0; }
    [[nodiscard]] bool waits_for_tasks() const { return (word & 2U) != 0; }
    [[nodiscard]] bool is_cancelled() const { return (word & 4U) != 0; }

private:
    static constexpr std::uint32_t first_number = 8;  // the bits below are flags
};

struct TeamBarrier {
    TargetAddr futex;  // its generation, in which threads sleep
    std::uint32_t total = 0;
    Generation generation;
    // How many threads have not come to a barrier in the region, and to that at its end. All have
    // where there is no difference to TOTAL, or none has.
    std::uint32_t missing = 0, missing_at_end = 0;

    [[nodiscard]] bool is_begun() const { return missing > 0 && missing < total; }
    [[nodiscard]] bool is_begun_at_end() const {
        return missing_at_end > 0 && missing_at_end < total;
    }
};

class BarrierPlace {
public:
    // Throws Inconsistent where the code is not what is known. TEAM is the place of the pointer
    // to a thread's team in its record, which is at RECORD from its thread pointer.
    BarrierPlace(AddressSpace &space, std::uint64_t team, std::int64_t record);

    // The barrier of a team of so many threads; none where its record is damaged.
    [[nodiscard]] std::optional<TeamBarrier> read(TargetAddr team, std::uint32_t size) const;

private:
    AddressSpace &space_;
    std::uint64_t offset_ = 0;
};

}  // namespace gdb_ompd::gnu
