// SPDX-License-Identifier: Apache-2.0
// The program and section headers that a debug file takes over from its runtime.
#pragma once

#include "elf/elf_file.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gdb_ompd {

struct DebugSection {
    std::string name;
    GElf_Shdr header{};               // sh_name is for the writer to set
    std::vector<std::byte> contents;  // of a note; the others have none in the file
};

struct DebugHeaders {
    std::vector<GElf_Phdr> segments;
    std::vector<DebugSection> sections;          // those in memory, without the null section
    std::optional<std::uint64_t> thread_locals;  // where the TLS block's template starts
    std::uint64_t end = 0;                       // the first free offset in the file
};

// As a debug file usually has them: the same addresses, and no contents but the
// notes', of which one is the build-id. A runtime without section headers gets
// sections that stand for its segments. Throws std::invalid_argument for headers
// that are not sound.
DebugHeaders make_debug_headers(const ElfFile &runtime);

}  // namespace gdb_ompd
