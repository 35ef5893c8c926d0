// SPDX-License-Identifier: Apache-2.0
// The headers and symbols of one ELF file.
#pragma once

#include "elf/symbol_table.hpp"

#include <bit>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gdb_ompd {

class SourceLines;
class SymbolIndex;

struct Segment {
    std::uint64_t address;
    std::uint64_t size;
    std::string flags;  // such as "r-x"
};

struct ElfHeaders {
    std::optional<std::string> build_id;
    std::optional<Segment> build_id_location;
    std::optional<Segment> frame_table;  // .eh_frame_hdr
    std::optional<std::string> soname;
    std::vector<std::string> needed;
    std::string machine;
    std::endian byte_order = std::endian::little;
    int pointer_size = 0;
    std::vector<Segment> segments;
    std::optional<Segment> relocated;  // what the linker makes read-only at the start
    std::optional<std::uint64_t> dynamic_address;
    std::optional<std::uint64_t> global_offsets;  // the table from which large code counts
    std::uint64_t entry = 0;                      // where a program begins
    std::uint64_t tls_size = 0;
    std::uint64_t tls_alignment = 1;
    bool has_lines = false;  // the file itself knows the source lines of its code
};

class ElfImage {
public:
    // As Elf in _native.pyi. Throws FileError or std::invalid_argument.
    ElfImage(std::string path, const std::optional<std::string> &debug_path,
             const std::string &debug_directories);
    ~ElfImage();
    ElfImage(const ElfImage &) = delete;
    ElfImage &operator=(const ElfImage &) = delete;

    [[nodiscard]] const std::string &path() const noexcept { return path_; }
    [[nodiscard]] const std::optional<std::string> &debug_path() const noexcept;
    [[nodiscard]] const ElfHeaders &headers() const noexcept { return headers_; }
    [[nodiscard]] std::optional<SymbolSource> symbols_from() const noexcept;
    [[nodiscard]] std::optional<Symbol> symbol(std::string_view name) const;
    [[nodiscard]] bool exports(std::string_view name) const;
    [[nodiscard]] std::optional<Symbol> function_at(std::uint64_t value) const;
    // All functions of the most trusted table, by where they begin.
    [[nodiscard]] std::vector<Symbol> functions() const;
    // All names of the function that begins there.
    [[nodiscard]] std::vector<std::string> function_names(std::uint64_t value) const;
    // The name of the data that begins there, by the most trusted table that has one.
    [[nodiscard]] std::optional<std::string> data_name(std::uint64_t value) const;
    // Whether the file, or its debug file, knows the source lines of its code.
    [[nodiscard]] bool has_lines() const noexcept { return headers_.has_lines; }
    // Whether the file, or its debug file, says that the code at VALUE is of no source line.
    [[nodiscard]] bool is_without_line(std::uint64_t value) const;
    // The names that the file leaves to others, from the file as it is now.
    [[nodiscard]] std::vector<std::string> imports() const;
    // Whether a name in the file's debug information contains TEXT.
    [[nodiscard]] bool has_debug_name(std::string_view text) const;

private:
    std::string path_;
    ElfHeaders headers_;
    std::shared_ptr<SymbolIndex> index_;
    mutable std::unique_ptr<SourceLines> lines_;  // once they are asked for
};

}  // namespace gdb_ompd
