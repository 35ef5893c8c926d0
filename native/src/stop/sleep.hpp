// SPDX-License-Identifier: Apache-2.0
// What lets a thread go on that sleeps in a function of the system's, and who has taken what it
// waits for, as far as the code tells.
//
// A lock that is made of a condition variable has no owner that the system knows. But the thread's
// own code tells which words it looks at when it wakes, and what it writes once it has the lock.
#pragma once

#include "code/ahead.hpp"
#include "code/user_calls.hpp"
#include "stop/runtime_stack.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>

namespace gdb_ompd {

enum class Sleep : std::uint8_t {
    none,         // not known
    until_woken,  // by another thread of the process
    repeats,      // for a time, but then again as long as nobody changes what it looks at
};

// Of the thread with FRAMES, innermost first, of which IN_SYSTEM are the system's. The user's code
// has CALLED a function of the system's that has this name.
class SleepReader {
public:
    SleepReader(code::UserCalls &calls, std::span<const code::Frame> frames, std::size_t in_system,
                std::string_view called)
        : calls_(calls), frames_(frames), in_system_(in_system), called_(called) {}

    // Whether something is so of the memory at an address.
    using IsSo = std::function<bool(std::uint64_t)>;
    // IS_OWN tells whether no other process can use it, IS_POSTED whether a semaphore there may be
    // posted by what is called back, as a signal's handler is.
    [[nodiscard]] Sleep sleep(const IsSo &is_own, const IsSo &is_posted) const;
    // The thread that has taken the lock: what it has written where the waiting thread, with the
    // pthread_t SELF, will write a value of its own then. NAMES tells which other thread a value
    // names as the waiting one's OWN names that.
    using Names = std::function<std::optional<int>(std::uint64_t own, std::uint64_t other)>;
    [[nodiscard]] std::optional<int> taken_by(std::uint64_t self, const Names &names) const;

private:
    [[nodiscard]] std::optional<std::uint64_t> call() const;
    // The thread where the function of a frame is.
    [[nodiscard]] code::Ahead in_frame(std::size_t number) const;
    [[nodiscard]] code::Ahead woken(std::uint64_t result) const;
    [[nodiscard]] std::optional<code::Ahead> again(code::Ahead from, std::size_t number,
                                                   std::uint64_t call, int many) const;
    [[nodiscard]] bool waits_again(std::uint64_t result) const;
    [[nodiscard]] bool is_condition() const { return called_.starts_with("pthread_cond_"); }

    code::UserCalls &calls_;
    std::span<const code::Frame> frames_;
    std::size_t in_system_;
    std::string_view called_;
};

}  // namespace gdb_ompd
