// SPDX-License-Identifier: Apache-2.0
// One call into an OMPD library, from the moment we enter it until it returns.
#pragma once

#include "output_trap.hpp"

#include <exception>
#include <utility>

namespace gdb_ompd {

class AddressSpace;

// Keeps what must not pass through the library: an exception of a callback.
// After one, every further callback of the call is refused, so that an
// interrupt is prompt and no answer is built on a failed read.
class Call {
public:
    // SPACE is null for a call that concerns none.
    Call(OutputTrap &trap, AddressSpace *space) noexcept;
    ~Call();
    Call(const Call &) = delete;
    Call &operator=(const Call &) = delete;

    // The innermost call of this thread; null outside of the library.
    static Call *current() noexcept;

    [[nodiscard]] AddressSpace *space() const noexcept { return space_; }
    [[nodiscard]] OutputTrap &trap() const noexcept { return trap_; }
    [[nodiscard]] bool failed() const noexcept { return failure_ != nullptr; }
    void fail(std::exception_ptr failure) noexcept { failure_ = std::move(failure); }
    [[nodiscard]] std::exception_ptr take_failure() noexcept {
        return std::exchange(failure_, nullptr);
    }

    // Lets a callback's code print where it likes.
    class Callback {
    public:
        explicit Callback(Call &call) noexcept : call_(call) { call_.guard_.open(); }
        ~Callback() { call_.guard_.close(); }
        Callback(const Callback &) = delete;
        Callback &operator=(const Callback &) = delete;

    private:
        Call &call_;
    };

private:
    OutputTrap &trap_;
    AddressSpace *space_;
    Call *outer_;
    std::exception_ptr failure_;
    OutputTrap::Guard guard_;
};

}  // namespace gdb_ompd
