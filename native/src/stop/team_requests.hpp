// SPDX-License-Identifier: Apache-2.0
// How many threads the user's code asked for where it began the regions that a thread is in.
#pragma once

#include "code/origin.hpp"
#include "stop/waits.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gdb_ompd {

struct TeamRequest {
    // The program counter of the function's frame that began the region.
    std::uint64_t caller = 0;
    std::optional<std::uint64_t> body{};  // the outlined function that it gave to the runtime
    // The code itself executes the region, without a team: its if clause is false.
    bool is_serialized = false;
    bool is_asked = false;                   // for a number of threads, by a clause
    bool may_be_unasked = false;             // several ways lead to the call, not all of them ask
    std::optional<std::uint64_t> threads{};  // that are asked for
    // Compilers ask for one thread where an if clause is false, too.
    bool may_be_if = false;
    code::Origin origin = code::Origin::unknown;  // of the number, where that may be so

    bool operator==(const TeamRequest &) const = default;
};

// Those of all the regions that the thread with FRAMES, innermost first, has begun, the outermost
// first, as far as the code that began them has a frame. One may not have begun yet, or have ended.
std::vector<TeamRequest> team_requests(WaitReader &waits, std::span<const code::Frame> frames);

// The same of the region whose construct has BODY, where the only function that gives that to a
// runtime ends with the jump that begins the region, and so leaves no frame. Searches the code of
// BODY's file. CALLER is the jump's address.
std::optional<TeamRequest> request_by_jump(WaitReader &waits, std::uint64_t body);

// The same of the region that the function which begins at GIVER has begun, where it has left no
// frame: then it ended with its only jump to another one.
std::optional<TeamRequest> request_by_last_jump(WaitReader &waits, std::uint64_t giver);

// The outlined function of the innermost teams construct that the code of FRAMES has begun.
std::optional<std::uint64_t> league_body(WaitReader &waits, std::span<const code::Frame> frames);

// Whether a file of the user's calls a function of the runtimes' that begins a region, by the names
// that it needs or has. None does in a program that was compiled without OpenMP.
bool begins_regions(code::FunctionReader &functions, const Module &module);

}  // namespace gdb_ompd
