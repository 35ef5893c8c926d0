// SPDX-License-Identifier: Apache-2.0
#include "elf/symbol_table.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>
#include <utility>

namespace gdb_ompd {

namespace {

std::optional<SymbolKind> kind_of(unsigned char info) {
    switch (GELF_ST_TYPE(info)) {
    case STT_NOTYPE:
        return SymbolKind::label;
    case STT_FUNC:
    case STT_GNU_IFUNC:
        return SymbolKind::function;
    case STT_TLS:
        return SymbolKind::tls;
    case STT_OBJECT:
    case STT_COMMON:
        return SymbolKind::data;
    default:  // sections and source files are no symbols of the program
        return std::nullopt;
    }
}

constexpr std::uint16_t hidden_version = 0x8000;

// Which symbols of the dynamic table are of an old version of their name; nothing if none has
// a version.
std::vector<bool> hidden_ones(const ElfFile &file, std::size_t count) {
    std::vector<bool> found(count, false);
    Elf_Scn *const section = file.section(SHT_GNU_versym);
    const Elf_Data *const versions = section == nullptr ? nullptr : file.data(section);
    for (std::size_t i = 0; versions != nullptr && i < count; ++i) {
        std::uint16_t version = 0;
        if ((i + 1) * sizeof version > versions->d_size) {
            break;
        }
        std::memcpy(&version, static_cast<const char *>(versions->d_buf) + i * sizeof version,
                    sizeof version);
        found[i] = (version & hidden_version) != 0;
    }
    return found;
}

// Of several symbols of one name the global one is meant, then the weak one.
int rank(std::uint8_t binding) {
    switch (binding) {
    case STB_LOCAL:
        return 0;
    case STB_WEAK:
        return 1;
    default:
        return 2;
    }
}

}  // namespace

const char *text(SymbolKind kind) {
    switch (kind) {
    case SymbolKind::data:
        return "data";
    case SymbolKind::function:
        return "function";
    case SymbolKind::label:
        return "label";
    case SymbolKind::tls:
        return "tls";
    }
    return "";
}

const char *text(SymbolSource source) {
    switch (source) {
    case SymbolSource::symtab:
        return "symtab";
    case SymbolSource::debuginfo:
        return "debuginfo";
    case SymbolSource::recovered:
        return "recovered";
    case SymbolSource::dynsym:
        return "dynsym";
    }
    return "";
}

SymbolTable::SymbolTable(const ElfFile &file, std::uint32_t section_type, SymbolSource source)
    : source_(source) {
    if (Elf_Scn *section = file.section(section_type)) {
        collect(file, section);
        index();
    }
}

void SymbolTable::collect(const ElfFile &file, Elf_Scn *section) {
    GElf_Shdr header{};
    gelf_getshdr(section, &header);
    Elf_Data *symbols = file.data(section);
    const Elf_Data *names = file.data(elf_getscn(file.elf(), header.sh_link));
    const std::size_t entry_size = gelf_fsize(file.elf(), ELF_T_SYM, 1, EV_CURRENT);
    const std::size_t count = symbols->d_size / entry_size;
    const auto *first = static_cast<const char *>(names->d_buf);
    strings_.assign(first, first + names->d_size);
    strings_.push_back('\0');  // a damaged table may lack its last NUL
    entries_.reserve(count);
    const bool has_versions = header.sh_type == SHT_DYNSYM;
    const auto hidden = has_versions ? hidden_ones(file, count) : std::vector<bool>(count, false);
    for (std::size_t i = 0; i < count; ++i) {
        GElf_Sym symbol{};
        if (gelf_getsym(symbols, static_cast<int>(i), &symbol) == nullptr) {
            file.damaged("a symbol");
        }
        const auto kind = kind_of(symbol.st_info);
        if (kind && symbol.st_shndx != SHN_UNDEF && symbol.st_name != 0 &&
            symbol.st_name < names->d_size) {
            entries_.push_back({symbol.st_value, symbol.st_size, symbol.st_name,
                                static_cast<std::uint8_t>(GELF_ST_BIND(symbol.st_info)), *kind,
                                !hidden[i]});
        }
    }
}

void SymbolTable::index() {
    slots_.assign(std::bit_ceil(entries_.size() * 2 + 1), 0);
    const std::size_t mask = slots_.size() - 1;
    for (std::uint32_t i = 0; i < entries_.size(); ++i) {
        const std::string_view wanted = name(entries_[i]);
        std::size_t slot = std::hash<std::string_view>{}(wanted)&mask;
        while (slots_[slot] != 0 && name(entries_[slots_[slot] - 1]) != wanted) {
            slot = (slot + 1) & mask;
        }
        const auto rank_of = [](const Entry &entry) {
            return std::pair(rank(entry.binding), entry.is_default);
        };
        if (slots_[slot] == 0 || rank_of(entries_[i]) > rank_of(entries_[slots_[slot] - 1])) {
            slots_[slot] = i + 1;
        }
    }
}

std::string_view SymbolTable::name(const Entry &entry) const {
    return strings_.data() + entry.name;
}

Symbol SymbolTable::symbol(const Entry &entry) const {
    return {std::string(name(entry)), entry.value, entry.size, entry.kind, source_};
}

std::optional<Symbol> SymbolTable::find(std::string_view wanted) const {
    if (entries_.empty()) {
        return std::nullopt;
    }
    const std::size_t mask = slots_.size() - 1;
    std::size_t slot = std::hash<std::string_view>{}(wanted)&mask;
    for (; slots_[slot] != 0; slot = (slot + 1) & mask) {
        const Entry &entry = entries_[slots_[slot] - 1];
        if (name(entry) == wanted) {
            return symbol(entry);
        }
    }
    return std::nullopt;
}

void SymbolTable::sort_functions() const {
    for (std::uint32_t i = 0; i < entries_.size(); ++i) {
        if (entries_[i].kind == SymbolKind::function && entries_[i].size != 0) {
            functions_.push_back(i);
            longest_function_ = std::max(longest_function_, entries_[i].size);
        }
    }
    std::stable_sort(functions_.begin(), functions_.end(), [this](auto left, auto right) {
        const Entry &one = entries_[left];
        const Entry &other = entries_[right];
        return one.value != other.value ? one.value < other.value
                                        : rank(one.binding) < rank(other.binding);
    });
}

std::vector<Symbol> SymbolTable::functions() const {
    if (functions_.empty()) {
        sort_functions();
    }
    std::vector<Symbol> found;
    for (const std::uint32_t i : functions_) {
        found.push_back(symbol(entries_[i]));
    }
    return found;
}

std::vector<std::string> SymbolTable::function_names(std::uint64_t value) const {
    if (functions_.empty()) {
        sort_functions();
    }
    auto found =
        std::lower_bound(functions_.begin(), functions_.end(), value,
                         [this](auto i, std::uint64_t at) { return entries_[i].value < at; });
    std::vector<std::string> names;
    for (; found != functions_.end() && entries_[*found].value == value; ++found) {
        names.emplace_back(name(entries_[*found]));
    }
    return names;
}

std::optional<std::string> SymbolTable::data_name(std::uint64_t value) const {
    const auto found = std::ranges::find_if(entries_, [value](const Entry &entry) {
        return entry.kind == SymbolKind::data && entry.value == value;
    });
    return found == entries_.end() ? std::nullopt : std::optional(std::string(name(*found)));
}

std::optional<Symbol> SymbolTable::function_at(std::uint64_t value) const {
    if (functions_.empty()) {
        sort_functions();
    }
    auto after =
        std::upper_bound(functions_.begin(), functions_.end(), value,
                         [this](std::uint64_t at, auto i) { return at < entries_[i].value; });
    while (after != functions_.begin()) {
        const Entry &entry = entries_[*--after];
        if (value - entry.value < entry.size) {
            return symbol(entry);
        }
        if (value - entry.value >= longest_function_) {
            break;
        }
    }
    return std::nullopt;
}

}  // namespace gdb_ompd
