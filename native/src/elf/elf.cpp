// SPDX-License-Identifier: Apache-2.0
#include "elf/elf.hpp"

#include "base/errors.hpp"
#include "elf/debug_file.hpp"
#include "elf/elf_headers.hpp"
#include "elf/source_lines.hpp"
#include "elf/symbol_index.hpp"

#include <limits>
#include <stdexcept>

namespace gdb_ompd {

namespace {

bool lies_in_file(const ElfFile &file, const GElf_Shdr &section) {
    const auto file_size = static_cast<std::uint64_t>(file.identity().size);
    return section.sh_type == SHT_NOBITS ||
           (section.sh_offset <= file_size && section.sh_size <= file_size - section.sh_offset);
}

// What is read later, when a symbol is asked for, is refused now where it cannot be read.
void check_symbol_sections(const ElfFile &file) {
    const std::size_t entry_size = gelf_fsize(file.elf(), ELF_T_SYM, 1, EV_CURRENT);
    for (const std::uint32_t type : {SHT_SYMTAB, SHT_DYNSYM, SHT_GNU_HASH, SHT_GNU_versym}) {
        Elf_Scn *const section = file.section(type);
        GElf_Shdr header{};
        if (section == nullptr || gelf_getshdr(section, &header) == nullptr) {
            continue;
        }
        GElf_Shdr linked{};
        if (!lies_in_file(file, header) ||
            gelf_getshdr(elf_getscn(file.elf(), header.sh_link), &linked) == nullptr ||
            !lies_in_file(file, linked)) {
            file.damaged("a section of symbols");
        }
        if ((type == SHT_SYMTAB || type == SHT_DYNSYM) &&
            (linked.sh_type != SHT_STRTAB || linked.sh_size == 0 ||
             linked.sh_size > std::numeric_limits<std::uint32_t>::max() ||
             (header.sh_flags & SHF_COMPRESSED) != 0 || header.sh_entsize != entry_size ||
             header.sh_size % entry_size != 0 ||
             header.sh_size / entry_size > std::numeric_limits<int>::max())) {
            file.damaged("a symbol table");
        }
        if (type == SHT_GNU_versym && header.sh_size % sizeof(GElf_Versym) != 0) {
            file.damaged("the versions of its symbols");
        }
    }
}

}  // namespace

ElfImage::ElfImage(std::string path, const std::optional<std::string> &debug_path,
                   const std::string &debug_directories)
    : path_(std::move(path)) {
    const ElfFile file(path_);
    headers_ = read_headers(file);
    check_symbol_sections(file);
    SymbolIndex::Key key{path_, file.identity(), headers_.build_id, debug_path, {}};
    if (!key.debug_path) {
        key.debug_path = find_debug_file(file, path_, debug_directories);
    }
    if (key.debug_path) {
        const ElfFile debug(*key.debug_path);
        check_symbol_sections(debug);
        const auto debug_id = debug.build_id();
        if (debug_id && headers_.build_id && debug_id != headers_.build_id) {
            throw std::invalid_argument(*key.debug_path + ": not the debug file of " + path_);
        }
        key.debug_identity = debug.identity();
        headers_.has_lines = headers_.has_lines || has_lines_of(debug);
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

std::vector<Symbol> ElfImage::functions() const { return index_->functions(); }

std::vector<std::string> ElfImage::function_names(std::uint64_t value) const {
    return index_->function_names(value);
}

std::optional<std::string> ElfImage::data_name(std::uint64_t value) const {
    return index_->data_name(value);
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

bool ElfImage::is_without_line(std::uint64_t value) const {
    try {
        if (!lines_) {
            lines_ = std::make_unique<SourceLines>(debug_path().value_or(path_));
        }
    } catch (const FileError &) {
        return false;
    } catch (const std::invalid_argument &) {
        return false;
    }
    const bool is_same =
        lines_->build_id() == headers_.build_id;  // else another file took the path
    return is_same && lines_->has_none(value);
}

bool ElfImage::has_debug_name(std::string_view text) const {
    const ElfFile file(path_);
    Elf_Scn *const section = file.section_named(".debug_str");
    GElf_Shdr header{};
    if (section == nullptr || gelf_getshdr(section, &header) == nullptr ||
        ((header.sh_flags & SHF_COMPRESSED) != 0 && elf_compress(section, 0, 0) < 0)) {
        return false;
    }
    const Elf_Data *const data = file.data(section);
    const std::string_view names(static_cast<const char *>(data->d_buf), data->d_size);
    return names.find(text) != std::string_view::npos;
}

}  // namespace gdb_ompd
