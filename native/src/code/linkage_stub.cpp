// SPDX-License-Identifier: Apache-2.0
#include "code/linkage_stub.hpp"

#include <array>

namespace gdb_ompd::code {

namespace {

using Held = std::array<std::optional<StubEnd>, register_count>;

// What an instruction leaves in its register.
std::optional<StubEnd> worked_out(const Instruction &one, const Held &held) {
    const Operand::Kind kind = one.computation.first.kind;
    if (kind == Operand::Kind::immediate) {
        return StubEnd{static_cast<std::uint64_t>(one.immediate)};
    }
    const bool is_place = kind == Operand::Kind::address || kind == Operand::Kind::memory;
    if (!is_place || one.memory.index != no_register) {
        return std::nullopt;
    }
    std::optional<StubEnd> base = StubEnd{};
    if (one.memory.base != no_register) {
        base = one.memory.base < held.size() ? held[one.memory.base] : std::nullopt;
    }
    if (!base || base->is_in_memory) {
        return std::nullopt;
    }
    return StubEnd{base->address + static_cast<std::uint64_t>(one.memory.displacement),
                   kind == Operand::Kind::memory};
}

}  // namespace

std::optional<StubEnd> stub_end(std::span<const Instruction> code, std::uint64_t stub_registers) {
    Held held;
    for (const Instruction &one : code) {
        if (one.operation == Operation::nothing) {
            continue;
        }
        if (one.operation == Operation::jump) {
            if (const auto place = one.constant_place(); place && one.target == 0) {
                return StubEnd{*place, true};
            }
            const bool is_worked_out = (bit_of(one.source) & stub_registers) != 0;
            return is_worked_out ? held[one.source] : std::nullopt;
        }
        const Register into = one.computation.destination;
        if ((bit_of(into) & stub_registers) == 0 || (one.writes & ~stub_registers) != 0) {
            return std::nullopt;
        }
        held[into] = worked_out(one, held);
    }
    return std::nullopt;
}

std::optional<std::uint64_t> slot_of_stub(std::span<const Instruction> code,
                                          std::uint64_t stub_registers) {
    const auto end = stub_end(code, stub_registers);
    return end && end->is_in_memory ? std::optional(end->address) : std::nullopt;
}

}  // namespace gdb_ompd::code
