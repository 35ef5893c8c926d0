// SPDX-License-Identifier: Apache-2.0
// What is known of a register's contents, and of what is computed from them.
#pragma once

#include "base/target.hpp"

#include <algorithm>
#include <cstdint>

namespace gdb_ompd::code {

// VALUE's low WIDTH bytes.
constexpr std::uint64_t cut(std::uint64_t value, unsigned width) {
    return width >= pointer_size ? value : value & ((std::uint64_t{1} << (8 * width)) - 1);
}

struct Known {
    enum class Kind : std::uint8_t {
        nothing,
        constant,  // VALUE
        loaded,    // what the variable at VALUE held
        combined,  // the same, with BITS set
        vector,    // the vector constant with the number VALUE
    };
    Kind kind = Kind::nothing;
    std::uint64_t value = 0;
    std::uint64_t bits = 0;
    unsigned width = 0;  // bytes of the variable that the register holds

    bool operator==(const Known &) const = default;
    [[nodiscard]] bool is_constant() const { return kind == Kind::constant; }
};

inline Known constant(std::int64_t value) {
    return {Known::Kind::constant, static_cast<std::uint64_t>(value)};
}

// VALUE, of WIDTH bytes, if SOURCE, from which it was computed, is a constant.
inline Known computed(const Known &source, std::uint64_t value, unsigned width) {
    return source.is_constant() ? Known{source.kind, cut(value, width)} : Known{};
}

// SOURCE with BITS set. Processors that cannot change memory in place load, change and store.
inline Known combined(const Known &source, std::uint64_t bits, unsigned width) {
    const bool variable =
        source.kind == Known::Kind::loaded || source.kind == Known::Kind::combined;
    if (variable) {
        const unsigned both = std::min(source.width, width);
        return {Known::Kind::combined, source.value, cut(source.bits | bits, both), both};
    }
    return computed(source, source.value | bits, width);
}

}  // namespace gdb_ompd::code
