// SPDX-License-Identifier: Apache-2.0
// The runtime's variables by name.
#pragma once

#include "base/errors.hpp"
#include "base/target.hpp"

#include <string_view>

namespace gdb_ompd {
class AddressSpace;
}

namespace gdb_ompd::llvm {

// Nothing that is mapped has a symbol that is needed.
class NoSymbol : public Inconsistent {
public:
    explicit NoSymbol(std::string_view name);
};

// The address of a variable of the runtime's. Throws NoSymbol.
[[nodiscard]] TargetAddr require_symbol(AddressSpace &space, std::string_view name);

}  // namespace gdb_ompd::llvm
