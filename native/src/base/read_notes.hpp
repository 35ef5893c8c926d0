// SPDX-License-Identifier: Apache-2.0
// What was read of a process, to see later whether it still says the same.
#pragma once

#include "base/target.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace gdb_ompd {

class ReadNotes {
public:
    // More than this many bytes are dearer to compare than to ask for anew.
    static constexpr std::size_t most = std::size_t{16} << 20;

    // Something is asked for. If it cannot be read, no answer to it follows, and the notes
    // never hold again: why it failed is not in them.
    void ask() noexcept { ++asked_; }
    void answer(TargetAddr address, std::span<const std::byte> bytes);

    // Whether all that was noted reads the same now, by what the kernel says of PROCESS.
    [[nodiscard]] bool still_hold(int process) const;

private:
    struct Place {
        TargetAddr from;
        std::size_t size = 0;
    };

    std::vector<Place> places_;
    std::vector<std::byte> bytes_;  // of all places, one after the other
    std::size_t asked_ = 0;
};

}  // namespace gdb_ompd
