// SPDX-License-Identifier: Apache-2.0
// Which iterations of a worksharing loop a thread executes, as the code around its place and the
// runtime's records tell.
#pragma once

#include "code/loop_iteration.hpp"
#include "runtimes/capabilities.hpp"

#include <cstdint>
#include <optional>
#include <span>

namespace gdb_ompd {

// Numbers are values of what the compiler counts the loop with: of clang's code mostly iterations,
// counted from 0, of GCC's the user's variable. What is not known is none.
struct ThreadLoop {
    std::uint64_t pc = 0;        // of the frame that is in the loop
    std::uint64_t begun_at = 0;  // the call that begins it, or by which it got what it executes
    bool asks = false;           // it is in the call by which it gets that
    bool is_inferred = false;    // told by the code alone
    bool is_unsigned = false;
    // Whether the numbers but ITERATION are values of the user's variable; none where not known.
    std::optional<bool> is_of_variable = false;
    LoopSchedule schedule = LoopSchedule::unknown;
    std::optional<std::int64_t> chunk{};
    std::optional<std::int64_t> first{}, last{}, step{};  // of the loop
    std::optional<std::int64_t> now_first{}, now_last{};  // that the thread was given
    std::optional<std::int64_t> stride{};      // to its next ones, in schedule(static, N)
    std::optional<std::int64_t> next{};        // that no thread has been given
    bool all_given = false;                    // there is none any more
    std::optional<std::uint64_t> iteration{};  // that it executes, from 0 on, of GCC's code
    std::optional<std::int64_t> kept_first{},
        kept_last{};  // the thread's, unless another steals them
};

// FRAMES are a thread's, innermost first. RECORD is what its runtime has of the loop, IN_TEAM the
// thread's place.
[[nodiscard]] std::optional<ThreadLoop> loop_of(code::UserCalls &calls,
                                                std::span<const code::Frame> frames,
                                                const std::optional<LoopRecord> &record,
                                                const std::optional<code::PlaceInTeam> &in_team);

}  // namespace gdb_ompd
