// SPDX-License-Identifier: Apache-2.0
// Which locks may be let go by who has not set them: OpenMP and POSIX forbid it, but their
// libraries do it.
//
// By the calls that a thread may make from where it is in each of the user's functions, with those
// that what it calls, or gives to others, makes. A function that the program gives to be called
// back, as a signal's handler, may be called by anybody at any time.
#pragma once

#include "stop/held_locks.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

namespace gdb_ompd {

struct LockObject {
    code::WaitKind kind = code::WaitKind::none;
    std::uint64_t address = 0;

    auto operator<=>(const LockObject &) const = default;  // NOLINT(modernize-use-nullptr)
};

// A function that is given to be called back, where it begins, and may let a lock go.
struct CalledBack {
    std::uint64_t lock = 0;
    std::uint64_t function = 0;

    bool operator==(const CalledBack &) const = default;
};

// A thread that stands still, and what it waits for.
struct Awaiting {
    int gdb_num = 0;
    code::WaitKind kind = code::WaitKind::none;
    std::optional<std::uint64_t> object{};
};

// Who may let locks go that others wait for, without having set them.
struct Releases {
    std::map<int, std::vector<std::uint64_t>> ahead;  // the locks' addresses, by thread
    std::vector<CalledBack> called_back;
};

class LockReleases {
public:
    using FramesOf = std::function<std::vector<code::Frame>(int gdb_num)>;

    explicit LockReleases(code::UserCalls &calls)
        : calls_(calls), lock_calls_(calls, Calls::may_do) {}

    // Of all the locks that THREADS wait for. FRAMES gives those of a thread.
    [[nodiscard]] Releases of(std::span<const Awaiting> threads, const FramesOf &frames);
    // The addresses of those of LOCKS that a thread with FRAMES, innermost first, may let go.
    [[nodiscard]] std::vector<std::uint64_t> ahead(std::span<const code::Frame> frames,
                                                   std::span<const LockObject> locks);
    // The functions that are given to be called back and may let one of LOCKS go.
    [[nodiscard]] std::vector<CalledBack> called_back(std::span<const LockObject> locks);
    // Whether any function that may let LOCK go may be called back, as far as that is known.
    [[nodiscard]] bool may_be_called_back(const LockObject &lock);
    // Whether a function may let LOCK go that is not set in it.
    [[nodiscard]] bool lets_go(std::uint64_t function, const LockObject &lock);

private:
    void note(LockChanges &found, const UserPlace &place);
    // What of CHANGES lets go what is not set on each way there.
    [[nodiscard]] LockChanges not_set(const code::FunctionCode &code, const LockChanges &changes,
                                      const std::vector<std::size_t> &start) const;
    [[nodiscard]] std::vector<std::uint64_t> called_back(const LockObject &lock);
    // The functions that call what lets locks of a kind go.
    [[nodiscard]] std::vector<std::uint64_t> callers(code::WaitKind kind);
    // Whether the code of GIVER gives a FUNCTION to be called back, not to a region, a task or a
    // thread.
    [[nodiscard]] bool is_for_calling_back(std::uint64_t giver, std::uint64_t function);
    // Whether the C library may call a function back that only data knows.
    [[nodiscard]] bool may_be_notified(std::uint64_t function);
    // Whether the first calls after an instruction give a function to one of those.
    [[nodiscard]] bool gives_next(const code::FunctionCode &code, std::size_t index);

    code::UserCalls &calls_;
    LockCalls lock_calls_;
};

}  // namespace gdb_ompd
