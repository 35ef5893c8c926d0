// SPDX-License-Identifier: Apache-2.0
// One symbol table of a file, indexed in a single pass.
#pragma once

#include "elf/elf_file.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace gdb_ompd {

enum class SymbolKind : std::uint8_t { data, function, label, tls };

// The values are the sources' order of trust.
enum class SymbolSource : std::uint8_t { symtab, debuginfo, recovered, dynsym };

const char *text(SymbolKind kind);
const char *text(SymbolSource source);

struct Symbol {
    std::string name;
    std::uint64_t value = 0;
    std::uint64_t size = 0;
    SymbolKind kind = SymbolKind::data;
    SymbolSource source = SymbolSource::symtab;
};

class SymbolTable {
public:
    // SECTION_TYPE is SHT_SYMTAB or SHT_DYNSYM; a file without one gives an
    // empty table. Throws std::invalid_argument for a damaged table.
    SymbolTable(const ElfFile &file, std::uint32_t section_type, SymbolSource source);

    [[nodiscard]] bool empty() const noexcept { return entries_.empty(); }
    [[nodiscard]] std::optional<Symbol> find(std::string_view wanted) const;
    [[nodiscard]] std::optional<Symbol> function_at(std::uint64_t value) const;
    // By where they begin.
    [[nodiscard]] std::vector<Symbol> functions() const;
    // All names of the function that begins there.
    [[nodiscard]] std::vector<std::string> function_names(std::uint64_t value) const;
    // The name of the data that begins there.
    [[nodiscard]] std::optional<std::string> data_name(std::uint64_t value) const;

private:
    struct Entry {
        std::uint64_t value;
        std::uint64_t size;
        std::uint32_t name;  // offset in strings_
        std::uint8_t binding;
        SymbolKind kind;
        bool is_default;  // of the versions of its name the one that is linked to now
    };

    void collect(const ElfFile &file, Elf_Scn *section);
    void index();
    void sort_functions() const;
    [[nodiscard]] std::string_view name(const Entry &entry) const;
    [[nodiscard]] Symbol symbol(const Entry &entry) const;

    SymbolSource source_;
    std::vector<char> strings_;
    std::vector<Entry> entries_;
    std::vector<std::uint32_t> slots_;              // open addressing; entry number + 1, 0 is free
    mutable std::vector<std::uint32_t> functions_;  // by value; made at the first question
    mutable std::uint64_t longest_function_ = 0;
};

}  // namespace gdb_ompd
