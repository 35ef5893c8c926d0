// SPDX-License-Identifier: Apache-2.0
#include "elf/debug_file.hpp"

#include "base/file.hpp"

#include <elfutils/libdwelf.h>

#include <array>
#include <filesystem>
#include <sstream>
#include <stdexcept>
#include <vector>

namespace gdb_ompd {

namespace {

namespace fs = std::filesystem;

std::vector<std::string> split(const std::string &directories) {
    std::vector<std::string> parts;
    std::istringstream stream(directories);
    for (std::string part; std::getline(stream, part, ':');) {
        if (!part.empty()) {
            parts.push_back(part);
        }
    }
    return parts;
}

// The checksum of .gnu_debuglink: CRC-32 as in ISO 3309, reflected.
constexpr std::array<std::uint32_t, 256> make_crc_table() {
    std::array<std::uint32_t, 256> table{};
    for (std::uint32_t i = 0; i < table.size(); ++i) {
        std::uint32_t value = i;
        for (int bit = 0; bit < 8; ++bit) {
            value = (value & 1U) != 0 ? 0xedb88320U ^ (value >> 1U) : value >> 1U;
        }
        table[i] = value;
    }
    return table;
}

// With more, reading a file to compare its checksum is not worth the time.
constexpr std::size_t most_debug_bytes = std::size_t{1} << 30;

std::optional<std::uint32_t> checksum(const fs::path &path) {
    static constexpr auto table = make_crc_table();
    std::uint32_t crc = 0xffffffffU;
    try {
        for (const char byte : read_file(path, most_debug_bytes)) {
            crc = table[(crc ^ static_cast<unsigned char>(byte)) & 0xffU] ^ (crc >> 8U);
        }
    } catch (const std::exception &) {  // absent, or no file that could be it
        return std::nullopt;
    }
    return ~crc;
}

bool has_build_id(const fs::path &candidate, const std::string &build_id) {
    try {
        return ElfFile(candidate).build_id() == build_id;
    } catch (const std::exception &) {  // absent or damaged: the next place may be better
        return false;
    }
}

std::optional<std::string> by_build_id(const std::string &build_id,
                                       const std::vector<std::string> &directories) {
    if (build_id.size() < 4) {
        return std::nullopt;
    }
    const std::string name = build_id.substr(2) + ".debug";
    for (const std::string &directory : directories) {
        const fs::path candidate = fs::path(directory) / ".build-id" / build_id.substr(0, 2) / name;
        if (has_build_id(candidate, build_id)) {
            return candidate.string();
        }
    }
    return std::nullopt;
}

std::optional<std::string> by_debug_link(const std::string &link, std::uint32_t crc,
                                         const std::string &path,
                                         const std::vector<std::string> &directories) {
    std::error_code ignored;
    const fs::path folder = fs::weakly_canonical(path, ignored).parent_path();
    std::vector<fs::path> candidates{folder / link, folder / ".debug" / link};
    for (const std::string &directory : directories) {
        candidates.push_back(fs::path(directory) / folder.relative_path() / link);
    }
    for (const fs::path &candidate : candidates) {
        // A file whose link names itself is its own, stripped, self.
        if (!fs::equivalent(candidate, path, ignored) && checksum(candidate) == crc) {
            return candidate.string();
        }
    }
    return std::nullopt;
}

}  // namespace

std::optional<std::string> find_debug_file(const ElfFile &file, const std::string &path,
                                           const std::string &directories) {
    const std::vector<std::string> places = split(directories);
    if (const auto build_id = file.build_id()) {
        if (auto found = by_build_id(*build_id, places)) {
            return found;
        }
    }
    GElf_Word crc = 0;
    const char *link = dwelf_elf_gnu_debuglink(file.elf(), &crc);
    if (link == nullptr || *link == '\0' || fs::path(link).filename() != link) {
        return std::nullopt;
    }
    return by_debug_link(link, crc, path, places);
}

}  // namespace gdb_ompd
