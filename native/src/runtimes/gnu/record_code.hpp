// SPDX-License-Identifier: Apache-2.0
// What code of libgomp does with records, read straight on from where a function begins: what of a
// thread's record it reads, what of those that this leads to, and what it hands over.
#pragma once

#include "code/instruction.hpp"
#include "elf/address_space.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace gdb_ompd::gnu {

// A number of which is known what it is relative to.
struct Relative {
    enum class To : std::uint8_t {
        nothing,
        thread_pointer,
        argument,  // the function's first
        read,      // what the access with the number WHICH has read
    };

    To to = To::nothing;
    std::int64_t offset = 0;
    std::size_t which = 0;

    [[nodiscard]] bool is_of(const std::optional<std::size_t> &read) const {
        return to == To::read && read == which;
    }
};

struct Access {
    enum class How : std::uint8_t {
        memory,  // reads or changes what is at PLACE
        passed,  // calls a function with PLACE as one of its arguments
        jumps,   // goes on at TARGET, with PLACE as the first argument
        returns,
    };

    How how = How::memory;
    Relative place;
    std::uint8_t width = 0;  // bytes
    std::uint64_t target = 0;
};

// SIZE bytes of code; nothing where there is no ADDRESS, or it cannot be read or understood.
// Behind a jump another function begins.
[[nodiscard]] std::vector<Access>
record_accesses(AddressSpace &space, std::optional<TargetAddr> address, std::size_t size);

}  // namespace gdb_ompd::gnu
