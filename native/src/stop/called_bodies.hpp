// SPDX-License-Identifier: Apache-2.0
// The user's functions that a runtime calls: the bodies of regions and tasks, as a stack shows
// which have been called, and the code which comes next.
#pragma once

#include "code/call_arguments.hpp"
#include "code/user_calls.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace gdb_ompd {

// Callers of the user's innermost frame: they may have handed on what the runtime was given.
inline constexpr std::size_t kept_callers = 4;

// A function of the user's that the runtime has called on a thread's stack, 0 where that is not
// known, by what: an entry point, if it is one.
struct CalledBody {
    std::uint64_t function = 0;
    const code::EntryPoint *caller = nullptr;
};

class CalledBodies {
public:
    CalledBodies(code::UserCalls &calls, code::CallArguments &arguments, const code::CodeMap &code)
        : calls_(calls), arguments_(arguments), code_(code) {}

    // Take the code of a runtime. HAS_MICROTASK: it calls the bodies of regions by one function of
    // its own. CALLS_ITSELF: its threads call the bodies of regions in the function that they start
    // in, and those of tasks where they wait.
    void add(const Module &runtime, bool has_microtask, bool calls_itself);
    // Whether PC is in such a runtime.
    [[nodiscard]] bool has_microtask(std::uint64_t pc) const;
    [[nodiscard]] bool calls_itself(std::uint64_t pc) const;

    // The body of the construct that the first of USERS, a user's frame before its callers, gave
    // to the runtime, or the one that has jumped to it.
    [[nodiscard]] code::Value given(std::span<const code::Frame> users);
    // The bodies that the runtime has called, innermost first. One may have ended with a jump: then
    // only the call through a pointer shows it.
    [[nodiscard]] std::vector<CalledBody> called(std::span<const code::Frame> frames);
    // Where the function of a BODY's frame begins if its CALLER, the runtime's, has called it, and
    // not one that has ended with a jump to it; 0 where that is not known.
    [[nodiscard]] std::uint64_t function_of(const code::Frame &body, const code::Frame &caller);
    // Whether PC is in a function of the user's that starts no stack.
    [[nodiscard]] bool is_users(std::uint64_t pc) const;
    // The same, and where that function begins is known.
    [[nodiscard]] bool is_inside(std::uint64_t pc);

    // The outermost of the frames BELOW the user's code that is the runtime's; null without one.
    [[nodiscard]] const code::Frame *outermost_of_runtime(std::span<const code::Frame> below) const;
    // Whether the innermost frames BELOW the user's code are before the call of a body that the
    // outermost of them was given.
    [[nodiscard]] bool are_before_given(std::span<const code::Frame> below);
    // Whether they, of a thread of the runtime's, call one next.
    [[nodiscard]] bool are_before_next(std::span<const code::Frame> below);

private:
    struct RuntimeCode {
        std::uint64_t begin = 0;
        std::uint64_t end = 0;
        bool has_microtask = false;
        bool calls_itself = false;
    };
    [[nodiscard]] const RuntimeCode *runtime_at(std::uint64_t pc) const;

    code::UserCalls &calls_;
    code::CallArguments &arguments_;
    const code::CodeMap &code_;
    std::vector<RuntimeCode> runtimes_;
};

}  // namespace gdb_ompd
