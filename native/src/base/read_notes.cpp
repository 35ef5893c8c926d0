// SPDX-License-Identifier: Apache-2.0
#include "base/read_notes.hpp"

#include "base/kernel_memory.hpp"

#include <algorithm>

namespace gdb_ompd {

void ReadNotes::answer(TargetAddr address, std::span<const std::byte> bytes) {
    if (bytes_.size() + bytes.size() > most) {
        return;  // without this answer they do not hold
    }
    places_.push_back({address, bytes.size()});
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
}

bool ReadNotes::still_hold(int process) const {
    if (places_.size() != asked_) {
        return false;
    }
    std::vector<std::byte> now(bytes_.size());
    std::vector<Piece> pieces;
    pieces.reserve(places_.size());
    std::size_t at = 0;
    for (const Place &place : places_) {
        pieces.push_back({place.from, std::span(now).subspan(at, place.size)});
        at += place.size;
    }
    read_pieces(process, pieces);
    return std::all_of(pieces.begin(), pieces.end(),
                       [](const Piece &one) { return one.is_read; }) &&
           now == bytes_;
}

}  // namespace gdb_ompd
