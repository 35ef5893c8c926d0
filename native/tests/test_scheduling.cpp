// SPDX-License-Identifier: Apache-2.0
#include "base/scheduling.hpp"

#include <gtest/gtest.h>

namespace {

using gdb_ompd::groups_with_quota;
using Folders = std::vector<std::string>;

// Other controllers' groups have the same names as the cpu controller's, which need not be around
// the process.
TEST(ControlGroups, AreThoseOfTheCpuControllerAlone) {
    EXPECT_EQ(groups_with_quota("9:cpuset:/job\n5:cpuacct:/job\n4:memory:/a\n1:cpu:/\n"),
              (Folders{"/sys/fs/cgroup/cpu/", "/sys/fs/cgroup/cpu,cpuacct/"}));
}

TEST(ControlGroups, AreWithThoseAround) {
    EXPECT_EQ(groups_with_quota("0::/a/b\n"),
              (Folders{"/sys/fs/cgroup/a/b", "/sys/fs/cgroup/a", "/sys/fs/cgroup/"}));
    EXPECT_EQ(groups_with_quota("2:cpu,cpuacct:/a\n"),
              (Folders{"/sys/fs/cgroup/cpu/a", "/sys/fs/cgroup/cpu,cpuacct/a",
                       "/sys/fs/cgroup/cpu/", "/sys/fs/cgroup/cpu,cpuacct/"}));
}

TEST(ControlGroups, AreNoneWhereTheFileIsNotThereOrDamaged) {
    EXPECT_EQ(groups_with_quota(""), Folders());
    EXPECT_EQ(groups_with_quota("1\n2:cpu\n3:cpu:\n"), Folders());
}

}  // namespace
