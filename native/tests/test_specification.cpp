// SPDX-License-Identifier: Apache-2.0
#include "base/specification.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace gdb_ompd::specification {

namespace {

TEST(Specification, NamesAreInTheVersionsThatHaveThem) {
    const auto named = [](std::string_view name) {
        return *std::ranges::find(icvs(), name, &Icv::name);
    };
    EXPECT_TRUE(named("implicit-task-var").is_in(openmp_5_1));
    EXPECT_FALSE(named("implicit-task-var").is_in(openmp_5_2));
    EXPECT_FALSE(named("explicit-task-var").is_in(openmp_5_1));
    EXPECT_TRUE(named("explicit-task-var").is_in(openmp_6_0));
    EXPECT_EQ(scope(ompd_scope_teams)->words, "teams");
    EXPECT_EQ(scope(static_cast<ompd_scope_t>(9)), nullptr);
}

TEST(Specification, AnAliasIsTheIcv) {
    EXPECT_EQ(icv_name("ompd-final-var"), "final-task-var");
    EXPECT_EQ(icv_name("ompd-final-task-var"), "final-task-var");  // LLVM's own
    EXPECT_EQ(icv_name("levels-var"), "levels-var");
}

TEST(Specification, ValuesAreInWords) {
    EXPECT_EQ(icv_in_words("dyn-var", 1, std::nullopt), "true");
    EXPECT_EQ(icv_in_words("ompd-implicit-var", 0, std::nullopt), "false");
    EXPECT_EQ(icv_in_words("tool-var", 0, std::nullopt), "disabled");
    EXPECT_EQ(icv_in_words("stacksize-var", 4194304, std::nullopt), "4 MiB");
    EXPECT_EQ(icv_in_words("stacksize-var", 1000, std::nullopt), "1000 bytes");
    EXPECT_EQ(icv_in_words("bind-var", 3, "3,4"), "close,spread");
    EXPECT_EQ(icv_in_words("bind-var", 9, std::nullopt), "9 (unknown)");
    EXPECT_EQ(icv_in_words("nthreads-var", 3, "3,x"), "3,x");
    EXPECT_EQ(icv_in_words("nthreads-var", 3, ""), "");
    EXPECT_EQ(icv_in_words("team-generator-var", 2, std::nullopt), "teams");
    EXPECT_EQ(icv_in_words("run-sched-var", std::nullopt, "static,0"), "static");
    EXPECT_EQ(icv_in_words("a-vendors-var", 7, std::nullopt), "7");
    EXPECT_EQ(icv_in_words("a-vendors-var", std::nullopt, std::nullopt), "");
}

}  // namespace

}  // namespace gdb_ompd::specification
