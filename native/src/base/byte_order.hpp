// SPDX-License-Identifier: Apache-2.0
// Converts between the target's and our order of bytes, and compares bytes.
#pragma once

#include "base/ompd_types.h"

#include <bit>
#include <cstddef>
#include <cstring>
#include <span>

namespace gdb_ompd {

// Convert COUNT units of UNIT_SIZE bytes; the way there is the way back. INPUT
// and OUTPUT may be the same place.
ompd_rc_t convert_byte_order(std::endian target, const void *input, ompd_size_t unit_size,
                             ompd_size_t count, void *output) noexcept;

// In the time of std::memcmp: the containers' own comparison goes from one byte to the next.
inline bool are_same(std::span<const std::byte> one, std::span<const std::byte> other) noexcept {
    return one.size() == other.size() &&
           (one.empty() || std::memcmp(one.data(), other.data(), one.size()) == 0);
}

}  // namespace gdb_ompd
