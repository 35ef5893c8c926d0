// SPDX-License-Identifier: Apache-2.0
// What a stack shows of an end: of the process, of its thread, and of a runtime that has given up.
#pragma once

#include "code/user_calls.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace gdb_ompd {

inline constexpr const char *leaving_process = "exit";
inline constexpr const char *leaving_thread = "pthread_exit";

enum class Leaving : std::uint8_t {
    none,
    process,  // the thread is in exit
    thread,   // its function has returned: it destroys its thread_local objects
};

// A runtime that ends the program because it cannot go on.
struct GaveUp {
    std::string library;      // its file, without folders
    std::string function;     // of it that ends the program; empty for one without a symbol
    std::string entry_point;  // in which that was called; empty for one that is not known
    std::string message;      // that it has written before, as far as that is still there

    bool operator==(const GaveUp &) const = default;
};

class LeavingReader {
public:
    using Frames = std::span<const code::Frame>;

    // CALLS outlives it.
    explicit LeavingReader(code::UserCalls &calls) : calls_(calls) {}

    // FRAMES are all of a thread's, innermost first.
    [[nodiscard]] Leaving ending(Frames frames) const;
    // Whether the C library calls a destructor of what the thread has by a key of its own.
    [[nodiscard]] bool destroys_data(Frames frames) const;
    [[nodiscard]] std::optional<GaveUp> gave_up(Frames frames) const;
    // How many of FRAMES are inside of the runtime that has given up; none where none has.
    [[nodiscard]] std::optional<std::size_t> since_giving_up(Frames frames) const;

private:
    [[nodiscard]] const std::string &name(Frames frames, std::size_t place) const;
    [[nodiscard]] std::string format_of(Frames runtimes) const;
    [[nodiscard]] std::string number_of(Frames runtimes) const;
    [[nodiscard]] std::optional<std::uint64_t> first_variable(const code::Frame &variadic) const;
    [[nodiscard]] std::string text_at(std::uint64_t address) const;
    [[nodiscard]] std::optional<std::string> numbered(std::uint64_t record) const;

    code::UserCalls &calls_;
};

}  // namespace gdb_ompd
