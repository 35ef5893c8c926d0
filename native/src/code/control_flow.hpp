// SPDX-License-Identifier: Apache-2.0
// The blocks of a function, and by which ways they follow each other.
#pragma once

#include "code/function_code.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace gdb_ompd::code {

// A block begins where a jump leads or behind one. One to which no way leads handles exceptions,
// and follows any call, or is a case of an indirect jump.
class ControlFlow {
public:
    explicit ControlFlow(const FunctionCode &code);

    struct Block {
        std::size_t begin = 0, end = 0;   // instructions
        std::vector<std::size_t> before;  // blocks, but for calls and indirect jumps
        std::vector<std::size_t> next;
        bool is_handler = false;
        bool is_case = false;     // an indirect jump may lead there
        bool is_padding = false;  // nothing is executed there

        [[nodiscard]] bool is_entered_from_anywhere() const { return is_handler || is_case; }
    };

    [[nodiscard]] const FunctionCode &code() const { return code_; }
    [[nodiscard]] const std::vector<Block> &blocks() const { return blocks_; }
    [[nodiscard]] std::size_t block_of(std::size_t index) const { return block_of_[index]; }
    // All but padding, each behind what comes before it but for loops; handlers last.
    [[nodiscard]] const std::vector<std::size_t> &order() const { return order_; }
    [[nodiscard]] bool has_handlers() const { return !handlers_.empty(); }
    // What may be executed after an instruction, or before it.
    [[nodiscard]] std::vector<std::size_t> next(std::size_t index) const;
    [[nodiscard]] std::vector<std::size_t> before(std::size_t index) const;
    // Whether the block TO may be executed after FROM, or is FROM, by the ways that are known.
    [[nodiscard]] bool leads_to(std::size_t from, std::size_t to) const;
    // What may have been executed after the instruction FROM, and before TO is: since FROM was
    // executed last, or, AGAIN, for the first time. By instruction; FROM itself only if AGAIN.
    [[nodiscard]] std::vector<bool> between(std::size_t from, std::size_t to, bool again) const;

private:
    void find_blocks();
    void find_ways();
    void sort();

    const FunctionCode &code_;
    std::vector<Block> blocks_;
    std::vector<std::size_t> block_of_;
    std::vector<std::size_t> order_;
    std::vector<std::size_t> handlers_, cases_;        // blocks
    std::vector<std::size_t> calls_, indirect_jumps_;  // instructions
};

}  // namespace gdb_ompd::code
