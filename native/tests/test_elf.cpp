// SPDX-License-Identifier: Apache-2.0
// Headers and symbols of real files, whole, stripped and damaged.
#include "base/errors.hpp"
#include "base/file.hpp"
#include "elf/debug_file.hpp"
#include "elf/elf.hpp"
#include "elf/elf_file.hpp"

#include <gtest/gtest.h>

#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <link.h>
#include <random>
#include <sys/stat.h>
#include <unistd.h>

namespace gdb_ompd {

namespace {

namespace fs = std::filesystem;

class ElfFiles : public ::testing::Test {
protected:
    void SetUp() override { fs::create_directories(folder); }
    void TearDown() override { fs::remove_all(folder); }

    static ElfImage open(const fs::path &path, const std::string &directories = "") {
        return {path.string(), std::nullopt, directories};
    }

    fs::path copy(const char *file, const std::string &name) const {
        fs::copy_file(file, folder / name, fs::copy_options::overwrite_existing);
        return folder / name;
    }

    const fs::path folder = fs::path(::testing::TempDir()) /
                            ("elf-" + std::to_string(::getpid()) + "-" +
                             ::testing::UnitTest::GetInstance()->current_test_info()->name());
};

TEST_F(ElfFiles, HeadersAgreeWithTheDynamicLinker) {
    void *library = dlopen(SAMPLE_FIRST, RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library, nullptr) << dlerror();
    link_map *map = nullptr;
    ASSERT_EQ(dlinfo(library, RTLD_DI_LINKMAP, &map), 0);
    const ElfImage elf = open(SAMPLE_FIRST);
    const ElfHeaders &headers = elf.headers();
    EXPECT_EQ(map->l_addr + headers.dynamic_address.value(),
              reinterpret_cast<std::uint64_t>(map->l_ld));
    EXPECT_EQ(headers.soname, "libsample.so.5");
    EXPECT_NE(std::find(headers.needed.begin(), headers.needed.end(), "libc.so.6"),
              headers.needed.end());
    EXPECT_EQ(headers.pointer_size, static_cast<int>(sizeof(void *)));
    EXPECT_EQ(headers.byte_order, std::endian::native);
    EXPECT_EQ(headers.tls_size, 2 * sizeof(long));
    const auto executable =
        std::count_if(headers.segments.begin(), headers.segments.end(),
                      [](const Segment &segment) { return segment.flags == "r-x"; });
    EXPECT_EQ(executable, 1);
    for (const char *name : {"sample_data", "sample_function", "sample_label", "sample_weak"}) {
        const auto symbol = elf.symbol(name);
        ASSERT_TRUE(symbol) << name;
        EXPECT_EQ(map->l_addr + symbol->value,
                  reinterpret_cast<std::uint64_t>(dlsym(library, name)));
    }
    dlclose(library);
}

TEST_F(ElfFiles, TheBuildIdIsWhereItSays) {
    const ElfImage elf = open(SAMPLE_FIRST);
    const auto &place = elf.headers().build_id_location;
    ASSERT_TRUE(place);
    void *library = dlopen(SAMPLE_FIRST, RTLD_NOW | RTLD_LOCAL);
    link_map *map = nullptr;
    ASSERT_EQ(dlinfo(library, RTLD_DI_LINKMAP, &map), 0);
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the linker tells addresses as integers
    const auto *bytes = reinterpret_cast<void *>(map->l_addr + place->address);
    EXPECT_EQ(to_hex(bytes, place->size), elf.headers().build_id);
    EXPECT_GE(place->size, 8U);
    dlclose(library);
}

TEST_F(ElfFiles, EachKindOfSymbolIsTold) {
    const ElfImage elf = open(SAMPLE_FIRST);
    const auto kind = [&](const char *name) { return elf.symbol(name).value().kind; };
    EXPECT_EQ(kind("sample_data"), SymbolKind::data);
    EXPECT_EQ(kind("sample_static"), SymbolKind::data);
    EXPECT_EQ(kind("sample_weak"), SymbolKind::data);
    EXPECT_EQ(kind("sample_function"), SymbolKind::function);
    EXPECT_EQ(kind("sample_indirect"), SymbolKind::function);
    EXPECT_EQ(kind("choose"), SymbolKind::function);
    EXPECT_EQ(kind("sample_label"), SymbolKind::label);
    EXPECT_EQ(kind("sample_tls"), SymbolKind::tls);
    EXPECT_EQ(elf.symbol("sample_tls")->value, sizeof(long));
    EXPECT_EQ(elf.symbol("sample_data")->size, sizeof(int));
    EXPECT_EQ(elf.symbol("sample_data")->source, SymbolSource::symtab);
    EXPECT_EQ(elf.symbols_from(), SymbolSource::symtab);
    EXPECT_FALSE(elf.symbol("absent"));
    EXPECT_FALSE(elf.symbol(""));
    EXPECT_FALSE(elf.symbol("sample.c"));
}

TEST_F(ElfFiles, ExportsAreOnlyWhatTheDynamicLinkerSees) {
    for (const char *file : {SAMPLE_FIRST, SAMPLE_SYSV}) {
        const ElfImage elf = open(file);
        for (const char *name :
             {"sample_data", "sample_function", "sample_weak", "sample_tls", "sample_label"}) {
            EXPECT_TRUE(elf.exports(name)) << name;
        }
        // The last but one is in the table, as a name that the library uses.
        for (const char *name : {"sample_static", "choose", "absent", "__cxa_finalize", ""}) {
            EXPECT_FALSE(elf.exports(name)) << name;
        }
    }
}

TEST_F(ElfFiles, FindsTheFunctionAroundAnAddress) {
    const ElfImage elf = open(SAMPLE_FIRST);
    const auto function = elf.symbol("sample_function").value();
    EXPECT_EQ(elf.function_at(function.value)->name, "sample_function");
    EXPECT_EQ(elf.function_at(function.value + function.size - 1)->name, "sample_function");
    EXPECT_FALSE(elf.function_at(elf.symbol("sample_label")->value));
    EXPECT_FALSE(elf.function_at(elf.symbol("sample_data")->value));
    EXPECT_FALSE(elf.function_at(0));
    EXPECT_FALSE(elf.function_at(~std::uint64_t{0}));
}

TEST_F(ElfFiles, AStrippedFileHasItsDynamicSymbols) {
    const ElfImage elf = open(SAMPLE_STRIPPED);
    EXPECT_EQ(elf.symbols_from(), SymbolSource::dynsym);
    EXPECT_EQ(elf.symbol("sample_data")->source, SymbolSource::dynsym);
    EXPECT_FALSE(elf.symbol("sample_static"));
    EXPECT_FALSE(elf.debug_path());
}

TEST_F(ElfFiles, FindsTheDebugFileByBuildId) {
    const std::string id = open(SAMPLE_STRIPPED).headers().build_id.value();
    const fs::path place = folder / ".build-id" / id.substr(0, 2);
    fs::create_directories(place);
    fs::copy_file(SAMPLE_DEBUG, place / (id.substr(2) + ".debug"));
    const ElfImage elf = open(SAMPLE_STRIPPED, "/nonexistent:" + folder.string());
    EXPECT_EQ(elf.debug_path(), (place / (id.substr(2) + ".debug")).string());
    EXPECT_EQ(elf.symbols_from(), SymbolSource::debuginfo);
    EXPECT_EQ(elf.symbol("sample_static")->source, SymbolSource::debuginfo);
    EXPECT_EQ(elf.symbol("sample_static")->value,
              open(SAMPLE_FIRST).symbol("sample_static")->value);
    const auto function = elf.symbol("sample_helper").value();
    EXPECT_EQ(elf.function_at(function.value + 1)->name, "sample_helper");
}

TEST_F(ElfFiles, AWrongFileInTheBuildIdsPlaceIsNotTaken) {
    const std::string id = open(SAMPLE_STRIPPED).headers().build_id.value();
    const fs::path place = folder / ".build-id" / id.substr(0, 2);
    fs::create_directories(place);
    fs::copy_file(SAMPLE_SECOND, place / (id.substr(2) + ".debug"));
    EXPECT_FALSE(open(SAMPLE_STRIPPED, folder.string()).debug_path());
}

TEST_F(ElfFiles, FindsTheDebugFileByItsLink) {
    const fs::path stripped = copy(SAMPLE_STRIPPED, "stripped.so");
    const std::string link = fs::path(SAMPLE_DEBUG).filename();
    EXPECT_FALSE(open(stripped).debug_path());
    copy(SAMPLE_DEBUG, link);
    EXPECT_EQ(open(stripped).debug_path(), (folder / link).string());
    fs::create_directories(folder / ".debug");
    fs::rename(folder / link, folder / ".debug" / link);
    EXPECT_EQ(open(stripped).debug_path(), (folder / ".debug" / link).string());
    std::ofstream(folder / ".debug" / link, std::ios::app) << "changed";
    EXPECT_FALSE(open(stripped).debug_path()) << "the checksum no longer agrees";
}

TEST_F(ElfFiles, ANamedDebugFileMustBelong) {
    const ElfImage elf(SAMPLE_STRIPPED, SAMPLE_DEBUG, "");
    EXPECT_EQ(elf.symbol("sample_static")->source, SymbolSource::debuginfo);
    EXPECT_THROW(ElfImage(SAMPLE_STRIPPED, SAMPLE_SECOND, ""), std::invalid_argument);
    EXPECT_THROW(ElfImage(SAMPLE_STRIPPED, "/nonexistent.debug", ""), FileError);
}

TEST_F(ElfFiles, ANewFileAtAnOldPathIsReadAnew) {
    const fs::path path = copy(SAMPLE_FIRST, "library.so");
    EXPECT_TRUE(open(path).symbol("sample_static"));
    const ElfImage old = open(path);
    fs::remove(path);
    copy(SAMPLE_STRIPPED, "library.so");
    EXPECT_FALSE(open(path).symbol("sample_static"));
    EXPECT_TRUE(old.symbol("sample_static")) << "what was read stays";
    EXPECT_THROW(static_cast<void>(old.symbol("absent")), std::invalid_argument)
        << "its other tables are those of another file";
}

TEST_F(ElfFiles, RefusesWhatIsNotElf) {
    EXPECT_THROW(open(folder / "absent"), FileError);
    const fs::path path = folder / "text";
    std::ofstream(path) << "\x7f"
                           "ELF, in a way";
    EXPECT_THROW(open(path), std::invalid_argument);
    std::ofstream(path, std::ios::trunc).close();
    EXPECT_THROW(open(path), std::invalid_argument);
}

// What is no regular file is refused at once, and never waited for.
TEST_F(ElfFiles, OpensRegularFilesOnly) {
    const fs::path fifo = folder / "fifo";
    ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
    fs::create_symlink(fifo, folder / "link");
    for (const fs::path &path : {folder, fifo, folder / "link", fs::path("/dev/null"),
                                 fs::path("/dev/zero"), fs::path("/dev/tty")}) {
        EXPECT_ANY_THROW(open(path)) << path;
        EXPECT_ANY_THROW(static_cast<void>(read_file(path, 100))) << path;
    }
    std::ofstream(folder / "text") << "0123456789";
    EXPECT_EQ(read_file(folder / "text", 10).size(), 10U);
    EXPECT_THROW(static_cast<void>(read_file(folder / "text", 9)), std::invalid_argument);
}

TEST_F(ElfFiles, AFifoInADebugFilesPlaceIsPassedBy) {
    const ElfFile stripped(SAMPLE_STRIPPED);
    const std::string id = *stripped.build_id();
    const fs::path places = folder / ".build-id" / id.substr(0, 2);
    fs::create_directories(places);
    ASSERT_EQ(mkfifo((places / (id.substr(2) + ".debug")).c_str(), 0600), 0);
    fs::copy(SAMPLE_STRIPPED, folder / "alone.so");
    ASSERT_EQ(mkfifo((folder / fs::path(SAMPLE_DEBUG).filename()).c_str(), 0600), 0);
    EXPECT_EQ(find_debug_file(stripped, folder / "alone.so", folder), std::nullopt);
}

// Use everything; the only failure allowed is a refusal to open the file.
void exercise(const fs::path &path) {
    std::optional<ElfImage> elf;
    try {
        elf.emplace(path, std::nullopt, "");
    } catch (const std::invalid_argument &) {
        return;
    }
    static_cast<void>(elf->symbol("sample_static"));
    static_cast<void>(elf->exports("sample_data"));
    static_cast<void>(elf->exports("absent"));
    static_cast<void>(elf->function_at(0x1100));
}

// Damage every word of every section header: more than can be, and one too few.
TEST_F(ElfFiles, DamagedSectionHeadersAreRefusedAtOnce) {
    const ElfFile sound(SAMPLE_FIRST);
    const auto &header = sound.header();
    for (std::uint64_t at = 0; at < std::uint64_t{header.e_shnum} * header.e_shentsize; at += 4) {
        for (const bool is_more : {true, false}) {
            const fs::path path = copy(SAMPLE_FIRST, "damaged.so");
            std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
            const auto place = static_cast<std::streamoff>(header.e_shoff + at);
            std::array<char, 4> word{};
            file.seekg(place);
            file.read(word.data(), word.size());
            word = is_more ? std::array{'\xff', '\xff', '\xff', '\x7f'}
                           : std::array{static_cast<char>(word[0] - 1), word[1], word[2], word[3]};
            file.seekp(place);
            file.write(word.data(), word.size());
            file.close();
            EXPECT_NO_THROW(exercise(path)) << at;
        }
    }
}

TEST_F(ElfFiles, TruncatedFilesAreRefused) {
    const auto size = fs::file_size(SAMPLE_FIRST);
    for (std::uintmax_t keep = 0; keep < size; keep += 61) {
        const fs::path path = copy(SAMPLE_FIRST, "truncated.so");
        fs::resize_file(path, keep);
        EXPECT_NO_THROW(exercise(path)) << keep;
    }
    const fs::path path = copy(SAMPLE_FIRST, "half.so");
    fs::resize_file(path, size / 2);
    EXPECT_THROW(open(path), std::invalid_argument);
}

TEST_F(ElfFiles, DamagedFilesDoNoHarm) {
    std::mt19937 random(20240501);  // NOLINT(cert-msc51-cpp): the same damage in each run
    const auto size = fs::file_size(SAMPLE_FIRST);
    for (int round = 0; round < 600; ++round) {
        const fs::path path = copy(SAMPLE_FIRST, "damaged.so");
        std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
        for (int i = 0; i < 20; ++i) {
            // Headers and tables are where damage hurts: aim there half of the time.
            const auto place = random() % (i % 2 == 0 ? std::uintmax_t{1024} : size);
            file.seekp(static_cast<std::streamoff>(place));
            file.put(static_cast<char>(random()));
        }
        file.close();
        EXPECT_NO_THROW(exercise(path)) << round;
    }
}

}  // namespace

}  // namespace gdb_ompd
