// SPDX-License-Identifier: Apache-2.0
#include "ompd/trust.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fnmatch.h>
#include <fstream>
#include <grp.h>
#include <pwd.h>
#include <sstream>
#include <stdexcept>
#include <sys/stat.h>
#include <unistd.h>

namespace gdb_ompd {

namespace {

namespace fs = std::filesystem;

constexpr int max_links = 40;  // as the kernel follows

using Status = struct stat;

std::vector<std::string> parts_of(std::string_view path) {
    std::vector<std::string> parts;
    while (!path.empty()) {
        const std::string_view part = path.substr(0, path.find('/'));
        if (!part.empty() && part != ".") {
            parts.emplace_back(part);
        }
        path.remove_prefix(std::min(path.size(), part.size() + 1));
    }
    return parts;
}

std::optional<Status> status_of(const std::string &path) {
    Status status{};
    return lstat(path.c_str(), &status) == 0 ? std::optional(status) : std::nullopt;
}

// Everything that is passed on the way to PATH, symbolic links too.
std::vector<std::pair<std::string, Status>> steps_to(const std::string &path) {
    std::vector<std::pair<std::string, Status>> steps;
    const auto root = status_of("/");
    if (!root) {
        return steps;
    }
    steps.emplace_back("/", *root);
    std::string at = "/";
    std::vector<std::string> pending = parts_of(fs::absolute(path).string());
    std::ranges::reverse(pending);
    for (int links = 0; !pending.empty() && links <= max_links;) {
        const std::string part = pending.back();
        pending.pop_back();
        if (part == "..") {
            at = fs::path(at).parent_path();
            continue;
        }
        const std::string step = fs::path(at) / part;
        const auto status = status_of(step);
        if (!status) {
            break;
        }
        steps.emplace_back(step, *status);
        if (!S_ISLNK(status->st_mode)) {
            at = step;
            continue;
        }
        ++links;
        std::error_code failed;
        const std::string target = fs::read_symlink(step, failed);
        if (failed) {
            break;
        }
        at = target.starts_with('/') ? "/" : at;
        std::vector<std::string> inside = parts_of(target);
        pending.insert(pending.end(), inside.rbegin(), inside.rend());
    }
    return steps;
}

bool is_own_group(gid_t group) {
    const passwd *const user = getpwuid(geteuid());
    const struct group *const entry = getgrgid(group);
    if (user == nullptr || entry == nullptr) {
        return false;
    }
    std::vector<std::string> members;
    for (char **member = entry->gr_mem; *member != nullptr; ++member) {
        members.emplace_back(*member);
    }
    return is_users_alone(entry->gr_name, members, user->pw_name);
}

bool is_below(const std::string &path, std::string folder) {
    while (folder.ends_with('/')) {
        folder.pop_back();
    }
    return path == folder || path.starts_with(folder + "/");
}

bool is_below_any(const std::string &path, const std::vector<std::string> &folders) {
    return std::ranges::any_of(folders, [&](const auto &folder) { return is_below(path, folder); });
}

std::ifstream opened(const std::string &path) {
    std::ifstream file(path);
    if (!file) {
        throw std::runtime_error(path + ": " + std::strerror(errno));
    }
    return file;
}

// A process's real, effective, saved and file system user.
std::set<uid_t> users_of(const std::string &folder) {
    std::ifstream file = opened(folder + "/status");
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with("Uid:")) {
            std::istringstream numbers(line.substr(4));
            std::set<uid_t> users;
            for (uid_t user = 0; numbers >> user;) {
                users.insert(user);
            }
            return users;
        }
    }
    throw std::runtime_error(folder + "/status: no user");
}

bool executes(const std::string &folder, const std::string &path) {
    std::ifstream maps = opened(folder + "/maps");
    for (std::string line; std::getline(maps, line);) {
        const auto begin = line.find('/');
        const auto rights = line.find(' ');
        if (begin == std::string::npos || line.substr(rights, 5).find('x') == std::string::npos) {
            continue;
        }
        std::string name = line.substr(begin);
        for (auto at = name.find("\\012"); at != std::string::npos; at = name.find("\\012")) {
            name.replace(at, 4, "\n");
        }
        if (name == path) {
            return true;
        }
    }
    return false;
}

}  // namespace

