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

// The order in which they are searched for a symbol of FILE's (section 5.4.3.1). What matches its
// name comes first, best match first, then the others in the order that they have.
Modules in_search_order(const Modules &modules, std::string_view file);

// Whether what is mapped from PATH is the library with the name FILE, or a copy that a package has
// renamed: libgomp-a34b3233.so.1.0.0 is one of libgomp.so.1.
bool is_copy_of(std::string_view path, std::string_view file);

// The first module's that has one.
std::optional<FoundSymbol> find_symbol(const Modules &modules, std::string_view name);

}  // namespace gdb_ompd
