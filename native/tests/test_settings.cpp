// SPDX-License-Identifier: Apache-2.0
#include "runtimes/settings.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string_view>
#include <utility>

namespace gdb_ompd {

namespace {

using Variable = std::pair<std::string_view, std::string_view>;

TEST(Settings, WhatSomeRuntimeTakesIsNotRejected) {
    constexpr std::array<Variable, 15> taken{{{"OMP_PLACES", "threads"},
                                              {"OMP_PLACES", " Cores(2) "},
                                              {"OMP_PLACES", "{0},{1:2}"},
                                              {"OMP_PLACES", "{0:4}:4:-4"},
                                              {"OMP_PLACES", "0,1"},
                                              {"OMP_PLACES", "cores:intel_core"},
                                              {"OMP_PLACES", "!{0}"},
                                              {"OMP_SCHEDULE", "dynamic"},
                                              {"OMP_SCHEDULE", "STATIC , 4"},
                                              {"OMP_SCHEDULE", "monotonic:guided,-3"},
                                              {"OMP_STACKSIZE", "8M"},
                                              {"OMP_STACKSIZE", " 64 k "},
                                              {"OMP_STACKSIZE", "1000"},
                                              {"OMP_STACKSIZE", "8MB"},
                                              {"OMP_NUM_THREADS", "3,"}}};
    for (const auto &[variable, value] : taken) {
        EXPECT_FALSE(is_rejected(variable, value)) << variable << "=" << value;
    }
}

TEST(Settings, WhatNoRuntimeTakesIsRejected) {
    constexpr std::array<Variable, 15> rejected{{{"OMP_PLACES", "core"},
                                                 {"OMP_PLACES", ""},
                                                 {"OMP_PLACES", "{0},{1"},
                                                 {"OMP_PLACES", "0}"},
                                                 {"OMP_PLACES", "cores(2"},
                                                 {"OMP_PLACES", "{a}"},
                                                 {"OMP_SCHEDULE", "dynamik"},
                                                 {"OMP_SCHEDULE", "dynamic,"},
                                                 {"OMP_SCHEDULE", "dynamic,x"},
                                                 {"OMP_SCHEDULE", "mono:static"},
                                                 {"OMP_STACKSIZE", "8X"},
                                                 {"OMP_STACKSIZE", "-3"},
                                                 {"OMP_STACKSIZE", ""},
                                                 {"OMP_STACKSIZE", "M"},
                                                 {"OMP_NUM_THREADS", ",3"}}};
    for (const auto &[variable, value] : rejected) {
        EXPECT_TRUE(is_rejected(variable, value)) << variable << "=" << value;
    }
}

}  // namespace

}  // namespace gdb_ompd