Hands Hands::of_root() {
    // A container's root may show as another.
    const auto root = status_of("/");
    return {{0, root ? root->st_uid : 0}, "does not belong to root", is_own_group};
}

Hands Hands::of_user() {
    Hands hands = of_root();
    hands.users.insert(geteuid());
    hands.whose = "belongs to another user";
    return hands;
}

std::string real_path(const std::string &path) {
    std::error_code failed;
    const fs::path absolute = fs::absolute(path);
    const fs::path found = fs::weakly_canonical(absolute, failed);
    return failed ? absolute.lexically_normal() : found;
}

std::optional<std::string> others_hand(const std::string &path, const Hands &hands) {
    for (const auto &[step, status] : steps_to(path)) {
        if (!hands.users.contains(status.st_uid)) {
            return step + " " + hands.whose;
        }
        const bool is_sticky = S_ISDIR(status.st_mode) && (status.st_mode & S_ISVTX) != 0;
        if (S_ISLNK(status.st_mode) || is_sticky) {
            continue;
        }
        const bool by_group = (status.st_mode & S_IWGRP) != 0 && status.st_gid != 0 &&
                              !hands.may_write(status.st_gid);
        if ((status.st_mode & S_IWOTH) != 0 || by_group) {
            return "others can write to " + step;
        }
    }
    return std::nullopt;
}

bool is_users_alone(std::string_view group, const std::vector<std::string> &members,
                    std::string_view user) {
    return group == user &&
           std::ranges::all_of(members, [&](const auto &member) { return member == user; });
}

bool is_in_safe_path(const std::string &path, const std::vector<std::string> &patterns) {
    const std::vector<std::string> parts = parts_of(path);
    const auto fits = [&](const std::string &pattern) {
        const std::vector<std::string> wanted = parts_of(pattern);
        return wanted.size() <= parts.size() &&
               std::equal(wanted.begin(), wanted.end(), parts.begin(),
                          [](const std::string &each, const std::string &part) {
                              return fnmatch(each.c_str(), part.c_str(), FNM_NOESCAPE) == 0;
                          });
    };
    return std::ranges::any_of(patterns, [&](const std::string &pattern) {
        return fits(pattern) || fits(real_path(pattern));
    });
}

std::optional<std::string> why_unconfirmed(pid_t process, const std::string &path) {
    const std::string folder = "/proc/" + std::to_string(process);
    try {
        if (users_of(folder) != std::set{geteuid()}) {
            return "the program runs with other rights than yours";
        }
        if (fs::read_symlink(folder + "/ns/mnt") != fs::read_symlink("/proc/self/ns/mnt")) {
            return "the program runs in a container, which has other files";
        }
        if (!executes(folder, real_path(path))) {
            return "the program does not execute the runtime beside it";
        }
    } catch (const std::runtime_error &unsaid) {
        return std::string("the kernel does not say whether the program executes it (") +
               unsaid.what() + ")";
    }
    return std::nullopt;
}

std::optional<std::string> Trust::objection(const std::string &path, FoundBy found) const {
    const std::string real = real_path(path);
    if (is_in_safe_path(real, safe_path) || is_below(real, installed)) {
        return std::nullopt;
    }
    if (found == FoundBy::system) {
        return others_hand(path, Hands::of_root());
    }
    if (is_below_any(name, foreign) || is_below_any(real, foreign)) {
        return "it came with the program";
    }
    if (!name.empty() && !name.starts_with('/')) {
        return "the program names its place by a relative path";
    }
    if (is_below_any(real, system)) {
        return others_hand(path, Hands::of_root());
    }
    if (!unconfirmed && found == FoundBy::memory) {
        return "only the program's memory says where it is";
    }
    return unconfirmed ? unconfirmed : others_hand(path, Hands::of_user());
}

}  // namespace gdb_ompd
