// SPDX-License-Identifier: Apache-2.0
// The functions of GCC's runtime that execute a target region on the host: an entry point calls
// them, and they call the region's function through a pointer. So does what executes tasks while a
// thread waits for dependences, which the entry points of tasks call, too.
#pragma once

#include "code/user_calls.hpp"

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <vector>

namespace gdb_ompd {

class HostFallbacks {
public:
    // CALLS outlives it.
    explicit HostFallbacks(code::UserCalls &calls) : calls_(calls) {}

    // Whether the call that returns to PC is that of a region's function.
    [[nodiscard]] bool calls_region(std::uint64_t pc);
    // Whether PC is in one, wherever. Behind the region's function they end the threads that it has
    // left, and may wait for these.
    [[nodiscard]] bool has_region(std::uint64_t pc);
    // Their frames, wherever these are in them, outermost first.
    [[nodiscard]] std::vector<code::Frame> among(std::span<const code::Frame> frames);

private:
    // Whether PC, a return address, is in one, or in another function that such an entry point
    // calls.
    [[nodiscard]] bool is_one(std::uint64_t pc);
    [[nodiscard]] std::set<std::uint64_t> called_by(code::WaitKind kind);

    code::UserCalls &calls_;
    std::optional<std::set<std::uint64_t>> starts_;  // none until they are asked
};

}  // namespace gdb_ompd
