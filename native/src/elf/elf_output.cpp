// SPDX-License-Identifier: Apache-2.0
#include "elf/elf_output.hpp"

#include "base/errors.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <stdexcept>

namespace gdb_ompd {

namespace {

template <class T> T require(T result) {
    if (!result) {
        throw std::invalid_argument(std::string("cannot write the ELF file: ") + elf_errmsg(-1));
    }
    return result;
}

}  // namespace

TemporaryFile::TemporaryFile(std::string path) : path_(std::move(path)) {
    constexpr int attempts = 100;  // a process that was killed may have left some
    constexpr mode_t permissions = 0666;
    for (int i = 0; i < attempts; ++i) {
        name_ = path_ + "." + std::to_string(getpid()) + "-" + std::to_string(i);
        descriptor_ = open(name_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, permissions);
        if (descriptor_ >= 0) {
            return;
        }
        if (errno != EEXIST) {
            break;
        }
    }
    throw FileError(errno, path_);
}

TemporaryFile::~TemporaryFile() {
    close(descriptor_);
    if (!kept_) {
        unlink(name_.c_str());
    }
}

void TemporaryFile::keep() {
    if (std::rename(name_.c_str(), path_.c_str()) != 0) {
        throw FileError(errno, path_);
    }
    kept_ = true;
}

std::uint32_t StringTable::add(const std::string &text) {
    const auto offset = static_cast<std::uint32_t>(bytes_.size());
    bytes_.append(text).push_back('\0');
    return offset;
}

ElfOutput::ElfOutput(const ElfFile &model, std::string path) : file_(std::move(path)) {
    elf_.reset(require(elf_begin(file_.descriptor(), ELF_C_WRITE, nullptr)));
    elf_flagelf(elf_.get(), ELF_C_SET, ELF_F_LAYOUT);
    require(gelf_newehdr(elf_.get(), gelf_getclass(model.elf())));
    GElf_Ehdr header = model.header();
    header.e_phoff = header.e_shoff = 0;
    header.e_phnum = header.e_shnum = header.e_shstrndx = 0;
    require(gelf_update_ehdr(elf_.get(), &header));
}

void ElfOutput::add_segments(std::span<const GElf_Phdr> segments) {
    if (segments.empty()) {
        return;
    }
    require(gelf_newphdr(elf_.get(), segments.size()));
    for (std::size_t i = 0; i < segments.size(); ++i) {
        GElf_Phdr segment = segments[i];
        require(gelf_update_phdr(elf_.get(), static_cast<int>(i), &segment));
    }
    GElf_Ehdr header{};
    require(gelf_getehdr(elf_.get(), &header));
    header.e_phoff = gelf_fsize(elf_.get(), ELF_T_EHDR, 1, EV_CURRENT);
    require(gelf_update_ehdr(elf_.get(), &header));
}

std::uint32_t ElfOutput::put(const std::string &name, const GElf_Shdr &header,
                             std::span<const std::byte> contents) {
    GElf_Shdr named = header;
    named.sh_name = section_names_.add(name);
    put_named(named, contents, ELF_T_BYTE);
    return sections_ - 1;
}

std::uint32_t ElfOutput::append(const std::string &name, GElf_Shdr header,
                                std::span<const std::byte> contents) {
    header.sh_size = contents.size();
    header.sh_offset = take(contents.size(), header.sh_addralign);
    return put(name, header, contents);
}

void ElfOutput::append_symbols(std::span<const GElf_Sym> symbols, StringTable names) {
    symbol_names_ = std::move(names);
    GElf_Shdr strings{};
    strings.sh_type = SHT_STRTAB;
    strings.sh_addralign = 1;
    GElf_Shdr header{};
    header.sh_link = append(".strtab", strings, symbol_names_.bytes());
    header.sh_name = section_names_.add(".symtab");
    header.sh_type = SHT_SYMTAB;
    header.sh_info = 1;  // all but the null symbol are global
    header.sh_addralign = word();
    header.sh_entsize = gelf_fsize(elf_.get(), ELF_T_SYM, 1, EV_CURRENT);
    header.sh_size = header.sh_entsize * symbols.size();
    header.sh_offset = take(header.sh_size, header.sh_addralign);
    symbols_.resize(header.sh_size);
    Elf_Data *data = put_named(header, symbols_, ELF_T_SYM);
    for (std::size_t i = 0; i < symbols.size(); ++i) {
        GElf_Sym symbol = symbols[i];
        require(gelf_update_sym(data, static_cast<int>(i), &symbol));
    }
}

void ElfOutput::finish() {
    GElf_Shdr strings{};
    strings.sh_name = section_names_.add(".shstrtab");
    strings.sh_type = SHT_STRTAB;
    strings.sh_addralign = 1;
    strings.sh_size = section_names_.bytes().size();
    strings.sh_offset = take(strings.sh_size, 1);
    put_named(strings, section_names_.bytes(), ELF_T_BYTE);
    GElf_Ehdr header{};
    require(gelf_getehdr(elf_.get(), &header));
    header.e_shoff = take(0, word());
    header.e_shstrndx = static_cast<GElf_Half>(sections_ - 1);
    require(gelf_update_ehdr(elf_.get(), &header));
    errno = 0;
    if (elf_update(elf_.get(), ELF_C_WRITE) < 0) {
        if (errno != 0) {
            throw FileError(errno, file_.path());
        }
        require(false);
    }
    file_.keep();
}

std::uint64_t ElfOutput::take(std::uint64_t size, std::uint64_t alignment) {
    const std::uint64_t offset = (end_ + alignment - 1) & ~(alignment - 1);
    end_ = offset + size;
    return offset;
}

Elf_Data *ElfOutput::put_named(const GElf_Shdr &header, std::span<const std::byte> contents,
                               Elf_Type type) {
    if (sections_ >= SHN_LORESERVE) {
        throw std::invalid_argument("cannot write the ELF file: too many sections");
    }
    Elf_Scn *section = require(elf_newscn(elf_.get()));
    ++sections_;
    GElf_Shdr copy = header;
    require(gelf_update_shdr(section, &copy));
    Elf_Data *data = require(elf_newdata(section));
    data->d_type = type;
    data->d_version = EV_CURRENT;
    data->d_align = 1;
    data->d_size = header.sh_type == SHT_NOBITS ? header.sh_size : contents.size();
    // libelf does not write to what it only has to write out.
    data->d_buf = contents.empty() ? nullptr : const_cast<std::byte *>(contents.data());
    return data;
}

std::uint64_t ElfOutput::word() const {
    return gelf_getclass(elf_.get()) == ELFCLASS64 ? sizeof(Elf64_Addr) : sizeof(Elf32_Addr);
}

}  // namespace gdb_ompd
