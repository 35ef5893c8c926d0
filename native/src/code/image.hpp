// SPDX-License-Identifier: Apache-2.0
// A shared library's bytes as the dynamic linker will lay them out, with its
// relocations applied at bias 0. Nothing is trusted: every access is bounded.
#pragma once

#include "code/architecture.hpp"
#include "code/frame_table.hpp"
#include "elf/elf_file.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace gdb_ompd::code {

struct ThreadLocalTemplate {
    std::span<const std::byte> initial;
    std::uint64_t size = 0;
};

// The names of other libraries' functions and data, by where the loader puts their addresses.
using Imports = std::unordered_map<std::uint64_t, std::string>;

// Those of FILE, without its contents: a library of 200 MB has some thousands.
[[nodiscard]] Imports imports_of(const ElfFile &file, const RelocationTypes &types);

class Image {
public:
    // Throws std::invalid_argument for a file that is damaged where it is looked at.
    Image(const ElfFile &file, const Architecture &architecture);

    [[nodiscard]] std::uint64_t size() const;                     // of what the file holds, bytes
    [[nodiscard]] bool is_writable(std::uint64_t address) const;  // once relocated
    [[nodiscard]] bool is_code(std::uint64_t address) const;
    // The bytes in the file; none outside of it, or in .bss.
    [[nodiscard]] std::optional<std::span<const std::byte>> bytes(std::uint64_t address,
                                                                  std::uint64_t size) const;
    // A constant of SIZE bytes that no one can change; none if the loader writes it.
    [[nodiscard]] std::optional<std::uint64_t> constant(std::uint64_t address, unsigned size) const;
    // What the loader puts there.
    [[nodiscard]] std::optional<std::uint64_t> pointer(std::uint64_t address) const;
    [[nodiscard]] const std::vector<std::uint64_t> &pointers_to(std::uint64_t address) const;
    [[nodiscard]] std::optional<std::uint64_t> exported(const std::string &name) const;
    // The function of another library's that the loader puts there; empty for anything else.
    [[nodiscard]] std::string import_at(std::uint64_t address) const;
    // Where BYTES, which need no alignment, are in the parts that are never written.
    [[nodiscard]] std::vector<std::uint64_t> find(std::string_view wanted) const;
    [[nodiscard]] const std::vector<Range> &functions() const { return functions_; }
    [[nodiscard]] const std::optional<ThreadLocalTemplate> &thread_local_template() const {
        return thread_local_;
    }
    [[nodiscard]] std::optional<std::uint64_t> exported_thread_local(const std::string &name) const;

private:
    struct Segment {
        Range memory;
        std::span<const std::byte> contents;
        bool writable = false;
        bool executable = false;
    };

    void read_segments(const ElfFile &file);
    void read_symbols(const ElfFile &file);
    void read_relocations(const ElfFile &file, const RelocationTypes &types);
    void read_relative(const ElfFile &file, Elf_Scn *section);
    void relocate(std::uint64_t place, std::uint64_t value);
    void read_functions();
    [[nodiscard]] const Segment *segment(std::uint64_t address) const;

    std::vector<Segment> segments_;
    std::vector<Range> read_only_after_start_;
    std::optional<Range> frame_header_;
    std::optional<ThreadLocalTemplate> thread_local_;
    std::vector<std::optional<std::uint64_t>> symbol_values_;  // by index; none if undefined
    Imports imports_;
    std::unordered_map<std::string, std::uint64_t> exports_;
    std::unordered_map<std::string, std::uint64_t> thread_local_exports_;
    std::unordered_map<std::uint64_t, std::uint64_t> pointers_;
    std::unordered_map<std::uint64_t, std::vector<std::uint64_t>> pointed_from_;
    std::vector<Range> functions_;
};

}  // namespace gdb_ompd::code
