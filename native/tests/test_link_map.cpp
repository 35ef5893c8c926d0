// SPDX-License-Identifier: Apache-2.0
// What is mapped: as the dynamic linker of this very process has it, and in damaged memory.
#include "elf/link_map.hpp"

#include "elf/address_space.hpp"
#include "memory_target.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <link.h>

#include <filesystem>

namespace gdb_ompd {

namespace {

constexpr std::uint64_t debug = 0x800;
constexpr std::uint64_t first = 0x1000;
constexpr std::uint64_t second = 0x2000;

class Words : public MemoryTarget {
public:
    void write(std::uint64_t at, std::vector<std::uint64_t> words) {
        const auto *bytes = reinterpret_cast<std::uint8_t *>(words.data());
        map(at, {bytes, bytes + words.size() * sizeof words[0]});
    }
};

std::shared_ptr<ElfImage> open(const std::string &path) {
    return std::make_shared<ElfImage>(path, std::nullopt, "");
}

// A library for whose storage the linker keeps module 2 and OFFSET, as the file PATH describes,
// which is mapped as NAME.
std::shared_ptr<Module> with_offset(std::uint64_t offset, const std::string &path = GNU_SYMBOLS,
                                    const std::string &name = "/lib/libc.so") {
    const auto libc = open(path);
    auto target = std::make_shared<Words>();
    target->write(first, {0, 2, offset});
    for (const auto &[field, at] : {std::pair("_thread_db_link_map_l_tls_modid", 8U),
                                    std::pair("_thread_db_link_map_l_tls_offset", 16U)}) {
        target->write(libc->symbol(field).value().value, {64 | std::uint64_t{1} << 32U, at});
    }
    AddressSpace space(target, Layout{}, 16);
    const std::vector<ListedFile> files{{{TargetAddr{first}, 0, "/lib/one.so"}, open(SAMPLE_FIRST)},
                                        {{TargetAddr{second}, 0, name}, libc}};
    return mapped_modules(space, files).front();
}

TEST(LinkMap, IsTheDynamicLinkersOwn) {
    void *library = dlopen(SAMPLE_FIRST, RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library, nullptr) << dlerror();
    struct link_map *map = nullptr;
    std::size_t module_id = 0;
    ASSERT_EQ(dlinfo(library, RTLD_DI_LINKMAP, &map), 0);
    ASSERT_EQ(dlinfo(library, RTLD_DI_TLS_MODID, &module_id), 0);
    AddressSpace space(std::make_shared<SelfTarget>(), Layout{}, 4096);
    struct link_map *main = nullptr;
    ASSERT_EQ(dlinfo(dlopen(nullptr, RTLD_NOW), RTLD_DI_LINKMAP, &main), 0);
    const auto r_debug = told_to_debuggers(space, *open("/proc/self/exe"), main->l_addr);
    ASSERT_TRUE(r_debug);
    const auto entries = read_link_map(space, *r_debug);
    ASSERT_FALSE(entries.empty());
    EXPECT_EQ(entries.front().address.value, reinterpret_cast<std::uint64_t>(main));
    std::vector<ListedFile> files;
    for (const LinkMapEntry &entry : entries) {
        // Copies of OMPD libraries stay mapped that have no file any longer.
        const bool is_file = std::filesystem::exists(entry.name);
        files.push_back({entry, is_file ? open(entry.name) : nullptr});
    }
    const auto modules = mapped_modules(space, files);
    const auto found = std::ranges::find_if(
        entries, [&](const auto &entry) { return entry.name == SAMPLE_FIRST; });
    ASSERT_NE(found, entries.end());
    EXPECT_EQ(found->address.value, reinterpret_cast<std::uint64_t>(map));
    const auto &module = modules[static_cast<std::size_t>(found - entries.begin())];
    ASSERT_NE(module, nullptr);
    EXPECT_EQ(module->bias, map->l_addr);
    EXPECT_EQ(module->tls_module_id, module_id);
    EXPECT_FALSE(modules.front()) << "the executable has no name in the list";
    const auto other = open(SAMPLE_SECOND);
    EXPECT_TRUE(can_be_mapped(space, *module->elf, map->l_addr));
    EXPECT_EQ(other->headers().build_id_location->address,
              module->elf->headers().build_id_location->address);
    EXPECT_FALSE(can_be_mapped(space, *other, map->l_addr));
    dlclose(library);
}

TEST(LinkMap, AListThatGoesRoundIsDamaged) {
    for (const std::uint64_t following : {std::uint64_t{0}, first, second}) {
        auto target = std::make_shared<Words>();
        target->map_text(0x100, std::string("/lib/one.so") + '\0');
        target->write(debug, {1, first});
        target->write(first, {0x400000, 0x100, 0, second});
        target->write(second, {0x500000, 0x100, 0, following});
        AddressSpace space(target, Layout{}, 16);
        if (following != 0) {
            EXPECT_THROW(static_cast<void>(read_link_map(space, TargetAddr{debug})), Inconsistent);
            continue;
        }
        const auto entries = read_link_map(space, TargetAddr{debug});
        ASSERT_EQ(entries.size(), 2U);
        EXPECT_EQ(entries[1].address, TargetAddr{second});
        EXPECT_EQ(entries[1].bias, 0x500000U);
        EXPECT_EQ(entries[1].name, "/lib/one.so");
    }
}

TEST(LinkMap, BeforeGlibc234DescriptorsAreLocalToLibpthread) {
    EXPECT_EQ(with_offset(64, GNU_SYMBOLS_BEFORE, "/lib/libpthread.so.0")->tls_offset, 64);
    EXPECT_FALSE(with_offset(64, GNU_SYMBOLS_BEFORE, "/lib/libother.so")->tls_module_id);
}

TEST(LinkMap, OnlyADistanceIsAnOffset) {
    EXPECT_EQ(with_offset(0x40)->tls_offset, 0x40);
    EXPECT_EQ(with_offset(0x40)->tls_module_id, 2U);
    for (const std::uint64_t other : {std::uint64_t{0},                     // not static
                                      ~std::uint64_t{0},                    // never to be
                                      (std::uint64_t{1} << 63U) + 0x40}) {  // damaged
        EXPECT_FALSE(with_offset(other)->tls_offset);
    }
}

}  // namespace

}  // namespace gdb_ompd
