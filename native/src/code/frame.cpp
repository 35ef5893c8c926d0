// SPDX-License-Identifier: Apache-2.0
#include "code/frame.hpp"

namespace gdb_ompd::code {

std::size_t that_called(std::span<const Frame> frames, std::size_t at) {
    std::size_t caller = at;
    while (caller < frames.size() && frames[caller].is_tail_call) {
        ++caller;
    }
    return caller < frames.size() ? caller : at;
}

std::span<const Frame> since_signal(std::span<const Frame> frames) {
    for (std::size_t number = 2; number < frames.size(); ++number) {
        if (is_interrupted(frames, number)) {
            return frames.first(number - 1);
        }
    }
    return frames;
}

}  // namespace gdb_ompd::code
