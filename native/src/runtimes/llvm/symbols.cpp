// SPDX-License-Identifier: Apache-2.0
#include "runtimes/llvm/symbols.hpp"

#include "elf/address_space.hpp"

namespace gdb_ompd::llvm {

NoSymbol::NoSymbol(std::string_view name)
    : Inconsistent("the OpenMP runtime has no symbol " + std::string(name)) {}

TargetAddr require_symbol(AddressSpace &space, std::string_view name) {
    const auto address = space.symbol_address(name, std::nullopt, std::nullopt);
    if (!address) {
        throw NoSymbol(name);
    }
    return *address;
}

}  // namespace gdb_ompd::llvm
