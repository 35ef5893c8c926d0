// SPDX-License-Identifier: Apache-2.0
// The constructs on one thread's stack: where the runtime, or the user's code itself, has called
// the body of a region or of a task, and which frames are whose.
#pragma once

#include "stop/waits.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gdb_ompd {

// A frame as a debugger has it, inlined ones too.
struct NamedFrame {
    std::string name;  // of its function as the compiler has it; empty for none
    code::Owner owner = code::Owner::user;
    std::uint64_t pc = 0;
    bool has_line = false;  // debug information tells its place in the source

    [[nodiscard]] bool is_user() const { return owner == code::Owner::user; }
};

// What made the runtime call the user's code; unknown: a callback, or a body whose kind the stack
// does not tell.
enum class Construct : std::uint8_t { region, league, task, unknown };

// As the model in Python has it.
std::string_view text(Construct construct);

// Frames from the place BEGIN to that before END, counted from the innermost.
struct FrameRange {
    std::size_t begin = 0;
    std::size_t end = 0;

    bool operator==(const FrameRange &) const = default;
};

// How a segment's outermost frame came to be called.
struct Boundary {
    Construct kind = Construct::unknown;
    FrameRange runtime{};                // the frames in between
    std::optional<std::size_t> place{};  // the user's frame whose call began the construct
    bool bottom = false;                 // there is no such code: it is a worker's stack
    std::optional<std::size_t> body{};   // of a task: the frame that its construct's body has left
    // The call executes no tasks but those that its caller has created.
    bool in_creator = false;

    bool operator==(const Boundary &) const = default;
};

// The frames of one task: none of a task that waits at the end of its region. There is no boundary
// where the stack begins.
struct TaskFrames {
    FrameRange frames{};
    std::optional<Boundary> boundary{};

    bool operator==(const TaskFrames &) const = default;
};

struct StackParts {
    // The runtime's frames that the user's innermost has called, and how many of the innermost of
    // these are functions of the system's.
    FrameRange inside{};
    std::size_t system = 0;
    std::vector<TaskFrames> segments;  // innermost first
    // The frames of the segments that are the runtime's, or were made by the compiler only to call
    // another one.
    std::vector<std::size_t> hidden;
};

// What a debugger is asked.
struct Debugger {
    // Whether code is that of GCC's runtime.
    std::function<bool(std::uint64_t)> is_gnus;
    // Whether the function that begins at an address is the body of a region, and is not the one
    // with that name, which its call goes on in.
    std::function<bool(std::uint64_t, const std::string &)> is_left_by_jump;
    // Whether an explicit task of the thread's has gone on by a jump to the function at an address.
    std::function<bool(std::uint64_t)> is_of_task;
};

// Of all FRAMES of a thread, innermost first.
StackParts constructs(WaitReader &waits, const Debugger &debugger,
                      std::span<const NamedFrame> frames);

// What the runtime, whose frames are BETWEEN, has called a body for; the CALLER of the runtime is
// null where there is none.
Construct construct_of(WaitReader &waits, const Debugger &debugger, const NamedFrame &body,
                       std::span<const NamedFrame> between, const NamedFrame *caller);

}  // namespace gdb_ompd
