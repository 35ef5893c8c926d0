// SPDX-License-Identifier: Apache-2.0
// Instructions of a runtime, as they are mapped.
#pragma once

#include "code/architecture.hpp"
#include "elf/address_space.hpp"

#include <optional>
#include <vector>

namespace gdb_ompd {

// Nothing where there is no ADDRESS, it cannot be read, or the machine's code is not understood.
inline std::vector<code::Instruction>
code_read(AddressSpace &space, std::optional<TargetAddr> address, std::size_t size) {
    const auto architecture = code::make_architecture(space.layout().machine);
    std::vector<std::byte> code(size);
    std::vector<code::Instruction> instructions;
    if (address && architecture != nullptr && space.can_read(*address, code)) {
        architecture->decode(code, address->value, instructions);
    }
    return instructions;
}

}  // namespace gdb_ompd
