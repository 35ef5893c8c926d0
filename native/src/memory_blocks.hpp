// SPDX-License-Identifier: Apache-2.0
// The memory we lend to an OMPD library.
#pragma once

#include "ompd_types.h"

#include <cstddef>
#include <memory>

namespace gdb_ompd {

// Corrupt target memory makes libompd ask for absurd sizes.
constexpr ompd_size_t max_block_bytes = ompd_size_t{256} << 20;

// A zeroed block; null above max_block_bytes or when memory is out.
void *allocate_block(ompd_size_t size) noexcept;

// False, and nothing done, for what is not a block in use: a second release
// must not corrupt the debugger's heap.
bool free_block(void *block) noexcept;

[[nodiscard]] std::size_t blocks_in_use() noexcept;

struct FreeBlock {
    void operator()(const char *block) const noexcept { free_block(const_cast<char *>(block)); }
};

// A string that libompd made with our memory.
using OwnedString = std::unique_ptr<const char, FreeBlock>;

}  // namespace gdb_ompd
