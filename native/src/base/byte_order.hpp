// SPDX-License-Identifier: Apache-2.0
// Converts between the target's and our order of bytes.
#pragma once

#include "base/ompd_types.h"

#include <bit>

namespace gdb_ompd {

// Convert COUNT units of UNIT_SIZE bytes; the way there is the way back. INPUT
// and OUTPUT may be the same place.
ompd_rc_t convert_byte_order(std::endian target, const void *input, ompd_size_t unit_size,
                             ompd_size_t count, void *output) noexcept;

}  // namespace gdb_ompd
