// SPDX-License-Identifier: Apache-2.0
// Instructions of a runtime, as they are mapped.
#pragma once

#include "code/architecture.hpp"
#include "elf/address_space.hpp"

#include <optional>
#include <vector>

namespace gdb_ompd {

// Nothing where there is no ADDRESS, it cannot be read, or it is another machine's code than
// what it is searched for.
inline std::vector<code::Instruction>
code_read(AddressSpace &space, std::optional<TargetAddr> address, std::size_t size) {
    std::vector<std::byte> code(size);
    std::vector<code::Instruction> instructions;
    if (address && space.layout().machine == "x86-64" && space.can_read(*address, code)) {
        code::make_x86_64()->decode(code, address->value, instructions);
    }
    return instructions;
}

}  // namespace gdb_ompd
