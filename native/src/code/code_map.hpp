// SPDX-License-Identifier: Apache-2.0
// Whose code an address is: the user's, an OpenMP runtime's, or the system's.
#pragma once

#include "elf/module.hpp"

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace gdb_ompd::code {

enum class Owner : std::uint8_t { user, runtime, system };

std::string_view text(Owner owner);

// A library that is on nearly every stack and never the user's, by its file's name.
bool is_system_library(std::string_view path);

class CodeMap {
public:
    using Range = std::pair<std::uint64_t, std::uint64_t>;

    // EXECUTABLE is null where its file cannot be read. It may be a runtime itself: one
    // that is linked into the program. SYSTEM is other code of the system's, of no file.
    CodeMap(const Modules &modules, const std::shared_ptr<const Module> &executable,
            const Modules &runtimes, const std::vector<Range> &system = {});

    [[nodiscard]] Owner owner(std::uint64_t pc) const;
    // Whether it is a tool's, between the user's code and what that calls: the system's.
    [[nodiscard]] bool is_tools(std::uint64_t pc) const;
    [[nodiscard]] bool is_user(std::uint64_t pc) const { return owner(pc) == Owner::user; }
    // The libraries of tools that stand between the user's code and what that calls.
    [[nodiscard]] const Modules &interceptors() const { return interceptors_; }
    [[nodiscard]] bool is_executable(std::uint64_t pc) const;  // of the program itself
    // The ranges of code that is not the user's, in order; none where ranges do not tell.
    [[nodiscard]] std::optional<std::vector<Range>> foreign() const;

private:
    struct Part {
        Range range;
        Owner owner;
        bool is_tools = false;
    };

    [[nodiscard]] const Part *part_at(std::uint64_t pc) const;
    [[nodiscard]] bool is_linked_in(std::uint64_t pc) const;

    std::shared_ptr<const Module> executable_;  // null where its file cannot be read
    std::shared_ptr<const Module> linked_in_;   // the program, if a runtime is linked into it
    Modules interceptors_;
    std::vector<Part> parts_;  // by address
};

}  // namespace gdb_ompd::code
