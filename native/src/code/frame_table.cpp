// SPDX-License-Identifier: Apache-2.0
#include "code/frame_table.hpp"

#include <algorithm>
#include <utility>

namespace gdb_ompd::code {

namespace {

constexpr std::uint64_t header_size = 12;
constexpr std::uint64_t entry_size = 8;
constexpr std::uint64_t expected_encodings = 0x3b031b01;  // version 1, and the three encodings

}  // namespace

FrameTable::FrameTable(Read read, Range place) : read_(std::move(read)), base_(place.start) {
    if (read_(base_, 4) == expected_encodings) {
        size_ = std::min(read_(base_ + 8, 4).value_or(0), (place.end - base_) / entry_size);
    }
}

// What follows, as a signed word, from where the table begins.
std::optional<std::uint64_t> FrameTable::offset(std::uint64_t address) const {
    const auto word = read_(address, 4);
    return word ? std::optional(
                      static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(*word)}))
                : std::nullopt;
}

std::optional<std::uint64_t> FrameTable::start(std::uint64_t number) const {
    const auto found = offset(base_ + header_size + entry_size * number);
    return found ? std::optional(base_ + *found) : std::nullopt;
}

std::optional<Range> FrameTable::function(std::uint64_t number) const {
    const auto begin = start(number);
    const auto description = offset(base_ + header_size + entry_size * number + 4);
    if (!begin || !description) {
        return std::nullopt;
    }
    const std::uint64_t at = base_ + *description + 8;
    // Where code may be large, both are of eight bytes.
    for (const unsigned size : {4U, 8U}) {
        const auto relative = size == 4 ? offset(at) : read_(at, size);
        const auto length = size == 4 ? offset(at + size) : read_(at + size, size);
        if (relative && length && static_cast<std::int64_t>(*length) > 0 &&
            at + *relative == *begin) {
            return Range{*begin, *begin + *length};
        }
    }
    return std::nullopt;
}

std::optional<Range> FrameTable::around(std::uint64_t address) const {
    std::uint64_t first = 0;
    std::uint64_t last = size_;  // the first function that begins behind ADDRESS is before it
    while (first < last) {
        const std::uint64_t middle = first + (last - first) / 2;
        const auto begin = start(middle);
        if (!begin) {
            return std::nullopt;
        }
        if (*begin <= address) {
            first = middle + 1;
        } else {
            last = middle;
        }
    }
    const auto found = first == 0 ? std::nullopt : function(first - 1);
    return found && found->holds(address) ? found : std::nullopt;
}

}  // namespace gdb_ompd::code
