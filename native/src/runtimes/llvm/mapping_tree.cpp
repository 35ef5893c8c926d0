// SPDX-License-Identifier: Apache-2.0
#include "runtimes/llvm/mapping_tree.hpp"

#include "elf/address_space.hpp"

#include <utility>

namespace gdb_ompd::llvm {

namespace {

// In a node, and in the head that a tree is reached by: of that the left one is the first node and
// the right one the last, and the number of nodes is behind them, where a node has its value.
constexpr std::uint64_t parent = 8, left = 16, right = 24, behind_links = 32;
constexpr std::uint64_t red = 0;  // a head's colour
constexpr std::uint64_t most_nodes = 1U << 20U;

// Walks a tree in its order, and believes no link that is not returned.
class TreeWalk {
public:
    TreeWalk(const Memory &memory, std::uint64_t head) : memory_(memory), head_(head) {}

    std::uint64_t first_below(std::uint64_t node) {
        while (const std::uint64_t next = child(node, left)) {
            node = next;
        }
        return node;
    }
    std::uint64_t next(std::uint64_t node) {
        if (const std::uint64_t down = child(node, right)) {
            return first_below(down);
        }
        std::uint64_t up = link(node, parent);
        while (up != head_ && node == link(up, right)) {
            node = std::exchange(up, link(up, parent));
        }
        return up;
    }

private:
    std::uint64_t link(std::uint64_t node, std::uint64_t which) {
        return memory_.pointer(TargetAddr{node + which}).value;
    }
    std::uint64_t child(std::uint64_t node, std::uint64_t which) {
        const std::uint64_t found = link(node, which);
        if (found != 0 && link(found, parent) != node) {
            throw Inconsistent("its tree is damaged, or being changed");
        }
        return found;
    }

    const Memory &memory_;
    std::uint64_t head_;
};

}  // namespace

std::optional<MappingTree> MappingTree::at(AddressSpace &space, std::uint64_t head) {
    const auto word = [&](std::uint64_t place, std::size_t size = 8) {
        return space.uint_at(TargetAddr{head + place}, size);
    };
    const auto root = word(parent);
    const auto first = word(left);
    const auto last = word(right);
    const auto size = word(behind_links);
    if (!root || !first || !last || !size || word(0, 4) != red || *size > most_nodes) {
        return std::nullopt;
    }
    if (*size == 0) {
        const bool is_empty = *root == 0 && *first == head && *last == head;
        return is_empty ? std::optional(MappingTree(head, 0, 0)) : std::nullopt;
    }
    const bool is_head = *root != 0 && space.uint_at(TargetAddr{*root + parent}, 8) == head;
    return is_head ? std::optional(MappingTree(head, *root, *size)) : std::nullopt;
}

std::vector<std::uint64_t> MappingTree::values(const Memory &memory) const {
    std::vector<std::uint64_t> found;
    if (size_ == 0) {
        return found;
    }
    TreeWalk walk(memory, head_);
    for (std::uint64_t node = walk.first_below(root_); node != head_; node = walk.next(node)) {
        found.push_back(node + behind_links);
        if (found.size() > size_) {
            break;
        }
    }
    if (found.size() != size_) {
        throw Inconsistent("its tree is being changed");
    }
    return found;
}

}  // namespace gdb_ompd::llvm
