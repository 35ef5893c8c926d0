// SPDX-License-Identifier: Apache-2.0
#include "elf/debug_headers.hpp"

#include "elf/elf_headers.hpp"

#include <algorithm>
#include <bit>

namespace gdb_ompd {

namespace {

// A few dozen bytes is what notes have. Larger ones are not worth keeping.
constexpr std::uint64_t most_note_bytes = 0x10000;

std::uint64_t align(std::uint64_t offset, std::uint64_t alignment) {
    return alignment == 0 ? offset : (offset + alignment - 1) & ~(alignment - 1);
}

bool holds(std::uint64_t start, std::uint64_t size, std::uint64_t address) {
    return address >= start && address - start < size;
}

std::vector<std::byte> read(const ElfFile &file, std::uint64_t offset, std::uint64_t size) {
    if (size == 0 || size > most_note_bytes) {
        return {};
    }
    const Elf_Data *data =
        elf_getdata_rawchunk(file.elf(), static_cast<std::int64_t>(offset), size, ELF_T_BYTE);
    if (data == nullptr || data->d_buf == nullptr) {
        file.damaged("a note");
    }
    const auto *first = static_cast<const std::byte *>(data->d_buf);
    return {first, first + size};
}

std::vector<GElf_Phdr> read_segments(const ElfFile &file) {
    std::vector<GElf_Phdr> segments;
    for (const GElf_Phdr &segment : file.segments()) {
        if (segment.p_align != 0 && !std::has_single_bit(segment.p_align)) {
            file.damaged("a segment's alignment");
        }
        // These two are for running a file, and must be backed by contents.
        if (segment.p_type != PT_PHDR && segment.p_type != PT_INTERP) {
            segments.push_back(segment);
        }
    }
    return segments;
}

std::vector<DebugSection> read_sections(const ElfFile &file) {
    std::size_t names = 0;
    if (elf_getshdrstrndx(file.elf(), &names) != 0) {
        file.damaged("the section names");
    }
    std::vector<DebugSection> sections;
    Elf_Scn *section = nullptr;
    while ((section = elf_nextscn(file.elf(), section)) != nullptr) {
        GElf_Shdr header{};
        if (gelf_getshdr(section, &header) == nullptr) {
            file.damaged("a section header");
        }
        if ((header.sh_flags & SHF_ALLOC) == 0) {
            continue;
        }
        if (header.sh_addralign != 0 && !std::has_single_bit(header.sh_addralign)) {
            file.damaged("a section's alignment");
        }
        const char *name = elf_strptr(file.elf(), names, header.sh_name);
        sections.push_back({name == nullptr ? "" : name, header, {}});
        if (header.sh_type == SHT_NOTE) {
            sections.back().contents = read(file, header.sh_offset, header.sh_size);
        }
    }
    return sections;
}

std::uint64_t section_flags(const GElf_Phdr &segment) {
    std::uint64_t flags = SHF_ALLOC;
    if ((segment.p_flags & PF_W) != 0) {
        flags |= SHF_WRITE;
    }
    if ((segment.p_flags & PF_X) != 0) {
        flags |= SHF_EXECINSTR;
    }
    return flags;
}

DebugSection stand_in(std::string name, std::uint64_t flags, std::uint64_t address,
                      std::uint64_t size, std::uint64_t alignment) {
    DebugSection section{std::move(name), {}, {}};
    section.header.sh_type = SHT_NOBITS;
    section.header.sh_flags = flags;
    section.header.sh_addr = address;
    section.header.sh_size = size;
    section.header.sh_addralign = alignment;
    return section;
}

std::vector<DebugSection> sections_from(const ElfFile &file,
                                        const std::vector<GElf_Phdr> &segments) {
    const auto build_id = read_headers(file).build_id_location;
    std::vector<DebugSection> sections;
    int loads = 0;
    for (const GElf_Phdr &segment : segments) {
        if (segment.p_type == PT_LOAD) {
            sections.push_back(stand_in(".load" + std::to_string(loads++), section_flags(segment),
                                        segment.p_vaddr, segment.p_memsz, 1));
        } else if (segment.p_type == PT_TLS) {
            sections.push_back(stand_in(".tdata", SHF_ALLOC | SHF_WRITE | SHF_TLS, segment.p_vaddr,
                                        segment.p_memsz, segment.p_align));
        } else if (segment.p_type == PT_NOTE && build_id &&
                   holds(segment.p_vaddr, segment.p_filesz, build_id->address)) {
            sections.push_back(stand_in(".note.gnu.build-id", SHF_ALLOC, segment.p_vaddr,
                                        segment.p_filesz, segment.p_align));
            sections.back().header.sh_type = SHT_NOTE;
            sections.back().header.sh_offset = segment.p_offset;
            sections.back().contents = read(file, segment.p_offset, segment.p_filesz);
        }
    }
    return sections;
}

// A note stays at its offset where the headers leave that free, because the
// segment that maps the headers maps it, too. Returns where the notes end.
std::uint64_t place_notes(std::vector<DebugSection> &sections, std::uint64_t end) {
    for (DebugSection &section : sections) {
        GElf_Shdr &header = section.header;
        if (section.contents.empty()) {
            continue;
        }
        if (header.sh_offset < end || header.sh_offset > most_note_bytes) {
            header.sh_offset = align(end, std::min(header.sh_addralign, most_note_bytes));
        }
        end = header.sh_offset + header.sh_size;
    }
    return end;
}

// Of a segment, what the debug file holds at the same distance from its start.
std::uint64_t size_of_notes(const GElf_Phdr &segment, const std::vector<DebugSection> &sections) {
    std::uint64_t size = 0;
    for (const auto &[name, header, contents] : sections) {
        if (!contents.empty() && holds(segment.p_vaddr, segment.p_memsz, header.sh_addr) &&
            header.sh_offset - segment.p_offset == header.sh_addr - segment.p_vaddr) {
            size = std::max(size, header.sh_addr - segment.p_vaddr + header.sh_size);
        }
    }
    return size;
}

// The next offset at which the segment could be mapped.
std::uint64_t congruent(std::uint64_t offset, const GElf_Phdr &segment) {
    const std::uint64_t alignment = std::max(segment.p_align, std::uint64_t{1});
    return offset + ((segment.p_vaddr - offset) & (alignment - 1));
}

void move_load(GElf_Phdr &load, const DebugHeaders &headers, std::uint64_t headers_size) {
    if (load.p_offset == 0 && load.p_filesz != 0) {
        const std::uint64_t size = std::max(headers_size, size_of_notes(load, headers.sections));
        load.p_filesz = std::min(size, load.p_memsz);
        return;
    }
    load.p_offset = congruent(headers.end, load);
    load.p_filesz = 0;
}

// Where something without contents at ADDRESS is said to be in the file.
std::uint64_t offset_of(std::uint64_t address, const DebugHeaders &headers) {
    for (const GElf_Phdr &load : headers.segments) {
        if (load.p_type == PT_LOAD && holds(load.p_vaddr, load.p_memsz, address)) {
            return load.p_offset + load.p_filesz;
        }
    }
    return headers.end;
}

void move_part(GElf_Phdr &segment, const DebugHeaders &headers) {
    const auto note = std::find_if(
        headers.sections.begin(), headers.sections.end(), [&](const DebugSection &section) {
            return !section.contents.empty() && section.header.sh_addr == segment.p_vaddr;
        });
    segment.p_filesz = 0;
    if (segment.p_memsz == 0) {  // such as PT_GNU_STACK: it tells flags only
        segment.p_offset = 0;
    } else if (note == headers.sections.end()) {
        segment.p_offset = congruent(offset_of(segment.p_vaddr, headers), segment);
    } else {
        segment.p_offset = note->header.sh_offset;
        segment.p_filesz = std::min(size_of_notes(segment, headers.sections), segment.p_memsz);
    }
}

void settle_section(DebugSection &section, const DebugHeaders &headers) {
    GElf_Shdr &header = section.header;
    header.sh_link = 0;  // its numbers are those of the runtime's sections
    header.sh_info = 0;
    header.sh_flags &= ~std::uint64_t{SHF_INFO_LINK | SHF_LINK_ORDER | SHF_COMPRESSED};
    if (section.contents.empty()) {
        header.sh_type = SHT_NOBITS;
        header.sh_offset = offset_of(header.sh_addr, headers);
    }
}

}  // namespace

DebugHeaders make_debug_headers(const ElfFile &runtime) {
    DebugHeaders headers;
    headers.segments = read_segments(runtime);
    headers.sections = read_sections(runtime);
    if (headers.sections.empty()) {
        // The others speak of sections that there are no names for.
        std::erase_if(headers.segments, [](const GElf_Phdr &segment) {
            return segment.p_type != PT_LOAD && segment.p_type != PT_TLS &&
                   segment.p_type != PT_NOTE && segment.p_type != PT_GNU_STACK;
        });
        headers.sections = sections_from(runtime, headers.segments);
    }
    const std::uint64_t headers_size =
        gelf_fsize(runtime.elf(), ELF_T_EHDR, 1, EV_CURRENT) +
        gelf_fsize(runtime.elf(), ELF_T_PHDR, headers.segments.size(), EV_CURRENT);
    headers.end = place_notes(headers.sections, headers_size);
    for (GElf_Phdr &segment : headers.segments) {
        if (segment.p_type == PT_LOAD) {
            move_load(segment, headers, headers_size);
        } else if (segment.p_type == PT_TLS) {
            headers.thread_locals = segment.p_vaddr;
        }
    }
    for (GElf_Phdr &segment : headers.segments) {
        if (segment.p_type != PT_LOAD) {
            move_part(segment, headers);
        }
    }
    for (DebugSection &section : headers.sections) {
        settle_section(section, headers);
    }
    return headers;
}

}  // namespace gdb_ompd
