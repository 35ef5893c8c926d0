// SPDX-License-Identifier: Apache-2.0
#include "stop/absence.hpp"

#include "elf/address_space.hpp"

namespace gdb_ompd {

namespace {

// What libthread_db has of a field of struct pthread: bits, elements and offset, 4 bytes each.
constexpr std::string_view field_of_end = "_thread_db_pthread_cancelhandling";
constexpr std::uint64_t bits = 0, elements = 4, offset = 8;
constexpr std::uint64_t one_word = 32;
constexpr std::uint64_t largest_descriptor = 4096;
constexpr std::uint64_t ending = 0x10, ended = 0x20;  // EXITING_BITMASK and TERMINATED_BITMASK

}  // namespace

// The kernel's word comes first: a thread that ends without the C library leaves no trace, either.
Absence AbsenceReader::why(const AbsentThread &thread) {
    const auto place = place_of_end();
    const auto word = place ? functions_.space().uint_at({thread.pthread + *place}, 4)
                            : std::optional<std::uint64_t>();
    if (is_forked_ == false || (word && (*word & (ending | ended)) != 0)) {
        return Absence::ended;
    }
    return word ? Absence::forked : Absence::unknown;
}

std::optional<std::uint64_t> AbsenceReader::place_of_end() {
    if (!place_of_end_) {
        const auto field = functions_.address_of(field_of_end);
        const auto number = [&](std::uint64_t at) {
            return field ? functions_.space().uint_at({*field + at}, 4) : std::nullopt;
        };
        const auto place = number(offset);
        const bool is_word = number(bits) == one_word && number(elements) == 1;
        place_of_end_ = is_word && place && *place < largest_descriptor ? place : std::nullopt;
    }
    return *place_of_end_;
}

}  // namespace gdb_ompd
