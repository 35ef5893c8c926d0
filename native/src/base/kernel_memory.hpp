// SPDX-License-Identifier: Apache-2.0
// Memory of a process that this one traces, from the kernel and not through the debugger:
// many places at the cost of one. For data only, since a debugger's breakpoints show in code.
#pragma once

#include "base/target.hpp"

#include <cstddef>
#include <span>

namespace gdb_ompd {

struct Piece {
    TargetAddr from;
    std::span<std::byte> to;
    bool is_read = false;
};

// Fill the pieces that can be read, and mark them. None is on another system than Linux.
void read_pieces(int process, std::span<Piece> pieces);

}  // namespace gdb_ompd
