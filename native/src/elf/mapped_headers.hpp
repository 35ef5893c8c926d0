// SPDX-License-Identifier: Apache-2.0
// The program headers of a mapped file, as the process's memory has them: which build it is can be
// known without any file.
#pragma once

#include "base/target.hpp"

#include <elf.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gdb_ompd {

class AddressSpace;

struct MappedHeaders {
    std::uint64_t bias = 0;
    std::vector<Elf64_Phdr> segments;
    std::optional<std::string> build_id;  // in hex; none where there is none, or it is not readable

    // Where the file's parts are in memory.
    [[nodiscard]] std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges() const;
};

// Those of the file whose ELF header is at ADDRESS, of a shared library its load bias. None where
// memory has no such header, and for files of another class or byte order than this machine's.
[[nodiscard]] std::optional<MappedHeaders> headers_of_file(AddressSpace &space, TargetAddr address);

// Those of the file whose COUNT program headers are at ADDRESS, as AT_PHDR and AT_PHNUM
// (<elf.h>) say it of the executable.
[[nodiscard]] std::optional<MappedHeaders>
headers_of_program(AddressSpace &space, TargetAddr address, std::uint64_t count);

}  // namespace gdb_ompd
