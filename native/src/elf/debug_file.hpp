// SPDX-License-Identifier: Apache-2.0
// Finds the separate debug file of a stripped ELF file.
#pragma once

#include "elf/elf_file.hpp"

#include <optional>
#include <string>

namespace gdb_ompd {

// Try the build-id's place below each of DIRECTORIES (separated by colons),
// then those of .gnu_debuglink, whose checksum must agree.
std::optional<std::string> find_debug_file(const ElfFile &file, const std::string &path,
                                           const std::string &directories);

}  // namespace gdb_ompd
