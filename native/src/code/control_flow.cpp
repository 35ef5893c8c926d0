// SPDX-License-Identifier: Apache-2.0
#include "code/control_flow.hpp"

#include <algorithm>

namespace gdb_ompd::code {

ControlFlow::ControlFlow(const FunctionCode &code)
    : code_(code), block_of_(code.instructions().size()) {
    find_blocks();
    find_ways();
    sort();
}

void ControlFlow::find_blocks() {
    bool begins = true;
    for (std::size_t index = 0; index < block_of_.size(); ++index) {
        if (begins || !code_.jumps_to(index).empty()) {
            blocks_.emplace_back().begin = index;
        }
        blocks_.back().end = index + 1;
        block_of_[index] = blocks_.size() - 1;
        begins = code_.at(index).is_jump() || code_.at(index).ends_flow();
        if (code_.at(index).is_call()) {
            calls_.push_back(index);
        } else if (code_.goes_anywhere(index)) {
            indirect_jumps_.push_back(index);
        }
    }
}

void ControlFlow::find_ways() {
    std::vector<bool> is_reached(blocks_.size());
    for (Block &block : blocks_) {
        for (const std::size_t index : code_.successors(block.end - 1)) {
            block.next.push_back(block_of_[index]);
            is_reached[block_of_[index]] = true;
        }
    }
    for (std::size_t number = 0; number < blocks_.size(); ++number) {
        Block &block = blocks_[number];
        const auto first = code_.instructions().begin();
        block.is_padding =
            number > 0 && !is_reached[number] &&
            std::all_of(first + static_cast<std::ptrdiff_t>(block.begin),
                        first + static_cast<std::ptrdiff_t>(block.end),
                        [](const Instruction &one) { return one.operation == Operation::nothing; });
        block.is_handler = number > 0 && !is_reached[number] && !block.is_padding;
        if (block.is_handler) {
            handlers_.push_back(number);
        }
        block.is_case =
            !indirect_jumps_.empty() && (block.is_handler || !code_.jumps_to(block.begin).empty());
        if (block.is_case) {
            cases_.push_back(number);
        }
    }
    for (std::size_t number = 0; number < blocks_.size(); ++number) {
        if (!blocks_[number].is_padding) {
            for (const std::size_t next : blocks_[number].next) {
                blocks_[next].before.push_back(number);
            }
        }
    }
}

// Depth first, without recursion: a function may have thousands of blocks.
void ControlFlow::sort() {
    std::vector<bool> met(blocks_.size());
    const auto add = [&](std::size_t root) {
        std::vector<std::size_t> done;
        std::vector<std::pair<std::size_t, std::size_t>> open;
        const auto enter = [&](std::size_t number) {
            if (!met[number]) {
                met[number] = true;
                open.emplace_back(number, 0);
            }
        };
        enter(root);
        while (!open.empty()) {
            auto &[number, way] = open.back();
            if (way < blocks_[number].next.size()) {
                enter(blocks_[number].next[way++]);
            } else {
                done.push_back(number);
                open.pop_back();
            }
        }
        order_.insert(order_.end(), done.rbegin(), done.rend());
    };
    if (!blocks_.empty()) {
        add(0);
    }
    std::ranges::for_each(handlers_, add);
}

std::vector<std::size_t> ControlFlow::next(std::size_t index) const {
    std::vector<std::size_t> found;
    const Block &block = blocks_[block_of_[index]];
    if (index + 1 < block.end) {
        found.push_back(index + 1);
    } else {
        for (const std::size_t next : block.next) {
            found.push_back(blocks_[next].begin);
        }
    }
    const bool calls = code_.at(index).is_call();
    if (calls || code_.goes_anywhere(index)) {
        for (const std::size_t number : calls ? handlers_ : cases_) {
            found.push_back(blocks_[number].begin);
        }
    }
    return found;
}

std::vector<std::size_t> ControlFlow::before(std::size_t index) const {
    const Block &block = blocks_[block_of_[index]];
    if (index > block.begin) {
        return {index - 1};
    }
    std::vector<std::size_t> found;
    for (const std::size_t before : block.before) {
        found.push_back(blocks_[before].end - 1);
    }
    if (block.is_handler) {
        found.insert(found.end(), calls_.begin(), calls_.end());
    }
    if (block.is_case) {
        found.insert(found.end(), indirect_jumps_.begin(), indirect_jumps_.end());
    }
    return found;
}

bool ControlFlow::leads_to(std::size_t from, std::size_t to) const {
    std::vector<bool> passed(blocks_.size());
    for (std::vector<std::size_t> left{from}; !left.empty();) {
        const std::size_t number = left.back();
        left.pop_back();
        if (number == to) {
            return true;
        }
        if (!passed[number]) {
            passed[number] = true;
            left.insert(left.end(), blocks_[number].next.begin(), blocks_[number].next.end());
        }
    }
    return false;
}

std::vector<bool> ControlFlow::between(std::size_t from, std::size_t to, bool again) const {
    std::vector<bool> behind(block_of_.size());
    for (auto left = next(from); !left.empty();) {
        const std::size_t index = left.back();
        left.pop_back();
        if (behind[index] || (index == from && !again)) {
            continue;
        }
        behind[index] = true;
        const auto next = this->next(index);
        left.insert(left.end(), next.begin(), next.end());
    }
    std::vector<bool> found(block_of_.size(), from != to && !behind[to]);  // by ways unknown here
    if (from == to && !again) {
        return found;
    }
    for (std::vector<std::size_t> left{to}; !left.empty();) {
        const std::size_t index = left.back();
        left.pop_back();
        for (const std::size_t one : before(index)) {
            if (behind[one] && !found[one]) {
                found[one] = true;
                left.push_back(one);
            }
        }
    }
    return found;
}

}  // namespace gdb_ompd::code
