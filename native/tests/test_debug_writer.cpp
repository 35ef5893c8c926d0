// SPDX-License-Identifier: Apache-2.0
// Debug files made for real libraries: what they hold, and when none is made.
#include "base/errors.hpp"
#include "elf/debug_writer.hpp"
#include "elf/elf.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <sys/resource.h>
#include <unistd.h>

namespace gdb_ompd {

namespace {

namespace fs = std::filesystem;

std::string library_of(const void *function) {
    Dl_info info{};
    EXPECT_NE(dladdr(function, &info), 0);
    return info.dli_fname;
}

Symbol made(std::string name, std::uint64_t value, std::uint64_t size, SymbolKind kind) {
    return {std::move(name), value, size, kind, SymbolSource::recovered};
}

std::map<std::string, GElf_Shdr> sections_in_memory(const ElfFile &file) {
    std::size_t names = 0;
    EXPECT_EQ(elf_getshdrstrndx(file.elf(), &names), 0);
    std::map<std::string, GElf_Shdr> sections;
    Elf_Scn *section = nullptr;
    while ((section = elf_nextscn(file.elf(), section)) != nullptr) {
        GElf_Shdr header{};
        gelf_getshdr(section, &header);
        if ((header.sh_flags & SHF_ALLOC) != 0) {
            sections[elf_strptr(file.elf(), names, header.sh_name)] = header;
        }
    }
    return sections;
}

std::vector<GElf_Phdr> segments_of(const ElfFile &file) {
    std::size_t count = 0;
    EXPECT_EQ(elf_getphdrnum(file.elf(), &count), 0);
    std::vector<GElf_Phdr> segments(count);
    for (std::size_t i = 0; i < count; ++i) {
        gelf_getphdr(file.elf(), static_cast<int>(i), &segments[i]);
    }
    return segments;
}

class DebugWriter : public ::testing::Test {
protected:
    void SetUp() override { fs::create_directories(folder); }
    void TearDown() override { fs::remove_all(folder); }

    // Symbols of each kind, at the places they really have.
    static std::vector<Symbol> true_symbols() {
        const ElfImage truth(SAMPLE_FIRST, std::nullopt, "");
        std::vector<Symbol> symbols;
        for (const char *name :
             {"sample_data", "sample_static", "sample_helper", "sample_label", "sample_tls"}) {
            symbols.push_back(truth.symbol(name).value());
        }
        return symbols;
    }

    void write(const std::string &runtime, const std::vector<Symbol> &symbols,
               const std::string &note = "a note") const {
        write_debug_file(ElfFile(runtime), symbols, std::as_bytes(std::span(note)), out);
    }

    [[nodiscard]] std::ptrdiff_t files() const {
        return std::distance(fs::directory_iterator(folder), fs::directory_iterator());
    }

    void refuses(const std::vector<Symbol> &symbols) const {
        EXPECT_THROW(write(SAMPLE_STRIPPED, symbols), std::invalid_argument);
        EXPECT_EQ(files(), 0);
    }

