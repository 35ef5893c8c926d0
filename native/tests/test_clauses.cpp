// SPDX-License-Identifier: Apache-2.0
#include "stop/clauses.hpp"

#include <gtest/gtest.h>

#include <string_view>
#include <utility>
#include <vector>

namespace gdb_ompd {

namespace {

TEST(SizeClauses, AreThoseOfTheParallelConstruct) {
    const std::vector<std::pair<std::string_view, SizeClauses>> known{
        {"#pragma omp parallel", {}},
        {"", {}},
        {"#pragma omp parallel if(", {true, false}},
        {"#pragma omp parallel if (n > 3)", {true, false}},
        {"#pragma omp parallel for if(parallel: n > 3)", {true, false}},
        {"#pragma omp target parallel if(target: n)", {}},
        {"#pragma omp target parallel if(target: n) if (parallel : n)", {true, false}},
        {"#pragma omp parallel for simd if ( simd : a::b )", {}},
        {"#pragma omp parallel if(std::max(a, b) > 1)", {true, false}},
        {"#pragma omp parallel if(a ? b : c)", {true, false}},
        {"#pragma omp parallel num_threads(4)", {false, true, 4}},
        {"#pragma omp parallel num_threads ( 4 ) if(x)", {true, true, 4}},
        {"#pragma omp parallel num_threads(n / 2)", {false, true}},
        {"#pragma omp parallel shared(num_threads) firstprivate(f(if (1)))", {}},
        {"!$OMP PARALLEL DO IF(N .GT. 1) NUM_THREADS(2)", {true, true, 2}},
    };
    for (const auto &[text, clauses] : known) {
        EXPECT_EQ(size_clauses(text), clauses) << text;
    }
}

}  // namespace

TEST(SizeArguments, AreThoseOfTheParallelConstructInItsLetters) {
    const auto found = gdb_ompd::size_arguments(
        "!$OMP TARGET PARALLEL IF(target: A) If(Parallel: .not. (B > c)) NUM_THREADS (N)");
    EXPECT_EQ(found.condition, " .not. (B > c)");
    EXPECT_EQ(found.threads, "N");
    EXPECT_EQ(gdb_ompd::size_arguments("#pragma omp parallel if(a ? b : C)").condition,
              "a ? b : C");
}

}  // namespace gdb_ompd
