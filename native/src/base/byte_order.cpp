// SPDX-License-Identifier: Apache-2.0
#include "base/byte_order.hpp"

#include "base/memory_blocks.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace gdb_ompd {

ompd_rc_t convert_byte_order(std::endian target, const void *input, ompd_size_t unit_size,
                             ompd_size_t count, void *output) noexcept {
    // No type of the target has another size.
    if (!std::has_single_bit(unit_size) || unit_size > 16) {
        return ompd_rc_bad_input;
    }
    if (count == 0) {
        return ompd_rc_ok;
    }
    if (input == nullptr || output == nullptr || count > max_block_bytes / unit_size) {
        return ompd_rc_bad_input;
    }
    std::memmove(output, input, unit_size * count);
    if (target == std::endian::native || unit_size == 1) {
        return ompd_rc_ok;
    }
    auto *unit = static_cast<std::byte *>(output);
    for (ompd_size_t i = 0; i < count; ++i, unit += unit_size) {
        std::reverse(unit, unit + unit_size);
    }
    return ompd_rc_ok;
}

}  // namespace gdb_ompd
