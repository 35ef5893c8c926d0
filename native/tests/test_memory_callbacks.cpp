// SPDX-License-Identifier: Apache-2.0
// The callbacks that move memory: alloc, free, read, write, read_string.
#include "fixture.hpp"

#include <array>
#include <cstddef>
#include <limits>

namespace gdb_ompd {

namespace {

using MemoryCallbacks = FakeProcess;

constexpr std::uint64_t base = 0x20000;

ompd_address_t at(std::uint64_t address) { return {ompd_segment_none, address}; }

TEST_F(MemoryCallbacks, AllocatesZeroedAlignedBlocks) {
    run([](const ompd_callbacks_t &callbacks, auto *) {
        for (const ompd_size_t size : {0, 1, 17, 4096}) {
            void *block = nullptr;
            EXPECT_EQ(callbacks.alloc_memory(size, &block), ompd_rc_ok);
            EXPECT_NE(block, nullptr);
            EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % alignof(std::max_align_t), 0U);
            const auto *bytes = static_cast<unsigned char *>(block);
            EXPECT_EQ(std::count(bytes, bytes + size, 0), static_cast<std::ptrdiff_t>(size));
            EXPECT_EQ(callbacks.free_memory(block), ompd_rc_ok);
        }
        return ompd_rc_ok;
    });
}

TEST_F(MemoryCallbacks, RefusesAbsurdAllocations) {
    run([](const ompd_callbacks_t &callbacks, auto *) {
        void *block = &block;
        EXPECT_EQ(callbacks.alloc_memory(140737488355327, &block), ompd_rc_nomem);
        EXPECT_EQ(block, nullptr);
        EXPECT_EQ(callbacks.alloc_memory(max_block_bytes + 1, &block), ompd_rc_nomem);
        EXPECT_EQ(callbacks.alloc_memory(8, nullptr), ompd_rc_bad_input);
        return ompd_rc_ok;
    });
}

TEST_F(MemoryCallbacks, SurvivesWrongReleases) {
    run([](const ompd_callbacks_t &callbacks, auto *) {
        void *block = nullptr;
        int ours = 0;
        EXPECT_EQ(callbacks.alloc_memory(8, &block), ompd_rc_ok);
        EXPECT_EQ(callbacks.free_memory(nullptr), ompd_rc_ok);
        EXPECT_EQ(callbacks.free_memory(&ours), ompd_rc_bad_input);
        EXPECT_EQ(callbacks.free_memory(block), ompd_rc_ok);
        EXPECT_EQ(callbacks.free_memory(block), ompd_rc_bad_input);
        return ompd_rc_ok;
    });
}

TEST_F(MemoryCallbacks, ReadsExactly) {
    target->map(base, {1, 2, 3, 4, 5, 6, 7, 8});
    run([](const ompd_callbacks_t &callbacks, auto *context) {
        std::array<std::uint8_t, 5> buffer{0, 0, 0, 0, 99};
        const auto address = at(base + 2);
        EXPECT_EQ(callbacks.read_memory(context, nullptr, &address, 4, buffer.data()), ompd_rc_ok);
        EXPECT_EQ(buffer, (std::array<std::uint8_t, 5>{3, 4, 5, 6, 99}));
        EXPECT_EQ(callbacks.read_memory(context, nullptr, &address, 0, nullptr), ompd_rc_ok);
        return ompd_rc_ok;
    });
}

TEST_F(MemoryCallbacks, RefusesBadReads) {
    run([](const ompd_callbacks_t &callbacks, auto *context) {
        std::uint64_t buffer = 0;
        const auto address = at(fake_data_address);
        for (const std::uint64_t low : {0, 8, 4088, 4095}) {
            const auto bad = at(low);
            EXPECT_EQ(callbacks.read_memory(context, nullptr, &bad, 8, &buffer), ompd_rc_error);
            EXPECT_EQ(callbacks.read_string(context, nullptr, &bad, 8, &buffer), ompd_rc_error);
            EXPECT_EQ(callbacks.write_memory(context, nullptr, &bad, 8, &buffer), ompd_rc_error);
        }
        const ompd_size_t absurd = max_block_bytes + 1;
        EXPECT_EQ(callbacks.read_memory(context, nullptr, &address, absurd, &buffer),
                  ompd_rc_error);
        EXPECT_EQ(callbacks.read_memory(context, nullptr, nullptr, 8, &buffer), ompd_rc_bad_input);
        EXPECT_EQ(callbacks.read_memory(context, nullptr, &address, 8, nullptr), ompd_rc_bad_input);
        EXPECT_EQ(callbacks.read_memory(nullptr, nullptr, &address, 8, &buffer), ompd_rc_bad_input);
        const auto last = at(std::numeric_limits<std::uint64_t>::max() - 3);
        EXPECT_EQ(callbacks.read_memory(context, nullptr, &last, 8, &buffer), ompd_rc_error);
        EXPECT_EQ(buffer, 0U);
        return ompd_rc_ok;
    });
    EXPECT_EQ(target->reads, 0);
}

TEST_F(MemoryCallbacks, TakesAShortReadForAnError) {
    target->short_reads = true;
    EXPECT_EQ(run([](const ompd_callbacks_t &callbacks, auto *context) {
                  std::uint64_t buffer = 0;
                  const auto address = at(fake_data_address);
                  return callbacks.read_memory(context, nullptr, &address, 8, &buffer);
              }),
              ompd_rc_error);
}

TEST_F(MemoryCallbacks, RefusesAForeignThreadContext) {
    run([](const ompd_callbacks_t &callbacks, auto *context) {
        ompd_thread_context_t foreign{};
        std::uint64_t buffer = 0;
        const auto address = at(fake_data_address);
        EXPECT_EQ(callbacks.read_memory(context, &foreign, &address, 8, &buffer),
                  ompd_rc_bad_input);
        return ompd_rc_ok;
    });
}

TEST_F(MemoryCallbacks, RefusesAContextWhoseAddressSpaceIsGone) {
    auto gone = make_space();
    ompd_address_space_context_t *context = gone->context();
    gone.reset();
    run([&](const ompd_callbacks_t &callbacks, auto *) {
        ompd_device_type_sizes_t sizes{};
        EXPECT_EQ(callbacks.sizeof_type(context, &sizes), ompd_rc_stale_handle);
        return ompd_rc_ok;
    });
}

TEST_F(MemoryCallbacks, ReadsStrings) {
    target->map_text(base, std::string("hello\0behind", 12));
    run([](const ompd_callbacks_t &callbacks, auto *context) {
        std::array<char, 16> buffer{};
        buffer.fill('#');
        const auto address = at(base);
        EXPECT_EQ(callbacks.read_string(context, nullptr, &address, 16, buffer.data()), ompd_rc_ok);
        EXPECT_STREQ(buffer.data(), "hello");
        buffer.fill('#');
        EXPECT_EQ(callbacks.read_string(context, nullptr, &address, 6, buffer.data()), ompd_rc_ok);
        EXPECT_STREQ(buffer.data(), "hello");
        buffer.fill('#');
        EXPECT_EQ(callbacks.read_string(context, nullptr, &address, 5, buffer.data()),
                  ompd_rc_incomplete);
        EXPECT_EQ(std::string(buffer.data(), 6), "hello#");
        EXPECT_EQ(callbacks.read_string(context, nullptr, &address, 0, buffer.data()),
                  ompd_rc_incomplete);
        return ompd_rc_ok;
    });
}

TEST_F(MemoryCallbacks, ReadsAStringThatEndsWithItsMapping) {
    const std::string text = std::string(200, 'x') + '\0';
    target->map_text(base, text);
    run([&](const ompd_callbacks_t &callbacks, auto *context) {
        std::array<char, 512> buffer{};
        const auto address = at(base);
        EXPECT_EQ(callbacks.read_string(context, nullptr, &address, 512, buffer.data()),
                  ompd_rc_ok);
        EXPECT_EQ(buffer.data(), std::string(200, 'x'));
        return ompd_rc_ok;
    });
}

TEST_F(MemoryCallbacks, AStringThatLeavesItsMappingIsTheTargetsError) {
    target->map_text(base, "no end");
    EXPECT_THROW(run([](const ompd_callbacks_t &callbacks, auto *context) {
                     std::array<char, 64> buffer{};
                     const auto address = at(base);
                     return callbacks.read_string(context, nullptr, &address, 64, buffer.data());
                 }),
                 MemoryUnreadable);
}

TEST_F(MemoryCallbacks, WritesTargetAndCache) {
    run([&](const ompd_callbacks_t &callbacks, auto *context) {
        const std::uint32_t value = 0xcafe;
        std::uint32_t back = 0;
        const auto address = at(fake_data_address + 8);
        EXPECT_EQ(callbacks.read_memory(context, nullptr, &address, 4, &back), ompd_rc_ok);
        EXPECT_EQ(callbacks.write_memory(context, nullptr, &address, 4, &value), ompd_rc_ok);
        EXPECT_EQ(callbacks.read_memory(context, nullptr, &address, 4, &back), ompd_rc_ok);
        EXPECT_EQ(back, 0xcafeU);
        return ompd_rc_ok;
    });
    space->cache().clear();
    EXPECT_EQ(space->read_uint(TargetAddr{fake_data_address + 8}, 4), 0xcafeU);
}

TEST_F(MemoryCallbacks, AFailedWriteLeavesNothingBehind) {
    EXPECT_THROW(run([](const ompd_callbacks_t &callbacks, auto *context) {
                     const std::uint64_t value = 1;
                     const auto address = at(base);
                     return callbacks.write_memory(context, nullptr, &address, 8, &value);
                 }),
                 MemoryUnreadable);
    EXPECT_EQ(space->cache().line_count(), 0U);
}

}  // namespace

}  // namespace gdb_ompd
