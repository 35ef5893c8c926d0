// SPDX-License-Identifier: Apache-2.0
// What is the runtime's on a stopped thread's stack. That is its functions, by the symbols of its
// file, the words that they keep, and the call of the kernel that the thread may be in.
#pragma once

#include "code/user_calls.hpp"
#include "runtimes/capabilities.hpp"

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace gdb_ompd {

// What the C library calls its function that calls the kernel by a number.
inline constexpr std::string_view calls_kernel = "syscall";

// The first four arguments of a call of the kernel.
struct KernelCall {
    std::uint64_t first = 0;
    code::Value second;
    std::uint64_t third = 0;
    code::Value fourth;
};

// A word in which a thread sleeps as long as it has the value.
struct SleepsIn {
    TargetAddr address;
    std::uint32_t value = 0;
    bool is_private = false;  // no other process can wake it
    bool is_timed = false;    // it wakes at a time that it was given
};

// Of the thread with FRAMES, innermost first, which may be none.
class RuntimeStack {
public:
    RuntimeStack(code::UserCalls &calls, std::span<const code::Frame> frames)
        : calls_(calls), frames_(frames) {}

    // Frames of the runtime's, from the place BEGIN on, and with the words of the stack up to the
    // frame LAST, which may be the user's.
    struct Part {
        std::size_t begin = 0;
        std::size_t end = 0;
        std::size_t last = 0;
    };
    // Those that the user's innermost function has called.
    [[nodiscard]] Part innermost() const;
    // Those that have called the user's innermost function.
    [[nodiscard]] Part below_task() const;
    // All, as many as are the runtime's at most.
    [[nodiscard]] Part whole() const;

    using Roles = std::initializer_list<code::Role>;
    // Whether a function of PART's has one of these.
    [[nodiscard]] bool has(const Part &part, Roles roles) const;
    // The phase of a barrier that the functions show.
    [[nodiscard]] Phase phase(const Part &part) const;
    // Whether the thread begins or ends a task there.
    [[nodiscard]] bool works_on_task(const Part &part) const;
    // As many as are the runtime's at most; none where they cannot be read.
    [[nodiscard]] std::vector<std::uint64_t> words(const Part &part) const;

    // Whether it is in a call of the kernel.
    [[nodiscard]] bool is_in_kernel() const;
    // None where it is in none, or the registers are not known.
    [[nodiscard]] std::optional<KernelCall> kernel_call() const;
    // Where it sleeps, if the call is the one that does so.
    [[nodiscard]] std::optional<Futex> futex() const;
    // The same with how it sleeps there, where that is known.
    [[nodiscard]] std::optional<SleepsIn> sleeps_in() const;
    // Whether the thread stays in the loop in which it reads one word again and again; none where
    // it is in no such loop.
    [[nodiscard]] std::optional<bool> keeps_spinning() const;
    // How many of the innermost frames are in the system's code.
    [[nodiscard]] std::size_t in_system() const;

private:
    [[nodiscard]] code::Role role(std::size_t place) const;
    [[nodiscard]] bool is_user(std::size_t place) const;

    code::UserCalls &calls_;
    std::span<const code::Frame> frames_;
};

}  // namespace gdb_ompd
