// SPDX-License-Identifier: Apache-2.0
// Asks a file's own hash table whether it exports a name.
#pragma once

#include "elf/elf_file.hpp"

#include <string_view>
#include <vector>

namespace gdb_ompd {

// A copy of .gnu.hash. Its Bloom filter turns nearly every absent name away
// without opening the file again.
class DynamicHash {
public:
    explicit DynamicHash(const ElfFile &file);

    // Whether the name may be there at all. True where there is no such table.
    [[nodiscard]] bool may_hold(std::string_view name) const;
    [[nodiscard]] bool holds(const ElfFile &file, std::string_view name) const;

private:
    [[nodiscard]] std::uint32_t word(std::size_t index) const;
    [[nodiscard]] std::uint64_t bloom_word(std::size_t index) const;
    [[nodiscard]] std::size_t buckets_start() const;

    std::vector<std::uint32_t> words_;  // empty without a table, or with one that is not sound
    bool wide_ = true;                  // a Bloom word has 64 bits
};

}  // namespace gdb_ompd
