// SPDX-License-Identifier: Apache-2.0
// The place to which a call into an OMPD library is ended from outside.
//
// A signal handler, or a callback that has had enough, leaves the library's
// frames behind with siglongjmp. Nothing of ours may be among them: callbacks
// and whatever else the library reaches of ours disarm the point first.
#pragma once

#include <atomic>
#include <csetjmp>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <vector>

namespace gdb_ompd {

// Where a library's instructions are. A timer or an interrupt ends a call only
// there: in the C library it might hold a lock that the debugger needs.
struct CodeRange {
    std::uintptr_t begin;
    std::uintptr_t end;
};
using CodeRanges = std::vector<CodeRange>;

// How a call into the library came to its end.
struct Ending {
    enum class Kind { returned, crashed, overflowed, threw, expired, interrupted, restless };
    Kind kind = Kind::returned;
    int signal = 0;  // of a crash
};

class JumpPoint {
public:
    // CODE outlives the point. The buffer's 200 bytes are for run() to fill.
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init)
    explicit JumpPoint(const CodeRanges &code) noexcept : code_(code) {}
    ~JumpPoint() = default;
    JumpPoint(const JumpPoint &) = delete;
    JumpPoint &operator=(const JumpPoint &) = delete;

    // Call ENTER(DATA), the library's code, and say how it ended.
    [[nodiscard]] Ending run(void (*enter)(void *), void *data) noexcept;
    // What the library threw, if it did.
    [[nodiscard]] const std::exception_ptr &thrown() const noexcept { return thrown_; }

    // Give up the library's frames, in which nothing may need a destructor.
    [[noreturn]] void leave(Ending ending) noexcept;

    // The call has taken longer than it may, or the user wants it ended.
    [[nodiscard]] bool expired() const noexcept { return expired_; }
    // How many bytes there are from ADDRESS to the end of the library's frames, if it is on the
    // stack that this call has entered the library on. None in our own frames, which have what it
    // is to fill.
    [[nodiscard]] std::optional<std::size_t> room_on_stack(const void *address) const noexcept;

    // For signal handlers: one more tick of the clock while the call is in
    // progress, PC being what it interrupted. True asks for the next one soon.
    [[nodiscard]] bool tick(std::uintptr_t pc, int most_ticks) noexcept;
    void interrupt(std::uintptr_t pc) noexcept;

    // The point of the library code that this thread executes; null in our own.
    static JumpPoint *armed() noexcept;
    // The innermost call in progress in this thread, also while it calls back.
    static JumpPoint *innermost() noexcept;

    // Our own code runs for a while, whose faults are not the library's.
    class Outside {
    public:
        Outside() noexcept;
        ~Outside();
        Outside(const Outside &) = delete;
        Outside &operator=(const Outside &) = delete;

    private:
        JumpPoint *point_;
    };

private:
    [[nodiscard]] bool may_leave_at(std::uintptr_t pc) const noexcept;

    const CodeRanges &code_;
    sigjmp_buf buffer_;
    Ending ending_;
    std::exception_ptr thrown_;
    JumpPoint *outer_armed_ = nullptr;
    JumpPoint *outer_ = nullptr;
    const std::byte *frame_ = nullptr;
    int ticks_ = 0;
    std::atomic<bool> expired_ = false;
    std::atomic<bool> interrupted_ = false;
    bool hurried_ = false;
};

}  // namespace gdb_ompd
