// SPDX-License-Identifier: Apache-2.0
#include "code/code_index.hpp"

#include <algorithm>

namespace gdb_ompd::code {

namespace {

const FunctionNumbers &lookup(const FunctionsByAddress &table, std::uint64_t address) {
    static const FunctionNumbers none;
    const auto found = table.find(address);
    return found == table.end() ? none : found->second;
}

// Functions come in order, so that a number can only be the last one again.
void add(FunctionNumbers &numbers, FunctionNumber number) {
    if (numbers.empty() || numbers.back() != number) {
        numbers.push_back(number);
    }
}

}  // namespace

CodeIndex::CodeIndex(const Image &image, const Architecture &architecture)
    : image_(image), architecture_(architecture) {
    constexpr std::uint64_t usual_size = 4;  // bytes of an instruction
    std::uint64_t code_size = 0;
    for (const Range &function : image.functions()) {
        code_size += function.end - function.start;
    }
    instructions_.reserve(std::min(code_size, image.size()) / usual_size);
    for (const Range &function : image.functions()) {
        first_instruction_.push_back(instructions_.size());
        const auto code = image.bytes(function.start, function.end - function.start);
        if (code && image.is_code(function.start)) {
            architecture.decode(*code, function.start, instructions_);
        }
    }
    first_instruction_.push_back(instructions_.size());
    effects_.reserve(size());
    for (FunctionNumber number = 0; number < size(); ++number) {
        const std::span<const Instruction> own = instructions(number);
        effects_.push_back(effects_of({&own, 1}, image_, architecture_));
        note_uses(number);
    }
}

std::span<const Instruction> CodeIndex::instructions(FunctionNumber number) const {
    const std::size_t first = first_instruction_[number];
    return std::span(instructions_).subspan(first, first_instruction_[number + 1] - first);
}

void CodeIndex::note_uses(FunctionNumber number) {
    for (const Effect &effect : effects_[number]) {
        if (effect.kind == Effect::Kind::call || effect.kind == Effect::Kind::jump) {
            if (effect.address != 0) {
                add(callers_[effect.address], number);
            }
        } else if (effect.kind == Effect::Kind::indexes) {
            add(indexers_[effect.address], number);
        } else if (effect.concerns_data()) {
            add(users_[effect.address], number);
        }
    }
}

std::optional<FunctionNumber> CodeIndex::containing(std::uint64_t address) const {
    const auto &functions = image_.functions();
    auto after = std::upper_bound(
        functions.begin(), functions.end(), address,
        [](std::uint64_t value, const Range &range) { return value < range.start; });
    if (after == functions.begin() || !std::prev(after)->holds(address)) {
        return std::nullopt;
    }
    return static_cast<FunctionNumber>(std::prev(after) - functions.begin());
}

std::optional<FunctionNumber> CodeIndex::starting_at(std::uint64_t address) const {
    const auto found = containing(address);
    return found && range(*found).start == address ? found : std::nullopt;
}

std::optional<FunctionNumber> CodeIndex::exported(const std::string &name) const {
    const auto address = image_.exported(name);
    return address ? starting_at(*address) : std::nullopt;
}

// A jump to the start of a function calls it. A conditional one, or one into the middle, goes to a
// part of this function that was moved out of the way.
std::vector<FunctionNumber> CodeIndex::parts(FunctionNumber number) const {
    std::vector<FunctionNumber> found = {number};
    for (const Effect &effect : effects_[number]) {
        if (effect.kind != Effect::Kind::branch && effect.kind != Effect::Kind::jump) {
            continue;
        }
        const auto target = containing(effect.address);
        if (!target || std::find(found.begin(), found.end(), *target) != found.end()) {
            continue;
        }
        if (effect.kind == Effect::Kind::branch || range(*target).start != effect.address) {
            found.push_back(*target);
        }
    }
    return found;
}

std::vector<Effect> CodeIndex::whole_effects(FunctionNumber number) const {
    std::vector<std::span<const Instruction>> pieces;
    for (const FunctionNumber part : parts(number)) {
        pieces.push_back(instructions(part));
    }
    return effects_of(pieces, image_, architecture_);
}

const FunctionNumbers &CodeIndex::users(std::uint64_t address) const {
    return lookup(users_, address);
}

const FunctionNumbers &CodeIndex::callers(std::uint64_t address) const {
    return lookup(callers_, address);
}

bool CodeIndex::is_trivial(FunctionNumber number) const {
    constexpr std::size_t most = 6;  // endbr64; push rbp; mov rbp, rsp; pop rbp; ret
    const auto own = instructions(number);
    bool returns = false;
    for (const Instruction &instruction : own) {
        switch (instruction.operation) {
        case Operation::nothing:
        case Operation::push:
        case Operation::pop:
            break;
        case Operation::move:
            if (instruction.source == no_register) {
                return false;
            }
            break;
        case Operation::give_back:
            returns = true;
            break;
        default:
            return false;
        }
    }
    return returns && own.size() <= most;
}

}  // namespace gdb_ompd::code
