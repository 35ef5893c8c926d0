// SPDX-License-Identifier: Apache-2.0
// A stub of the linkage table: the few instructions through which a file's code calls a function of
// another file, by an address that the dynamic linker keeps in memory.
#pragma once

#include "code/instruction.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace gdb_ompd::code {

constexpr std::size_t stub_size = 20;  // bytes, at most

// Where a stub leads: to ADDRESS, or to what memory has there.
struct StubEnd {
    std::uint64_t address = 0;
    bool is_in_memory = false;

    bool operator==(const StubEnd &) const = default;
};

// Of the stub that CODE begins with, which works out an address in STUB_REGISTERS alone; none for
// code that does more than to jump there.
[[nodiscard]] std::optional<StubEnd> stub_end(std::span<const Instruction> code,
                                              std::uint64_t stub_registers);
// Where memory has the address that a stub jumps to; none for other code.
[[nodiscard]] std::optional<std::uint64_t> slot_of_stub(std::span<const Instruction> code,
                                                        std::uint64_t stub_registers);

}  // namespace gdb_ompd::code
