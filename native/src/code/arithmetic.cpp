// SPDX-License-Identifier: Apache-2.0
#include "code/arithmetic.hpp"

#include "base/target.hpp"
#include "code/known.hpp"

namespace gdb_ompd::code {

namespace {

std::uint64_t shifted_right(std::uint64_t value, std::uint64_t by, bool is_signed) {
    return is_signed ? static_cast<std::uint64_t>(static_cast<std::int64_t>(value) >> by)
                     : value >> by;
}

}  // namespace

std::uint64_t extended(std::uint64_t value, unsigned width) {
    if (width >= pointer_size) {
        return value;
    }
    const std::uint64_t sign = std::uint64_t{1} << (8 * width - 1);
    return (cut(value, width) ^ sign) - sign;
}

Value computed(const Instruction &instruction, std::uint64_t first, std::uint64_t second) {
    switch (instruction.computation.arithmetic) {
    case Arithmetic::first:
        return first;
    case Arithmetic::add:
        return first + second;
    case Arithmetic::subtract:
        return first - second;
    case Arithmetic::multiply:
        return first * second;
    case Arithmetic::shift_left: {
        const std::uint64_t most = 8U * instruction.computation.width - 1;
        return first << (second & most);
    }
    case Arithmetic::shift_right: {
        const std::uint64_t most = 8U * instruction.computation.width - 1;
        return shifted_right(first, second & most, instruction.computation.first.is_signed);
    }
    case Arithmetic::bit_and:
        return first & second;
    case Arithmetic::bit_or:
        return first | second;
    case Arithmetic::bit_xor:
        return first ^ second;
    case Arithmetic::multiply_wide:
    case Arithmetic::divide:  // of two results
    case Arithmetic::choose:
    case Arithmetic::holds:  // of a condition
        break;
    case Arithmetic::insert: {
        const std::uint64_t mask = std::uint64_t{0xffff} << instruction.shift;
        return (first & ~mask) | (second << instruction.shift & mask);
    }
    case Arithmetic::unknown:
        break;
    }
    return std::nullopt;
}

std::uint64_t upper_half(const Computation &made, std::uint64_t first, std::uint64_t second) {
    __extension__ using Wide = unsigned __int128;
    __extension__ using SignedWide = __int128;
    const Wide product = made.first.is_signed
                             ? static_cast<Wide>(SignedWide{static_cast<std::int64_t>(first)} *
                                                 SignedWide{static_cast<std::int64_t>(second)})
                             : Wide{first} * Wide{second};
    return static_cast<std::uint64_t>(product >> (8U * made.width));
}

Value divided(const Computation &made, std::uint64_t upper, std::uint64_t first,
              std::uint64_t second, bool is_remainder) {
    const bool is_negative = made.first.is_signed && static_cast<std::int64_t>(first) < 0;
    const std::uint64_t extension = is_negative ? ~std::uint64_t{0} : 0;
    const bool overflows = second == 0 || second == ~std::uint64_t{0};
    if (cut(upper, made.width) != cut(extension, made.width) || overflows) {
        return std::nullopt;
    }
    if (!made.first.is_signed) {
        return is_remainder ? first % second : first / second;
    }
    const auto dividend = static_cast<std::int64_t>(first);
    const auto divisor = static_cast<std::int64_t>(second);
    return static_cast<std::uint64_t>(is_remainder ? dividend % divisor : dividend / divisor);
}

std::optional<bool> is_true(Condition condition, const Computation &made, std::uint64_t first,
                            std::uint64_t second) {
    const bool subtracts = made.arithmetic == Arithmetic::subtract;
    if (!subtracts && made.arithmetic != Arithmetic::bit_and) {
        return std::nullopt;
    }
    // The bits of both are compared with none.
    const std::uint64_t left = cut(subtracts ? first : first & second, made.width);
    const std::uint64_t right = subtracts ? cut(second, made.width) : 0;
    const auto as_signed = [&](std::uint64_t value) {
        return static_cast<std::int64_t>(extended(value, made.width));
    };
    const bool is_less = as_signed(left) < as_signed(right);
    switch (condition) {
    case Condition::equal:
        return left == right;
    case Condition::unequal:
        return left != right;
    case Condition::below:
        return left < right;
    case Condition::not_below:
        return left >= right;
    case Condition::below_or_equal:
        return left <= right;
    case Condition::above:
        return left > right;
    case Condition::less:
        return is_less;
    case Condition::not_less:
        return !is_less;
    case Condition::less_or_equal:
        return is_less || left == right;
    case Condition::greater:
        return !is_less && left != right;
    case Condition::negative:
        return as_signed(left - right) < 0;
    case Condition::not_negative:
        return as_signed(left - right) >= 0;
    case Condition::none:
        break;
    }
    return std::nullopt;
}

}  // namespace gdb_ompd::code
