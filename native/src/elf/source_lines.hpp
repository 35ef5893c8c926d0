// SPDX-License-Identifier: Apache-2.0
// The code of a file that is of no line of its source.
//
// A compiler that has made one call of two, or has moved code, gives it the line 0. Debuggers leave
// such rows out, and say the line of the code before.
#pragma once

#include "elf/elf_file.hpp"

#include <elfutils/libdw.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace gdb_ompd {

class SourceLines {
public:
    // Throws FileError, or std::invalid_argument for what is not ELF.
    explicit SourceLines(const std::string &path);

    [[nodiscard]] std::optional<std::string> build_id() const { return file_.build_id(); }
    // Whether the line table says so of the code at ADDRESS, which is the file's own.
    [[nodiscard]] bool has_none(std::uint64_t address) const;

private:
    struct End {
        void operator()(Dwarf *dwarf) const noexcept { dwarf_end(dwarf); }
    };

    struct Covered {
        Dwarf_Addr end;
        Dwarf_Off unit;
    };

    ElfFile file_;
    std::unique_ptr<Dwarf, End> dwarf_;
    std::map<Dwarf_Addr, Covered> units_;  // by where code of theirs begins
};

}  // namespace gdb_ompd
