// SPDX-License-Identifier: Apache-2.0
#include "stop/unwound_frames.hpp"

namespace gdb_ompd {

using code::Frame;

namespace {

// Frames around the user's innermost one that are looked at for a place with source.
constexpr std::size_t looked_at = 64;

}  // namespace

std::vector<Frame> to_frames(std::span<const UnwoundFrame> unwound) {
    std::vector<Frame> frames(unwound.size());
    for (std::size_t i = 0; i < unwound.size(); ++i) {
        frames[i].pc = unwound[i].pc;
        for (std::size_t number = 0; number < processors_numbers.size(); ++number) {
            frames[i].registers[processors_numbers[number]] = unwound[i].registers[number];
        }
    }
    return frames;
}

std::vector<Frame> whole_frames(Unwinder &unwinder, ThreadStack &stack) {
    const bool is_whole = unwinder.unwind(stack, most_frames);
    return is_whole || stack.frames().size() >= most_frames ? to_frames(stack.frames())
                                                            : std::vector<Frame>();
}

std::optional<std::vector<Frame>> with_registers(std::vector<Frame> placed,
                                                 std::span<const Frame> unwound) {
    std::size_t at = 0;
    for (std::size_t number = 0; number < placed.size(); ++number) {
        Frame &frame = placed[number];
        if (frame.is_tail_call || at == unwound.size() || frame.pc != unwound[at].pc) {
            return std::nullopt;
        }
        frame.registers = unwound[at].registers;
        at += code::is_inlined(placed, number) ? 0 : 1;
    }
    return placed;
}

std::vector<Frame> frames_around_user(Unwinder &unwinder, ThreadStack &stack) {
    const auto user = unwinder.to_user(stack);
    if (!user) {
        return {};
    }
    unwinder.unwind(stack, *user + looked_at);
    return to_frames(stack.frames());
}

}  // namespace gdb_ompd
