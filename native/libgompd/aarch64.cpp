// SPDX-License-Identifier: Apache-2.0
// By the encodings of the architecture's manual (A64): every instruction is a word of a few
// forms, and an assembler's aliases of it are none of its own.
#include "processor.hpp"

#include <array>

namespace libgompd {

namespace {

constexpr unsigned zero_or_stack = 31;
constexpr unsigned link = 30;

struct Conditions {
    bool negative = false, zero = false, carry = false, overflow = false;
};

constexpr bool in_form(std::uint32_t word, std::uint32_t bits, std::uint32_t form) {
    return (word & bits) == form;
}

constexpr std::uint32_t part(std::uint32_t word, unsigned from, unsigned count) {
    return word >> from & ((std::uint32_t{1} << count) - 1);
}

// A signed number of COUNT bits.
constexpr std::uint64_t distance_of(std::uint64_t value, unsigned count) {
    const std::uint64_t top = std::uint64_t{1} << (count - 1);
    return ((value & (2 * top - 1)) ^ top) - top;
}

constexpr std::uint64_t low_bits(unsigned count) {
    return count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

std::uint64_t shifted(std::uint64_t value, unsigned kind, unsigned by, unsigned size) {
    value &= mask(size);
    switch (kind) {
    case 0:
        return value << by;
    case 1:
        return value >> by;
    case 2:
        return static_cast<std::uint64_t>(static_cast<std::int64_t>(extended(value, size)) >> by);
    default:
        return by == 0 ? value : value >> by | value << (8 * size - by);
    }
}

// The constant of an instruction on bits: ones, turned around in elements of one size.
std::optional<std::uint64_t> pattern(std::uint32_t word) {
    const std::uint32_t ones = part(word, 10, 6);
    const std::uint32_t sizes = part(word, 22, 1) << 6U | (~ones & 0x3fU);
    unsigned log = 6;
    while (log > 0 && (sizes >> log & 1U) == 0) {
        --log;
    }
    const unsigned size = 1U << log;
    const unsigned count = (ones & (size - 1)) + 1;
    if (log == 0 || count == size) {
        return std::nullopt;
    }
    const unsigned turn = part(word, 16, 6) & (size - 1);
    std::uint64_t value = low_bits(count);
    value = turn == 0 ? value : (value >> turn | value << (size - turn)) & low_bits(size);
    for (unsigned width = size; width < 64; width *= 2) {
        value |= value << width;
    }
    return value;
}

class Aarch64 final : public Processor {
public:
    Aarch64(const Entry &entry, Memory &memory)
        : Processor(entry.function), memory_(memory), entry_(entry) {
        registers_[zero_or_stack] = entry.stack;
        registers_[0] = entry.first;
        registers_[1] = entry.second;
    }

    bool step(std::span<const std::uint8_t> code) override;

private:
    enum class Done : std::uint8_t { yes, no, other };  // OTHER: it is of another form

    Done hint();
    Done go();
    Done leave();
    Done constant();
    Done add();
    Done logic();
    Done bits();
    Done select();
    Done multiply();
    Done access();
    Done pair();
    Done vector();

    [[nodiscard]] std::uint32_t at(unsigned from, unsigned count) const {
        return part(word_, from, count);
    }
    [[nodiscard]] bool is(std::uint32_t bits, std::uint32_t form) const {
        return in_form(word_, bits, form);
    }
    [[nodiscard]] unsigned size() const { return (word_ >> 31U) != 0 ? 8 : 4; }
    [[nodiscard]] std::uint64_t get(unsigned number) const {
        return number == zero_or_stack ? 0 : registers_[number];
    }
    Done set(unsigned number, std::uint64_t value, unsigned size) {
        if (number != zero_or_stack) {
            registers_[number] = value & mask(size);
        }
        return Done::yes;
    }
    [[nodiscard]] std::uint64_t extended_register(unsigned number, unsigned kind) const {
        const unsigned size = 1U << (kind & 3U);
        return (kind & 4U) != 0 ? extended(get(number), size) : get(number) & mask(size);
    }
    // There is no instruction that shifts a register by more than it has.
    [[nodiscard]] bool shift_fits() const { return at(10, 6) < 8 * size(); }
    [[nodiscard]] bool holds(unsigned condition) const;
    std::uint64_t sum(std::uint64_t a, std::uint64_t b, bool is_subtraction, bool is_noted);
    Done branch(bool is_taken, std::uint64_t distance) {
        next = is_taken ? here_ + distance : next;
        return Done::yes;
    }
    Done call(std::uint64_t callee);
    Done move(unsigned number, std::uint64_t address, unsigned width, unsigned kind);
    Done move_vector(std::uint64_t address, unsigned width, bool is_load);

    Memory &memory_;
    Entry entry_;
    std::array<std::uint64_t, 32> registers_{};
    Conditions flags_;
    std::uint32_t word_ = 0;
    std::uint64_t here_ = 0;
    unsigned calls_ = 0;
};

bool Aarch64::holds(unsigned condition) const {
    bool fact = true;  // always
    switch (condition >> 1U) {
    case 0:
        fact = flags_.zero;
        break;
    case 1:
        fact = flags_.carry;
        break;
    case 2:
        fact = flags_.negative;
        break;
    case 3:
        fact = flags_.overflow;
        break;
    case 4:
        fact = flags_.carry && !flags_.zero;
        break;
    case 5:
        fact = flags_.negative == flags_.overflow;
        break;
    case 6:
        fact = flags_.negative == flags_.overflow && !flags_.zero;
        break;
    default:
        return true;
    }
    return fact != ((condition & 1U) != 0);
}

std::uint64_t Aarch64::sum(std::uint64_t a, std::uint64_t b, bool is_subtraction, bool is_noted) {
    const std::uint64_t ones = mask(size());
    const std::uint64_t left = a & ones;
    const std::uint64_t right = (is_subtraction ? ~b : b) & ones;
    const std::uint64_t result = (left + right + (is_subtraction ? 1 : 0)) & ones;
    if (is_noted) {
        const bool is_same = is_subtraction && result == left;
        const std::uint64_t changed = (left ^ result) & (right ^ result);
        // Nothing is subtracted: the carry comes from the one that is added.
        flags_ = {(result & sign(size())) != 0, result == 0,
                  result < left || (is_same && right == ones), (changed & sign(size())) != 0};
    }
    return result;
}

// Branch targets, signed return addresses, barriers.
Aarch64::Done Aarch64::hint() {
    return is(0xfffff01f, 0xd503201f) || is(0xfffff0ff, 0xd50330bf) ? Done::yes : Done::other;
}

Aarch64::Done Aarch64::call(std::uint64_t callee) {
    if (calls_++ < entry_.passed_calls) {
        registers_[0] = entry_.returned;
        registers_[link] = next;
        return Done::yes;
    }
    ending = {Ending::How::called, get(0), get(0), get(1), callee};
    return Done::no;
}

Aarch64::Done Aarch64::leave() {
    const bool is_signed = is(0xfffffbff, 0xd65f0bff);
    if (is_signed || is(0xfffffc1f, 0xd65f0000)) {
        // Whoever called has no address.
        if (get(is_signed ? link : at(5, 5)) == 0 && registers_[zero_or_stack] == entry_.stack) {
            ending = {Ending::How::returned, get(0)};
        }
        return Done::no;
    }
    return is(0xfffffc1f, 0xd63f0000) ? call(0) : Done::other;
}

Aarch64::Done Aarch64::go() {
    if (is(0x7c000000, 0x14000000)) {
        const std::uint64_t distance = distance_of(at(0, 26), 26) * 4;
        return at(31, 1) != 0 ? call(here_ + distance) : branch(true, distance);
    }
    if (is(0xff000010, 0x54000000)) {
        return branch(holds(at(0, 4)), distance_of(at(5, 19), 19) * 4);
    }
    if (is(0x7e000000, 0x34000000)) {
        const bool is_zero = (get(at(0, 5)) & mask(size())) == 0;
        return branch(is_zero != (at(24, 1) != 0), distance_of(at(5, 19), 19) * 4);
    }
    if (is(0x7e000000, 0x36000000)) {
        const unsigned bit = at(31, 1) << 5U | at(19, 5);
        const bool is_zero = (get(at(0, 5)) >> bit & 1U) == 0;
        return branch(is_zero != (at(24, 1) != 0), distance_of(at(5, 14), 14) * 4);
    }
    return leave();
}

Aarch64::Done Aarch64::constant() {
    const unsigned to = at(0, 5);
    if (is(0xffffffe0, 0xd53bd040)) {
        return set(to, entry_.thread_pointer, 8);
    }
    if (is(0x1f000000, 0x10000000)) {
        const std::uint64_t distance = distance_of(at(5, 19) << 2U | at(29, 2), 21);
        return set(to,
                   at(31, 1) != 0 ? (here_ & ~std::uint64_t{4095}) + (distance << 12U)
                                  : here_ + distance,
                   8);
    }
    if (!is(0x1f800000, 0x12800000)) {
        return Done::other;
    }
    const unsigned shift = 16 * at(21, 2);
    const std::uint64_t value = std::uint64_t{at(5, 16)} << shift;
    switch (at(29, 2)) {
    case 0:
        return set(to, ~value, size());
    case 2:
        return set(to, value, size());
    case 3:
        return set(to, (get(to) & ~(std::uint64_t{0xffff} << shift)) | value, size());
    default:
        return Done::no;
    }
}

Aarch64::Done Aarch64::add() {
    const bool is_constant = is(0x1f800000, 0x11000000);
    const bool is_extended = is(0x1fe00000, 0x0b200000);
    if (!is_constant && !is_extended && !is(0x1f200000, 0x0b000000)) {
        return Done::other;
    }
    const bool is_noted = at(29, 1) != 0;
    std::uint64_t right = 0;
    if (is_constant) {
        right = std::uint64_t{at(10, 12)} << (at(22, 1) != 0 ? 12U : 0U);
    } else if (is_extended) {
        right = extended_register(at(16, 5), at(13, 3)) << at(10, 3);
    } else if (at(22, 2) != 3 && shift_fits()) {
        right = shifted(get(at(16, 5)), at(22, 2), at(10, 6), size());
    } else {
        return Done::no;
    }
    // The number 31 is the stack pointer here, but not of what is shifted.
    const bool with_stack = is_constant || is_extended;
    const std::uint64_t left = with_stack ? registers_[at(5, 5)] : get(at(5, 5));
    const std::uint64_t result = sum(left, right, at(30, 1) != 0, is_noted);
    if (with_stack && !is_noted) {
        registers_[at(0, 5)] = result;
        return Done::yes;
    }
    return set(at(0, 5), result, size());
}

Aarch64::Done Aarch64::logic() {
    const bool is_constant = is(0x1f800000, 0x12000000);
    if (!is_constant && !is(0x1f000000, 0x0a000000)) {
        return Done::other;
    }
    if (!is_constant && !shift_fits()) {
        return Done::no;
    }
    const auto value = is_constant
                           ? pattern(word_)
                           : std::optional(shifted(get(at(16, 5)), at(22, 2), at(10, 6), size()));
    if (!value) {
        return Done::no;
    }
    const std::uint64_t left = get(at(5, 5));
    const std::uint64_t right = !is_constant && at(21, 1) != 0 ? ~*value : *value;
    const unsigned operation = at(29, 2);
    std::uint64_t result = left & right;
    if (operation == 1) {
        result = left | right;
    } else if (operation == 2) {
        result = left ^ right;
    } else if (operation == 3) {
        flags_ = {(result & sign(size())) != 0, (result & mask(size())) == 0, false, false};
    }
    if (is_constant && operation != 3) {
        registers_[at(0, 5)] = result & mask(size());
        return Done::yes;
    }
    return set(at(0, 5), result, size());
}

// Shifts, and parts of a register with or without their sign.
Aarch64::Done Aarch64::bits() {
    if (is(0x7fe0f000, 0x1ac02000)) {
        const auto by = static_cast<unsigned>(get(at(16, 5))) & (8 * size() - 1);
        return set(at(0, 5), shifted(get(at(5, 5)), at(10, 2), by, size()), size());
    }
    if (!is(0x1f800000, 0x13000000)) {
        return Done::other;
    }
    const unsigned turn = at(16, 6);
    const unsigned last = at(10, 6);
    if ((at(29, 2) & 1U) != 0 || turn >= 8 * size() || last >= 8 * size()) {
        return Done::no;  // what it is put into is kept
    }
    const bool is_low = last >= turn;
    const unsigned count = is_low ? last - turn + 1 : last + 1;
    std::uint64_t value = get(at(5, 5)) >> (is_low ? turn : 0) & low_bits(count);
    value = at(29, 2) == 0 ? distance_of(value, count) : value;
    return set(at(0, 5), is_low ? value : value << (8 * size() - turn), size());
}

Aarch64::Done Aarch64::select() {
    if (is(0x3fe00800, 0x1a800000)) {
        std::uint64_t value = get(at(5, 5));
        if (!holds(at(12, 4))) {
            const std::uint64_t other = get(at(16, 5));
            value = (at(30, 1) != 0 ? ~other : other) + at(10, 1);
        }
        return set(at(0, 5), value, size());
    }
    if (!is(0x3fe00410, 0x3a400000)) {
        return Done::other;
    }
    if (holds(at(12, 4))) {
        const std::uint64_t right = at(11, 1) != 0 ? at(16, 5) : get(at(16, 5));
        static_cast<void>(sum(get(at(5, 5)), right, at(30, 1) != 0, true));
    } else {
        flags_ = {at(3, 1) != 0, at(2, 1) != 0, at(1, 1) != 0, at(0, 1) != 0};
    }
    return Done::yes;
}

Aarch64::Done Aarch64::multiply() {
    if (!is(0x1f000000, 0x1b000000)) {
        return Done::other;
    }
    std::uint64_t left = get(at(5, 5));
    std::uint64_t right = get(at(16, 5));
    const unsigned kind = at(21, 3);
    if (kind == 1) {
        left = extended(left, 4);
        right = extended(right, 4);
    } else if (kind == 5) {
        left &= mask(4);
        right &= mask(4);
    } else if (kind != 0) {
        return Done::no;
    }
    const std::uint64_t product = left * right;
    return set(at(0, 5), get(at(10, 5)) + (at(15, 1) != 0 ? 0 - product : product), size());
}

// KIND: 0 is a store, 1 a load, 2 and 3 one with the number's sign, in 8 and 4 bytes.
Aarch64::Done Aarch64::move(unsigned number, std::uint64_t address, unsigned width, unsigned kind) {
    if (kind == 0) {
        return memory_.store(address, width, get(number) & mask(width)) ? Done::yes : Done::no;
    }
    const auto value = memory_.load(address, width);
    if (!value || (kind != 1 && width >= (kind == 2 ? 8U : 4U))) {
        return Done::no;
    }
    return set(number, kind == 1 ? *value : extended(*value, width), kind == 3 ? 4 : 8);
}

// What vector registers hold is not known.
Aarch64::Done Aarch64::move_vector(std::uint64_t address, unsigned width, bool is_load) {
    for (unsigned done = 0; !is_load && done < width; done += 8) {
        if (!memory_.store(address + done, 0, 0)) {
            return Done::no;
        }
    }
    return Done::yes;
}

Aarch64::Done Aarch64::pair() {
    if (!is(0x3a000000, 0x28000000)) {
        return Done::other;
    }
    const bool is_vector = at(26, 1) != 0;
    const unsigned kind = at(30, 2);
    const unsigned width = is_vector ? 4U << kind : 4U << (kind >> 1U);
    if (kind == 3 || (!is_vector && kind == 1)) {
        return Done::no;
    }
    const unsigned mode = at(23, 2);  // 1: the base is changed afterwards, 3: before
    std::uint64_t &base = registers_[at(5, 5)];
    const std::uint64_t changed = base + distance_of(at(15, 7), 7) * width;
    const std::uint64_t address = mode == 1 ? base : changed;
    base = (mode & 1U) != 0 ? changed : base;
    const bool is_load = at(22, 1) != 0;
    if (is_vector) {
        return move_vector(address, 2 * width, is_load);
    }
    const Done first = move(at(0, 5), address, width, is_load ? 1 : 0);
    return first == Done::yes ? move(at(10, 5), address + width, width, is_load ? 1 : 0) : first;
}

Aarch64::Done Aarch64::access() {
    const unsigned log = at(30, 2);
    if (is(0x3ffffc00, 0x08dffc00) || is(0x3ffffc00, 0x38bfc000)) {  // with an order
        return move(at(0, 5), registers_[at(5, 5)], 1U << log, 1);
    }
    const bool is_vector = at(26, 1) != 0;
    const unsigned kind = at(22, 2);
    const unsigned width = is_vector && kind > 1 ? 16 : 1U << log;
    std::uint64_t &base = registers_[at(5, 5)];
    std::uint64_t address = base;
    if (is(0x3b000000, 0x39000000)) {
        address += std::uint64_t{at(10, 12)} * width;
    } else if (is(0x3b200c00, 0x38200800)) {
        const unsigned shift = width == 16 ? 4 : log;
        address += extended_register(at(16, 5), at(13, 3)) << (at(12, 1) != 0 ? shift : 0);
    } else if (is(0x3b200000, 0x38000000) && at(10, 2) != 2) {
        const unsigned mode = at(10, 2);  // as of pairs
        const std::uint64_t changed = base + distance_of(at(12, 9), 9);
        address = mode == 1 ? base : changed;
        base = (mode & 1U) != 0 ? changed : base;
    } else {
        return Done::other;
    }
    return is_vector ? move_vector(address, width, (kind & 1U) != 0)
                     : move(at(0, 5), address, width, kind);
}

// Nothing that leaves a general register changed: constants, and what was in one.
Aarch64::Done Aarch64::vector() {
    const bool is_known = is(0x9ff80400, 0x0f000400) || is(0xbfe0fc00, 0x0e000c00) ||
                          is(0xfffffc00, 0x9e670000) || is(0xfffffc00, 0x1e270000);
    return is_known ? Done::yes : Done::other;
}

bool Aarch64::step(std::span<const std::uint8_t> code) {
    if (code.size() < 4) {
        return false;
    }
    word_ = code[0] | code[1] << 8U | code[2] << 16U | std::uint32_t{code[3]} << 24U;
    here_ = next;
    next += 4;
    for (const auto form : {&Aarch64::hint, &Aarch64::go, &Aarch64::constant, &Aarch64::add,
                            &Aarch64::logic, &Aarch64::bits, &Aarch64::select, &Aarch64::multiply,
                            &Aarch64::pair, &Aarch64::access, &Aarch64::vector}) {
        const Done done = (this->*form)();
        if (done != Done::other) {
            return done == Done::yes;
        }
    }
    return false;
}

}  // namespace

std::unique_ptr<Processor> make_aarch64(const Entry &entry, Memory &memory) {
    return std::make_unique<Aarch64>(entry, memory);
}

}  // namespace libgompd
