// SPDX-License-Identifier: Apache-2.0
#include "ompd/library_search.hpp"

#include "elf/elf.hpp"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <glob.h>
#include <stdexcept>

namespace gdb_ompd {

namespace {

namespace fs = std::filesystem;

constexpr const char *usual_name = "libompd.so";

std::string escaped(std::string_view name) {
    std::string pattern;
    for (const char c : name) {
        pattern += std::string_view("*?[\\").find(c) == std::string_view::npos ? "" : "\\";
        pattern += c;
    }
    return pattern;
}

// What orders paths by the versions in them: the digits of each part, by their number's size.
std::vector<std::pair<std::size_t, std::string>> version_of(const fs::path &path) {
    std::vector<std::pair<std::size_t, std::string>> numbers;
    for (const fs::path &part : path) {
        std::string digits = part.string();
        std::erase_if(digits, [](char c) { return c < '0' || c > '9'; });
        digits.erase(0, digits.find_first_not_of('0'));
        numbers.emplace_back(digits.size(), digits);
    }
    return numbers;
}

// The libraries in a folder, or in those that a pattern stands for, the newest first.
std::vector<std::string> in(const std::string &pattern, const std::string &name) {
    glob_t found{};
    std::vector<std::string> paths;
    if (glob((pattern + "/" + escaped(name)).c_str(), 0, nullptr, &found) == 0) {
        paths.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
    }
    globfree(&found);
    std::ranges::stable_sort(paths, std::ranges::greater(), version_of);
    return paths;
}

std::string folder_of(const std::string &path) { return fs::path(path).parent_path(); }

bool needs_runtime(const std::string &path) {
    try {
        const ElfImage elf(path, std::nullopt, "");
        return std::ranges::any_of(elf.headers().needed, [](const std::string &name) {
            return name.starts_with("libomp.so");
        });
    } catch (const std::exception &) {
        return true;
    }
}

// The names of NAMED without folders, each once.
std::vector<std::string> bare_names(const std::vector<std::string> &named) {
    std::vector<std::string> names;
    for (const std::string &each : named) {
        const std::string name = fs::path(each).filename();
        const bool is_file = !name.empty() && name != "." && name != "..";
        if (is_file && std::ranges::find(names, name) == names.end()) {
            names.push_back(name);
        }
    }
    return named.empty() ? std::vector<std::string>{usual_name} : names;
}

}  // namespace

Candidates find_libraries(const std::optional<std::string> &runtime,
                          const std::vector<std::string> &named, const Trust &trust,
                          const std::vector<std::string> &places) {
    const std::vector<std::string> names = bare_names(named);
    const auto all_in = [&](const std::string &pattern, std::vector<std::string> &paths) {
        for (const std::string &name : names) {
            std::ranges::copy(in(pattern, name), std::back_inserter(paths));
        }
    };
    std::vector<std::string> system;
    for (const std::string &place : places) {
        all_in(place, system);
    }
    std::set<std::string> systems;
    std::ranges::transform(system, std::inserter(systems, systems.end()), real_path);
    const auto folder = runtime ? std::optional(folder_of(real_path(*runtime))) : std::nullopt;
    std::vector<std::string> beside;
    if (folder) {
        all_in(escaped(*folder), beside);
    }
    std::vector<std::string> all;
    std::error_code ignored;
    std::ranges::copy_if(named, std::back_inserter(all), [&](const std::string &path) {
        return path.starts_with('/') && fs::exists(path, ignored);
    });
    all.insert(all.end(), beside.begin(), beside.end());
    all.insert(all.end(), system.begin(), system.end());
    Candidates found;
    std::set<std::string> accepted;
    for (const std::string &path : all) {
        const std::string real = real_path(path);
        const bool is_beside = folder && (folder_of(real) == *folder ||
                                          std::ranges::find(beside, path) != beside.end());
        const auto by = systems.contains(real) ? FoundBy::system
                        : is_beside            ? FoundBy::runtime
                                               : FoundBy::memory;
        if (const auto why = trust.objection(path, by)) {
            if (std::ranges::find(found.refused, real, &Refused::real) == found.refused.end()) {
                found.refused.push_back({path, real, *why});
            }
        } else if (accepted.insert(real).second) {
            found.paths.push_back(real);
        }
    }
    std::erase_if(found.refused, [&](const Refused &each) { return accepted.contains(each.real); });
    std::stable_partition(found.paths.begin(), found.paths.end(), std::not_fn(needs_runtime));
    return found;
}

}  // namespace gdb_ompd
