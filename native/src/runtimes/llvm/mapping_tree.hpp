// SPDX-License-Identifier: Apache-2.0
// The sorted trees of the C++ library (libstdc++'s std::set and std::map) in the program's memory.
#pragma once

#include "runtimes/llvm/records.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace gdb_ompd::llvm {

class MappingTree {
public:
    // One has its head at HEAD; none where what is there is no head of a tree.
    static std::optional<MappingTree> at(AddressSpace &space, std::uint64_t head);

    [[nodiscard]] std::uint64_t head() const { return head_; }
    // Where its values are, in their order. Throws Inconsistent where its links do not fit its
    // size, as in the middle of a change.
    [[nodiscard]] std::vector<std::uint64_t> values(const Memory &memory) const;

private:
    MappingTree(std::uint64_t head, std::uint64_t root, std::uint64_t size)
        : head_(head), root_(root), size_(size) {}

    std::uint64_t head_;
    std::uint64_t root_;
    std::uint64_t size_;
};

}  // namespace gdb_ompd::llvm
