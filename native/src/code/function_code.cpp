// SPDX-License-Identifier: Apache-2.0
#include "code/function_code.hpp"

#include <algorithm>
#include <iterator>
#include <set>

namespace gdb_ompd::code {

namespace {

bool is_through_place(const Instruction &jump) {
    return jump.target == 0 && jump.constant_place().has_value();
}

}  // namespace

FunctionCode::FunctionCode(std::uint64_t start, std::uint64_t end,
                           std::vector<Instruction> instructions)
    : start_(start), end_(end), instructions_(std::move(instructions)) {
    for (std::size_t index = 0; index < instructions_.size(); ++index) {
        const Instruction &instruction = instructions_[index];
        jumps_anywhere_ = jumps_anywhere_ || instruction.is_indirect();
        if (instruction.is_jump()) {
            if (const auto target = index_of(instruction.target)) {
                jump_sources_[*target].push_back(index);
            }
        }
    }
}

void FunctionCode::note_cases(
    const std::function<std::vector<std::uint64_t>(std::size_t index)> &cases,
    const std::function<std::optional<std::uint64_t>(std::uint64_t place)> &at) {
    if (!jumps_anywhere_) {
        return;
    }
    jumps_anywhere_ = false;
    for (std::size_t index = 0; index < instructions_.size(); ++index) {
        const Instruction &jump = instructions_[index];
        if (!jump.is_indirect()) {
            continue;
        }
        if (is_through_place(jump)) {
            const auto to = at(static_cast<std::uint64_t>(jump.memory.displacement));
            if (to && (*to < start_ || *to >= end_)) {
                outward_.insert(index);
                continue;
            }
        }
        std::set<std::size_t> places;
        for (const std::uint64_t address : cases(index)) {
            places.insert(index_of(address).value());
        }
        if (places.empty()) {
            jumps_anywhere_ = true;
            continue;
        }
        for (const std::size_t place : places) {
            jump_sources_[place].push_back(index);
        }
        cases_.emplace(index, std::vector(places.begin(), places.end()));
    }
}

void FunctionCode::set_outward(std::span<const std::size_t> jumps, bool are_outward) {
    for (const std::size_t index : jumps) {
        note_destination(index, 0, 0);
        if (are_outward) {
            outward_.insert(index);
        } else {
            outward_.erase(index);
        }
    }
    jumps_anywhere_ = !are_outward;
}

std::span<const std::size_t> FunctionCode::jumps_to(std::size_t index) const {
    const auto found = jump_sources_.find(index);
    return found == jump_sources_.end() ? std::span<const std::size_t>() : found->second;
}

std::optional<std::size_t> FunctionCode::index_of(std::uint64_t address) const {
    const auto found = std::lower_bound(
        instructions_.begin(), instructions_.end(), address,
        [](const Instruction &one, std::uint64_t wanted) { return one.address < wanted; });
    if (found == instructions_.end() || found->address != address) {
        return std::nullopt;
    }
    return static_cast<std::size_t>(found - instructions_.begin());
}

std::optional<std::size_t> FunctionCode::call_before(std::uint64_t return_address) const {
    const auto after = std::lower_bound(
        instructions_.begin(), instructions_.end(), return_address,
        [](const Instruction &one, std::uint64_t wanted) { return one.address < wanted; });
    if (after == instructions_.begin()) {
        return std::nullopt;
    }
    const auto call = std::prev(after);
    if (!call->is_call() || call->end() != return_address) {
        return std::nullopt;
    }
    return static_cast<std::size_t>(call - instructions_.begin());
}

std::optional<std::size_t> FunctionCode::only_before(std::size_t index) const {
    const auto sources = jumps_to(index);
    const bool falls_into = index > 0 && !instructions_[index - 1].ends_flow();
    if (sources.size() + (falls_into ? 1 : 0) != 1) {
        return std::nullopt;
    }
    return falls_into ? index - 1 : sources.front();
}

std::optional<std::uint64_t> FunctionCode::call_leading_to(std::size_t index) const {
    for (std::size_t steps = 0; steps < instructions_.size() && index > 0; ++steps) {
        std::size_t before = index - 1;
        if (instructions_[before].ends_flow()) {
            const auto sources = jumps_to(index);
            if (sources.size() != 1) {
                return std::nullopt;
            }
            before = sources.front();
        }
        if (instructions_[before].is_call()) {
            return instructions_[before].end();
        }
        index = before;
    }
    return std::nullopt;
}

std::optional<std::uint64_t> FunctionCode::named_address(std::size_t index) const {
    const Instruction &named = at(index);
    if (named.operation != Operation::address || named.memory.index != no_register) {
        return std::nullopt;
    }
    auto address = static_cast<std::uint64_t>(named.memory.displacement);
    if (named.memory.base == no_register) {
        return address;
    }
    while (index > 0 && jumps_to(index).empty()) {
        const Instruction &one = at(--index);
        if (one.is_call() || one.ends_flow()) {
            return std::nullopt;
        }
        if ((one.writes & bit_of(named.memory.base)) != 0) {
            const bool is_constant =
                one.operation == Operation::move && one.source == no_register && one.width == 8;
            return is_constant ? std::optional(address + static_cast<std::uint64_t>(one.immediate))
                               : std::nullopt;
        }
    }
    return std::nullopt;
}

std::vector<std::size_t> FunctionCode::successors(std::size_t index) const {
    const Instruction &instruction = instructions_[index];
    std::vector<std::size_t> found;
    if (const auto cases = cases_.find(index); cases != cases_.end()) {
        found = cases->second;
    } else if (instruction.is_jump()) {
        if (const auto target = index_of(instruction.target)) {
            found.push_back(*target);
        }
    }
    if (!instruction.ends_flow() && index + 1 < instructions_.size()) {
        found.push_back(index + 1);
    }
    return found;
}

bool FunctionCode::leads_to(std::size_t index) const {
    std::vector<bool> known(instructions_.size());
    std::vector<std::size_t> waiting{0};
    while (!waiting.empty() && !known[index]) {
        const std::size_t at = waiting.back();
        waiting.pop_back();
        if (!known[at]) {
            known[at] = true;
            const auto next = successors(at);
            waiting.insert(waiting.end(), next.begin(), next.end());
        }
    }
    return known[index];
}

std::vector<std::size_t> FunctionCode::leaving() const {
    std::vector<std::size_t> found;
    for (std::size_t index = 0; index < instructions_.size(); ++index) {
        const Instruction &instruction = instructions_[index];
        const bool inside = start_ <= instruction.target && instruction.target < end_;
        if (instruction.is_jump() && !inside &&
            (instruction.target != 0 || instruction.loaded_from != 0 ||
             is_through_place(instruction))) {
            found.push_back(index);
        }
    }
    return found;
}

}  // namespace gdb_ompd::code
