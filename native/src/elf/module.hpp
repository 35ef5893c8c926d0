// SPDX-License-Identifier: Apache-2.0
// An ELF file mapped into an address space, and the order in which they are searched.
#pragma once

#include "base/target.hpp"
#include "elf/elf.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gdb_ompd {

struct Module {
    std::shared_ptr<ElfImage> elf;
    std::uint64_t bias = 0;
    std::string name;
    std::uint64_t tls_module_id = 0;
    std::optional<std::int64_t> tls_offset;
};

using Modules = std::vector<std::shared_ptr<const Module>>;

struct FoundSymbol {
    const Module *module = nullptr;
    Symbol symbol;
};

// Section 5.4.3.1: the libraries that match FILE first, best match first, then
// the same for HOME, then the executable and the libraries in load order.
std::optional<FoundSymbol> find_symbol(const Modules &modules, std::string_view name,
                                       const std::optional<std::string> &file,
                                       const std::optional<std::string> &home);

}  // namespace gdb_ompd
