// SPDX-License-Identifier: Apache-2.0
// What OMPD promises a library that does as it says, and what LLVM's must do without.
#include "fixture.hpp"

#include <array>

namespace gdb_ompd {

namespace {

constexpr std::uint64_t record_address = 0x20000;
constexpr std::size_t record_size = 3000;

ompd_address_t at(std::uint64_t address) { return {ompd_segment_none, address}; }

// The fake library, as somebody else's than LLVM's.
class AsSpecified : public FakeProcess {
protected:
    AsSpecified() {
        const Environment described(fake_described_as, "an OMPD library");
        library = std::make_shared<Library>(FAKE_LIBOMPD);
        use(space);
        std::vector<std::uint8_t> record(record_size);
        for (std::size_t i = 0; i < record.size(); ++i) {
            record[i] = static_cast<std::uint8_t>(i % 251);
        }
        target->map(record_address, record);
    }
};

using ForLlvm = FakeProcess;

struct Record {
    std::array<std::uint8_t, record_size> bytes{};

    [[nodiscard]] bool is_whole() const {
        for (std::size_t i = 0; i < bytes.size(); ++i) {
            if (bytes[i] != i % 251) {
                return false;
            }
        }
        return true;
    }
};

// Reads a record into a variable of the library's, as "library code".
ompd_rc_t read_to_stack(const ompd_callbacks_t &callbacks, ompd_address_space_context_t *context) {
    Record record;
    const auto address = at(record_address);
    const ompd_rc_t code =
        callbacks.read_memory(context, nullptr, &address, sizeof record, &record);
    EXPECT_EQ(record.is_whole(), code == ompd_rc_ok);
    return code;
}

TEST_F(AsSpecified, ARecordIsReadWholeIntoAVariable) { EXPECT_EQ(run(read_to_stack), ompd_rc_ok); }

TEST_F(ForLlvm, NoMoreThanAScalarIsReadIntoAVariable) {
    EXPECT_EQ(run(read_to_stack), ompd_rc_bad_input);
}

TEST_F(AsSpecified, ARecordIsReadIntoStaticMemoryAndBlocks) {
    run([](const ompd_callbacks_t &callbacks, auto *context) {
        static Record record;
        const auto address = at(record_address);
        EXPECT_EQ(callbacks.read_memory(context, nullptr, &address, sizeof record, &record),
                  ompd_rc_ok);
        EXPECT_TRUE(record.is_whole());
        void *block = nullptr;
        EXPECT_EQ(callbacks.alloc_memory(record_size, &block), ompd_rc_ok);
        EXPECT_EQ(callbacks.read_memory(context, nullptr, &address, record_size, block),
                  ompd_rc_ok);
        EXPECT_EQ(std::memcmp(block, &record, record_size), 0);
        // A field in the midst of a block is the library's own affair, the block's size ours.
        auto *field = static_cast<std::byte *>(block) + 100;
        EXPECT_EQ(callbacks.read_memory(context, nullptr, &address, 200, field), ompd_rc_ok);
        EXPECT_EQ(callbacks.read_memory(context, nullptr, &address, record_size + 1, block),
                  ompd_rc_bad_input);
        EXPECT_EQ(callbacks.free_memory(block), ompd_rc_ok);
        return ompd_rc_ok;
    });
}

TEST_F(AsSpecified, NoReadGoesBeyondTheLibrarysPartOfTheStack) {
    target->map(0x100000, std::vector<std::uint8_t>(std::size_t{1} << 20));
    EXPECT_EQ(run([](const ompd_callbacks_t &callbacks, auto *context) {
                  std::uint64_t variable = 0;
                  const auto address = at(0x100000);
                  return callbacks.read_memory(context, nullptr, &address, std::size_t{1} << 20,
                                               &variable);
              }),
              ompd_rc_bad_input);
}

// What the library is to fill is in the debugger's own frames, and is a scalar.
ompd_word_t *to_be_filled = nullptr;

TEST_F(AsSpecified, NoMoreThanAScalarIsReadIntoWhatTheDebuggerHasOnItsStack) {
    ompd_word_t value = 0;
    to_be_filled = &value;
    run([](const ompd_callbacks_t &callbacks, auto *context) {
        const auto address = at(record_address);
        EXPECT_EQ(callbacks.read_memory(context, nullptr, &address, 16, to_be_filled),
                  ompd_rc_bad_input);
        EXPECT_EQ(callbacks.read_memory(context, nullptr, &address, 8, to_be_filled), ompd_rc_ok);
        return ompd_rc_ok;
    });
    EXPECT_NE(value, 0);
}

// Asks for what is not there and then for what is, in each way.
ompd_rc_t probe_and_go_on(const ompd_callbacks_t &callbacks,
                          ompd_address_space_context_t *context) {
    std::array<std::uint8_t, 64> buffer{};
    const auto nowhere = at(0x70000000);
    const auto address = at(record_address);
    EXPECT_EQ(callbacks.read_memory(context, nullptr, &nowhere, 64, buffer.data()), ompd_rc_error);
    EXPECT_EQ(callbacks.read_string(context, nullptr, &nowhere, 64, buffer.data()), ompd_rc_error);
    EXPECT_EQ(callbacks.write_memory(context, nullptr, &nowhere, 64, buffer.data()), ompd_rc_error);
    // The end of what is there is found as the end.
    const auto end = at(record_address + record_size - 4);
    EXPECT_EQ(callbacks.read_memory(context, nullptr, &end, 8, buffer.data()), ompd_rc_error);
    EXPECT_EQ(callbacks.read_memory(context, nullptr, &end, 4, buffer.data()), ompd_rc_ok);
    EXPECT_EQ(buffer[0], (record_size - 4) % 251);
    EXPECT_EQ(callbacks.read_memory(context, nullptr, &address, 8, buffer.data()), ompd_rc_ok);
    EXPECT_EQ(callbacks.write_memory(context, nullptr, &address, 8, buffer.data()), ompd_rc_ok);
    return ompd_rc_ok;
}

TEST_F(AsSpecified, MemoryThatCannotBeReadIsAnErrorToGoOnFrom) {
    EXPECT_EQ(run(probe_and_go_on), ompd_rc_ok);
    EXPECT_FALSE(library->retired());
}

TEST_F(AsSpecified, ItsOwnVerdictOnAFailedReadCounts) {
    target->map(fake_data_address, {});
    EXPECT_EQ(fake_icv(fake_masked_read), 88);
    EXPECT_EQ(code_of([&] { fake_icv(fake_interrupted_read); }), ompd_rc_error);
}

TEST_F(ForLlvm, AFailedReadEndsTheCall) {
    target->map(fake_data_address, {});
    EXPECT_THROW(fake_icv(fake_masked_read), MemoryUnreadable);
    EXPECT_THROW(run([](const ompd_callbacks_t &callbacks, auto *context) {
                     std::uint64_t word = 0;
                     const auto nowhere = at(0x70000000);
                     EXPECT_EQ(callbacks.read_memory(context, nullptr, &nowhere, 8, &word),
                               ompd_rc_error);
                     EXPECT_EQ(callbacks.read_memory(context, nullptr, &nowhere, 8, &word),
                               ompd_rc_callback_error);
                     return ompd_rc_ok;
                 }),
                 MemoryUnreadable);
}

TEST_F(AsSpecified, AnInterruptEndsTheCallAllTheSame) {
    target->interrupt = true;
    EXPECT_THROW(fake_icv(fake_interrupted_read), Interrupted);
    EXPECT_EQ(target->reads, 1);
}

TEST_F(AsSpecified, ASegmentIsRefused) {
    run([](const ompd_callbacks_t &callbacks, auto *context) {
        std::uint64_t word = 0;
        const ompd_address_t address{1, record_address};
        EXPECT_EQ(callbacks.read_memory(context, nullptr, &address, 8, &word), ompd_rc_bad_input);
        EXPECT_EQ(callbacks.read_string(context, nullptr, &address, 8, &word), ompd_rc_bad_input);
        EXPECT_EQ(callbacks.write_memory(context, nullptr, &address, 8, &word), ompd_rc_bad_input);
        EXPECT_EQ(word, 0U);
        return ompd_rc_ok;
    });
}

TEST_F(AsSpecified, AWholeBlockMayBeFilled) {
    constexpr std::size_t size = std::size_t{65} << 20;
    target->map(0x10000000, std::vector<std::uint8_t>(size, 7));
    run([](const ompd_callbacks_t &callbacks, auto *context) {
        void *block = nullptr;
        EXPECT_EQ(callbacks.alloc_memory(size, &block), ompd_rc_ok);
        const auto address = at(0x10000000);
        EXPECT_EQ(callbacks.read_memory(context, nullptr, &address, size, block), ompd_rc_ok);
        EXPECT_EQ(static_cast<std::uint8_t *>(block)[size - 1], 7);
        return callbacks.free_memory(block);
    });
}

// More callbacks than any call of LLVM's library makes.
ompd_rc_t ask_often(const ompd_callbacks_t &callbacks, ompd_address_space_context_t *context) {
    std::uint64_t word = 0;
    const auto address = at(fake_data_address);
    ompd_rc_t code = ompd_rc_ok;
    for (int i = 0; i <= Call::max_callbacks && code == ompd_rc_ok; ++i) {
        code = callbacks.read_memory(context, nullptr, &address, sizeof word, &word);
    }
    return code;
}

TEST_F(AsSpecified, AListOfAnyLengthMayBeWalked) { EXPECT_EQ(run(ask_often), ompd_rc_ok); }

TEST_F(ForLlvm, TheCallbacksOfACallAreCounted) { EXPECT_THROW(run(ask_often), LibraryFailure); }

TEST_F(AsSpecified, AVersionIsPrintedWhateverTheProgramHas) {
    EXPECT_EQ(process->omp_version_string(), "201811");
}

}  // namespace

}  // namespace gdb_ompd
