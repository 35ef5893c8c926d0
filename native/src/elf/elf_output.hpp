// SPDX-License-Identifier: Apache-2.0
// An ELF file that is being written. Nothing is at its path before it is whole.
#pragma once

#include "elf/elf_file.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace gdb_ompd {

// A file of a name of its own beside PATH, removed unless it is kept.
class TemporaryFile {
public:
    explicit TemporaryFile(std::string path);  // throws FileError
    ~TemporaryFile();
    TemporaryFile(const TemporaryFile &) = delete;
    TemporaryFile &operator=(const TemporaryFile &) = delete;

    [[nodiscard]] int descriptor() const noexcept { return descriptor_; }
    [[nodiscard]] const std::string &path() const noexcept { return path_; }
    void keep();  // at PATH; throws FileError

private:
    std::string path_;
    std::string name_;
    int descriptor_ = -1;
    bool kept_ = false;
};

class StringTable {
public:
    std::uint32_t add(const std::string &text);
    [[nodiscard]] std::span<const std::byte> bytes() const {
        return std::as_bytes(std::span(bytes_));
    }

private:
    std::string bytes_{'\0'};
};

// Contents of sections are not copied: they must live until the file is finished.
// Throws FileError, or std::invalid_argument for what libelf refuses to write.
class ElfOutput {
public:
    // Class, byte order, machine and so on are those of MODEL.
    ElfOutput(const ElfFile &model, std::string path);

    void add_segments(std::span<const GElf_Phdr> segments);
    // Put a section where its header says. Returns its number.
    std::uint32_t put(const std::string &name, const GElf_Shdr &header,
                      std::span<const std::byte> contents);
    // Append a section at the first aligned offset from END on.
    void append_from(std::uint64_t end) { end_ = end; }
    std::uint32_t append(const std::string &name, GElf_Shdr header,
                         std::span<const std::byte> contents);
    void append_symbols(std::span<const GElf_Sym> symbols, StringTable names);
    void finish();

private:
    struct End {
        void operator()(Elf *elf) const noexcept { elf_end(elf); }
    };

    std::uint64_t take(std::uint64_t size, std::uint64_t alignment);
    Elf_Data *put_named(const GElf_Shdr &header, std::span<const std::byte> contents,
                        Elf_Type type);
    [[nodiscard]] std::uint64_t word() const;  // what tables are aligned to

    TemporaryFile file_;
    std::unique_ptr<Elf, End> elf_;
    StringTable section_names_;
    StringTable symbol_names_;
    std::vector<std::byte> symbols_;
    std::uint64_t end_ = 0;
    std::uint32_t sections_ = 1;
};

}  // namespace gdb_ompd
