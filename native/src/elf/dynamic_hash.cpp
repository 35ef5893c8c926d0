// SPDX-License-Identifier: Apache-2.0
#include "elf/dynamic_hash.hpp"

#include <bit>
#include <cstring>

namespace gdb_ompd {

namespace {

// The table begins with four words: buckets, first symbol, Bloom words, shift.
constexpr std::size_t header_words = 4;

std::uint32_t gnu_hash(std::string_view name) {
    std::uint32_t hash = 5381;
    for (const char c : name) {
        hash = hash * 33 + static_cast<unsigned char>(c);
    }
    return hash;
}

struct DynamicSymbols {
    explicit DynamicSymbols(const ElfFile &file) : elf(file.elf()) {
        Elf_Scn *section = file.section(SHT_DYNSYM);
        GElf_Shdr header{};
        if (section != nullptr && gelf_getshdr(section, &header) != nullptr) {
            data = file.data(section);
            strings = header.sh_link;
            const std::size_t entry_size = gelf_fsize(elf, ELF_T_SYM, 1, EV_CURRENT);
            count = data->d_size / entry_size;
        }
    }

    [[nodiscard]] bool defines(std::size_t index, std::string_view wanted) const {
        GElf_Sym symbol{};
        if (gelf_getsym(data, static_cast<int>(index), &symbol) == nullptr ||
            symbol.st_shndx == SHN_UNDEF) {
            return false;
        }
        const char *name = elf_strptr(elf, strings, symbol.st_name);
        return name != nullptr && wanted == name;
    }

    Elf *elf;
    Elf_Data *data = nullptr;
    std::size_t strings = 0;
    std::size_t count = 0;
};

}  // namespace

DynamicHash::DynamicHash(const ElfFile &file) {
    Elf_Scn *section = file.section(SHT_GNU_HASH);
    if (section == nullptr) {
        return;
    }
    const Elf_Data *table = file.data(section);
    words_.resize(table->d_size / sizeof(std::uint32_t));
    std::memcpy(words_.data(), table->d_buf, words_.size() * sizeof(std::uint32_t));
    wide_ = gelf_getclass(file.elf()) == ELFCLASS64;
    const bool sound = words_.size() >= header_words && words_[0] != 0 &&
                       std::has_single_bit(words_[2]) &&
                       buckets_start() + words_[0] <= words_.size();
    if (!sound) {
        words_.clear();
    }
}

std::uint32_t DynamicHash::word(std::size_t index) const {
    return index < words_.size() ? words_[index] : 0;
}

std::size_t DynamicHash::buckets_start() const {
    return header_words + std::size_t{words_[2]} * (wide_ ? 2 : 1);
}

std::uint64_t DynamicHash::bloom_word(std::size_t index) const {
    if (!wide_) {
        return word(header_words + index);
    }
    std::uint64_t both = 0;
    std::memcpy(&both, &words_[header_words + index * 2], sizeof both);
    return both;
}

bool DynamicHash::may_hold(std::string_view name) const {
    if (words_.empty()) {
        return true;
    }
    const unsigned bits = wide_ ? 64 : 32;
    const std::uint32_t hash = gnu_hash(name);
    const std::uint64_t filter = bloom_word((hash / bits) & (words_[2] - 1));
    const unsigned shift = words_[3] & 31U;
    const std::uint64_t mask =
        (std::uint64_t{1} << (hash % bits)) | (std::uint64_t{1} << ((hash >> shift) % bits));
    return (filter & mask) == mask;
}

bool DynamicHash::holds(const ElfFile &file, std::string_view name) const {
    const DynamicSymbols symbols(file);
    if (words_.empty()) {
        for (std::size_t i = 1; i < symbols.count; ++i) {
            if (symbols.defines(i, name)) {
                return true;
            }
        }
        return false;
    }
    const std::uint32_t hash = gnu_hash(name);
    const std::size_t chains = buckets_start() + words_[0];
    std::size_t index = word(buckets_start() + hash % words_[0]);
    // A chain ends at a word whose lowest bit is set; the count bounds a damaged one.
    for (; index >= words_[1] && index < symbols.count; ++index) {
        const std::uint32_t entry = word(chains + index - words_[1]);
        if ((entry | 1U) == (hash | 1U) && symbols.defines(index, name)) {
            return true;
        }
        if ((entry & 1U) != 0) {
            return false;
        }
    }
    return false;
}

}  // namespace gdb_ompd
