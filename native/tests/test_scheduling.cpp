// SPDX-License-Identifier: Apache-2.0
#include "base/scheduling.hpp"

#include <gtest/gtest.h>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace {

using gdb_ompd::cpu_quota;
using gdb_ompd::groups_with_quota;
using gdb_ompd::shared_cpus;
using gdb_ompd::TextOf;
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

// The files of a machine whose control groups are of version 2, with a process 7 of three threads,
// of which two may run on CPU 0 only.
using Files = std::map<std::string, std::string>;
Files files() {
    const std::string bound = "TracerPid:\t3\nCpus_allowed_list:\t0\n";
    return {{"/proc/7/cgroup", "0::/job/step\n"},
            {"/sys/fs/cgroup/job/cpu.max", "150000 100000\n"},
            {"/sys/fs/cgroup/job/step/cpu.max", "max 100000\n"},
            {"/proc/7/stat", "7 (a) b) t 3 7 7"},
            {"/proc/3/status", "Name:\tgdbserver\nCpus_allowed_list:\t0-3\n"},
            {"/proc/7/task/7/status", "Name:\ta\n" + bound},
            {"/proc/7/task/8/status", "Name:\ta\n" + bound},
            {"/proc/7/task/7/syscall", "running\n"},
            {"/proc/7/task/8/syscall", "202 0x1"}};
}

TextOf reading(const Files &all) {
    return [&all](const std::string &path) {
        const auto found = all.find(path);
        return found == all.end() ? std::string() : found->second;
    };
}

TEST(Quota, IsTheLeastOfTheGroupsAround) {
    Files all = files();
    EXPECT_EQ(cpu_quota(7, reading(all)), 1.5);
    all["/sys/fs/cgroup/job/step/cpu.max"] = "50000 100000\n";
    EXPECT_EQ(cpu_quota(7, reading(all)), 0.5);
    for (const char *none : {"max 100000\n", "", "many", "50000 0\n", "50000"}) {
        all["/sys/fs/cgroup/job/cpu.max"] = all["/sys/fs/cgroup/job/step/cpu.max"] = none;
        EXPECT_EQ(cpu_quota(7, reading(all)), std::nullopt) << none;
    }
}

TEST(SharedCpus, AreReadOfAnotherMachinesFiles) {
    const Files all = files();
    const TextOf text = reading(all);
    const auto found = shared_cpus(7, {{1, 7}, {2, 8}, {3, 9}}, &text);  // one is gone
    ASSERT_TRUE(found);
    const std::vector<int> alone{0};
    EXPECT_EQ(found->masks,
              (std::vector<std::pair<int, std::vector<int>>>{{1, alone}, {2, alone}}));
    EXPECT_EQ(found->on_cpu, std::vector<int>{1});
    EXPECT_EQ(found->quota, 150);
    EXPECT_EQ(found->of_parent, (std::vector<int>{0, 1, 2, 3}));
    EXPECT_EQ(found->cores.size(), 4U);
}

TEST(SharedCpus, AreNoneOfAProcessThatNobodyTracesOrThatHasEnough) {
    Files all = files();
    const TextOf text = reading(all);
    all["/proc/7/task/7/status"] = "TracerPid:\t0\nCpus_allowed_list:\t0\n";
    EXPECT_FALSE(shared_cpus(7, {{1, 7}, {2, 8}}, &text));
    all["/proc/7/cgroup"] = "";
    all["/proc/7/task/7/status"] = "\nTracerPid:\t3\nCpus_allowed_list:\t0-3\n";
    EXPECT_FALSE(shared_cpus(7, {{1, 7}, {2, 8}}, &text));
    EXPECT_FALSE(shared_cpus(7, {}, &text));
}

}  // namespace
