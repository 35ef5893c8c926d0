// SPDX-License-Identifier: Apache-2.0
#include "elf/elf_headers.hpp"

#include <algorithm>
#include <cstring>

namespace gdb_ompd {

namespace {

std::string machine_name(const GElf_Ehdr &header) {
    switch (header.e_machine) {
    case EM_X86_64:
        return "x86-64";
    case EM_AARCH64:
        return "aarch64";
    default:
        return std::to_string(header.e_machine);
    }
}

std::string flags_text(std::uint32_t flags) {
    std::string text = "---";
    text[0] = (flags & PF_R) != 0 ? 'r' : '-';
    text[1] = (flags & PF_W) != 0 ? 'w' : '-';
    text[2] = (flags & PF_X) != 0 ? 'x' : '-';
    return text;
}

std::optional<Segment> find_build_id(const ElfFile &file, const GElf_Phdr &notes) {
    const bool wide = notes.p_align == 8;
    Elf_Data *data = elf_getdata_rawchunk(file.elf(), static_cast<std::int64_t>(notes.p_offset),
                                          notes.p_filesz, wide ? ELF_T_NHDR8 : ELF_T_NHDR);
    if (data == nullptr) {
        return std::nullopt;
    }
    GElf_Nhdr note{};
    std::size_t name = 0;
    std::size_t contents = 0;
    std::size_t offset = 0;
    while ((offset = gelf_getnote(data, offset, &note, &name, &contents)) > 0) {
        const char *owner = static_cast<const char *>(data->d_buf) + name;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof ELF_NOTE_GNU &&
            std::memcmp(owner, ELF_NOTE_GNU, sizeof ELF_NOTE_GNU) == 0) {
            return Segment{notes.p_vaddr + contents, note.n_descsz, flags_text(notes.p_flags)};
        }
    }
    return std::nullopt;
}

void read_segment(const ElfFile &file, const GElf_Phdr &segment, ElfHeaders &headers) {
    const auto file_size = static_cast<std::uint64_t>(file.identity().size);
    switch (segment.p_type) {
    case PT_LOAD:
        if (segment.p_offset > file_size || segment.p_filesz > file_size - segment.p_offset) {
            file.damaged("it ends before its segments do");
        }
        headers.segments.push_back({segment.p_vaddr, segment.p_memsz, flags_text(segment.p_flags)});
        break;
    case PT_DYNAMIC:
        headers.dynamic_address = segment.p_vaddr;
        break;
    case PT_GNU_RELRO:
        headers.relocated = Segment{segment.p_vaddr, segment.p_memsz, flags_text(segment.p_flags)};
        break;
    case PT_GNU_EH_FRAME:
        headers.frame_table =
            Segment{segment.p_vaddr, segment.p_memsz, flags_text(segment.p_flags)};
        break;
    case PT_TLS:
        headers.tls_size = segment.p_memsz;
        headers.tls_alignment = std::max<std::uint64_t>(segment.p_align, 1);
        break;
    case PT_NOTE:
        if (!headers.build_id_location) {
            headers.build_id_location = find_build_id(file, segment);
        }
        break;
    default:
        break;
    }
}

void read_dynamic(const ElfFile &file, ElfHeaders &headers) {
    Elf_Scn *section = file.section(SHT_DYNAMIC);
    GElf_Shdr header{};
    if (section == nullptr || gelf_getshdr(section, &header) == nullptr) {
        return;
    }
    Elf_Data *data = file.data(section);
    GElf_Dyn entry{};
    for (int i = 0; gelf_getdyn(data, i, &entry) != nullptr && entry.d_tag != DT_NULL; ++i) {
        if (entry.d_tag == DT_PLTGOT) {
            headers.global_offsets = entry.d_un.d_ptr;
        }
        if (entry.d_tag != DT_SONAME && entry.d_tag != DT_NEEDED) {
            continue;
        }
        const char *name = elf_strptr(file.elf(), header.sh_link, entry.d_un.d_val);
        if (name == nullptr) {
            file.damaged("a name in the dynamic section");
        }
        if (entry.d_tag == DT_SONAME) {
            headers.soname = name;
        } else {
            headers.needed.emplace_back(name);
        }
    }
}

}  // namespace

bool has_lines_of(const ElfFile &file) {
    return file.section_named(".debug_line") != nullptr ||
           file.section_named(".zdebug_line") != nullptr;
}

ElfHeaders read_headers(const ElfFile &file) {
    ElfHeaders headers;
    headers.entry = file.header().e_entry;
    headers.machine = machine_name(file.header());
    headers.byte_order =
        file.header().e_ident[EI_DATA] == ELFDATA2MSB ? std::endian::big : std::endian::little;
    headers.pointer_size = gelf_getclass(file.elf()) == ELFCLASS64 ? 8 : 4;
    for (const GElf_Phdr &segment : file.segments()) {
        read_segment(file, segment, headers);
    }
    headers.build_id = file.build_id();
    headers.has_lines = has_lines_of(file);
    read_dynamic(file, headers);
    return headers;
}

}  // namespace gdb_ompd
