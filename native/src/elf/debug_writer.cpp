// SPDX-License-Identifier: Apache-2.0
#include "elf/debug_writer.hpp"

#include "elf/debug_headers.hpp"
#include "elf/elf_output.hpp"

#include <sys/stat.h>

#include <set>
#include <stdexcept>
#include <string_view>

namespace gdb_ompd {

namespace {

// A rename would put a plain file in the place of a device, or of the runtime.
void refuse_to_replace(const ElfFile &runtime, const std::string &path) {
    struct stat status {};
    if (stat(path.c_str(), &status) != 0) {
        return;
    }
    if (!S_ISREG(status.st_mode)) {
        throw std::invalid_argument(path + ": not a regular file");
    }
    if (status.st_dev == runtime.identity().device && status.st_ino == runtime.identity().inode) {
        throw std::invalid_argument(path + ": this is the runtime itself");
    }
}

std::set<std::string_view> names_of(std::span<const Symbol> symbols) {
    std::set<std::string_view> seen;
    std::set<std::pair<std::string_view, std::uint64_t>> places;
    for (const Symbol &symbol : symbols) {
        if (symbol.name.empty() || symbol.name.find('\0') != std::string::npos) {
            throw std::invalid_argument("a symbol has no name that can be written");
        }
        seen.insert(symbol.name);
        if (!places.emplace(symbol.name, symbol.value).second) {
            throw std::invalid_argument(symbol.name + ": given more than once");
        }
    }
    return seen;
}

std::uint16_t section_of(const Symbol &symbol, const DebugHeaders &headers) {
    const bool local = symbol.kind == SymbolKind::tls;
    const auto start = local ? headers.thread_locals : std::optional(std::uint64_t{0});
    for (std::size_t i = 0; i < headers.sections.size(); ++i) {
        const GElf_Shdr &header = headers.sections[i].header;
        const std::uint64_t distance = start.value_or(0) + symbol.value - header.sh_addr;
        if (start && ((header.sh_flags & SHF_TLS) != 0) == local && header.sh_type == SHT_NOBITS &&
            distance < header.sh_size && symbol.size <= header.sh_size - distance) {
            return static_cast<std::uint16_t>(i + 1);
        }
    }
    throw std::invalid_argument(symbol.name + ": no section of the runtime holds this symbol");
}

unsigned char type_of(SymbolKind kind) {
    switch (kind) {
    case SymbolKind::data:
        return STT_OBJECT;
    case SymbolKind::function:
        return STT_FUNC;
    case SymbolKind::tls:
        return STT_TLS;
    case SymbolKind::label:
        break;
    }
    return STT_NOTYPE;
}

// LLVM 14 to 16 compile these as C++.
std::optional<std::string> mangled(const Symbol &symbol) {
    if (symbol.kind == SymbolKind::function &&
        (symbol.name.starts_with("ompd_bp_") || symbol.name == "ompd_dll_locations_valid")) {
        return "_Z" + std::to_string(symbol.name.size()) + symbol.name + "v";
    }
    return std::nullopt;
}

void append_symbols(ElfOutput &output, std::span<const Symbol> symbols,
                    const DebugHeaders &headers) {
    const std::set<std::string_view> given = names_of(symbols);
    StringTable names;
    std::vector<GElf_Sym> entries(1);  // the null symbol
    for (const Symbol &symbol : symbols) {
        GElf_Sym entry{};
        entry.st_name = names.add(symbol.name);
        entry.st_info = GELF_ST_INFO(STB_GLOBAL, type_of(symbol.kind));
        entry.st_shndx = section_of(symbol, headers);
        entry.st_value = symbol.value;
        entry.st_size = symbol.size;
        entries.push_back(entry);
        const auto alias = mangled(symbol);
        if (alias && !given.contains(*alias)) {
            entry.st_name = names.add(*alias);
            entries.push_back(entry);
        }
    }
    output.append_symbols(entries, std::move(names));
}

}  // namespace

void write_debug_file(const ElfFile &runtime, std::span<const Symbol> symbols,
                      std::span<const std::byte> note, const std::string &path) {
    refuse_to_replace(runtime, path);
    const DebugHeaders headers = make_debug_headers(runtime);
    ElfOutput output(runtime, path);
    output.add_segments(headers.segments);
    for (const DebugSection &section : headers.sections) {
        output.put(section.name, section.header, section.contents);
    }
    output.append_from(headers.end);
    append_symbols(output, symbols, headers);
    GElf_Shdr header{};
    header.sh_type = SHT_PROGBITS;
    header.sh_addralign = 1;
    output.append(recovery_note_section, header, note);
    output.finish();
}

std::optional<std::vector<std::byte>> read_debug_note(const ElfFile &file) {
    Elf_Scn *section = file.section_named(recovery_note_section);
    GElf_Shdr header{};
    if (section == nullptr || gelf_getshdr(section, &header) == nullptr) {
        return std::nullopt;
    }
    if (header.sh_size == 0) {
        return std::vector<std::byte>();
    }
    const Elf_Data *data = file.data(section);
    const auto *first = static_cast<const std::byte *>(data->d_buf);
    return std::vector<std::byte>(first, first + data->d_size);
}

}  // namespace gdb_ompd
