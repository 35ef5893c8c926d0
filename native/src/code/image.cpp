// SPDX-License-Identifier: Apache-2.0
#include "code/image.hpp"

#include "base/target.hpp"

#include <algorithm>
#include <limits>

namespace gdb_ompd::code {

namespace {

constexpr std::uint32_t relative_pointers = 19;  // SHT_RELR: <elf.h> has it from glibc 2.36 on

std::uint64_t little_endian(std::span<const std::byte> bytes) {
    std::uint64_t value = 0;
    for (std::size_t i = bytes.size(); i-- > 0;) {
        value = value << 8U | std::to_integer<std::uint64_t>(bytes[i]);
    }
    return value;
}

std::span<const std::byte> as_bytes(const Elf_Data *data) {
    return {static_cast<const std::byte *>(data->d_buf), data->d_size};
}

std::span<const std::byte> file_bytes(const ElfFile &file, const GElf_Phdr &header) {
    if (header.p_filesz == 0) {
        return {};
    }
    const auto size = static_cast<std::uint64_t>(file.identity().size);
    if (header.p_offset > size || header.p_filesz > size - header.p_offset) {
        file.damaged("a segment lies outside of it");
    }
    Elf_Data *data = elf_getdata_rawchunk(file.elf(), static_cast<std::int64_t>(header.p_offset),
                                          header.p_filesz, ELF_T_BYTE);
    if (data == nullptr || data->d_buf == nullptr) {
        file.damaged("a segment's contents");
    }
    return as_bytes(data);
}

Range memory_of(const ElfFile &file, const GElf_Phdr &header) {
    if (header.p_memsz > std::numeric_limits<std::uint64_t>::max() - header.p_vaddr ||
        header.p_filesz > header.p_memsz) {
        file.damaged("a segment's size");
    }
    return {header.p_vaddr, header.p_vaddr + header.p_memsz};
}

// Every section of TYPE.
template <class Use> void each_section(const ElfFile &file, std::uint32_t type, Use use) {
    Elf_Scn *section = nullptr;
    while ((section = elf_nextscn(file.elf(), section)) != nullptr) {
        GElf_Shdr header{};
        if (gelf_getshdr(section, &header) != nullptr && header.sh_type == type &&
            header.sh_size != 0) {
            use(section);
        }
    }
}

// Damaged descriptions must not make the same code be read again and again.
void keep_disjoint(std::vector<Range> &ranges) {
    std::sort(ranges.begin(), ranges.end(),
              [](const Range &a, const Range &b) { return a.start < b.start; });
    std::uint64_t end = 0;
    std::erase_if(ranges, [&end](const Range &range) {
        const bool overlaps = range.start < end;
        end = overlaps ? end : range.end;
        return overlaps;
    });
}

std::string undefined_name(const ElfFile &file, std::size_t strings, Elf_Data *symbols,
                           std::size_t number) {
    GElf_Sym symbol{};
    if (number > std::numeric_limits<int>::max() ||
        gelf_getsym(symbols, static_cast<int>(number), &symbol) == nullptr ||
        symbol.st_shndx != SHN_UNDEF) {
        return {};
    }
    const char *name = elf_strptr(file.elf(), strings, symbol.st_name);
    return name == nullptr ? std::string() : name;
}

}  // namespace

Imports imports_of(const ElfFile &file, const RelocationTypes &types) {
    Imports found;
    each_section(file, SHT_DYNSYM, [&](Elf_Scn *symbols) {
        GElf_Shdr header{};
        gelf_getshdr(symbols, &header);
        Elf_Data *names = file.data(symbols);
        each_section(file, SHT_RELA, [&](Elf_Scn *section) {
            Elf_Data *data = file.data(section);
            GElf_Rela relocation{};
            for (int i = 0; gelf_getrela(data, i, &relocation) != nullptr; ++i) {
                const auto type = static_cast<std::uint32_t>(GELF_R_TYPE(relocation.r_info));
                if (type != types.global_data && type != types.jump_slot) {
                    continue;
                }
                const std::size_t number = GELF_R_SYM(relocation.r_info);
                std::string name = undefined_name(file, header.sh_link, names, number);
                if (!name.empty()) {
                    found.try_emplace(relocation.r_offset, std::move(name));
                }
            }
        });
    });
    return found;
}

Image::Image(const ElfFile &file, const Architecture &architecture) {
    if (gelf_getclass(file.elf()) != ELFCLASS64 || file.header().e_ident[EI_DATA] != ELFDATA2LSB) {
        throw std::invalid_argument("only 64-bit little-endian files are understood");
    }
    read_segments(file);
    read_symbols(file);
    read_relocations(file, architecture.relocations());
    imports_ = imports_of(file, architecture.relocations());
    read_functions();
}

void Image::read_segments(const ElfFile &file) {
    for (const GElf_Phdr &header : file.segments()) {
        switch (header.p_type) {
        case PT_LOAD:
            segments_.push_back({memory_of(file, header), file_bytes(file, header),
                                 (header.p_flags & PF_W) != 0, (header.p_flags & PF_X) != 0});
            break;
        case PT_GNU_RELRO:
            read_only_after_start_.push_back(memory_of(file, header));
            break;
        case PT_GNU_EH_FRAME:
            frame_header_ = memory_of(file, header);
            break;
        case PT_TLS:
            thread_local_ = ThreadLocalTemplate{file_bytes(file, header), header.p_memsz};
            break;
        default:
            break;
        }
    }
}

void Image::read_symbols(const ElfFile &file) {
    each_section(file, SHT_DYNSYM, [&](Elf_Scn *section) {
        GElf_Shdr header{};
        gelf_getshdr(section, &header);
        Elf_Data *data = file.data(section);
        GElf_Sym symbol{};
        for (int i = 0; gelf_getsym(data, i, &symbol) != nullptr; ++i) {
            const bool defined = symbol.st_shndx != SHN_UNDEF;
            symbol_values_.push_back(defined ? std::optional(symbol.st_value) : std::nullopt);
            const char *name = elf_strptr(file.elf(), header.sh_link, symbol.st_name);
            if (!defined || name == nullptr) {
                continue;
            }
            const bool thread_local_symbol = GELF_ST_TYPE(symbol.st_info) == STT_TLS;
            (thread_local_symbol ? thread_local_exports_ : exports_)
                .try_emplace(name, symbol.st_value);
        }
    });
}

void Image::read_relocations(const ElfFile &file, const RelocationTypes &types) {
    each_section(file, SHT_RELA, [&](Elf_Scn *section) {
        Elf_Data *data = file.data(section);
        GElf_Rela relocation{};
        for (int i = 0; gelf_getrela(data, i, &relocation) != nullptr; ++i) {
            const auto type = static_cast<std::uint32_t>(GELF_R_TYPE(relocation.r_info));
            const std::size_t number = GELF_R_SYM(relocation.r_info);
            const auto addend = static_cast<std::uint64_t>(relocation.r_addend);
            if (type == types.relative) {
                relocate(relocation.r_offset, addend);
                continue;
            }
            if (number >= symbol_values_.size() || !symbol_values_[number]) {
                continue;
            }
            if (type == types.absolute) {
                relocate(relocation.r_offset, *symbol_values_[number] + addend);
            } else if (type == types.global_data || type == types.jump_slot) {
                relocate(relocation.r_offset, *symbol_values_[number]);
            }
        }
    });
    each_section(file, relative_pointers, [&](Elf_Scn *section) { read_relative(file, section); });
}

// DT_RELR: an address, then bitmaps of the words that follow it. The pointers
// are in place already.
void Image::read_relative(const ElfFile &file, Elf_Scn *section) {
    const auto words = as_bytes(file.data(section));
    std::uint64_t place = 0;
    const auto relocate_in_place = [&](std::uint64_t address) {
        if (const auto contents = bytes(address, pointer_size)) {
            relocate(address, little_endian(*contents));
        }
    };
    for (std::size_t at = 0; at + pointer_size <= words.size(); at += pointer_size) {
        const std::uint64_t entry = little_endian(words.subspan(at, pointer_size));
        if ((entry & 1U) == 0) {
            relocate_in_place(entry);
            place = entry + pointer_size;
            continue;
        }
        for (unsigned bit = 1; bit < 64; ++bit) {
            if ((entry >> bit & 1U) != 0) {
                relocate_in_place(place + (bit - 1) * pointer_size);
            }
        }
        place += 63 * pointer_size;
    }
}

void Image::relocate(std::uint64_t place, std::uint64_t value) {
    if (pointers_.try_emplace(place, value).second) {
        pointed_from_[value].push_back(place);
    }
}

void Image::read_functions() {
    if (!frame_header_) {
        return;
    }
    const auto word = [this](std::uint64_t address, unsigned size) {
        const auto found = bytes(address, size);
        return found ? std::optional(little_endian(*found)) : std::nullopt;
    };
    const FrameTable table(word, *frame_header_);
    for (std::uint64_t number = 0; number < table.size(); ++number) {
        if (const auto function = table.function(number)) {
            functions_.push_back(*function);
        }
    }
    keep_disjoint(functions_);
}

const Image::Segment *Image::segment(std::uint64_t address) const {
    for (const Segment &segment : segments_) {
        if (segment.memory.holds(address)) {
            return &segment;
        }
    }
    return nullptr;
}

std::uint64_t Image::size() const {
    std::uint64_t sum = 0;
    for (const Segment &segment : segments_) {
        sum += segment.contents.size();
    }
    return sum;
}

bool Image::is_writable(std::uint64_t address) const {
    const Segment *found = segment(address);
    return found != nullptr && found->writable &&
           std::none_of(read_only_after_start_.begin(), read_only_after_start_.end(),
                        [&](const Range &range) { return range.holds(address); });
}

bool Image::is_code(std::uint64_t address) const {
    const Segment *found = segment(address);
    return found != nullptr && found->executable;
}

std::optional<std::span<const std::byte>> Image::bytes(std::uint64_t address,
                                                       std::uint64_t size) const {
    const Segment *found = segment(address);
    if (found == nullptr) {
        return std::nullopt;
    }
    const std::uint64_t offset = address - found->memory.start;
    if (offset > found->contents.size() || size > found->contents.size() - offset) {
        return std::nullopt;
    }
    return found->contents.subspan(offset, size);
}

std::optional<std::uint64_t> Image::constant(std::uint64_t address, unsigned size) const {
    if (is_writable(address) || size == 0 || size > 8) {
        return std::nullopt;
    }
    if (size == 8) {
        if (const auto target = pointer(address)) {
            return target;
        }
    }
    const auto contents = bytes(address, size);
    return contents ? std::optional(little_endian(*contents)) : std::nullopt;
}

std::optional<std::uint64_t> Image::pointer(std::uint64_t address) const {
    const auto found = pointers_.find(address);
    return found == pointers_.end() ? std::nullopt : std::optional(found->second);
}

const std::vector<std::uint64_t> &Image::pointers_to(std::uint64_t address) const {
    static const std::vector<std::uint64_t> none;
    const auto found = pointed_from_.find(address);
    return found == pointed_from_.end() ? none : found->second;
}

std::optional<std::uint64_t> Image::exported(const std::string &name) const {
    const auto found = exports_.find(name);
    return found == exports_.end() ? std::nullopt : std::optional(found->second);
}

std::string Image::import_at(std::uint64_t address) const {
    const auto found = imports_.find(address);
    return found == imports_.end() ? std::string() : found->second;
}

std::optional<std::uint64_t> Image::exported_thread_local(const std::string &name) const {
    const auto found = thread_local_exports_.find(name);
    return found == thread_local_exports_.end() ? std::nullopt : std::optional(found->second);
}

std::vector<std::uint64_t> Image::find(std::string_view wanted) const {
    std::vector<std::uint64_t> places;
    for (const Segment &segment : segments_) {
        if (segment.writable) {
            continue;
        }
        const std::string_view contents(reinterpret_cast<const char *>(segment.contents.data()),
                                        segment.contents.size());
        for (std::size_t at = contents.find(wanted); at != std::string_view::npos;
             at = contents.find(wanted, at + 1)) {
            places.push_back(segment.memory.start + at);
        }
    }
    return places;
}

}  // namespace gdb_ompd::code
