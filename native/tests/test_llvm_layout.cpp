// SPDX-License-Identifier: Apache-2.0
// A layout that cannot be one is refused before anything is read by it.
#include "base/errors.hpp"
#include "known_layouts.hpp"
#include "runtimes/llvm/layout.hpp"

#include <gtest/gtest.h>

#include <string>

namespace gdb_ompd::llvm {
namespace {

Layout::Values published() {
    const auto &known = recovery::newest_layout;
    return {known.begin(), known.end()};
}

std::string refusal_of(const std::string &name, std::uint64_t value) {
    Layout::Values values = published();
    values.at(name) = value;
    try {
        const Layout layout(std::move(values));
    } catch (const Inconsistent &refusal) {
        return refusal.what();
    }
    return "";
}

TEST(LlvmLayout, GivesWhatIsPublished) {
    const Layout layout(published());
    const FieldPlace team = layout.field("kmp_base_info_t", "th_team");
    EXPECT_EQ(team.offset, 64U);
    EXPECT_EQ(team.size, 8U);
    EXPECT_EQ(layout.access("kmp_base_team_t", "t_nproc"), 524U);
    EXPECT_EQ(layout.size_of("kmp_taskdata_t"), published().at("ompd_sizeof__kmp_taskdata_t"));
    EXPECT_EQ(layout.bit("tasktype"), 1U << 16U);
    EXPECT_THROW(static_cast<void>(layout.field("kmp_base_info_t", "nothing")),
                 std::invalid_argument);
    EXPECT_THROW(static_cast<void>(layout.bit("nothing")), std::invalid_argument);
}

TEST(LlvmLayout, TakesEveryKnownRelease) {
    for (std::size_t release = 0; release < recovery::releases.size(); ++release) {
        const auto known = recovery::layout_of(release);
        EXPECT_NO_THROW(Layout(Layout::Values(known.begin(), known.end())))
            << recovery::releases.at(release);
    }
}

TEST(LlvmLayout, RefusesWhatNoFieldCanBe) {
    const std::pair<const char *, std::uint64_t> impossible[] = {
        {"ompd_sizeof__kmp_base_info_t__th_team", 3},
        {"ompd_sizeof__kmp_base_info_t__th_team", 16},
        {"ompd_access__kmp_base_info_t__th_team", 1U << 16U},
        {"ompd_access__kmp_base_info_t__th_team", ~std::uint64_t{0}},
        {"ompd_sizeof__kmp_info_t", 1U << 16U},
        {"ompd_sizeof____kmp_gtid", 0},
        {"ompd_bitfield__kmp_tasking_flags_t__final", 3},
        {"ompd_bitfield__kmp_tasking_flags_t__final", 0},
        {"ompd_bitfield__kmp_tasking_flags_t__final", std::uint64_t{1} << 32U},
    };
    for (const auto &[name, value] : impossible) {
        EXPECT_NE(refusal_of(name, value).find(std::string(name) + " is " + std::to_string(value)),
                  std::string::npos)
            << name << ": " << refusal_of(name, value);
    }
}

TEST(LlvmLayout, RefusesFieldsThatAreFarFromEachOther) {
    for (const char *name :
         {"ompd_access__kmp_base_info_t__th_team", "ompd_access__kmp_desc_base_t__ds_tid",
          "ompd_access__ompt_thread_info_t__state"}) {
        EXPECT_NE(refusal_of(name, 60'000).find("bytes apart"), std::string::npos) << name;
    }
}

TEST(LlvmLayout, RefusesATableWithAHole) {
    for (const auto &[name, value] : published()) {
        Layout::Values values = published();
        values.erase(name);
        EXPECT_THROW(Layout(std::move(values)), Inconsistent) << name;
    }
}

}  // namespace
}  // namespace gdb_ompd::llvm
