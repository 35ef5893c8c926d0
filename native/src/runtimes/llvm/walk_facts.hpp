// SPDX-License-Identifier: Apache-2.0
// What a walk looks at: records by the names of their fields, and what of them cannot be.
#pragma once

#include "runtimes/llvm/records.hpp"
#include "runtimes/llvm/walk.hpp"

#include <algorithm>
#include <optional>

namespace gdb_ompd::llvm {

// More would be damaged memory.
constexpr std::uint64_t max_walked_team = 1U << 16U;

// Counts facts, and keeps a line for each kind of violation.
class WalkFacts {
public:
    // Counts a fact; if it is none, keeps the line that says so. Returns it.
    bool expect(bool fact, const std::string &otherwise) {
        ++walk_.checked;
        auto &lines = walk_.violations;
        if (!fact && std::ranges::find(lines, otherwise) == lines.end()) {
            lines.push_back(otherwise);
        }
        return fact;
    }

    // Runs BODY; memory that cannot be read, or not be true, is a violation.
    template <class Body> void attempt(const std::string &what, Body body) {
        try {
            body();
        } catch (const Inconsistent &error) {
            expect(false, what + ": " + error.what());
        }
    }

    [[nodiscard]] const Walk &walk() const noexcept { return walk_; }

private:
    Walk walk_;
};

// The records of one program, by the layout that is judged.
struct WalkedRecords {
    WalkedRecords(AddressSpace &space, const Layout &of) : layout(of), places(of), memory(space) {}

    [[nodiscard]] std::uint64_t field(TargetAddr record, const char *kind, const char *name) const {
        return memory.field(record, layout.field(kind, name));
    }
    // The same of what is a pointer, whatever size it is said to have.
    [[nodiscard]] std::uint64_t word(TargetAddr record, const char *kind, const char *name) const {
        return memory.field(record, {layout.access(kind, name), 8});
    }
    // Of a C int.
    [[nodiscard]] std::int64_t number(TargetAddr record, const char *kind, const char *name) const {
        const FieldPlace place = layout.field(kind, name);
        const std::uint64_t value = memory.field(record, place);
        return place.size <= sizeof(std::int32_t) ? static_cast<std::int32_t>(value)
                                                  : static_cast<std::int64_t>(value);
    }
    // The team that a pointer to a kmp_team_t leads to; 0 for none.
    [[nodiscard]] TargetAddr team_behind(TargetAddr pointer) const {
        return pointer.value == 0 ? pointer : pointer + places.team_in_pointer;
    }

    const Layout &layout;
    Places places;
    Memory memory;
};

// Whether a pointer is null or into memory that a program can have.
constexpr bool could_be_pointer(std::uint64_t value) {
    return value == 0 || (value >= 4096 && value < std::uint64_t{1} << 56U);
}

}  // namespace gdb_ompd::llvm
