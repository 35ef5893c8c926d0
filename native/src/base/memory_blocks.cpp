// SPDX-License-Identifier: Apache-2.0
#include "base/memory_blocks.hpp"

#include <array>
#include <cstdlib>
#include <cstring>
#include <unordered_map>
#include <vector>

namespace gdb_ompd {

namespace {

// libompd writes some numbers with sprintf into buffers a few bytes too short.
constexpr std::size_t slack = 32;

// Around each block: front canary, the block, slack, rear canary.
using Canary = std::array<std::uint64_t, 2>;
static_assert(sizeof(Canary) % alignof(std::max_align_t) == 0);

// Apart from the blocks, where the library cannot reach it.
struct Record {
    std::size_t size;
    BlockOwner owner;
};

struct Registry {
    std::unordered_map<void *, Record> lent;
    std::vector<void *> recent;  // made during the calls in progress, oldest first
    std::vector<void *> lost;    // overrun: kept here, for leak checkers
};

// Never destroyed: a library may free memory while the process ends.
Registry &registry() {
    static auto *in_use = new Registry;
    return *in_use;
}

Canary canary_of(const void *block) noexcept {
    const auto address = reinterpret_cast<std::uint64_t>(block);
    return {address ^ 0x9e3779b97f4a7c15U, ~address};
}

std::byte *front(void *block) noexcept { return static_cast<std::byte *>(block) - sizeof(Canary); }

std::byte *rear(void *block, std::size_t size) noexcept {
    return static_cast<std::byte *>(block) + size + slack;
}

void set_canaries(void *block, std::size_t size) noexcept {
    const Canary canary = canary_of(block);
    std::memcpy(front(block), &canary, sizeof canary);
    std::memcpy(rear(block, size), &canary, sizeof canary);
}

bool is_sound(void *block, std::size_t size) noexcept {
    const Canary canary = canary_of(block);
    return std::memcmp(front(block), &canary, sizeof canary) == 0 &&
           std::memcmp(rear(block, size), &canary, sizeof canary) == 0;
}

void lose(void *block) noexcept {
    try {
        registry().lost.push_back(front(block));
    } catch (...) {
        return;  // without memory it is only not remembered
    }
}

}  // namespace

void *allocate_block(ompd_size_t size, BlockOwner owner) noexcept {
    if (size > max_block_bytes) {
        return nullptr;
    }
    void *memory = std::calloc(1, sizeof(Canary) + size + slack + sizeof(Canary));
    if (memory == nullptr) {
        return nullptr;
    }
    void *block = static_cast<std::byte *>(memory) + sizeof(Canary);
    try {
        registry().recent.push_back(block);
        registry().lent.emplace(block, Record{size, owner});
    } catch (...) {
        std::free(memory);
        return nullptr;
    }
    set_canaries(block, size);
    return block;
}

Returned free_block(void *block) noexcept {
    auto &lent = registry().lent;
    const auto found = lent.find(block);
    if (found == lent.end()) {
        return Returned::unknown;
    }
    const bool sound = is_sound(block, found->second.size);
    lent.erase(found);
    if (!sound) {
        lose(block);
        return Returned::overrun;
    }
    std::free(front(block));
    return Returned::freed;
}

std::optional<std::size_t> block_size(const void *address) noexcept {
    const auto &lent = registry().lent;
    const auto found = lent.find(const_cast<void *>(address));
    return found == lent.end() ? std::nullopt : std::optional(found->second.size);
}

std::size_t mark_blocks() noexcept { return registry().recent.size(); }

bool overrun_since(std::size_t mark) noexcept {
    auto &lent = registry().lent;
    auto &recent = registry().recent;
    bool overrun = false;
    for (std::size_t i = mark; i < recent.size(); ++i) {
        const auto found = lent.find(recent[i]);
        overrun |= found != lent.end() && !is_sound(found->first, found->second.size);
    }
    recent.resize(mark);
    return overrun;
}

void free_blocks_of(BlockOwner owner) noexcept {
    auto &lent = registry().lent;
    for (auto each = lent.begin(); each != lent.end();) {
        if (each->second.owner != owner) {
            ++each;
            continue;
        }
        if (is_sound(each->first, each->second.size)) {
            std::free(front(each->first));
        } else {
            lose(each->first);
        }
        each = lent.erase(each);
    }
}

std::size_t blocks_in_use() noexcept { return registry().lent.size(); }

}  // namespace gdb_ompd
