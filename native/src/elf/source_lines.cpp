// SPDX-License-Identifier: Apache-2.0
#include "elf/source_lines.hpp"

#include <cstddef>
#include <iterator>

namespace gdb_ompd {

SourceLines::SourceLines(const std::string &path)
    : file_(path), dwarf_(dwarf_begin_elf(file_.elf(), DWARF_C_READ, nullptr)) {
    Dwarf_CU *unit = nullptr;
    Dwarf_Die die;
    while (dwarf_ != nullptr &&
           dwarf_get_units(dwarf_.get(), unit, &unit, nullptr, nullptr, &die, nullptr) == 0) {
        Dwarf_Addr base = 0;
        Dwarf_Addr begin = 0;
        Dwarf_Addr end = 0;
        std::ptrdiff_t next = 0;
        while ((next = dwarf_ranges(&die, next, &base, &begin, &end)) > 0) {
            units_.insert_or_assign(begin, Covered{end, dwarf_dieoffset(&die)});
        }
    }
}

bool SourceLines::has_none(std::uint64_t address) const {
    const auto after = units_.upper_bound(address);
    if (after == units_.begin() || std::prev(after)->second.end <= address) {
        return false;
    }
    Dwarf_Die die;
    if (dwarf_offdie(dwarf_.get(), std::prev(after)->second.unit, &die) == nullptr) {
        return false;
    }
    Dwarf_Line *const line = dwarf_getsrc_die(&die, address);
    int number = 0;
    return line != nullptr && dwarf_lineno(line, &number) == 0 && number == 0;
}

}  // namespace gdb_ompd
