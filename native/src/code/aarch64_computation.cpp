// SPDX-License-Identifier: Apache-2.0
#include "code/aarch64_instruction.hpp"
#include "code/aarch64_registers.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace gdb_ompd::code::aarch64 {

namespace {

struct Named {
    unsigned instruction;
    Arithmetic arithmetic;
};

// Of two operands; the last ones compare only.
constexpr std::array<Named, 11> computing{{
    {ARM64_INS_ADD, Arithmetic::add},
    {ARM64_INS_SUB, Arithmetic::subtract},
    {ARM64_INS_AND, Arithmetic::bit_and},
    {ARM64_INS_ORR, Arithmetic::bit_or},
    {ARM64_INS_EOR, Arithmetic::bit_xor},
    {ARM64_INS_MUL, Arithmetic::multiply},
    {ARM64_INS_LSL, Arithmetic::shift_left},
    {ARM64_INS_LSR, Arithmetic::shift_right},
    {ARM64_INS_ASR, Arithmetic::shift_right},
    {ARM64_INS_CMP, Arithmetic::subtract},
    {ARM64_INS_TST, Arithmetic::bit_and},
}};

struct Extension {
    unsigned instruction;
    std::uint8_t width;
    bool is_signed;
};

constexpr std::array<Extension, 5> extensions{{
    {ARM64_INS_SXTB, 1, true},
    {ARM64_INS_SXTH, 2, true},
    {ARM64_INS_SXTW, 4, true},
    {ARM64_INS_UXTB, 1, false},
    {ARM64_INS_UXTH, 2, false},
}};

// Loads that extend a sign.
constexpr std::array<Extension, 6> signed_loads{{
    {ARM64_INS_LDRSB, 1, true},
    {ARM64_INS_LDRSH, 2, true},
    {ARM64_INS_LDRSW, 4, true},
    {ARM64_INS_LDURSB, 1, true},
    {ARM64_INS_LDURSH, 2, true},
    {ARM64_INS_LDURSW, 4, true},
}};

Condition condition_of(arm64_cc condition) {
    switch (condition) {
    case ARM64_CC_EQ:
        return Condition::equal;
    case ARM64_CC_NE:
        return Condition::unequal;
    case ARM64_CC_HS:
        return Condition::not_below;
    case ARM64_CC_LO:
        return Condition::below;
    case ARM64_CC_MI:
        return Condition::negative;
    case ARM64_CC_PL:
        return Condition::not_negative;
    case ARM64_CC_HI:
        return Condition::above;
    case ARM64_CC_LS:
        return Condition::below_or_equal;
    case ARM64_CC_GE:
        return Condition::not_less;
    case ARM64_CC_LT:
        return Condition::less;
    case ARM64_CC_GT:
        return Condition::greater;
    case ARM64_CC_LE:
        return Condition::less_or_equal;
    default:
        return Condition::none;
    }
}

template <class Table> const auto *found_in(const Table &table, unsigned instruction) {
    const auto found = std::ranges::find_if(
        table, [&](const auto &one) { return one.instruction == instruction; });
    return found == table.end() ? nullptr : &*found;
}

class ArmComputation {
public:
    ArmComputation(const cs_insn &raw, Instruction &out)
        : raw_(raw), arm_(raw.detail->arm64), out_(out) {}

    void note() {
        out_.sets_flags = arm_.update_flags;
        if (out_.is_call() || out_.operation == Operation::jump) {
            return;
        }
        if (out_.operation == Operation::branch) {
            note_branch();
        } else if (!note_choice() && !note_extension() && !note_arithmetic()) {
            note_plain();
        }
    }

private:
    [[nodiscard]] const cs_arm64_op &operand(int index) const { return arm_.operands[index]; }
    [[nodiscard]] bool is(int index, arm64_op_type type) const {
        return index < arm_.op_count && operand(index).type == type;
    }
    [[nodiscard]] std::uint8_t width(int index) const {
        return is(index, ARM64_OP_REG) ? named(operand(index).reg).width : std::uint8_t{0};
    }

    // A register that is shifted or extended on the way, and a vector's, are not followed.
    [[nodiscard]] Operand value(int index) {
        if (is(index, ARM64_OP_IMM)) {
            out_.immediate = static_cast<std::int64_t>(
                static_cast<std::uint64_t>(operand(index).imm) << operand(index).shift.value);
            return {Operand::Kind::immediate, no_register, 8, false};
        }
        const bool is_plain = is(index, ARM64_OP_REG) && operand(index).ext == ARM64_EXT_INVALID &&
                              operand(index).shift.type == ARM64_SFT_INVALID;
        const RegisterName name = is_plain ? named(operand(index).reg) : RegisterName{};
        if (!is_plain || name.width < 4 || name.width > 8 ||
            (name.number != no_register && name.number >= first_vector_register)) {
            return {};
        }
        if (name.number == no_register) {  // the one that is always 0
            out_.immediate = 0;
            return {Operand::Kind::immediate, no_register, 8, false};
        }
        return {Operand::Kind::in_register, name.number, name.width, false};
    }

