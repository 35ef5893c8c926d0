// SPDX-License-Identifier: Apache-2.0
// Which build is mapped, by what memory has of it: of libraries of this very process.
#include "elf/address_space.hpp"
#include "elf/link_map.hpp"
#include "elf/mapped_headers.hpp"
#include "elf/process_files.hpp"
#include "elf/thread_local.hpp"
#include "memory_target.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <link.h>
#include <sys/auxv.h>

#include <algorithm>

namespace gdb_ompd {

namespace {

// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): the test's own storage
thread_local int own_variable = 7;

std::shared_ptr<ElfImage> open(const std::string &path) {
    return std::make_shared<ElfImage>(path, std::nullopt, "");
}

class MappedFiles : public testing::Test {
protected:
    // Where the library at PATH is loaded.
    std::uint64_t load(const char *path) {
        void *const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        struct link_map *map = nullptr;
        EXPECT_NE(library, nullptr) << dlerror();
        EXPECT_EQ(dlinfo(library, RTLD_DI_LINKMAP, &map), 0);
        return map->l_addr;
    }

    AddressSpace space{std::make_shared<SelfTarget>(), Layout{}, 4096};
};

TEST_F(MappedFiles, SayWhichBuildTheyAre) {
    const std::uint64_t at = load(SAMPLE_FIRST);
    const auto headers = headers_of_file(space, TargetAddr{at});
    ASSERT_TRUE(headers);
    EXPECT_EQ(headers->bias, at);
    EXPECT_EQ(headers->build_id, open(SAMPLE_FIRST)->headers().build_id);
    EXPECT_FALSE(headers_of_file(space, TargetAddr{at + 64}));
    EXPECT_FALSE(headers_of_file(space, TargetAddr{0}));
    const std::uint64_t nameless = load(SAMPLE_NAMELESS);
    EXPECT_FALSE(headers_of_file(space, TargetAddr{nameless})->build_id);
}

TEST_F(MappedFiles, TheProgramIsKnownByItsHeaders) {
    const TargetAddr table{getauxval(AT_PHDR)};
    const auto headers = headers_of_program(space, table, getauxval(AT_PHNUM));
    ASSERT_TRUE(headers);
    EXPECT_EQ(headers->build_id, open("/proc/self/exe")->headers().build_id);
    EXPECT_FALSE(headers_of_program(space, table, 0));
    EXPECT_FALSE(headers_of_program(space, table, 1 << 20));
    EXPECT_FALSE(headers_of_program(space, TargetAddr{8}, 2));
}

TEST_F(MappedFiles, WithoutBuildIdTheTablesTell) {
    const std::uint64_t at = load(SAMPLE_NAMELESS);
    EXPECT_TRUE(can_be_mapped(space, *open(SAMPLE_NAMELESS), at));
    EXPECT_FALSE(can_be_mapped(space, *open(SAMPLE_OTHER_NAMELESS), at));
    EXPECT_TRUE(can_be_mapped(space, *open(SAMPLE_OTHER_NAMELESS), 0x1000)) << "no memory";
}

TEST_F(MappedFiles, TheKernelHasThem) {
    const std::uint64_t at = load(SAMPLE_FIRST);
    const auto names = process_files(getpid(), TargetAddr{at}, SAMPLE_FIRST);
    ASSERT_EQ(names.size(), 3U);
    EXPECT_EQ(open(names[0])->headers().build_id, open(SAMPLE_FIRST)->headers().build_id);
    EXPECT_TRUE(names[1].find("/map_files/") != std::string::npos);
    EXPECT_EQ(process_files(getpid(), TargetAddr{1}, "relative.so").size(), 1U);
}

TEST_F(MappedFiles, AFileAloneHasItsStorageByTheAbi) {
    const auto program = open("/proc/self/exe");
    const auto headers =
        headers_of_program(space, TargetAddr{getauxval(AT_PHDR)}, getauxval(AT_PHNUM));
    const std::vector<ListedFile> files{{{TargetAddr{}, headers->bias, "program"}, program}};
    const auto module = mapped_modules(space, files).front();
    const TargetAddr pointer{reinterpret_cast<std::uint64_t>(__builtin_thread_pointer())};
    const auto block = thread_local_block(space, *module, pointer).address;
    ASSERT_TRUE(block);
    const auto distance = reinterpret_cast<std::uint64_t>(&own_variable) - block->value;
    EXPECT_LT(distance, program->headers().tls_size);
    own_variable = 8;
}

}  // namespace

}  // namespace gdb_ompd
