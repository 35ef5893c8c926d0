// SPDX-License-Identifier: Apache-2.0
// The constructs on one thread's stack. They tell where the runtime, or the user's code itself, has
// called the body of a region or of a task, and which frames are whose.
#pragma once

#include "stop/runtime_calls.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace gdb_ompd {

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
    // Of what is no region: the frame that its construct's body has left.
    std::optional<std::size_t> body{};
    // Of a league inside of a target region that GCC's runtime executes: where the call returns to
    // that began the team.
    std::optional<std::uint64_t> call{};
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

// Of all FRAMES of a thread, innermost first.
StackParts constructs(WaitReader &waits, const Debugger &debugger, NamedFrames frames);

}  // namespace gdb_ompd
