// SPDX-License-Identifier: Apache-2.0
// All functions of a library, what each does, and who uses what.
#pragma once

#include "code/effects.hpp"
#include "code/image.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace gdb_ompd::code {

using FunctionNumber = std::size_t;                   // in order of addresses
using FunctionNumbers = std::vector<FunctionNumber>;  // ascending, each once
using FunctionsByAddress = std::unordered_map<std::uint64_t, FunctionNumbers>;

class CodeIndex {
public:
    CodeIndex(const Image &image, const Architecture &architecture);

    [[nodiscard]] const Image &image() const { return image_; }
    [[nodiscard]] const Architecture &architecture() const { return architecture_; }
    [[nodiscard]] std::size_t size() const { return image_.functions().size(); }
    [[nodiscard]] const Range &range(FunctionNumber number) const {
        return image_.functions()[number];
    }
    [[nodiscard]] std::optional<FunctionNumber> containing(std::uint64_t address) const;
    [[nodiscard]] std::optional<FunctionNumber> starting_at(std::uint64_t address) const;
    [[nodiscard]] std::optional<FunctionNumber> exported(const std::string &name) const;

    // The function alone, without the parts that the compiler moved away.
    [[nodiscard]] const std::vector<Effect> &effects(FunctionNumber number) const {
        return effects_[number];
    }
    // The function's parts: itself, and what it jumps into that is no function.
    [[nodiscard]] std::vector<FunctionNumber> parts(FunctionNumber number) const;
    // The function with its parts, followed as one.
    [[nodiscard]] std::vector<Effect> whole_effects(FunctionNumber number) const;

    // The functions or parts that read, write or take the address of a variable.
    [[nodiscard]] const FunctionNumbers &users(std::uint64_t address) const;
    [[nodiscard]] const FunctionNumbers &callers(std::uint64_t address) const;
    // By variable, the functions that load a pointer from the array it points to.
    [[nodiscard]] const FunctionsByAddress &indexers() const { return indexers_; }
    // Whether it does nothing but return.
    [[nodiscard]] bool is_trivial(FunctionNumber number) const;

private:
    [[nodiscard]] std::span<const Instruction> instructions(FunctionNumber number) const;
    void note_uses(FunctionNumber number);

    const Image &image_;
    const Architecture &architecture_;
    std::vector<Instruction> instructions_;
    std::vector<std::size_t> first_instruction_;  // of each function, and the end of the last
    std::vector<std::vector<Effect>> effects_;
    FunctionsByAddress users_;
    FunctionsByAddress callers_;
    FunctionsByAddress indexers_;
};

}  // namespace gdb_ompd::code
