// SPDX-License-Identifier: Apache-2.0
#include "code/terms.hpp"

#include "base/target.hpp"
#include "code/arithmetic.hpp"
#include "code/known.hpp"

namespace gdb_ompd::code {

namespace {

constexpr NodeNumber is_plain = NodeNumber{1} << 31U;
constexpr unsigned kind_at = 29;  // bit

}  // namespace

std::size_t Terms::Hash::operator()(const Node &node) const {
    std::size_t hash = node.at;
    for (const std::uint64_t one :
         {static_cast<std::uint64_t>(node.kind), std::uint64_t{node.width},
          std::uint64_t{node.is_signed ? 1U : 0U}, std::uint64_t{node.register_number},
          std::uint64_t{node.first.base}, node.first.offset, std::uint64_t{node.second.base},
          node.second.offset, std::uint64_t{node.third.base}, node.third.offset}) {
        hash = (hash ^ one) * 0x9e3779b97f4a7c15U;
        hash ^= hash >> 29U;
    }
    return hash;
}

Term Terms::made(const Node &node) {
    const auto [place, is_new] = numbers_.try_emplace(node, static_cast<NodeNumber>(nodes_.size()));
    if (is_new) {
        nodes_.push_back(node);
    }
    return {place->second, 0};
}

Node Terms::node(NodeNumber number) const {
    if ((number & is_plain) == 0) {
        return nodes_[number];
    }
    Node node;
    node.kind = static_cast<Node::Kind>(number >> kind_at & 3U);
    node.register_number = static_cast<Register>(number & (register_count - 1));
    node.at = (number & ~is_plain & ~(NodeNumber{3} << kind_at)) / register_count;
    return node;
}

Term Terms::plain(Node::Kind kind, std::size_t at, Register name) {
    return {is_plain | static_cast<NodeNumber>(kind) << kind_at |
                static_cast<NodeNumber>(at) * register_count | name,
            0};
}

Term Terms::loaded(std::size_t at, Term address, unsigned width) {
    return made({.kind = Node::Kind::load,
                 .width = static_cast<std::uint8_t>(width),
                 .at = static_cast<std::uint32_t>(at),
                 .first = address});
}

// Of what was extended before: of a part that is kept the rest may not be known any more.
Term Terms::part(Term value, unsigned width, bool is_signed) {
    while (width < pointer_size && value.offset == 0 && !value.is_number()) {
        const Node inner = node(value.base);
        const bool is_part = inner.kind == Node::Kind::part;
        if (is_part && inner.width == width && inner.is_signed == is_signed) {
            return value;
        }
        if (inner.width < width ||
            !(inner.kind == Node::Kind::merged || (is_part && inner.is_signed))) {
            break;
        }
        value = is_part ? inner.first : inner.second;
    }
    if (width >= pointer_size) {
        return value;
    }
    if (value.is_number()) {
        return {no_node, is_signed ? extended(value.offset, width) : cut(value.offset, width)};
    }
    const Node inner = node(value.base);
    const bool is_short =
        inner.kind == Node::Kind::load || (inner.kind == Node::Kind::part && !inner.is_signed);
    if (value.offset == 0 && is_short && inner.width <= width && !is_signed) {
        return value;
    }
    return made({.kind = Node::Kind::part,
                 .width = static_cast<std::uint8_t>(width),
                 .is_signed = is_signed,
                 .first = value});
}

Term Terms::sum(Term first, Term second, unsigned scale) {
    if (second.is_number()) {
        return {first.base, first.offset + second.offset * scale};
    }
    if (first.is_number() && scale == 1) {
        return {second.base, second.offset + first.offset};
    }
    Term found = made({.kind = Node::Kind::sum,
                       .width = static_cast<std::uint8_t>(scale),
                       .first = {first.base, 0},
                       .second = {second.base, 0}});
    found.offset = first.offset + second.offset * scale;
    return found;
}

Term Terms::computed(std::size_t at, const Instruction &instruction, Term first, Term second) {
    const Arithmetic by = instruction.computation.arithmetic;
    if (by == Arithmetic::add && (first.is_number() || second.is_number())) {
        return {first.base | second.base, first.offset + second.offset};
    }
    if (by == Arithmetic::subtract && (second.is_number() || second.base == first.base)) {
        return {second.is_number() ? first.base : no_node, first.offset - second.offset};
    }
    if (first.is_number() && second.is_number()) {
        if (const Value known = code::computed(instruction, first.offset, second.offset)) {
            return {no_node, *known};
        }
    }
    return made({.kind = Node::Kind::computed,
                 .at = static_cast<std::uint32_t>(at),
                 .first = first,
                 .second = second});
}

bool Terms::is_from(Term address, Register name) const {
    if (address.is_number()) {
        return false;
    }
    const Node base = node(address.base);
    if (base.kind == Node::Kind::computed) {  // that is aligned, or of a variable size
        return is_from(base.first, name);
    }
    return base.kind == Node::Kind::entry && base.register_number == name;
}

}  // namespace gdb_ompd::code
