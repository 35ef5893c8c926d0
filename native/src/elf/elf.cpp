// SPDX-License-Identifier: Apache-2.0
#include "elf/elf.hpp"

#include "elf/debug_file.hpp"
#include "elf/elf_headers.hpp"
#include "elf/symbol_index.hpp"

#include <stdexcept>

namespace gdb_ompd {

ElfImage::ElfImage(std::string path, const std::optional<std::string> &debug_path,
                   const std::string &debug_directories)
    : path_(std::move(path)) {
    const ElfFile file(path_);
    headers_ = read_headers(file);
    SymbolIndex::Key key{path_, file.identity(), headers_.build_id, debug_path, {}};
    if (!key.debug_path) {
        key.debug_path = find_debug_file(file, path_, debug_directories);
    }
    if (key.debug_path) {
        const ElfFile debug(*key.debug_path);
        const auto debug_id = debug.build_id();
        if (debug_id && headers_.build_id && debug_id != headers_.build_id) {
            throw std::invalid_argument(*key.debug_path + ": not the debug file of " + path_);
        }
        key.debug_identity = debug.identity();
    }
    index_ = SymbolIndex::of(file, std::move(key));
}

ElfImage::~ElfImage() = default;

const std::optional<std::string> &ElfImage::debug_path() const noexcept {
    return index_->key().debug_path;
}

std::optional<SymbolSource> ElfImage::symbols_from() const noexcept {
    return index_->best_source();
}

std::optional<Symbol> ElfImage::symbol(std::string_view name) const { return index_->find(name); }

bool ElfImage::exports(std::string_view name) const { return index_->exports(name); }

std::optional<Symbol> ElfImage::function_at(std::uint64_t value) const {
    return index_->function_at(value);
}

std::vector<std::string> ElfImage::function_names(std::uint64_t value) const {
    return index_->function_names(value);
}

std::vector<std::string> ElfImage::imports() const {
    const ElfFile file(path_);
    Elf_Scn *const section = file.section(SHT_DYNSYM);
    std::vector<std::string> names;
    if (section == nullptr) {
        return names;
    }
    GElf_Shdr header{};
    Elf_Data *const data = file.data(section);
    if (gelf_getshdr(section, &header) == nullptr || header.sh_entsize == 0) {
        file.damaged("its dynamic symbols");
    }
    const auto count = static_cast<int>(data->d_size / header.sh_entsize);
    for (int index = 0; index < count; ++index) {
        GElf_Sym symbol{};
        if (gelf_getsym(data, index, &symbol) == nullptr || symbol.st_shndx != SHN_UNDEF) {
            continue;
        }
        const char *const name = elf_strptr(file.elf(), header.sh_link, symbol.st_name);
        if (name != nullptr && *name != '\0') {
            names.emplace_back(name);
        }
    }
    return names;
}

}  // namespace gdb_ompd
