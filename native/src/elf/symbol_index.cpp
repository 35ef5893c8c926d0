// SPDX-License-Identifier: Apache-2.0
#include "elf/symbol_index.hpp"

#include <map>
#include <stdexcept>

namespace gdb_ompd {

namespace {

// A debug file of our own making says so itself, wherever it was found.
std::optional<SymbolSource> find_debug_source(const std::optional<std::string> &debug_path) {
    if (!debug_path) {
        return std::nullopt;
    }
    const ElfFile file(*debug_path);
    if (file.section(SHT_SYMTAB) == nullptr) {
        return std::nullopt;
    }
    return file.section_named(recovery_note_section) != nullptr ? SymbolSource::recovered
                                                                : SymbolSource::debuginfo;
}

std::optional<SymbolSource> find_best_source(const ElfFile &file,
                                             std::optional<SymbolSource> debug_source) {
    if (file.section(SHT_SYMTAB) != nullptr) {
        return SymbolSource::symtab;
    }
    if (debug_source) {
        return debug_source;
    }
    if (file.section(SHT_DYNSYM) != nullptr) {
        return SymbolSource::dynsym;
    }
    return std::nullopt;
}

}  // namespace

std::shared_ptr<SymbolIndex> SymbolIndex::of(const ElfFile &file, Key key) {
    static std::map<std::string, std::shared_ptr<SymbolIndex>> cache;
    std::shared_ptr<SymbolIndex> &kept = cache[key.path];
    if (kept == nullptr || kept->key() != key) {
        kept = std::make_shared<SymbolIndex>(file, std::move(key));
    }
    return kept;
}

SymbolIndex::SymbolIndex(const ElfFile &file, Key key)
    : key_(std::move(key)), debug_source_(find_debug_source(key_.debug_path)),
      best_source_(find_best_source(file, debug_source_)), sources_{SymbolSource::symtab} {
    if (debug_source_) {
        sources_.push_back(*debug_source_);
    }
    sources_.push_back(SymbolSource::dynsym);
}

ElfFile SymbolIndex::open(SymbolSource source) const {
    const bool debug = source == debug_source_;
    const std::string &path = debug ? key_.debug_path.value() : key_.path;
    ElfFile file(path);
    if (file.identity() != (debug ? key_.debug_identity : key_.identity)) {
        throw std::invalid_argument(path + ": the file has changed since it was first read");
    }
    return file;
}

const SymbolTable &SymbolIndex::table(SymbolSource source) {
    std::unique_ptr<SymbolTable> &slot = tables_.at(static_cast<std::size_t>(source));
    if (slot == nullptr) {
        slot = std::make_unique<SymbolTable>(
            open(source), source == SymbolSource::dynsym ? SHT_DYNSYM : SHT_SYMTAB, source);
    }
    return *slot;
}

std::optional<Symbol> SymbolIndex::find(std::string_view name) {
    for (const SymbolSource source : sources_) {
        if (auto found = table(source).find(name)) {
            return found;
        }
    }
    return std::nullopt;
}

std::optional<Symbol> SymbolIndex::function_at(std::uint64_t value) {
    for (const SymbolSource source : sources_) {
        if (auto found = table(source).function_at(value)) {
            return found;
        }
    }
    return std::nullopt;
}

std::vector<Symbol> SymbolIndex::functions() {
    for (const SymbolSource source : sources_) {
        if (auto found = table(source).functions(); !found.empty()) {
            return found;
        }
    }
    return {};
}

std::vector<std::string> SymbolIndex::function_names(std::uint64_t value) {
    std::vector<std::string> names;
    for (const SymbolSource source : sources_) {
        for (std::string &name : table(source).function_names(value)) {
            names.push_back(std::move(name));
        }
    }
    return names;
}

std::optional<std::string> SymbolIndex::data_name(std::uint64_t value) {
    for (const SymbolSource source : sources_) {
        if (auto name = table(source).data_name(value)) {
            return name;
        }
    }
    return std::nullopt;
}

bool SymbolIndex::exports(std::string_view name) {
    if (!hash_) {
        hash_.emplace(open(SymbolSource::dynsym));
    }
    return hash_->may_hold(name) && hash_->holds(open(SymbolSource::dynsym), name);
}

}  // namespace gdb_ompd
