// SPDX-License-Identifier: Apache-2.0
// An ELF file opened with libelf, for as long as it is being read.
#pragma once

#include "base/file.hpp"

#include <gelf.h>
#include <libelf.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gdb_ompd {

// Which file it is: another one may take the same path.
struct FileIdentity {
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
    std::int64_t modified_ns = 0;
    std::int64_t size = 0;

    bool operator==(const FileIdentity &) const = default;
};

// The file is read, not mapped: a mapping of a file that a rebuild truncates
// would kill the debugger with SIGBUS.
class ElfFile {
public:
    // Throws FileError, or std::invalid_argument for what is not ELF.
    explicit ElfFile(const std::string &path);

    [[nodiscard]] Elf *elf() const noexcept { return elf_.get(); }
    [[nodiscard]] const GElf_Ehdr &header() const noexcept { return header_; }
    [[nodiscard]] const FileIdentity &identity() const noexcept { return identity_; }
    [[nodiscard]] int descriptor() const noexcept { return file_.descriptor(); }

    // The program headers. Throws std::invalid_argument where one cannot be read.
    [[nodiscard]] std::vector<GElf_Phdr> segments() const;
    // The first section of TYPE that has contents.
    [[nodiscard]] Elf_Scn *section(std::uint32_t type) const;
    [[nodiscard]] Elf_Scn *section_named(const char *name) const;
    // Throws std::invalid_argument where the contents lie outside of the file.
    [[nodiscard]] Elf_Data *data(Elf_Scn *section) const;
    [[noreturn]] void damaged(const char *what) const;
    [[nodiscard]] std::optional<std::string> build_id() const;  // in hex

private:
    struct End {
        void operator()(Elf *elf) const noexcept { elf_end(elf); }
    };

    std::string path_;
    RegularFile file_;
    std::unique_ptr<Elf, End> elf_;
    GElf_Ehdr header_{};
    FileIdentity identity_;
};

// Marks a debug file that was made from a stripped runtime's code.
inline constexpr const char *recovery_note_section = ".gdb_ompd";

std::string to_hex(const void *bytes, std::size_t size);

}  // namespace gdb_ompd
