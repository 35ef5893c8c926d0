// SPDX-License-Identifier: Apache-2.0
// Which locks and criticals a thread's place in the code is inside of.
//
// By the calls that take and leave them. These are followed through each of the thread's user
// functions from its start to where the thread is in it, and through the functions that these have
// called.
#pragma once

#include "stop/lock_changes.hpp"

#include <optional>
#include <span>
#include <vector>

namespace gdb_ompd {

struct HeldLock {
    code::WaitKind kind = code::WaitKind::none;
    std::optional<std::uint64_t> object;  // none for what has no word of its own
    std::uint64_t entered_at = 0;         // the call; 0 where it may be one of several
    std::uint64_t pc = 0;                 // of its function's frame, an inlined one's too
    bool certain = false;
};

// Where a thread is in one of its user functions: at an instruction, or in what that HAS_CALLED.
struct UserPlace {
    const code::Frame *frame = nullptr;
    const code::FunctionCode *code = nullptr;
    std::size_t here = 0;
    bool has_called = false;
};

// Of all of FRAMES, innermost first.
[[nodiscard]] std::vector<UserPlace> user_places(code::UserCalls &calls,
                                                 std::span<const code::Frame> frames);

class HeldLocks {
public:
    explicit HeldLocks(code::UserCalls &calls, Calls which = Calls::have_done)
        : calls_(calls), lock_calls_(calls, which) {}

    // What a thread with FRAMES, innermost first, is inside of, the last taken first.
    [[nodiscard]] std::vector<HeldLock> of(std::span<const code::Frame> frames);

private:
    void note(std::vector<HeldLock> &found, const code::FunctionCode &code,
              const code::Frame &frame, std::size_t here);

    code::UserCalls &calls_;
    LockCalls lock_calls_;
};

}  // namespace gdb_ompd
