// SPDX-License-Identifier: Apache-2.0
// A thread's record as it was before the runtime made it blank: the function that has done so keeps
// each part in its frame or in registers, and its code tells which it gives back at its end.
#pragma once

#include "code/frame.hpp"
#include "elf/address_space.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace gdb_ompd::gnu {

class KeptRecord {
public:
    // FRAME is the function's. SPACE outlives it.
    KeptRecord(AddressSpace &space, const code::Frame &frame, std::uint64_t thread_pointer,
               TargetAddr record);

    // Of SIZE bytes that are OFFSET from the record's begin; none where that is not known.
    [[nodiscard]] std::optional<std::uint64_t> value(std::uint64_t offset,
                                                     std::uint64_t size) const;

private:
    // In memory or, without an address there, the value.
    struct Part {
        std::uint64_t offset = 0, width = 0;
        std::optional<TargetAddr> address;
        std::uint64_t value = 0;
    };

    AddressSpace &space_;
    std::vector<Part> parts_;
};

}  // namespace gdb_ompd::gnu
