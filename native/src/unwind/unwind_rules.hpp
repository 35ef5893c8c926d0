// SPDX-License-Identifier: Apache-2.0
// How to get from a frame to its caller's, as the unwind tables of the mapped files have it.
#pragma once

#include "elf/module.hpp"
#include "unwind/thread_stack.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

namespace gdb_ompd {

// A register's place, as far as it is plain: at an offset from the frame's address or, of functions
// that align their stack, from a register.
struct SavedAt {
    enum class Kind { same, at_offset, at_register, undefined, odd };
    Kind kind = Kind::odd;
    std::int64_t offset = 0;
    std::size_t base = 0;
};

// How to get from the frame at one address to its caller's.
struct UnwindRule {
    bool known = false;
    bool unlisted = false;  // no file has an entry for the address
    bool ends = false;      // this frame has no caller
    std::size_t base = stack_pointer;
    std::int64_t offset = 0;
    bool in_memory = false;  // that is where the frame's address is
    std::array<SavedAt, unwind_registers> saved{};
};

class UnwindRules {
public:
    using Range = std::pair<std::uint64_t, std::uint64_t>;

    // See Unwinder.
    UnwindRules(Modules modules, std::vector<Range> foreign, bool has_all_files);
    ~UnwindRules();
    UnwindRules(const UnwindRules &) = delete;
    UnwindRules &operator=(const UnwindRules &) = delete;

    // The rule for code at ADDRESS.
    [[nodiscard]] const UnwindRule &at(std::uint64_t address);
    // Whether PC is in code that is not the user's.
    [[nodiscard]] bool is_foreign(std::uint64_t pc) const;
    // Whether PC is code that is in no mapped file, as it was made at run time.
    [[nodiscard]] bool is_in_no_file(std::uint64_t pc) const;
    [[nodiscard]] const Modules &modules() const noexcept { return modules_; }

private:
    class Tables;

    [[nodiscard]] UnwindRule read(std::uint64_t address);
    Tables *tables_of(const Module &module);

    Modules modules_;
    std::vector<Range> foreign_;
    bool has_all_files_;
    std::unordered_map<const Module *, std::unique_ptr<Tables>> tables_;
    std::unordered_map<std::uint64_t, std::unique_ptr<UnwindRule>> rules_;
};

}  // namespace gdb_ompd
