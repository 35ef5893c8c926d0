// SPDX-License-Identifier: Apache-2.0
// The functions that a file's .eh_frame_hdr lists: those without a symbol, too.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

namespace gdb_ompd::code {

struct Range {
    std::uint64_t start = 0;
    std::uint64_t end = 0;

    [[nodiscard]] bool holds(std::uint64_t address) const {
        return start <= address && address < end;
    }
};

// Both compilers write the table as 32-bit offsets, in the order of the functions, and the range of
// a function's description relative to itself. Of another encoding there are no functions: some may
// be left out, but none is wrong.
class FrameTable {
public:
    // Reads so many bytes, little-endian; none where that cannot be done.
    using Read = std::function<std::optional<std::uint64_t>(std::uint64_t address, unsigned size)>;

    // PLACE is where .eh_frame_hdr is.
    FrameTable(Read read, Range place);

    [[nodiscard]] std::uint64_t size() const { return size_; }
    // The function of that number; none where its description does not fit.
    [[nodiscard]] std::optional<Range> function(std::uint64_t number) const;
    [[nodiscard]] std::optional<Range> around(std::uint64_t address) const;

private:
    [[nodiscard]] std::optional<std::uint64_t> start(std::uint64_t number) const;
    [[nodiscard]] std::optional<std::uint64_t> offset(std::uint64_t address) const;

    Read read_;
    std::uint64_t base_;
    std::uint64_t size_ = 0;
};

}  // namespace gdb_ompd::code
