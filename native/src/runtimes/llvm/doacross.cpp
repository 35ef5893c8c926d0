// SPDX-License-Identifier: Apache-2.0
#include "runtimes/llvm/doacross.hpp"

namespace gdb_ompd::llvm {

namespace {

constexpr std::uint64_t most_loops = 64;  // of a nest, each with a bound of its own
constexpr FieldPlace word{0, 8};
constexpr FieldPlace flags_word{0, 4};
constexpr std::uint64_t bits_per_word = 32;

// Where each loop's {lower, upper, step} are; each but the first has its length before them.
constexpr std::uint64_t words_per_loop = 4;
constexpr std::uint64_t first_bounds = 2;

// Which of a loop's iterations VALUE is, from 0; none of one that is none of it.
std::optional<std::uint64_t> logical(std::int64_t value, std::int64_t lower, std::int64_t upper,
                                     std::int64_t step) {
    const bool is_inside = step > 0   ? lower <= value && value <= upper
                           : step < 0 ? upper <= value && value <= lower
                                      : false;
    if (!is_inside) {
        return std::nullopt;
    }
    const auto from = static_cast<std::uint64_t>(step > 0 ? lower : value);
    const auto to = static_cast<std::uint64_t>(step > 0 ? value : lower);
    const auto stride = static_cast<std::uint64_t>(step);
    return (to - from) / (step > 0 ? stride : 0 - stride);
}

}  // namespace

Doacross::Doacross(const PrivateFields &fields)
    : dispatch_(fields.at("kmp_base_info_t.th_dispatch")),
      begun_(fields.at("kmp_disp_t.th_doacross_buf_idx")),
      flags_(fields.at("kmp_disp_t.th_doacross_flags")),
      bounds_(fields.at("kmp_disp_t.th_doacross_info")) {}

std::optional<Sink> Doacross::sink(const Memory &memory, const OmpThread &thread, TargetAddr vector,
                                   const Members &members) const {
    const TargetAddr own = record(memory, thread);
    const TargetAddr bounds = memory.pointer(own, bounds_);
    const TargetAddr flags = memory.pointer(own, flags_);
    const std::uint64_t loops = memory.field(bounds, word);
    if (!could_be_address(flags) || loops == 0 || loops > most_loops) {
        return std::nullopt;
    }
    Sink found;
    std::uint64_t number = 0;  // of all iterations of the nest
    for (std::uint64_t loop = 0; loop < loops; ++loop) {
        const TargetAddr at = bounds + pointer_size * (first_bounds + words_per_loop * loop);
        const auto nth = [&](std::int64_t place) {
            return memory.signed_field(at + pointer_size * static_cast<std::uint64_t>(place), word);
        };
        const auto iteration = logical(memory.signed_field(vector + pointer_size * loop, word),
                                       nth(0), nth(1), nth(2));
        if (!iteration) {
            return std::nullopt;
        }
        const std::uint64_t length = loop == 0 ? 0 : nth(-1);
        if (loop != 0 && (*iteration >= length || number > (UINT64_MAX - *iteration) / length)) {
            return std::nullopt;
        }
        number = number * length + *iteration;
        found.iteration.push_back(*iteration);
    }
    const TargetAddr flag = flags + flags_word.size * (number / bits_per_word);
    found.is_to_come = (memory.field(flag, flags_word) >> (number % bits_per_word) & 1U) == 0;
    for (const Member &member : members.all()) {
        if (member.thread.team == thread.team && has_left(memory, member.thread, thread)) {
            found.left.push_back(member.gdb_num);
        }
    }
    return found;
}

// Threads count the loops that they have begun, and keep a loop's bounds until its end.
bool Doacross::has_left(const Memory &memory, const OmpThread &member,
                        const OmpThread &thread) const {
    const TargetAddr own = record(memory, thread);
    const TargetAddr other = record(memory, member);
    const std::int64_t ahead =
        memory.signed_field(other, begun_) - memory.signed_field(own, begun_);
    return ahead > 0 || (ahead == 0 && memory.pointer(other, bounds_).value == 0);
}

TargetAddr Doacross::record(const Memory &memory, const OmpThread &thread) const {
    return memory.pointer(thread.address, dispatch_);
}

}  // namespace gdb_ompd::llvm
