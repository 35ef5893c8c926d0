// SPDX-License-Identifier: Apache-2.0
#include "elf/elf_file.hpp"

#include <elfutils/libdwelf.h>

#include <stdexcept>
#include <string_view>

namespace gdb_ompd {

namespace {

FileIdentity identity_of(const struct stat &status) {
    constexpr std::int64_t second = 1'000'000'000;
    return {status.st_dev, status.st_ino, status.st_mtim.tv_sec * second + status.st_mtim.tv_nsec,
            status.st_size};
}

}  // namespace

std::string to_hex(const void *bytes, std::size_t size) {
    constexpr const char *digits = "0123456789abcdef";
    const auto *byte = static_cast<const unsigned char *>(bytes);
    std::string text;
    text.reserve(size * 2);
    for (std::size_t i = 0; i < size; ++i) {
        text += digits[byte[i] >> 4U];
        text += digits[byte[i] & 0xfU];
    }
    return text;
}

ElfFile::ElfFile(const std::string &path)
    : path_(path), file_(path), identity_(identity_of(file_.status())) {
    elf_version(EV_CURRENT);
    elf_.reset(elf_begin(file_.descriptor(), ELF_C_READ, nullptr));
    if (elf_ == nullptr || elf_kind(elf_.get()) != ELF_K_ELF) {
        throw std::invalid_argument(path + ": not an ELF file");
    }
    if (gelf_getehdr(elf_.get(), &header_) == nullptr) {
        damaged("the ELF header");
    }
    if (header_.e_type != ET_EXEC && header_.e_type != ET_DYN) {
        throw std::invalid_argument(path + ": neither an executable nor a shared library");
    }
}

void ElfFile::damaged(const char *what) const {
    throw std::invalid_argument(path_ + ": damaged ELF file (" + what + ")");
}

std::vector<GElf_Phdr> ElfFile::segments() const {
    std::size_t count = 0;
    if (elf_getphdrnum(elf_.get(), &count) != 0) {
        damaged("the program headers");
    }
    std::vector<GElf_Phdr> found;
    for (std::size_t i = 0; i < count; ++i) {
        if (gelf_getphdr(elf_.get(), static_cast<int>(i), &found.emplace_back()) == nullptr) {
            damaged("a program header");
        }
    }
    return found;
}

Elf_Scn *ElfFile::section(std::uint32_t type) const {
    std::size_t count = 0;
    if (elf_getshdrnum(elf_.get(), &count) != 0) {
        damaged("the section table");
    }
    for (std::size_t i = 1; i < count; ++i) {
        Elf_Scn *section = elf_getscn(elf_.get(), i);
        GElf_Shdr header{};
        if (section == nullptr || gelf_getshdr(section, &header) == nullptr) {
            damaged("a section header");
        }
        if (header.sh_type == type && header.sh_size != 0) {
            return section;
        }
    }
    return nullptr;
}

Elf_Scn *ElfFile::section_named(const char *name) const {
    std::size_t names = 0;
    if (elf_getshdrstrndx(elf_.get(), &names) != 0) {
        return nullptr;
    }
    Elf_Scn *section = nullptr;
    while ((section = elf_nextscn(elf_.get(), section)) != nullptr) {
        GElf_Shdr header{};
        const char *own = gelf_getshdr(section, &header) == nullptr
                              ? nullptr
                              : elf_strptr(elf_.get(), names, header.sh_name);
        if (own != nullptr && std::string_view(own) == name) {
            return section;
        }
    }
    return nullptr;
}

Elf_Data *ElfFile::data(Elf_Scn *section) const {
    Elf_Data *contents = section == nullptr ? nullptr : elf_getdata(section, nullptr);
    if (contents == nullptr || contents->d_buf == nullptr) {
        damaged("a section's contents");
    }
    return contents;
}

std::optional<std::string> ElfFile::build_id() const {
    const void *bytes = nullptr;
    const ssize_t size = dwelf_elf_gnu_build_id(elf_.get(), &bytes);
    if (size <= 0) {
        return std::nullopt;
    }
    return to_hex(bytes, static_cast<std::size_t>(size));
}

}  // namespace gdb_ompd
