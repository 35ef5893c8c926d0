// SPDX-License-Identifier: Apache-2.0
// What a value in a function is made of.
//
// A term is a number, or a node with a number added. A node is what a register held when the
// function began, what an instruction has loaded, left or computed, or, where ways with other terms
// meet, whatever came there. Two terms that are equal are the same value as long as nothing that
// they are made of was executed again.
#pragma once

#include "code/instruction.hpp"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace gdb_ompd::code {

using NodeNumber = std::uint32_t;
inline constexpr NodeNumber no_node = 0;

struct Term {
    NodeNumber base = no_node;  // without one it is a number
    std::uint64_t offset = 0;

    bool operator==(const Term &) const = default;
    bool operator<(const Term &other) const {
        return base != other.base ? base < other.base : offset < other.offset;
    }
    [[nodiscard]] bool is_number() const { return base == no_node; }
};

struct Node {
    enum class Kind : std::uint8_t {
        entry,     // what the register REGISTER_NUMBER held when the function began
        unknown,   // what the instruction AT has left there
        joint,     // what came there by any of the ways to AT
        load,      // WIDTH bytes at FIRST, loaded by AT
        computed,  // by AT, from FIRST and SECOND, and THIRD: the flags, or an upper half
        upper,     // the second result of the same
        compared,  // the flags that AT has set
        part,      // the low WIDTH bytes of FIRST, or, signed, extended from them
        merged,    // FIRST with the low WIDTH bytes of SECOND
        sum,       // FIRST, and WIDTH times SECOND
    };
    Kind kind = Kind::unknown;
    std::uint8_t width = 0;
    bool is_signed = false;
    Register register_number = no_register;
    std::uint32_t at = 0;  // instruction
    Term first{};
    Term second{};
    Term third{};

    bool operator==(const Node &) const = default;
};

class Terms {
public:
    [[nodiscard]] Node node(NodeNumber number) const;
    [[nodiscard]] Term made(const Node &node);
    [[nodiscard]] static Term at_entry(Register name) { return plain(Node::Kind::entry, 0, name); }
    // What the instruction AT has left in a register, or what came there with it.
    [[nodiscard]] static Term unknown(std::size_t at, Register name) {
        return plain(Node::Kind::unknown, at, name);
    }
    [[nodiscard]] static Term joint(std::size_t at, Register name) {
        return plain(Node::Kind::joint, at, name);
    }
    [[nodiscard]] Term loaded(std::size_t at, Term address, unsigned width);
    [[nodiscard]] Term part(Term value, unsigned width, bool is_signed);
    [[nodiscard]] Term sum(Term first, Term second, unsigned scale);
    // What INSTRUCTION, the one AT, computes.
    [[nodiscard]] Term computed(std::size_t at, const Instruction &instruction, Term first,
                                Term second);
    // Whether a term is an address that was worked out from what a register held at the beginning.
    [[nodiscard]] bool is_from(Term address, Register name) const;

private:
    struct Hash {
        std::size_t operator()(const Node &node) const;
    };

    // Most nodes are of a kind that is made of a register and an instruction alone: their numbers
    // say all of them.
    [[nodiscard]] static Term plain(Node::Kind kind, std::size_t at, Register name);

    std::vector<Node> nodes_{Node()};
    std::unordered_map<Node, NodeNumber, Hash> numbers_;
};

}  // namespace gdb_ompd::code
