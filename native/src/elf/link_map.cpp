// SPDX-License-Identifier: Apache-2.0
#include "elf/link_map.hpp"

#include "base/errors.hpp"
#include "elf/address_space.hpp"
#include "elf/elf_file.hpp"
#include "elf/thread_local.hpp"

#include <algorithm>
#include <cstring>
#include <unordered_set>

namespace gdb_ompd {

namespace {

// A process maps tens of libraries; a longer list is damaged memory.
constexpr int max_entries = 4096;
constexpr int max_namespaces = 64;  // glibc has 16
constexpr int max_dynamic = 1024;   // a dynamic section has some 30 entries
constexpr std::uint64_t dt_debug = 21;
constexpr std::size_t max_name = 4096;
constexpr std::uint64_t most_compared = std::uint64_t{1}
                                        << 20;  // bytes: of a file without build-id

std::string name_at(AddressSpace &space, TargetAddr address) {
    std::string name(max_name, '\0');
    const std::size_t size = space.read_string(address, std::as_writable_bytes(std::span(name)));
    const bool ends = size > 0 && name[size - 1] == '\0';
    name.resize(ends ? size - 1 : 0);
    return name;
}

// "struct link_map": l_addr, l_name, l_ld, l_next.
void add_namespace(AddressSpace &space, TargetAddr entry, std::vector<LinkMapEntry> &found) {
    const std::uint64_t word = space.layout().type_sizes.sizeof_pointer;
    std::unordered_set<std::uint64_t> seen;
    for (int count = 0; count < max_entries && entry.value != 0; ++count) {
        if (!seen.insert(entry.value).second) {
            throw Inconsistent("the list of loaded libraries has no end: memory is damaged");
        }
        std::string name = name_at(space, space.read_pointer(entry + word));
        found.push_back({entry, space.read_pointer(entry).value, std::move(name)});
        entry = space.read_pointer(entry + 3 * word);
    }
}

// A field of glibc's "struct link_map".
struct Field {
    std::uint64_t offset;
    std::size_t size;
};

// A descriptor of libthread_db: three numbers of 4 bytes, the field's bits, count and offset.
std::optional<Field> field_described(AddressSpace &space, const ElfImage &elf, std::uint64_t bias,
                                     const std::string &name) {
    const auto symbol = elf.symbol(name);
    if (!symbol) {
        return std::nullopt;
    }
    const TargetAddr at{bias + symbol->value};
    const auto offset = space.uint_at(at + 8, 4);
    const auto bits = space.uint_at(at, 4);
    if (!offset || !bits) {  // a core has no constants, and the debugger does not find the file
        return std::nullopt;
    }
    const std::uint64_t size = *bits / 8;
    if (size != 1 && size != 2 && size != 4 && size != 8) {
        throw Inconsistent("the C library's " + name + " is of " + std::to_string(size) +
                           " bytes: memory is damaged");
    }
    return Field{*offset, static_cast<std::size_t>(size)};
}

struct TlsFields {
    std::optional<Field> module_id;
    std::optional<Field> offset;
};

// The C library exports its descriptors; before glibc 2.34 they are local symbols of its
// libpthread.
auto file_with_descriptors(std::span<const ListedFile> files, const std::string &name) {
    const auto found = std::ranges::find_if(files, [&](const ListedFile &file) {
        return file.elf != nullptr && file.elf->exports(name);
    });
    if (found != files.end()) {
        return found;
    }
    return std::ranges::find_if(files, [&](const ListedFile &file) {
        return file.elf != nullptr && file.entry.name.find("/libpthread") != std::string::npos &&
               file.elf->symbol(name);
    });
}

TlsFields tls_fields(AddressSpace &space, std::span<const ListedFile> files) {
    const std::string module_id = "_thread_db_link_map_l_tls_modid";
    const auto libc = file_with_descriptors(files, module_id);
    if (libc == files.end()) {
        return {};
    }
    const std::uint64_t bias = libc->entry.bias;
    return {field_described(space, *libc->elf, bias, module_id),
            field_described(space, *libc->elf, bias, "_thread_db_link_map_l_tls_offset")};
}

void find_storage(AddressSpace &space, const TlsFields &fields, TargetAddr entry, Module &module) {
    const auto read = [&](const Field &field) {
        return space.read_uint(entry + field.offset, field.size);
    };
    if (!fields.module_id || module.elf->headers().tls_size == 0) {
        return;
    }
    module.tls_module_id = read(*fields.module_id);
    if (fields.offset) {
        // glibc marks "not static" by 0 and "never to be static" by -1; what else is
        // negative is damaged, and the thread's own table tells.
        const std::uint64_t offset = read(*fields.offset);
        const std::uint64_t sign = std::uint64_t{1} << (8 * fields.offset->size - 1);
        if (offset > 0 && offset < sign) {
            module.tls_offset = static_cast<std::int64_t>(offset);
        }
    }
}

// Whether memory has the bytes of the file's segments that are neither code, which tools patch, nor
// written; those with the code where the linker has put all into one. Where memory cannot be read
// it does not tell, and the ELF header does not: "strip" changes it.
bool has_tables_of(AddressSpace &space, const std::string &path, std::uint64_t bias) {
    const ElfFile file(path);
    std::vector<GElf_Phdr> segments = file.segments();
    std::erase_if(segments, [](const GElf_Phdr &each) {
        return each.p_type != PT_LOAD || (each.p_flags & PF_W) != 0;
    });
    const auto is_code = [](const GElf_Phdr &each) { return (each.p_flags & PF_X) != 0; };
    if (!std::ranges::all_of(segments, is_code)) {
        std::erase_if(segments, is_code);
    }
    std::uint64_t left = most_compared;
    return std::ranges::all_of(segments, [&](const GElf_Phdr &segment) {
        const std::uint64_t header = segment.p_offset == 0 ? sizeof(Elf64_Ehdr) : 0;
        const std::uint64_t size = std::min<std::uint64_t>(segment.p_filesz, left);
        if (size <= header) {
            return true;
        }
        left -= size;
        Elf_Data *const data = elf_getdata_rawchunk(
            file.elf(), static_cast<std::int64_t>(segment.p_offset), size, ELF_T_BYTE);
        std::vector<std::byte> bytes(size);
        return data == nullptr || !space.can_read(TargetAddr{bias + segment.p_vaddr}, bytes) ||
               std::memcmp(bytes.data() + header,
                           static_cast<const std::byte *>(data->d_buf) + header,
                           size - header) == 0;
    });
}

}  // namespace

std::vector<LinkMapEntry> read_link_map(AddressSpace &space, TargetAddr r_debug) {
    const std::uint64_t word = space.layout().type_sizes.sizeof_pointer;
    std::vector<LinkMapEntry> found;
    for (int count = 0; count < max_namespaces && r_debug.value != 0; ++count) {
        add_namespace(space, space.read_pointer(r_debug + word), found);
        // Version 2 goes on: "struct r_debug_extended", one for each dlmopen namespace.
        const bool extended = space.read_uint(r_debug, 4) >= 2;
        r_debug = extended ? space.read_pointer(r_debug + 5 * word) : TargetAddr{};
    }
    return found;
}

std::optional<TargetAddr> told_to_debuggers(AddressSpace &space, const ElfImage &executable,
                                            std::uint64_t bias) {
    const ElfHeaders &headers = executable.headers();
    if (!headers.dynamic_address) {
        return std::nullopt;
    }
    const auto word = static_cast<std::size_t>(headers.pointer_size);
    TargetAddr at{bias + *headers.dynamic_address};
    for (int count = 0; count < max_dynamic; ++count, at = at + 2 * word) {
        const auto tag = space.uint_at(at, word);
        if (tag == dt_debug) {
            const auto address = space.uint_at(at + word, word);
            return address.value_or(0) != 0 ? std::optional(TargetAddr{*address}) : std::nullopt;
        }
        if (tag.value_or(0) == 0) {
            break;
        }
    }
    return std::nullopt;
}

bool can_be_mapped(AddressSpace &space, const ElfImage &elf, std::uint64_t bias) {
    const auto &id = elf.headers().build_id;
    const auto &place = elf.headers().build_id_location;
    if (!id || !place) {
        return has_tables_of(space, elf.path(), bias);
    }
    std::vector<std::byte> bytes(place->size);
    return !space.can_read(TargetAddr{bias + place->address}, bytes) ||
           to_hex(bytes.data(), bytes.size()) == *id;
}

std::vector<std::shared_ptr<Module>> mapped_modules(AddressSpace &space,
                                                    std::span<const ListedFile> files) {
    const TlsFields fields = tls_fields(space, files);
    std::vector<std::shared_ptr<Module>> modules;
    for (const auto &[entry, elf] : files) {
        if (elf == nullptr) {
            modules.push_back(nullptr);
            continue;
        }
        auto module = std::make_shared<Module>(Module{elf, entry.bias, entry.name, 0, {}});
        if (files.size() == 1) {
            module->tls_offset = executables_offset(*elf);
        } else {
            find_storage(space, fields, entry.address, *module);
        }
        modules.push_back(std::move(module));
    }
    return modules;
}

}  // namespace gdb_ompd
