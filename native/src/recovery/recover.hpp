// SPDX-License-Identifier: Apache-2.0
// The symbols that OMPD needs of a stripped libomp, from the file alone; of GCC's libgomp,
// names for where its events are (gnu_events.hpp).
#pragma once

#include "elf/elf_file.hpp"
#include "elf/symbol_table.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace gdb_ompd::recovery {

// All or nothing: either SYMBOLS and CONSTANTS, or REASONS.
struct Recovery {
    std::string architecture;
    std::vector<Symbol> symbols;  // by name
    // What ompd_init() stores, by name; of GCC's runtime what is told of its events' places.
    std::map<std::string, std::uint64_t> constants;
    std::vector<std::string> reasons;
};

// Throws std::invalid_argument for a file whose headers are damaged.
Recovery recover(const ElfFile &file);

}  // namespace gdb_ompd::recovery
