// SPDX-License-Identifier: Apache-2.0
#include "elf/process_files.hpp"

#include <charconv>
#include <fstream>
#include <optional>

namespace gdb_ompd {

namespace {

// A line of /proc/PROCESS/maps begins with "START-END ".
std::optional<std::string> mapping_at(const std::string &folder, std::uint64_t address) {
    std::ifstream maps(folder + "/maps");
    for (std::string line; std::getline(maps, line);) {
        std::uint64_t start = 0;
        std::uint64_t end = 0;
        const char *const last = line.data() + line.size();
        const auto first = std::from_chars(line.data(), last, start, 16);
        if (first.ptr == last || *first.ptr != '-') {
            break;
        }
        std::from_chars(first.ptr + 1, last, end, 16);
        if (start <= address && address < end) {
            return line.substr(0, line.find(' '));
        }
    }
    return std::nullopt;
}

}  // namespace

std::vector<std::string> process_files(pid_t process, TargetAddr address, const std::string &name) {
    const std::string folder = "/proc/" + std::to_string(process);
    std::vector<std::string> found;
    if (name.starts_with('/')) {
        found.push_back(folder + "/root" + name);
    }
    if (const auto mapping = mapping_at(folder, address.value)) {
        found.push_back(folder + "/map_files/" + *mapping);
    }
    found.push_back(folder + "/exe");
    return found;
}

}  // namespace gdb_ompd
