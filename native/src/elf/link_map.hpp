// SPDX-License-Identifier: Apache-2.0
// What is mapped into a process, by the dynamic linker's own list in its memory: it is the
// same live, in a core file and through gdbserver.
#pragma once

#include "base/target.hpp"
#include "elf/module.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gdb_ompd {

class AddressSpace;

// An entry of that list: at ADDRESS the file that the linker calls NAME.
struct LinkMapEntry {
    TargetAddr address;
    std::uint64_t bias = 0;
    std::string name;
};

// What R_DEBUG, a "struct r_debug" (<link.h>), leads to, in all namespaces. Throws Inconsistent
// for a list without end, and what AddressSpace throws.
[[nodiscard]] std::vector<LinkMapEntry> read_link_map(AddressSpace &space, TargetAddr r_debug);

// Where that structure is by the DT_DEBUG (<elf.h>) of EXECUTABLE. None in a static program,
// before the linker has run, and where memory cannot be read.
[[nodiscard]] std::optional<TargetAddr>
told_to_debuggers(AddressSpace &space, const ElfImage &executable, std::uint64_t bias);

// Whether ELF can be what is mapped there: no only where the build-id in memory is another one or,
// of a file without one, its tables are. A core may leave out pages that are in the file.
[[nodiscard]] bool can_be_mapped(AddressSpace &space, const ElfImage &elf, std::uint64_t bias);

// An entry, and the file that it is; null for one that cannot be read, or is not it.
struct ListedFile {
    LinkMapEntry entry;
    std::shared_ptr<ElfImage> elf;
};

// What FILES are as mapped, null for those without a file. Where their thread-local storage is
// says the C library, by the descriptors that glibc exports for debuggers (_thread_db_*); of a file
// alone, which is a static program's, the ABI. Throws Inconsistent where descriptors are damaged.
[[nodiscard]] std::vector<std::shared_ptr<Module>>
mapped_modules(AddressSpace &space, std::span<const ListedFile> files);

}  // namespace gdb_ompd
