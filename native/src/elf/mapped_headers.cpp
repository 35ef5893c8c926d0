// SPDX-License-Identifier: Apache-2.0
#include "elf/mapped_headers.hpp"

#include "elf/address_space.hpp"
#include "elf/elf_file.hpp"

#include <algorithm>
#include <cstring>

namespace gdb_ompd {

namespace {

constexpr std::uint64_t max_headers = 64;  // a file has about a dozen
constexpr std::uint64_t max_notes = 4096;  // bytes: a build-id is among the first

bool is_like_this_machine(const AddressSpace &space) {
    return space.layout().byte_order == std::endian::native &&
           space.layout().type_sizes.sizeof_pointer == pointer_size;
}

std::uint64_t aligned(std::uint64_t size, std::uint64_t alignment) {
    return (size + alignment - 1) / alignment * alignment;
}

std::optional<std::string> build_id_in(std::span<const std::byte> notes, std::uint64_t alignment) {
    while (notes.size() >= sizeof(Elf64_Nhdr)) {
        Elf64_Nhdr note{};
        std::memcpy(&note, notes.data(), sizeof note);
        const std::uint64_t contents = sizeof note + aligned(note.n_namesz, alignment);
        const std::uint64_t end = contents + note.n_descsz;
        if (end > notes.size()) {
            break;
        }
        const std::byte *const owner = notes.data() + sizeof note;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof ELF_NOTE_GNU &&
            std::memcmp(owner, ELF_NOTE_GNU, sizeof ELF_NOTE_GNU) == 0) {
            return to_hex(notes.data() + contents, note.n_descsz);
        }
        notes = notes.subspan(std::min<std::uint64_t>(aligned(end, alignment), notes.size()));
    }
    return std::nullopt;
}

std::optional<std::string> build_id_of(AddressSpace &space, const MappedHeaders &headers) {
    for (const Elf64_Phdr &segment : headers.segments) {
        if (segment.p_type != PT_NOTE) {
            continue;
        }
        std::vector<std::byte> notes(std::min<std::uint64_t>(segment.p_memsz, max_notes));
        if (space.can_read(TargetAddr{headers.bias + segment.p_vaddr}, notes)) {
            if (auto found = build_id_in(notes, segment.p_align == 8 ? 8 : 4)) {
                return found;
            }
        }
    }
    return std::nullopt;
}

std::optional<std::vector<Elf64_Phdr>> read_segments(AddressSpace &space, TargetAddr address,
                                                     std::uint64_t count) {
    if (count == 0 || count > max_headers) {
        return std::nullopt;
    }
    std::vector<Elf64_Phdr> segments(count);
    const bool is_read = space.can_read(address, std::as_writable_bytes(std::span(segments)));
    return is_read ? std::optional(std::move(segments)) : std::nullopt;
}

}  // namespace

std::vector<std::pair<std::uint64_t, std::uint64_t>> MappedHeaders::ranges() const {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> found;
    for (const Elf64_Phdr &segment : segments) {
        if (segment.p_type == PT_LOAD) {
            const std::uint64_t start = bias + segment.p_vaddr;
            found.emplace_back(start, start + segment.p_memsz);
        }
    }
    return found;
}

std::optional<MappedHeaders> headers_of_file(AddressSpace &space, TargetAddr address) {
    Elf64_Ehdr header{};
    if (!is_like_this_machine(space) ||
        !space.can_read(address, std::as_writable_bytes(std::span(&header, 1))) ||
        std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
        header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_phentsize != sizeof(Elf64_Phdr)) {
        return std::nullopt;
    }
    auto segments = read_segments(space, address + header.e_phoff, header.e_phnum);
    if (!segments) {
        return std::nullopt;
    }
    const auto first = std::ranges::find(*segments, std::uint32_t{PT_LOAD}, &Elf64_Phdr::p_type);
    const std::uint64_t start = first == segments->end() ? 0 : first->p_vaddr - first->p_offset;
    MappedHeaders headers{address.value - start, *std::move(segments), std::nullopt};
    headers.build_id = build_id_of(space, headers);
    return headers;
}

std::optional<MappedHeaders> headers_of_program(AddressSpace &space, TargetAddr address,
                                                std::uint64_t count) {
    auto segments =
        is_like_this_machine(space) ? read_segments(space, address, count) : std::nullopt;
    if (!segments) {
        return std::nullopt;
    }
    // A static program without position-independent code has no PT_PHDR, and no bias.
    const auto own = std::ranges::find(*segments, std::uint32_t{PT_PHDR}, &Elf64_Phdr::p_type);
    const std::uint64_t bias = own == segments->end() ? 0 : address.value - own->p_vaddr;
    MappedHeaders headers{bias, *std::move(segments), std::nullopt};
    headers.build_id = build_id_of(space, headers);
    return headers;
}

}  // namespace gdb_ompd
