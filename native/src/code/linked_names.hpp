// SPDX-License-Identifier: Apache-2.0
// The functions of other files that a program's files call by name. They include those that nobody
// has called yet, for which the dynamic linker binds a stub at the first call.
#pragma once

#include "code/function_code.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>

namespace gdb_ompd::code {

class LinkedNames {
public:
    using Names = std::unordered_map<std::uint64_t, std::string>;

    explicit LinkedNames(FunctionReader &functions) : functions_(functions) {}

    // The function that CALL is bound to at the first time, by where it leads until then; empty
    // where that is no such place.
    [[nodiscard]] std::string unbound(const Instruction &call, std::uint64_t destination);
    // What MODULE leaves to other files, by the place where the dynamic linker puts its address.
    [[nodiscard]] const Names &in(const Module &module);

private:
    [[nodiscard]] std::optional<std::uint64_t> place_of_stub(std::uint64_t stub) const;

    FunctionReader &functions_;
    std::unordered_map<const Module *, Names> names_;
};

}  // namespace gdb_ompd::code
