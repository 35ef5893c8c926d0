// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "elf/elf.hpp"

namespace gdb_ompd {

// Throws std::invalid_argument for headers that are not sound.
ElfHeaders read_headers(const ElfFile &file);

}  // namespace gdb_ompd
