// SPDX-License-Identifier: Apache-2.0
// One call into an OMPD library, from the moment we enter it until it returns.
#pragma once

#include "base/memory_blocks.hpp"
#include "ompd/jump_point.hpp"
#include "ompd/output_trap.hpp"

#include <exception>
#include <optional>
#include <utility>

namespace gdb_ompd {

class AddressSpace;

// Whose library is called. LLVM's says "ok" where a read has failed and goes on at
// address 0, and reads as many bytes as damaged memory says into its variables. What
// guards against that would stand in the way of a library that does as OMPD says, and
// is left out for every other one. The guards of both kinds are listed in
// docs/reliability.md.
enum class Manners { as_specified, llvm };

// What a call needs of the library it goes into.
struct CallScope {
    OutputTrap &trap;
    const CodeRanges &code;
    BlockOwner owner;
    Manners manners;
};

// Keeps what must not pass through the library: an exception of a callback.
// After one, every further callback of the call is refused, so that an
// interrupt is prompt. For LLVM's library memory that cannot be read is such an
// exception, so that no answer is built on it; any other is told of it and goes on.
class Call {
public:
    // For LLVM's library, no answer of which takes a thousandth of these. Another may
    // walk lists of any length: the time-out is its bound.
    static constexpr int max_callbacks = 100'000;
    // A library that goes on in spite of refusals is not waited for.
    static constexpr int max_refusals = 1'000;

    // SPACE is null for a call that concerns none.
    Call(const CallScope &scope, AddressSpace *space) noexcept;
    ~Call();
    Call(const Call &) = delete;
    Call &operator=(const Call &) = delete;

    // The innermost call of this thread; null outside of the library.
    static Call *current() noexcept;

    [[nodiscard]] AddressSpace *space() const noexcept { return space_; }
    [[nodiscard]] OutputTrap &trap() const noexcept { return trap_; }
    [[nodiscard]] BlockOwner owner() const noexcept { return owner_; }
    [[nodiscard]] Manners manners() const noexcept { return manners_; }
    void fail(std::exception_ptr failure) noexcept { failure_ = std::move(failure); }
    [[nodiscard]] std::exception_ptr take_failure() noexcept {
        return std::exchange(failure_, nullptr);
    }

    // Execute ENTER(DATA), which is to call the library.
    [[nodiscard]] Ending run(void (*enter)(void *), void *data) noexcept;
    [[nodiscard]] const std::exception_ptr &thrown() const noexcept { return point_.thrown(); }

    // Whether a callback may do its work. It may not after a failure, too many
    // callbacks or too long a time; one that keeps asking ends the call, without
    // returning. So nothing of the caller's may need a destructor.
    [[nodiscard]] bool admits_callback() noexcept;
    // Why callbacks are refused, where it is not an exception.
    [[nodiscard]] Ending::Kind limit() const noexcept { return limit_; }

    // Whether the library has written beyond a block of ours.
    void note_overrun() noexcept { overrun_ = true; }
    [[nodiscard]] bool has_overrun() const noexcept;

    // How many bytes there are from ADDRESS to the end of the library's part of the
    // stack, if ADDRESS is in it.
    [[nodiscard]] std::optional<std::size_t> room_on_stack(const void *address) const noexcept {
        return point_.room_on_stack(address);
    }

    // Lets a callback's code print where it likes, and crash as it likes.
    class Callback {
    public:
        explicit Callback(Call &call) noexcept : call_(call) { call_.guard_.open(); }
        ~Callback() { call_.guard_.close(); }
        Callback(const Callback &) = delete;
        Callback &operator=(const Callback &) = delete;

    private:
        JumpPoint::Outside outside_;
        Call &call_;
    };

private:
    OutputTrap &trap_;
    AddressSpace *space_;
    BlockOwner owner_;
    Manners manners_;
    std::size_t first_block_;
    Call *outer_;
    std::exception_ptr failure_;
    int callbacks_ = 0;
    int refusals_ = 0;
    Ending::Kind limit_ = Ending::Kind::returned;
    bool overrun_ = false;
    JumpPoint point_;
    OutputTrap::Guard guard_;
};

}  // namespace gdb_ompd
