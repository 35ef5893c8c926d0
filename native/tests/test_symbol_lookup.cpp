// SPDX-License-Identifier: Apache-2.0
// The symbol callback: which module answers, and where a thread's variables are.
#include "fixture.hpp"

#include <dlfcn.h>
#include <link.h>

#include <thread>

namespace gdb_ompd {

namespace {

constexpr std::uint64_t first_bias = 0x100000;
constexpr std::uint64_t second_bias = 0x200000;

std::shared_ptr<const Module> module(const char *path, std::uint64_t bias, const char *name) {
    return std::make_shared<Module>(
        Module{std::make_shared<ElfImage>(path, std::nullopt, ""), bias, name, 0, std::nullopt});
}

class SymbolLookup : public FakeProcess {
protected:
    SymbolLookup() {
        space->set_modules({module(SAMPLE_FIRST, first_bias, "/opt/one/libfirst.so"),
                            module(SAMPLE_SECOND, second_bias, "/opt/two/libsecond.so.5")},
                           std::nullopt);
    }

    // Which module the callback found the name in; 0 for "not found".
    std::uint64_t bias_of(const char *name, const char *file) {
        std::uint64_t bias = 0;
        run([&](const ompd_callbacks_t &callbacks, auto *context) {
            ompd_address_t address{7, 7};
            if (callbacks.symbol_addr_lookup(context, nullptr, name, &address, file) ==
                ompd_rc_ok) {
                bias = address.address & ~std::uint64_t{0xfffff};
            } else {
                EXPECT_EQ(address.address, 0U);
            }
            EXPECT_EQ(address.segment, ompd_segment_none);
            return ompd_rc_ok;
        });
        return bias;
    }
};

TEST_F(SymbolLookup, SearchesInLoadOrder) {
    EXPECT_EQ(bias_of("shadowed", nullptr), first_bias);
    EXPECT_EQ(bias_of("only_second", nullptr), second_bias);
    EXPECT_EQ(bias_of("absent", nullptr), 0U);
}

TEST_F(SymbolLookup, FindsEveryKindAndBinding) {
    for (const char *name : {"sample_data", "sample_static", "sample_weak", "sample_function",
                             "sample_indirect", "choose", "sample_label"}) {
        EXPECT_EQ(bias_of(name, nullptr), first_bias) << name;
    }
}

TEST_F(SymbolLookup, AFileNameComesFirst) {
    for (const char *file : {"/opt/two/libsecond.so.5", "libsecond.so.5", "libsecond.so",
                             "libsecond.so.5.1", "/elsewhere/libsecond.so", "libother.so.2"}) {
        EXPECT_EQ(bias_of("shadowed", file), second_bias) << file;
    }
    for (const char *file : {"libfirst.so", "libunknown.so", "", "lib", "libsecondary.so"}) {
        EXPECT_EQ(bias_of("shadowed", file), first_bias) << file;
    }
    EXPECT_EQ(bias_of("only_second", "libfirst.so"), second_bias);
}

TEST_F(SymbolLookup, TheExactPathIsTheBestMatch) {
    space->set_modules({module(SAMPLE_FIRST, first_bias, "/opt/one/libsame.so"),
                        module(SAMPLE_SECOND, second_bias, "/opt/two/libsame.so")},
                       std::nullopt);
    EXPECT_EQ(bias_of("shadowed", "/opt/two/libsame.so"), second_bias);
    EXPECT_EQ(bias_of("shadowed", "libsame.so"), first_bias);
}

TEST_F(SymbolLookup, HomeStandsInForNoFileName) {
    const auto other = space->clone();
    other->set_modules({module(SAMPLE_FIRST, first_bias, "/opt/one/libfirst.so"),
                        module(SAMPLE_SECOND, second_bias, "/opt/two/libsecond.so.5")},
                       "/opt/two/libsecond.so.5");
    EXPECT_NE(other->context(), space->context());
    EXPECT_EQ(&other->cache(), &space->cache());
    use(other);
    EXPECT_EQ(bias_of("shadowed", nullptr), second_bias);
    EXPECT_EQ(bias_of("shadowed", "libfirst.so"), first_bias);
    EXPECT_EQ(bias_of("only_first", nullptr), first_bias);
}

TEST_F(SymbolLookup, HomeIsForLlvmsLibraryAlone) {
    space->set_modules({module(SAMPLE_FIRST, first_bias, "/opt/one/libfirst.so"),
                        module(SAMPLE_SECOND, second_bias, "/opt/two/libsecond.so.5")},
                       "/opt/two/libsecond.so.5");
    EXPECT_EQ(bias_of("shadowed", nullptr), second_bias);
    const Environment described(fake_described_as, "an OMPD library");
    library = std::make_shared<Library>(FAKE_LIBOMPD);
    use(space);
    EXPECT_EQ(bias_of("shadowed", nullptr), first_bias);
    EXPECT_EQ(bias_of("shadowed", "libsecond.so"), second_bias);
}

TEST_F(SymbolLookup, ACopyOfARuntimeIsMeantByItsName) {
    space->set_modules({module(SAMPLE_FIRST, first_bias, "/opt/one/libsame.so.1"),
                        module(SAMPLE_SECOND, second_bias, "/opt/two/libsame-a34b3233.so.1.0.0")},
                       "/opt/two/libsame-a34b3233.so.1.0.0");
    EXPECT_EQ(bias_of("shadowed", "libsame.so.1"), second_bias);
    EXPECT_EQ(bias_of("shadowed", "/opt/one/libsame.so.1"), first_bias);
    EXPECT_EQ(bias_of("shadowed", "libsam.so.1"), second_bias);
    EXPECT_EQ(bias_of("only_first", "libsame.so.1"), first_bias);
}

TEST_F(SymbolLookup, RefusesBadInput) {
    run([](const ompd_callbacks_t &callbacks, auto *context) {
        ompd_address_t address{7, 7};
        EXPECT_EQ(callbacks.symbol_addr_lookup(context, nullptr, nullptr, &address, nullptr),
                  ompd_rc_bad_input);
        EXPECT_EQ(address.address, 0U);
        EXPECT_EQ(callbacks.symbol_addr_lookup(context, nullptr, "shadowed", nullptr, nullptr),
                  ompd_rc_bad_input);
        address = {7, 7};
        EXPECT_EQ(callbacks.symbol_addr_lookup(nullptr, nullptr, "shadowed", &address, nullptr),
                  ompd_rc_bad_input);
        EXPECT_EQ(address.address, 0U);
        EXPECT_EQ(callbacks.symbol_addr_lookup(context, nullptr, "absent", &address, nullptr),
                  ompd_rc_error);
        return ompd_rc_ok;
    });
}

TEST_F(SymbolLookup, AContextIsNeverUsedAgain) {
    std::set<ompd_address_space_context_t *> seen;
    for (int i = 0; i < 100; ++i) {
        EXPECT_TRUE(seen.insert(make_space()->context()).second);
    }
}

TEST_F(SymbolLookup, AThreadLocalNeedsAThread) {
    target->threads[{ompd_thread_id_lwp, 1}] = 0x50000;
    auto with_tls = *module(SAMPLE_FIRST, first_bias, "libfirst.so");
    with_tls.tls_offset = 0x100;
    space->set_modules({std::make_shared<Module>(with_tls)}, std::nullopt);
    run([](const ompd_callbacks_t &callbacks, auto *context) {
        ompd_thread_context_t *thread = nullptr;
        const std::uint64_t lwp = 1;
        EXPECT_EQ(callbacks.get_thread_context_for_thread_id(context, 1, 8, &lwp, &thread),
                  ompd_rc_ok);
        ompd_address_t address{};
        EXPECT_EQ(callbacks.symbol_addr_lookup(context, nullptr, "sample_tls", &address, nullptr),
                  ompd_rc_error);
        EXPECT_EQ(callbacks.symbol_addr_lookup(context, thread, "sample_tls", &address, nullptr),
                  ompd_rc_ok);
        EXPECT_EQ(address.address, 0x50000 - 0x100 + sizeof(long));
        EXPECT_EQ(callbacks.symbol_addr_lookup(context, thread, "sample_data", &address, nullptr),
                  ompd_rc_ok);
        return ompd_rc_ok;
    });
}

TEST_F(SymbolLookup, ReadsAnAarch64Dtv) {
    Layout layout;
    layout.machine = "aarch64";
    use(make_space(layout));
    auto with_tls = *module(SAMPLE_FIRST, first_bias, "libfirst.so");
    with_tls.tls_offset = 0x100;  // static blocks are behind the thread pointer there
    space->set_modules({std::make_shared<Module>(with_tls)}, std::nullopt);
    EXPECT_EQ(space->symbol_address("sample_tls", std::nullopt, TargetAddr{0x50000}),
              TargetAddr{0x50000 + 0x100 + sizeof(long)});
    with_tls.tls_offset.reset();
    with_tls.tls_module_id = 2;
    space->set_modules({std::make_shared<Module>(with_tls)}, std::nullopt);
    std::vector<std::uint64_t> dtv{3, 0, 0, 0, 0x4000, 0, 0x6000, 0};
    const auto *bytes = reinterpret_cast<std::uint8_t *>(dtv.data());
    target->map(0x30000, {bytes, bytes + dtv.size() * sizeof dtv[0]});
    target->map(0x50000, {0x10, 0, 3, 0, 0, 0, 0, 0});
    EXPECT_EQ(space->symbol_address("sample_tls", std::nullopt, TargetAddr{0x50000}),
              TargetAddr{0x6000 + sizeof(long)});
    with_tls.tls_module_id = 4;  // beyond the vector's length
    space->set_modules({std::make_shared<Module>(with_tls)}, std::nullopt);
    EXPECT_FALSE(space->symbol_address("sample_tls", std::nullopt, TargetAddr{0x50000}));
    use(make_space(Layout{"riscv", std::endian::little, {1, 2, 4, 8, 8, 8}}));
    space->set_modules({std::make_shared<Module>(with_tls)}, std::nullopt);
    EXPECT_FALSE(space->symbol_address("sample_tls", std::nullopt, TargetAddr{0x50000}));
}

#ifdef __x86_64__

std::uint64_t own_thread_pointer() {
    std::uint64_t pointer = 0;
    asm("mov %%fs:0, %0" : "=r"(pointer));
    return pointer;
}

// The dynamic linker's own answer is the truth here.
TEST(ThreadLocal, FindsTheVariableOfARealThread) {
    void *library = dlopen(SAMPLE_FIRST, RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library, nullptr) << dlerror();
    link_map *map = nullptr;
    std::size_t module_id = 0;
    ASSERT_EQ(dlinfo(library, RTLD_DI_LINKMAP, &map), 0);
    ASSERT_EQ(dlinfo(library, RTLD_DI_TLS_MODID, &module_id), 0);
    AddressSpace space(std::make_shared<SelfTarget>(), Layout{}, 4096);
    auto own = *module(SAMPLE_FIRST, map->l_addr, SAMPLE_FIRST);
    own.tls_module_id = module_id;
    space.set_modules({std::make_shared<Module>(own)}, std::nullopt);
    const auto address_of = reinterpret_cast<void *(*)()>(dlsym(library, "sample_tls_address"));
    std::thread([&] {
        const TargetAddr pointer{own_thread_pointer()};
        EXPECT_FALSE(space.symbol_address("sample_tls", std::nullopt, pointer))
            << "the block is not allocated before its first use";
        const auto truth = reinterpret_cast<std::uint64_t>(address_of());
        space.cache().clear();
        EXPECT_EQ(space.symbol_address("sample_tls", std::nullopt, pointer), TargetAddr{truth});
        EXPECT_EQ(space.read_uint(TargetAddr{truth}, sizeof(long)), 9U);
    }).join();
    dlclose(library);
}

#endif

}  // namespace

}  // namespace gdb_ompd
