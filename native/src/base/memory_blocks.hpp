// SPDX-License-Identifier: Apache-2.0
// The memory we lend to an OMPD library.
#pragma once

#include "base/ompd_types.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

namespace gdb_ompd {

// Corrupt target memory makes libompd ask for absurd sizes.
constexpr ompd_size_t max_block_bytes = ompd_size_t{256} << 20;

// Which library a block is lent to, by a number that is never used again; 0 for none.
using BlockOwner = std::uint64_t;

// A zeroed block; null above max_block_bytes or when memory is out.
void *allocate_block(ompd_size_t size, BlockOwner owner = 0) noexcept;

// What became of a block that was given back. One that is not lent, and one
// that was written beyond its bounds, is left alone: the debugger's allocator
// would abort the process.
enum class Returned { freed, unknown, overrun };
Returned free_block(void *block) noexcept;

// The size of the block that begins at ADDRESS, if one does.
[[nodiscard]] std::optional<std::size_t> block_size(const void *address) noexcept;

// The blocks made since a mark, which is the count so far; marks nest. True if
// one of them was written beyond its end or before its beginning.
[[nodiscard]] std::size_t mark_blocks() noexcept;
[[nodiscard]] bool overrun_since(std::size_t mark) noexcept;

// Take back all that was lent to OWNER.
void free_blocks_of(BlockOwner owner) noexcept;

[[nodiscard]] std::size_t blocks_in_use() noexcept;

struct FreeBlock {
    void operator()(const char *block) const noexcept { free_block(const_cast<char *>(block)); }
};

// A string that libompd made with our memory.
using OwnedString = std::unique_ptr<const char, FreeBlock>;

}  // namespace gdb_ompd
