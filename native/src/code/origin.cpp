// SPDX-License-Identifier: Apache-2.0
#include "code/origin.hpp"

#include <algorithm>

namespace gdb_ompd::code {

namespace {

constexpr int longest_way = 16;
constexpr unsigned int_size = 4;  // bytes; what is shorter can be a truth value

Origin of_computed(const FunctionValues &values, const Node &node) {
    const Computation &by = values.code().at(node.at).computation;
    const bool is_negated = by.arithmetic == Arithmetic::bit_xor && node.second == Term{no_node, 1};
    return by.arithmetic == Arithmetic::holds || is_negated ? Origin::condition : Origin::unknown;
}

bool is_variable(const FunctionValues &values, const Node &node) {
    return node.kind == Node::Kind::load || node.kind == Node::Kind::entry ||
           (node.kind == Node::Kind::unknown && values.code().at(node.at).is_call());
}

}  // namespace

Origin origin_of_argument(FunctionValues &values, std::size_t index, std::size_t argument) {
    const auto arguments = values.convention().arguments;
    if (argument >= arguments.size() || !values.is_reached(index)) {
        return Origin::unknown;
    }
    Term term = values.before(index).held[arguments[argument]];
    unsigned width = int_size;
    for (int steps = 0; steps < longest_way; ++steps) {
        term = values.stored_once(term);
        const Node node = values.node(term.base);
        if (term.is_number() || term.offset != 0) {
            return Origin::unknown;
        }
        if (node.kind == Node::Kind::computed) {
            return of_computed(values, node);
        }
        const bool is_low = node.kind == Node::Kind::merged && node.first == Term{no_node, 0};
        if (node.kind != Node::Kind::part && !is_low) {
            width = node.kind == Node::Kind::load ? std::min<unsigned>(width, node.width) : width;
            return width == int_size && is_variable(values, node) ? Origin::variable
                                                                  : Origin::unknown;
        }
        width = std::min<unsigned>(width, node.width);
        term = is_low ? node.second : node.first;
    }
    return Origin::unknown;
}

}  // namespace gdb_ompd::code
