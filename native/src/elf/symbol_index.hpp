// SPDX-License-Identifier: Apache-2.0
// All symbol tables of one file, shared by everyone who opens that file.
#pragma once

#include "elf/dynamic_hash.hpp"
#include "elf/symbol_table.hpp"

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gdb_ompd {

class SymbolIndex {
public:
    // What makes two requests the same file.
    struct Key {
        std::string path;
        FileIdentity identity;
        std::optional<std::string> build_id;
        std::optional<std::string> debug_path;
        FileIdentity debug_identity;

        bool operator==(const Key &) const = default;
    };

    // Tables are kept for the process's life, so that the next run of the
    // program finds them warm; a path has one set at a time.
    static std::shared_ptr<SymbolIndex> of(const ElfFile &file, Key key);

    SymbolIndex(const ElfFile &file, Key key);

    [[nodiscard]] const Key &key() const noexcept { return key_; }
    [[nodiscard]] std::optional<SymbolSource> best_source() const noexcept { return best_source_; }
    [[nodiscard]] std::optional<Symbol> find(std::string_view name);
    [[nodiscard]] std::optional<Symbol> function_at(std::uint64_t value);
    // All functions of the most trusted table that has some, by where they begin.
    [[nodiscard]] std::vector<Symbol> functions();
    // All names of the function that begins there, in every table.
    [[nodiscard]] std::vector<std::string> function_names(std::uint64_t value);
    // The name of the data that begins there.
    [[nodiscard]] std::optional<std::string> data_name(std::uint64_t value);
    [[nodiscard]] bool exports(std::string_view name);

private:
    const SymbolTable &table(SymbolSource source);
    [[nodiscard]] ElfFile open(SymbolSource source) const;

    Key key_;
    std::optional<SymbolSource> debug_source_;  // what the debug file holds
    std::optional<SymbolSource> best_source_;
    std::vector<SymbolSource> sources_;  // of symbols, the most trusted first
    std::optional<DynamicHash> hash_;
    // By SymbolSource; read when first asked.
    std::array<std::unique_ptr<SymbolTable>, 4> tables_;
};

}  // namespace gdb_ompd
