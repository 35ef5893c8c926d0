// SPDX-License-Identifier: Apache-2.0
// What the debugger adds to what is read of threads' waits: the source's lines and the names of the
// user's objects.
#pragma once

#include "stop/stack_places.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace gdb_ompd {

class WaitNames {
public:
    virtual ~WaitNames() = default;

    // Where a function of the user's was left that has no frame: by the JUMPS, or where it begins.
    [[nodiscard]] virtual PlaceRef left(std::span<const std::uint64_t> jumps,
                                        std::optional<std::uint64_t> function) = 0;
    // A place with that further INNERMOST, which has no source.
    [[nodiscard]] virtual PlaceRef with_innermost(const PlaceRef &place,
                                                  const PlaceRef &innermost) = 0;
    // What is waited for in a function that the runtime has for several kinds, of which KIND is
    // one. PLACES are the calls that may have been made.
    [[nodiscard]] virtual code::WaitKind kind_by_lines(code::WaitKind kind,
                                                       std::span<const CallPlace> places) = 0;
    // What the user calls the object at ADDRESS in a thread's frame at PC; of thread 0 in none.
    [[nodiscard]] virtual std::optional<std::string>
    object(code::WaitKind kind, std::uint64_t address, int gdb_num, std::uint64_t pc) = 0;
    // The same of a lock of the C library's in the user's innermost frame, at PC as far as known.
    [[nodiscard]] virtual std::optional<std::string> mutex(std::uint64_t address, int gdb_num,
                                                           std::uint64_t pc) = 0;
    // Whether a function of MPI's waits for what other processes do, also while it works.
    [[nodiscard]] virtual bool waits_for_others(const std::string &function) = 0;
    // Whether the task with the outlined FUNCTION is one of the user's innermost frames of a
    // thread: it called what the thread waits in, and is not just beginning.
    [[nodiscard]] virtual bool is_in_body(int gdb_num, std::uint64_t function) = 0;
};

// What a thread waits for that was FOUND there.
WaitRef named_wait(const StackPlace &found, WaitNames &names);

// Whether clang made a critical of that name for a reduction.
bool is_reduction(const std::optional<std::string> &name);

}  // namespace gdb_ompd
