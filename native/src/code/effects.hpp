// SPDX-License-Identifier: Apache-2.0
// What a function does to memory at known addresses, and whom it calls: its
// instructions followed in order, with the constants that registers hold.
#pragma once

#include "code/image.hpp"
#include "code/instruction.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace gdb_ompd::code {

struct Effect {
    enum class Kind : std::uint8_t {
        takes_address,  // of a variable or string, also from the global offset table
        load,
        store,
        store_or,
        store_and,
        update,
        compare,
        call,
        jump,
        branch,
        indexes,     // loads a pointer from the array that the variable at ADDRESS points to
        gives_back,  // returns what it loaded from the variable at ADDRESS
    };

    Kind kind = Kind::load;
    std::uint8_t width = 0;                             // bytes
    std::uint64_t at = 0;                               // the instruction
    std::uint64_t address = 0;                          // what it concerns
    std::optional<std::uint64_t> value = std::nullopt;  // that is stored, where it is known

    [[nodiscard]] bool concerns_data() const {
        return kind != Kind::call && kind != Kind::jump && kind != Kind::branch;
    }
};

// Follow PIECES, which are the parts of one function, in this order.
std::vector<Effect> effects_of(std::span<const std::span<const Instruction>> pieces,
                               const Image &image, const Architecture &architecture);

}  // namespace gdb_ompd::code
