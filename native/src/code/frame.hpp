// SPDX-License-Identifier: Apache-2.0
// A frame of a stopped thread, as every rule on stacks takes it.
#pragma once

#include "code/arithmetic.hpp"
#include "code/instruction.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace gdb_ompd::code {

// REGISTERS are those that its callee preserved.
struct Frame {
    std::uint64_t pc = 0;
    // Whether an instruction of its caller called it: not a function that is inlined, nor
    // one that a signal interrupted.
    bool is_called = true;
    std::array<Value, first_vector_register> registers{};
    // Whether a debugger has made it up for a function that has ended with a jump.
    bool is_tail_call = false;

    [[nodiscard]] Value held_by(Register number) const {
        return number < registers.size() ? registers[number] : std::nullopt;
    }
};

// Whether a signal has interrupted the function of a frame: no instruction of it has called what
// is inside, which is not inlined, either.
[[nodiscard]] inline bool is_interrupted(std::span<const Frame> frames, std::size_t number) {
    const Frame &inner = frames[number - 1];
    return !inner.is_called && inner.pc != frames[number].pc;
}
// Whether it is the part of the function of the next frame that another one was inlined into.
[[nodiscard]] inline bool is_inlined(std::span<const Frame> frames, std::size_t number) {
    return !frames[number].is_called && number + 1 < frames.size() &&
           frames[number].pc == frames[number + 1].pc;
}
// The frame, from AT on, by whose call that frame's function came to be executed: those that are
// made up hold no call.
[[nodiscard]] std::size_t that_called(std::span<const Frame> frames, std::size_t at);
// What a signal's handler has called where one has interrupted FRAMES, without what called the
// handler; all of them where none has.
[[nodiscard]] std::span<const Frame> since_signal(std::span<const Frame> frames);

}  // namespace gdb_ompd::code