    const fs::path folder = fs::path(::testing::TempDir()) /
                            ("debug-writer-" + std::to_string(::getpid()) + "-" +
                             ::testing::UnitTest::GetInstance()->current_test_info()->name());
    const fs::path out = folder / "made.debug";
};

TEST_F(DebugWriter, TheSectionsAreTheRuntimesWithoutContents) {
    for (const std::string &runtime :
         {std::string(SAMPLE_FIRST), std::string(SAMPLE_SYSV), std::string(SAMPLE_STRIPPED),
          library_of(reinterpret_cast<void *>(&dladdr)),
          library_of(reinterpret_cast<void *>(&elf_begin))}) {
        write(runtime, {});
        const ElfFile whole(runtime);
        const ElfFile debug(out);
        const auto wanted = sections_in_memory(whole);
        const auto sections = sections_in_memory(debug);
        ASSERT_EQ(sections.size(), wanted.size()) << runtime;
        ASSERT_FALSE(wanted.empty());
        for (const auto &[name, header] : sections) {
            ASSERT_TRUE(wanted.contains(name)) << name;
            EXPECT_EQ(header.sh_addr, wanted.at(name).sh_addr) << name;
            EXPECT_EQ(header.sh_size, wanted.at(name).sh_size) << name;
            const bool note = wanted.at(name).sh_type == SHT_NOTE;
            EXPECT_EQ(header.sh_type, note ? SHT_NOTE : SHT_NOBITS) << name;
        }
        EXPECT_TRUE(debug.build_id());
        EXPECT_EQ(debug.build_id(), whole.build_id());
        EXPECT_EQ(debug.header().e_machine, whole.header().e_machine);
        EXPECT_EQ(debug.header().e_type, whole.header().e_type);
        EXPECT_EQ(debug.header().e_entry, whole.header().e_entry);
        EXPECT_LT(fs::file_size(out), fs::file_size(runtime) / 2);
    }
}

TEST_F(DebugWriter, TheSegmentsAreTheRuntimesAndCoverWhatTheySay) {
    write(SAMPLE_FIRST, {});
    std::vector<GElf_Phdr> wanted = segments_of(ElfFile(SAMPLE_FIRST));
    std::erase_if(wanted, [](const auto &segment) { return segment.p_type == PT_PHDR; });
    const std::vector<GElf_Phdr> segments = segments_of(ElfFile(out));
    ASSERT_EQ(segments.size(), wanted.size());
    for (std::size_t i = 0; i < segments.size(); ++i) {
        EXPECT_EQ(segments[i].p_type, wanted[i].p_type);
        EXPECT_EQ(segments[i].p_vaddr, wanted[i].p_vaddr);
        EXPECT_EQ(segments[i].p_memsz, wanted[i].p_memsz);
        EXPECT_EQ(segments[i].p_flags, wanted[i].p_flags);
        EXPECT_EQ((segments[i].p_vaddr - segments[i].p_offset) %
                      std::max(segments[i].p_align, std::uint64_t{1}),
                  0U);
        EXPECT_LE(segments[i].p_filesz, segments[i].p_memsz);
        EXPECT_TRUE(segments[i].p_filesz == 0 ||
                    segments[i].p_offset + segments[i].p_filesz <= fs::file_size(out));
    }
}

TEST_F(DebugWriter, TheSymbolsAreThoseGivenAndAreRecovered) {
    write(SAMPLE_STRIPPED, true_symbols());
    const ElfImage elf(SAMPLE_STRIPPED, out, "");
    EXPECT_EQ(elf.symbols_from(), SymbolSource::recovered);
    for (const Symbol &wanted : true_symbols()) {
        const auto found = elf.symbol(wanted.name);
        ASSERT_TRUE(found) << wanted.name;
        EXPECT_EQ(found->value, wanted.value) << wanted.name;
        EXPECT_EQ(found->size, wanted.size) << wanted.name;
        EXPECT_EQ(found->kind, wanted.kind) << wanted.name;
        EXPECT_EQ(found->source, SymbolSource::recovered) << "sample_data is in .dynsym, too";
    }
    EXPECT_EQ(elf.symbol("sample_weak")->source, SymbolSource::dynsym);
    const auto helper = elf.symbol("sample_helper").value();
    EXPECT_EQ(elf.function_at(helper.value + helper.size - 1)->name, "sample_helper");
    EXPECT_EQ(ElfImage(SAMPLE_FIRST, out, "").symbols_from(), SymbolSource::symtab);
}

TEST_F(DebugWriter, EachSymbolIsInTheSectionThatHoldsIt) {
    write(SAMPLE_STRIPPED, true_symbols());
    const ElfFile debug(out);
    const ElfFile truth(SAMPLE_FIRST);
    const auto section_names = [](const ElfFile &file) {
        std::map<std::string, std::string> places;
        std::size_t strings = 0;
        elf_getshdrstrndx(file.elf(), &strings);
        Elf_Scn *table = file.section(SHT_SYMTAB);
        GElf_Shdr header{};
        gelf_getshdr(table, &header);
        GElf_Sym symbol{};
        for (int i = 1; gelf_getsym(file.data(table), i, &symbol) != nullptr; ++i) {
            GElf_Shdr place{};
            if (gelf_getshdr(elf_getscn(file.elf(), symbol.st_shndx), &place) != nullptr) {
                places[elf_strptr(file.elf(), header.sh_link, symbol.st_name)] =
                    elf_strptr(file.elf(), strings, place.sh_name);
            }
        }
        return places;
    };
    const auto places = section_names(debug);
    const auto true_places = section_names(truth);
    EXPECT_EQ(places.size(), true_symbols().size());
    for (const auto &[name, place] : places) {
        EXPECT_EQ(place, true_places.at(name)) << name;
    }
}

TEST_F(DebugWriter, EventFunctionsAlsoHaveTheirMangledNames) {
    const auto place = ElfImage(SAMPLE_FIRST, std::nullopt, "").symbol("sample_helper").value();
    const auto here = [&](const char *name) {
        return made(name, place.value, place.size, SymbolKind::function);
    };
    write(SAMPLE_STRIPPED,
          {here("ompd_bp_parallel_begin"), here("ompd_dll_locations_valid"), here("other"),
           here("ompd_bp_task_end"), here("_Z16ompd_bp_task_endv")});
    const ElfImage elf(SAMPLE_STRIPPED, out, "");
    EXPECT_EQ(elf.symbol("_Z22ompd_bp_parallel_beginv")->value, place.value);
    EXPECT_EQ(elf.symbol("_Z24ompd_dll_locations_validv")->size, place.size);
    EXPECT_FALSE(elf.symbol("_Z5otherv"));
    const ElfFile file(out);
    const Elf_Data *symbols = file.data(file.section(SHT_SYMTAB));
    EXPECT_EQ(symbols->d_size, (1 + 5 + 2) * sizeof(GElf_Sym)) << "no name is there twice";
}

TEST_F(DebugWriter, TheNoteComesBack) {
    for (const std::string &note :
         {std::string("{}"), std::string("\0\xff", 2), std::string(), std::string(100'000, 'x')}) {
        write(SAMPLE_STRIPPED, true_symbols(), note);
        const auto found = read_debug_note(ElfFile(out));
        ASSERT_TRUE(found);
        EXPECT_EQ(std::string(reinterpret_cast<const char *>(found->data()), found->size()), note);
    }
    EXPECT_FALSE(read_debug_note(ElfFile(SAMPLE_DEBUG)));
    EXPECT_FALSE(read_debug_note(ElfFile(SAMPLE_STRIPPED)));
    EXPECT_EQ(ElfImage(SAMPLE_STRIPPED, SAMPLE_DEBUG, "").symbols_from(), SymbolSource::debuginfo);
}

TEST_F(DebugWriter, ARuntimeWithoutSectionHeadersHasItsSegments) {
    const fs::path bare = folder / "bare.so";
    fs::copy_file(SAMPLE_STRIPPED, bare);
    Elf64_Ehdr header{};
    {
        std::fstream file(bare, std::ios::in | std::ios::out | std::ios::binary);
        file.read(reinterpret_cast<char *>(&header), sizeof header);
        header.e_shoff = 0;
        header.e_shnum = header.e_shstrndx = 0;
        file.seekp(0);
        file.write(reinterpret_cast<const char *>(&header), sizeof header);
    }
    write(bare, true_symbols());
    EXPECT_EQ(ElfFile(out).build_id(), ElfFile(SAMPLE_STRIPPED).build_id());
    const ElfImage elf(bare, out, "");
    EXPECT_EQ(elf.symbols_from(), SymbolSource::recovered);
    for (const Symbol &wanted : true_symbols()) {
        EXPECT_EQ(elf.symbol(wanted.name)->value, wanted.value) << wanted.name;
    }
    const auto sections = sections_in_memory(ElfFile(out));
    const auto loads = segments_of(ElfFile(bare));
    EXPECT_EQ(sections.at(".load0").sh_addr, loads.at(0).p_vaddr);
    EXPECT_EQ(sections.at(".load0").sh_size, loads.at(0).p_memsz);
    EXPECT_TRUE(sections.contains(".note.gnu.build-id"));
}

TEST_F(DebugWriter, OneNameCanBeOfSeveralPlaces) {
    const auto truth = ElfImage(SAMPLE_FIRST, std::nullopt, "").symbol("sample_helper").value();
    write(SAMPLE_STRIPPED, {made("place", truth.value, 1, SymbolKind::label),
                            made("place", truth.value + 1, 1, SymbolKind::label)});
    const ElfFile file(out);
    Elf_Data *const data = file.data(file.section(SHT_SYMTAB));
    std::vector<std::uint64_t> values;
    GElf_Sym symbol{};
    for (int i = 1; gelf_getsym(data, i, &symbol) != nullptr; ++i) {
        values.push_back(symbol.st_value);
    }
    EXPECT_EQ(values, (std::vector{truth.value, truth.value + 1}));
    // It is no function: what the code is called is not changed by it.
    const auto around = ElfImage(SAMPLE_STRIPPED, out, "").function_at(truth.value + 1);
    EXPECT_TRUE(!around || around->name != "place");
}

TEST_F(DebugWriter, RefusesSymbolsThatCannotBeTrue) {
    const auto data = true_symbols().at(0);
    refuses({made("outside", 0, 1, SymbolKind::data)});
    refuses({made("outside", ~std::uint64_t{0}, 1, SymbolKind::data)});
    refuses({made("too_large", data.value, 1U << 20U, SymbolKind::data)});
    refuses({made("beyond_the_block", 1U << 20U, 4, SymbolKind::tls)});
    refuses({data, data});
    refuses({made("", data.value, 4, SymbolKind::data)});
    refuses({made(std::string("a\0b", 3), data.value, 4, SymbolKind::data)});
    EXPECT_THROW(write(INCOMPLETE, {made("no_such_block", 0, 1, SymbolKind::tls)}),
                 std::invalid_argument);
}

TEST_F(DebugWriter, ReplacesAFileButNothingElse) {
    std::ofstream(out) << "old";
    write(SAMPLE_STRIPPED, {});
    EXPECT_TRUE(read_debug_note(ElfFile(out)));
    EXPECT_EQ(files(), 1);
    const fs::path runtime = folder / "runtime.so";
    fs::copy_file(SAMPLE_STRIPPED, runtime);
    fs::create_symlink(runtime, folder / "link.so");
    const ElfFile file(runtime);
    for (const fs::path &path : {runtime, folder / "link.so", folder, fs::path("/dev/null")}) {
        EXPECT_THROW(write_debug_file(file, {}, {}, path), std::invalid_argument) << path;
    }
    EXPECT_EQ(fs::file_size(runtime), fs::file_size(SAMPLE_STRIPPED));
    EXPECT_THROW(write_debug_file(file, {}, {}, folder / "absent" / "file"), FileError);
    EXPECT_EQ(files(), 3);
}

TEST_F(DebugWriter, AFullDiskLeavesTheOldFile) {
    std::ofstream(out) << "old";
    rlimit before{};
    ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    const rlimit small{64, before.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
    EXPECT_THROW(write(SAMPLE_STRIPPED, true_symbols()), FileError);
    EXPECT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
    std::signal(SIGXFSZ, handler);
    EXPECT_EQ(fs::file_size(out), 3U);
    EXPECT_EQ(files(), 1);
}

TEST_F(DebugWriter, ALeftOverOfTheSameNameIsNoObstacle) {
    const fs::path left_over = out.string() + "." + std::to_string(getpid()) + "-0";
    std::ofstream(left_over) << "left over";
    write(SAMPLE_STRIPPED, {});
    EXPECT_TRUE(fs::exists(out));
    EXPECT_EQ(fs::file_size(left_over), 9U);
}

TEST_F(DebugWriter, DamagedRuntimesDoNoHarm) {
    std::mt19937 random(20240502);  // NOLINT(cert-msc51-cpp): the same damage in each run
    const fs::path damaged = folder / "damaged.so";
    const auto size = fs::file_size(SAMPLE_STRIPPED);
    std::size_t section_table = 0;
    {
        const ElfFile whole(SAMPLE_STRIPPED);
        section_table = whole.header().e_shoff;
    }
    int written = 0;
    constexpr int rounds = 600;
    for (int round = 0; round < rounds; ++round) {
        fs::copy_file(SAMPLE_STRIPPED, damaged, fs::copy_options::overwrite_existing);
        std::fstream file(damaged, std::ios::in | std::ios::out | std::ios::binary);
        for (int i = 0; i < 6; ++i) {
            const auto place = i % 2 == 0 ? 0x40 + random() % 0x200
                                          : section_table + random() % (size - section_table);
            file.seekp(static_cast<std::streamoff>(place));
            file.put(static_cast<char>(random()));
        }
        file.close();
        try {
            write(damaged, {});
            EXPECT_TRUE(read_debug_note(ElfFile(out))) << round;
            ++written;
            fs::remove(out);
        } catch (const std::invalid_argument &) {
            EXPECT_FALSE(fs::exists(out)) << round;
        }
        EXPECT_EQ(files(), 1) << round;
    }
    EXPECT_GT(written, 0);
    EXPECT_LT(written, rounds);
}

}  // namespace

}  // namespace gdb_ompd
