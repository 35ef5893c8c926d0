// SPDX-License-Identifier: Apache-2.0
// Loading an OMPD library, and keeping what it prints.
#include "fixture.hpp"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <unistd.h>
#include <utility>

namespace gdb_ompd {

namespace {

using LoadedLibrary = FakeProcess;

TEST_F(LoadedLibrary, SaysWhatItIs) {
    EXPECT_EQ(library->api_version(), 201811);
    EXPECT_EQ(library->version_string(), "LLVM OpenMP, but a fake");
    EXPECT_EQ(library->path(), FAKE_LIBOMPD);
}

TEST_F(LoadedLibrary, InstancesShareNothing) {
    const auto other_library = std::make_shared<Library>(FAKE_LIBOMPD);
    const auto other = Process::initialize(other_library, space);
    EXPECT_EQ(fake_icv(fake_count), 1);
    EXPECT_EQ(fake_icv(fake_count), 2);
    EXPECT_EQ(other->icv(fake_count, ompd_scope_address_space), 1);
}

TEST_F(LoadedLibrary, AnInstanceAfterAnotherIsFreshToo) {
    for (int i = 0; i < 3; ++i) {
        const auto next = std::make_shared<Library>(FAKE_LIBOMPD);
        EXPECT_EQ(Process::initialize(next, space)->icv(fake_count, ompd_scope_address_space), 1);
    }
}

// What the fake was initialised with where it says that it speaks SPOKEN and takes
// TAKEN; 0 where they do not agree.
ompd_word_t agreed(const char *spoken, const char *taken) {
    const Environment speaks(fake_speaks, spoken);
    const Environment takes(fake_takes, taken);
    std::optional<Library> library;
    if (const ompd_rc_t code = code_of([&] { library.emplace(FAKE_LIBOMPD); })) {
        EXPECT_EQ(code, ompd_rc_unsupported);
        return 0;
    }
    const auto with = reinterpret_cast<ompd_word_t (*)()>(library->symbol("fake_initialized_with"));
    EXPECT_EQ(with(), library->agreed_version());
    return library->agreed_version();
}

TEST_F(LoadedLibrary, SpeaksTheNewestVersionThatBothKnow) {
    EXPECT_EQ(agreed("201811", "201811"), 201811);
    EXPECT_EQ(agreed("202011", "202011"), 202011);
    EXPECT_EQ(agreed("202111", "202111"), 202111);
    // A newer library takes an older version, and which of them is its affair.
    EXPECT_EQ(agreed("202411", "202111"), 202111);
    EXPECT_EQ(agreed("202411", "201811"), 201811);
    EXPECT_EQ(agreed("202411", "202411"), 202411);
    EXPECT_EQ(agreed("202611", "202411"), 202411);
    EXPECT_EQ(agreed("202611", "202611"), 0);
    EXPECT_EQ(agreed("201511", "201511"), 0);
    EXPECT_EQ(agreed("-1", "202011"), 202011);
}

TEST_F(LoadedLibrary, IsFinalizedOnce) {
    library->finalize();
    EXPECT_EQ(code_of([&] { library->finalize(); }), ompd_rc_unsupported);
}

TEST_F(LoadedLibrary, IsFinalizedAtItsEnd) {
    int count = 0;
    const auto tell = [&](const Library &whose) {
        reinterpret_cast<void (*)(int *)>(whose.symbol("fake_tell_finalized"))(&count);
    };
    { tell(Library(FAKE_LIBOMPD)); }
    EXPECT_EQ(count, 1);
    tell(*library);
    library->finalize();
    process.reset();
    library.reset();
    EXPECT_EQ(count, 2);  // not again
}

// Why PATH is not taken for an OMPD library; ERROR is what must say so.
template <class Error> std::string refusal(const std::string &path) {
    try {
        const Library library(path);
    } catch (const Error &error) {
        return error.what();
    }
    return "";
}

TEST_F(LoadedLibrary, SaysWhyAFileCannotBeLoaded) {
    try {
        const Library absent("/nonexistent/libompd.so");
        FAIL() << "an absent file was loaded";
    } catch (const FileError &error) {
        EXPECT_EQ(error.error_number(), ENOENT);
        EXPECT_EQ(error.path(), "/nonexistent/libompd.so");
    }
    try {
        const Library program("/proc/self/exe");
        FAIL() << "a program was loaded";
    } catch (const LoadError &error) {
        EXPECT_EQ(std::string(error.what()).find("/proc/self/fd"), std::string::npos)
            << error.what();
    }
}

TEST_F(LoadedLibrary, RefusesFilesThatWouldCrashTheDynamicLinker) {
    const std::string path = ::testing::TempDir() + "damaged-" + std::to_string(::getpid()) + ".so";
    std::ofstream(path) << "this is no library";
    EXPECT_EQ(refusal<LoadError>(path), path + ": not an ELF file");
    const auto overwrite = std::filesystem::copy_options::overwrite_existing;
    std::filesystem::copy_file(FAKE_LIBOMPD, path, overwrite);
    std::filesystem::resize_file(path, 5000);  // in the midst of the code
    EXPECT_NE(refusal<LoadError>(path).find("damaged"), std::string::npos);
    std::filesystem::remove(path);
}

TEST_F(LoadedLibrary, TellsWhatIsNoOmpdLibraryFromAnIncompleteOne) {
    EXPECT_EQ(refusal<std::invalid_argument>(SAMPLE_FIRST),
              std::string(SAMPLE_FIRST) + ": not an OMPD library");
    const std::string incomplete = refusal<std::invalid_argument>(INCOMPLETE);
    EXPECT_NE(incomplete.find("ompd_get_task_frame"), std::string::npos) << incomplete;
    EXPECT_EQ(incomplete.find("ompd_finalize"), std::string::npos) << incomplete;
}

TEST_F(LoadedLibrary, FindsTheLibraryBesideItThatItNeeds) {
    Library needy(FAKE_NEEDY);
    EXPECT_EQ(needy.version_string(), "LLVM OpenMP, but a fake");
}

TEST_F(LoadedLibrary, CatchesWhatIsPrinted) {
    std::ostringstream outer;
    std::streambuf *before = std::cout.rdbuf(outer.rdbuf());
    std::FILE *const file_before = stdout;
    fake_icv(fake_print);
    std::cout << "ours";
    EXPECT_EQ(stdout, file_before);
    std::cout.rdbuf(before);
    EXPECT_EQ(outer.str(), "ours");
    EXPECT_EQ(library->take_output(), "from cout 1\nfrom printf 2\nfrom puts\n");
    EXPECT_EQ(library->take_output(), "");
}

TEST_F(LoadedLibrary, CallbacksPrintWhereTheyLike) {
    std::ostringstream outer;
    std::streambuf *before = std::cout.rdbuf(outer.rdbuf());
    struct Talkative : MemoryTarget {
        void print_string(std::string_view text, int) override { std::cout << text; }
    };
    use(std::make_shared<AddressSpace>(std::make_shared<Talkative>(), Layout{}, 4096));
    run([](const ompd_callbacks_t &callbacks, auto *) {
        std::cout << "caught";
        EXPECT_EQ(callbacks.print_string("shown", 0), ompd_rc_ok);
        std::cout << "caught again";
        return ompd_rc_ok;
    });
    std::cout.rdbuf(before);
    EXPECT_EQ(outer.str(), "shown");
    EXPECT_EQ(library->take_output(), "caughtcaught again");
}

TEST_F(LoadedLibrary, KeepsALimitedAmount) {
    run([](const ompd_callbacks_t &, auto *) {
        const std::string line(1000, 'x');
        for (int i = 0; i < 2000; ++i) {
            std::cout << line;
        }
        std::cout << 'y';
        return ompd_rc_ok;
    });
    EXPECT_EQ(library->take_output().size(), OutputTrap::max_text);
}

// A target whose read asks a library, as a debugger's event handler might.
TEST_F(LoadedLibrary, MayBeCalledFromWithinACallback) {
    struct Nested : MemoryTarget {
        bool read_memory(TargetAddr address, std::span<std::byte> out) override {
            if (!std::exchange(asked, true)) {  // after the exception it is retired
                EXPECT_EQ(inner->icv(fake_print, ompd_scope_address_space), 0);
                EXPECT_THROW(static_cast<void>(inner->icv(fake_throw, ompd_scope_address_space)),
                             LibraryFailure);
            }
            return MemoryTarget::read_memory(address, out);
        }
        Process *inner = nullptr;
        bool asked = false;
    };
    const auto nested = std::make_shared<Nested>();
    nested->map(fake_data_address, std::vector<std::uint8_t>(64));
    nested->inner = process.get();
    const auto outer_library = std::make_shared<Library>(FAKE_LIBOMPD);
    const auto outer =
        Process::initialize(outer_library, std::make_shared<AddressSpace>(nested, Layout{}, 4096));
    EXPECT_EQ(outer->icv(fake_interrupted_read, ompd_scope_address_space), 0);
    EXPECT_EQ(outer_library->take_output(), "");
    EXPECT_NE(library->take_output().find("from puts"), std::string::npos);
}

TEST(Errors, HaveNamesAndWords) {
    EXPECT_EQ(code_name(ompd_rc_stale_handle), "ompd_rc_stale_handle");
    EXPECT_EQ(code_name(static_cast<ompd_rc_t>(77)), "ompd_rc_77");
    EXPECT_EQ(error_string(static_cast<ompd_rc_t>(77)), "unknown error code 77");
    EXPECT_EQ(std::string(OmpdError("ompd_get_state", ompd_rc_nomem).what()),
              "ompd_get_state: out of memory (ompd_rc_nomem)");
}

}  // namespace

}  // namespace gdb_ompd
