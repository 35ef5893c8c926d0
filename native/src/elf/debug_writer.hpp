// SPDX-License-Identifier: Apache-2.0
// A separate debug file for a stripped runtime, made from symbols that were found
// otherwise.
#pragma once

#include "elf/elf_file.hpp"
#include "elf/symbol_table.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gdb_ompd {

// Write the debug file of RUNTIME to PATH: SYMBOLS (what libompd calls event
// functions also by the C++ names that LLVM 14 to 16 gave them) and NOTE, in a
// section of its own. It appears at PATH whole or not at all. Throws FileError. Throws
// std::invalid_argument for a symbol that is in no section of RUNTIME, and for a name given twice
// for one place. The same for a damaged RUNTIME, and for a PATH that must not be replaced.
void write_debug_file(const ElfFile &runtime, std::span<const Symbol> symbols,
                      std::span<const std::byte> note, const std::string &path);

// The note of such a file; none if FILE is no such file.
std::optional<std::vector<std::byte>> read_debug_note(const ElfFile &file);

}  // namespace gdb_ompd
