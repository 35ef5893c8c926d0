// SPDX-License-Identifier: Apache-2.0
// Who can change what is at a path, what GDB's auto-load safe-path allows, and which libraries are
// found.
#include "ompd/library_search.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace gdb_ompd {

namespace {

namespace fs = std::filesystem;
using fs::perms;

constexpr uid_t other = 54321;

Hands own() {
    Hands hands = Hands::of_user();
    hands.may_write = [](gid_t) { return false; };
    return hands;
}

class TrustedFiles : public ::testing::Test {
protected:
    void SetUp() override {
        fs::create_directories(folder);
        fs::permissions(folder, perms(0755));
    }
    void TearDown() override { fs::remove_all(folder); }

    [[nodiscard]] std::string made(const std::string &name) const {
        std::ofstream(folder / name) << "text";
        fs::permissions(folder / name, perms(0644));
        return folder / name;
    }
    [[nodiscard]] std::string changeable(const fs::path &path = {}) const {
        return "others can write to " + (path.empty() ? folder : path).string();
    }

    // Where nobody but root and the user can put anything, on the way from the root on.
    const fs::path folder = fs::path(::testing::TempDir()) /
                            ::testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST_F(TrustedFiles, OnesOwnAndTheSystems) {
    EXPECT_EQ(others_hand(made("file"), own()), std::nullopt);
    EXPECT_EQ(others_hand("/usr/lib", own()), std::nullopt);
}

TEST_F(TrustedFiles, WhatDoesNotExistIsItsFoldersMatter) {
    EXPECT_EQ(others_hand(folder / "not" / "there", own()), std::nullopt);
    fs::permissions(folder, perms(0777));
    EXPECT_EQ(others_hand(folder / "not" / "there", own()), changeable());
}

TEST_F(TrustedFiles, AStickyFolderProtectsWhatIsInIt) {
    const std::string file = made("file");
    fs::permissions(folder, perms(01777));
    EXPECT_EQ(others_hand(file, own()), std::nullopt);
    fs::permissions(file, perms(0666));
    EXPECT_EQ(others_hand(file, own()), changeable(file));
}

TEST_F(TrustedFiles, AnotherUsers) {
    Hands hands = own();
    hands.users = {other};
    const auto said = others_hand(folder / "file", hands);
    ASSERT_TRUE(said);
    EXPECT_TRUE(said->ends_with("belongs to another user")) << *said;
}

TEST_F(TrustedFiles, AGroupCountsUnlessItIsTheUsersAlone) {
    fs::permissions(folder, perms(0775));
    if (geteuid() == 0) {  // whose group is always trusted
        ASSERT_EQ(chown(folder.c_str(), 0, other), 0);
    }
    Hands hands = own();
    EXPECT_EQ(others_hand(folder, hands), changeable());
    hands.may_write = [](gid_t) { return true; };
    EXPECT_EQ(others_hand(folder, hands), std::nullopt);
    if (geteuid() == 0) {  // nobody knows that group
        EXPECT_EQ(others_hand(folder, Hands::of_user()), changeable());
    }
    EXPECT_TRUE(is_users_alone("ann", {}, "ann"));
    EXPECT_TRUE(is_users_alone("ann", {"ann"}, "ann"));
    EXPECT_FALSE(is_users_alone("ann", {"ann", "bob"}, "ann"));
    EXPECT_FALSE(is_users_alone("all", {}, "ann"));
}

TEST_F(TrustedFiles, TheWayThroughLinksCounts) {
    const fs::path shared = folder / "shared";
    fs::create_directory(shared);
    const std::string real = made("real");
    fs::create_symlink("../real", shared / "second");
    fs::create_symlink(shared / "second", folder / "first");
    EXPECT_EQ(others_hand(folder / "first", own()), std::nullopt);
    fs::permissions(shared, perms(0777));
    EXPECT_EQ(real_path(folder / "first"), real);
    EXPECT_EQ(others_hand(folder / "first", own()), changeable(shared));
}

TEST_F(TrustedFiles, LinksInACircleComeToAnEnd) {
    fs::create_symlink("two", folder / "one");
    fs::create_symlink("one", folder / "two");
    EXPECT_EQ(others_hand(folder / "one", own()), std::nullopt);
}

TEST_F(TrustedFiles, TheSafePathIsTheUsersLastWord) {
    const std::string path = made("libompd.so");
    fs::permissions(folder, perms(0777));
    Trust trust{.name = folder / "libomp.so", .installed = "/nowhere"};
    EXPECT_EQ(trust.objection(path, FoundBy::runtime), changeable());
    trust.foreign = {folder};
    trust.safe_path = {folder};
    EXPECT_EQ(trust.objection(path, FoundBy::runtime), std::nullopt);
    trust.safe_path = {};
    trust.installed = folder;
    EXPECT_EQ(trust.objection(path, FoundBy::memory), std::nullopt);
}

TEST_F(TrustedFiles, TheProgramsWordCountsAsItIsSaid) {  // $ORIGIN/../lib
    const std::string path = folder / "libompd.so";
    Trust trust{.foreign = {folder / "app"},
                .name = folder / "app" / ".." / "libomp.so",
                .installed = "/nowhere"};
    EXPECT_EQ(trust.objection(path, FoundBy::runtime), "it came with the program");
    trust.foreign = {folder / "ap"};
    EXPECT_EQ(trust.objection(path, FoundBy::runtime), std::nullopt);
    EXPECT_EQ(trust.objection(path, FoundBy::memory), "only the program's memory says where it is");
    trust.name = "lib/libomp.so";
    EXPECT_EQ(trust.objection(path, FoundBy::runtime),
              "the program names its place by a relative path");
}

TEST_F(TrustedFiles, WhatIsInTheSystemsFoldersIsTrustedWhileOnlyRootCanChangeIt) {
    const std::string path = folder / "libompd.so";
    const Trust trust{.name = folder / "libomp.so",
                      .unconfirmed = "only a core file says it",
                      .installed = "/nowhere",
                      .system = {folder}};
    if (geteuid() == 0) {
        EXPECT_EQ(trust.objection(path, FoundBy::runtime), std::nullopt);
        ASSERT_EQ(chown(folder.c_str(), other, other), 0);
    }
    for (const FoundBy found : {FoundBy::runtime, FoundBy::memory, FoundBy::system}) {
        const auto said = trust.objection(path, found);
        ASSERT_TRUE(said);
        EXPECT_TRUE(said->ends_with("does not belong to root")) << *said;
    }
}

TEST(SafePath, HasPatternsForAllThatIsBelow) {
    const auto is_safe = [](const char *pattern) {
        return is_in_safe_path("/opt/llvm/lib/libompd.so", {"/elsewhere", pattern});
    };
    for (const char *pattern :
         {"/opt/llvm", "/opt/llvm/", "/opt/llvm/lib/libompd.so", "/", "/opt/*/lib"}) {
        EXPECT_TRUE(is_safe(pattern)) << pattern;
    }
    for (const char *pattern : {"/opt/ll", "/opt/*/libompd.so", "/opt/llvm/lib/libompd.so/more"}) {
        EXPECT_FALSE(is_safe(pattern)) << pattern;  // a wildcard is no "/"
    }
}

TEST(KernelsWord, ConfirmsWhatAProcessOfTheUsersExecutes) {
    EXPECT_EQ(why_unconfirmed(getpid(), real_path("/proc/self/exe")), std::nullopt);
    for (const char *path : {"/etc/passwd", "/nonexistent/libomp.so"}) {
        EXPECT_EQ(why_unconfirmed(getpid(), path),
                  "the program does not execute the runtime beside it");
    }
    const auto unsaid = why_unconfirmed(1 << 30, "/etc/passwd");
    ASSERT_TRUE(unsaid);
    EXPECT_NE(unsaid->find("does not say"), std::string::npos) << *unsaid;
}

TEST_F(TrustedFiles, LibrariesAreFoundInTheirOrder) {
    for (const char *name : {"run", "llvm-9", "llvm-14"}) {
        fs::create_directory(folder / name);
        fs::permissions(folder / name, perms(0755));
        fs::copy_file(SAMPLE_FIRST, folder / name / "libompd.so");
    }
    const auto path = [&](const char *name) { return (folder / name / "libompd.so").string(); };
    const Trust trust{.safe_path = {folder}, .installed = "/nowhere"};
    const std::vector<std::string> places = {folder / "llvm-*"};
    const Candidates found = find_libraries(folder / "run" / "libomp.so", {}, trust, places);
    const std::vector<std::string> all = {path("run"), path("llvm-14"), path("llvm-9")};
    EXPECT_EQ(found.paths, all);
    const Candidates named = find_libraries(std::nullopt, {path("llvm-9")}, trust, places);
    EXPECT_EQ(named.paths, (std::vector<std::string>{path("llvm-9"), path("llvm-14")}));
    Trust none = trust;
    none.safe_path = {};
    none.unconfirmed = "nobody says so";
    const Candidates refused = find_libraries(folder / "run" / "libomp.so", {}, none, {});
    ASSERT_EQ(refused.refused.size(), 1U);
    EXPECT_TRUE(refused.paths.empty());
    EXPECT_EQ(refused.refused[0].why, "nobody says so");
}

}  // namespace

}  // namespace gdb_ompd