    void compute(Arithmetic arithmetic, Register destination, std::uint8_t width,
                 const Operand &first, const Operand &second) {
        const bool is_known =
            first.kind != Operand::Kind::none && second.kind != Operand::Kind::none &&
            (first.kind != Operand::Kind::immediate || second.kind != Operand::Kind::immediate);
        if (is_known && (destination < first_vector_register || destination == no_register)) {
            out_.computation = {arithmetic, destination, width, first, second};
        }
    }

    // One that compares by itself leaves the conditions as they are.
    void note_branch() {
        constexpr Operand constant{Operand::Kind::immediate, no_register, 8, false};
        const bool is_bit = raw_.id == ARM64_INS_TBZ || raw_.id == ARM64_INS_TBNZ;
        if (!is_bit && raw_.id != ARM64_INS_CBZ && raw_.id != ARM64_INS_CBNZ) {
            out_.condition = condition_of(arm_.cc);
            return;
        }
        const Operand tested = value(0);
        if (tested.kind != Operand::Kind::in_register) {
            return;
        }
        out_.compares = true;
        const bool is_zero = raw_.id == ARM64_INS_CBZ || raw_.id == ARM64_INS_TBZ;
        out_.condition = is_zero ? Condition::equal : Condition::unequal;
        out_.immediate =
            is_bit ? static_cast<std::int64_t>(std::uint64_t{1} << (operand(1).imm & 63)) : 0;
        compute(is_bit ? Arithmetic::bit_and : Arithmetic::subtract, no_register,
                is_bit ? 8 : width(0), tested, constant);
    }

    bool note_choice() {
        const bool is_set = raw_.id == ARM64_INS_CSET;
        if (!is_set && raw_.id != ARM64_INS_CSEL) {
            return false;
        }
        out_.condition = condition_of(arm_.cc);
        const Register destination = named(operand(0).reg).number;
        const Operand own{Operand::Kind::in_register, destination, width(0), false};
        if (is_set) {
            compute(Arithmetic::holds, destination, width(0), own, own);
        } else {
            const Operand second = value(1);
            compute(Arithmetic::choose, destination, width(0), value(2), second);
        }
        return true;
    }

    bool note_extension() {
        const auto *const load = found_in(signed_loads, raw_.id);
        const auto *const extension = load != nullptr ? load : found_in(extensions, raw_.id);
        if (extension == nullptr || !is(0, ARM64_OP_REG)) {
            return false;
        }
        const Register destination = named(operand(0).reg).number;
        Operand from{Operand::Kind::memory, no_register, extension->width, true};
        if (load == nullptr) {
            from = value(1);
            from.width = extension->width;
            from.is_signed = extension->is_signed;
        } else {
            out_.width = load->width;
            if (is_odd()) {
                return true;
            }
        }
        if (from.kind != Operand::Kind::immediate) {
            compute(Arithmetic::first, destination, width(0), from, from);
        }
        return true;
    }

    bool note_arithmetic() {
        const auto *const named_so = found_in(computing, raw_.id);
        if (named_so == nullptr || out_.operation != Operation::other) {
            return false;
        }
        const bool compares = raw_.id == ARM64_INS_CMP || raw_.id == ARM64_INS_TST;
        const int first_at = compares ? 0 : 1;
        Operand first = value(first_at);
        first.is_signed = raw_.id == ARM64_INS_ASR;
        const Operand second = value(first_at + 1);
        const Register destination = compares ? no_register : named(operand(0).reg).number;
        compute(named_so->arithmetic, destination, width(0), first, second);
        return true;
    }

    // An address that is written back, or of which a part is extended, is not followed.
    [[nodiscard]] bool is_odd() const {
        return arm_.writeback ||
               std::any_of(arm_.operands, arm_.operands + arm_.op_count, [](const auto &one) {
                   return one.type == ARM64_OP_MEM && one.ext != ARM64_EXT_INVALID;
               });
    }

    // From what was found already.
    void note_plain() {
        if (out_.destination >= first_vector_register) {
            return;
        }
        const Operand constant{Operand::Kind::immediate, no_register, 8, false};
        const Operand source{Operand::Kind::in_register, out_.source, out_.width, false};
        Computation &made = out_.computation;
        made = {Arithmetic::first, out_.destination, out_.width, source, constant};
        switch (out_.operation) {
        case Operation::move:
            made.first = out_.source == no_register ? constant : source;
            return;
        case Operation::insert:
            made.arithmetic = Arithmetic::insert;
            made.first.number = out_.destination;
            return;
        case Operation::add:
            made.arithmetic = Arithmetic::add;
            return;
        case Operation::bit_or:
            made.arithmetic = Arithmetic::bit_or;
            return;
        case Operation::address:
            made.first = {Operand::Kind::address, no_register, 8, false};
            made.width = 8;
            return;
        case Operation::load:
            if (!is_odd()) {
                made.first = {Operand::Kind::memory, no_register, out_.width, false};
                return;
            }
            break;
        default:
            break;
        }
        made = {};
    }

    const cs_insn &raw_;
    const cs_arm64 &arm_;
    Instruction &out_;
};

}  // namespace

void note_computation(const cs_insn &raw, Instruction &out) { ArmComputation(raw, out).note(); }

}  // namespace gdb_ompd::code::aarch64
