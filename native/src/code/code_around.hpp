// SPDX-License-Identifier: Apache-2.0
// What the code of a function tells: where it goes, what it calls, and what it does to the
// registers and places that variables are described by.
#pragma once

#include "code/call_targets.hpp"
#include "code/function_code.hpp"
#include "code/loop_counters.hpp"
#include "code/removed_stores.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gdb_ompd::code {

// By how many BYTES the stack pointer is lower than elsewhere in a function, and since which
// instruction: that from BEGIN to END.
struct PushedArguments {
    std::uint64_t bytes = 0, begin = 0, end = 0;
};

struct CallMade {
    std::uint64_t address = 0, returns_to = 0, target = 0;
};

// A jump that leaves a function. It leads to FIRST: TARGET, or its stub in the linkage table.
struct JumpOut {
    std::uint64_t first = 0, target = 0;
};

// Of the function around PC, of which nothing is told where its code cannot be read.
class CodeAround {
public:
    CodeAround(FunctionReader &functions, const CallTargets &targets, std::uint64_t pc)
        : functions_(functions), targets_(targets), pc_(pc) {}

    [[nodiscard]] std::vector<JumpOut> jumps_out() const;
    // The jumps from one place of it to another: where they are, and where they lead to. Also what
    // goes on to such a place from before it.
    [[nodiscard]] std::vector<std::pair<std::uint64_t, std::uint64_t>> ways_inside() const;
    // The calls that it makes, but for those through registers.
    [[nodiscard]] std::vector<CallMade> calls_made() const;
    // The arguments that are pushed for the next call, or were for the call that returns to PC,
    // which takes them off. None where that is not plain, as where the function gives the stack
    // back.
    [[nodiscard]] std::optional<PushedArguments> pushed_arguments() const;
    // The variables that a loop is counted with: see loop_counters.hpp.
    [[nodiscard]] std::vector<LoopCounter> loop_counters(std::int64_t iteration) const;

    // The rest takes registers by GDB's names for them: see kept_registers.hpp.

    // Whether it computes what a register holds from what that held itself, or may do so: of one
    // that is not preserved nothing is told.
    [[nodiscard]] bool may_change_in_place(std::string_view name) const;
    // Whether the functions that a frame at PC has called have left a register as it was. INNER are
    // the program counters of their frames, innermost first, without inlined ones.
    [[nodiscard]] bool is_kept(std::vector<std::uint64_t> inner, std::string_view name) const;
    // Whether it has set a register more than once WITHIN a block before it is at PC, or not at all
    // one that is preserved. What it computes in place is another value of what IS_CONSTANT.
    [[nodiscard]] bool is_set_again(const Range &within, std::string_view name,
                                    bool is_constant) const;
    // How often it sets a register WITHIN a block.
    [[nodiscard]] std::size_t times_set(const Range &within, std::string_view name) const;
    // Whether a register that is preserved holds at PC what the caller has in it.
    [[nodiscard]] bool is_callers(std::string_view name) const;
    // Whether a way leads from PC to UNTIL on which nothing is changed that a value is made of:
    // registers, and SLOTS of the frame.
    [[nodiscard]] bool may_stay(std::uint64_t until, std::span<const std::string> names,
                                std::vector<std::int64_t> slots) const;
    // Which of the PARTS of a VARIABLE is not stored where it is to be: see removed_stores.hpp.
    [[nodiscard]] std::optional<std::size_t>
    part_not_stored(FrameBytes variable, std::span<const StoredPart> parts) const;

private:
    FunctionReader &functions_;
    const CallTargets &targets_;
    std::uint64_t pc_;
};

}  // namespace gdb_ompd::code
