// SPDX-License-Identifier: Apache-2.0
// Who decides what the debugger loads: the user and the system, not the program.
//
// A library that is loaded into the debugger runs with the user's rights. The program names files
// by its memory and by where it lies. What it names is loaded from the system's folders and from
// where this extension is installed. From elsewhere it is loaded only for one of two reasons. GDB's
// own auto-load safe-path allows it. Or the kernel has mapped the runtime beside it into a process
// that runs with the user's rights already, and nobody else can put anything there. docs/trust.md
// has the table.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

namespace gdb_ompd {

// By whose word a library was looked for where it is: the system's, that of the file that the
// program has mapped, or that of the program's memory alone.
enum class FoundBy { system, runtime, memory };

// Whose hands may have been on a file.
struct Hands {
    std::set<uid_t> users;
    std::string whose;  // what is wrong with another's
    std::function<bool(gid_t)> may_write;

    static Hands of_root();
    static Hands of_user();  // or root
};

// How somebody else could change what is at PATH, or where it leads; none if nobody can. What does
// not exist is its folder's matter.
std::optional<std::string> others_hand(const std::string &path, const Hands &hands);
// Whether a group is a user's alone: many systems give each user one of the user's name, and let it
// write to what the user makes.
bool is_users_alone(std::string_view group, const std::vector<std::string> &members,
                    std::string_view user);
// Whether a resolved PATH is in GDB's auto-load safe-path, by GDB's rules: a pattern stands for all
// that is below it, and its wildcards never for a "/".
bool is_in_safe_path(const std::string &path, const std::vector<std::string> &patterns);
// Why the kernel does not confirm that PROCESS executes code of the file at PATH with the rights of
// the user who runs this debugger; none if it does.
std::optional<std::string> why_unconfirmed(pid_t process, const std::string &path);
// The file that PATH leads to, as far as it is there.
std::string real_path(const std::string &path);

// What decides about files that the program names.
struct Trust {
    std::vector<std::string> safe_path = {};  // the patterns of GDB's auto-load safe-path, expanded
    std::vector<std::string> foreign = {};    // the folders whose contents came with the program
    std::string name = {};                    // by which the program has its runtime
    // Why nothing but the program's memory tells that it executes that file.
    std::optional<std::string> unconfirmed = std::nullopt;
    std::string installed = {};            // where this extension is
    std::vector<std::string> system = {};  // where a distribution, or root, installs libraries

    // Why code must not be loaded from PATH, none if it may.
    [[nodiscard]] std::optional<std::string> objection(const std::string &path,
                                                       FoundBy found) const;

    bool operator==(const Trust &) const = default;
};

}  // namespace gdb_ompd
