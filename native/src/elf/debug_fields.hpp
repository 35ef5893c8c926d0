// SPDX-License-Identifier: Apache-2.0
// Where the records of a program have their fields, by a file's debug information.
#pragma once

#include "elf/elf.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace gdb_ompd {

// Offset and size by "record.field", in bytes, in bits for a field of bits. A record by its name
// alone has offset 0 and its size, an enumeration's constant its number and 0. Found are those of
// NAMES that the debug information of IMAGE has, or of its separate debug file. Only units are read
// whose source file's name begins with UNITS, or that have none. Nothing is found where the file is
// no longer the one that IMAGE was made of.
std::map<std::string, std::pair<std::uint64_t, std::size_t>, std::less<>>
debug_fields(const ElfImage &image, std::span<const std::string> names, std::string_view units);

}  // namespace gdb_ompd
