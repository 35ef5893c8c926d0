// SPDX-License-Identifier: Apache-2.0
#include "memory_blocks.hpp"

#include <cstdlib>
#include <unordered_set>

namespace gdb_ompd {

namespace {

// libompd writes some numbers with sprintf into buffers a few bytes too short.
constexpr std::size_t slack = 32;

// Never destroyed: a library may free memory while the process ends.
std::unordered_set<void *> &blocks() {
    static auto *in_use = new std::unordered_set<void *>;
    return *in_use;
}

}  // namespace

void *allocate_block(ompd_size_t size) noexcept {
    if (size > max_block_bytes) {
        return nullptr;
    }
    void *block = std::calloc(1, size + slack);
    if (block == nullptr) {
        return nullptr;
    }
    try {
        blocks().insert(block);
    } catch (...) {
        std::free(block);
        return nullptr;
    }
    return block;
}

bool free_block(void *block) noexcept {
    if (blocks().erase(block) == 0) {
        return false;
    }
    std::free(block);
    return true;
}

std::size_t blocks_in_use() noexcept { return blocks().size(); }

}  // namespace gdb_ompd
