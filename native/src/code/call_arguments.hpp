// SPDX-License-Identifier: Apache-2.0
// The instructions by which a thread's user code called the runtime, and what they passed to it.
#pragma once

#include "code/user_calls.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace gdb_ompd::code {

// A call or jump in a function.
struct Site {
    const FunctionCode *code = nullptr;
    std::size_t index = 0;

    [[nodiscard]] std::uint64_t address() const { return code->at(index).address; }
};

class CallArguments {
public:
    // CALLS outlives it.
    explicit CallArguments(UserCalls &calls) : calls_(calls) {}

    // The instructions that may be the one by which an entry point was called: the user
    // frame's call, or the jumps of the last function without a frame.
    [[nodiscard]] std::vector<Site> sites(const Called &called, const Frame *user);
    // Those jumps alone.
    [[nodiscard]] std::vector<Site> last_jumps(const Called &called);
    // An argument of the call. FRAMES begin with the one of the user's that made it and
    // its callers; there may be none where functions without a frame made it.
    [[nodiscard]] Value argument(std::size_t number, const Called &called,
                                 std::span<const Frame> frames);
    // An argument that the function of FRAME was called with, where its code keeps it.
    [[nodiscard]] Value kept_argument(std::size_t number, const Frame &frame);
    // Which argument of the function at the last of PCS became that of the call at the first. The
    // functions between hand it on, each to the one before. None where the code does not tell that,
    // or hands on another value.
    [[nodiscard]] std::optional<std::size_t> handed_on(std::size_t number,
                                                       std::span<const std::uint64_t> pcs);

private:
    [[nodiscard]] std::vector<Site> jumps_to(const FunctionCode &code, std::uint64_t function,
                                             const Called &called);
    [[nodiscard]] Value of_call(std::size_t number, std::span<const Frame> frames, int depth);
    [[nodiscard]] Value passed(std::size_t number, const Called &called, std::size_t position,
                               std::span<const Frame> frames);

    UserCalls &calls_;
};

}  // namespace gdb_ompd::code
