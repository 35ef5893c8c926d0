// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "elf/elf.hpp"

namespace gdb_ompd {

// Throws std::invalid_argument for headers that are not sound.
ElfHeaders read_headers(const ElfFile &file);
// Whether a file, or a debug file, knows the source lines of its code.
bool has_lines_of(const ElfFile &file);

}  // namespace gdb_ompd
