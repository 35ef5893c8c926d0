// SPDX-License-Identifier: Apache-2.0
#include "code/aarch64_instruction.hpp"

#include "code/aarch64_registers.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <string_view>

namespace gdb_ompd::code::aarch64 {

namespace {

// VALUE, of WIDTH bytes, again and again in a word.
std::uint64_t repeated(std::uint64_t value, unsigned width) {
    for (; width < 8; width *= 2) {
        value |= value << 8 * width;
    }
    return value;
}

struct Parts {
    unsigned width = 0;      // of each, bytes
    std::uint8_t whole = 0;  // of all; the rest of the register becomes 0
};

std::optional<Parts> parts_of(arm64_vas arrangement) {
    switch (arrangement) {
    case ARM64_VAS_INVALID:  // d0
        return Parts{8, 8};
    case ARM64_VAS_2D:
        return Parts{8, 16};
    case ARM64_VAS_2S:
        return Parts{4, 8};
    case ARM64_VAS_4S:
        return Parts{4, 16};
    case ARM64_VAS_4H:
        return Parts{2, 8};
    case ARM64_VAS_8H:
        return Parts{2, 16};
    case ARM64_VAS_8B:
        return Parts{1, 8};
    case ARM64_VAS_16B:
        return Parts{1, 16};
    default:
        return std::nullopt;
    }
}

// Instructions that only move: a load, its store, and the bytes where the
// register's name does not tell. Those that extend a sign are not among them.
struct Access {
    unsigned load = 0;
    unsigned store = 0;
    std::uint8_t width = 0;
};

constexpr std::array<Access, 20> accesses = {{
    {ARM64_INS_LDR, ARM64_INS_STR},           {ARM64_INS_LDRB, ARM64_INS_STRB, 1},
    {ARM64_INS_LDRH, ARM64_INS_STRH, 2},      {ARM64_INS_LDUR, ARM64_INS_STUR},
    {ARM64_INS_LDURB, ARM64_INS_STURB, 1},    {ARM64_INS_LDURH, ARM64_INS_STURH, 2},
    {ARM64_INS_LDAR, ARM64_INS_STLR},         {ARM64_INS_LDARB, ARM64_INS_STLRB, 1},
    {ARM64_INS_LDARH, ARM64_INS_STLRH, 2},    {ARM64_INS_LDTR, ARM64_INS_STTR},
    {ARM64_INS_LDTRB, ARM64_INS_STTRB, 1},    {ARM64_INS_LDTRH, ARM64_INS_STTRH, 2},
    {ARM64_INS_LDP, ARM64_INS_STP},           {ARM64_INS_LDNP, ARM64_INS_STNP},
    {ARM64_INS_LDXR, ARM64_INS_INVALID},      {ARM64_INS_LDXRB, ARM64_INS_INVALID, 1},
    {ARM64_INS_LDXRH, ARM64_INS_INVALID, 2},  {ARM64_INS_LDAXR, ARM64_INS_INVALID},
    {ARM64_INS_LDAXRB, ARM64_INS_INVALID, 1}, {ARM64_INS_LDAXRH, ARM64_INS_INVALID, 2},
}};

class ArmInstruction {
public:
    explicit ArmInstruction(const cs_insn &raw) : raw_(raw), arm_(raw.detail->arm64) {}

    void translate(std::vector<Instruction> &out) {
        out_.address = raw_.address;
        out_.length = static_cast<std::uint8_t>(raw_.size);
        note_writes();
        note_memory();
        if (!flow() && !marker() && !move() && !vector() && !arithmetic() && !plain_access()) {
            remaining();
        }
        note_computation(raw_, out_);
        append(out);
    }

private:
    [[nodiscard]] const cs_arm64_op &operand(int index) const { return arm_.operands[index]; }
    [[nodiscard]] bool is(int index, arm64_op_type type) const {
        return index >= 0 && index < arm_.op_count && operand(index).type == type;
    }
    [[nodiscard]] RegisterName register_at(int index) const {
        return is(index, ARM64_OP_REG) ? named(operand(index).reg) : RegisterName{};
    }
    [[nodiscard]] std::int64_t shifted_immediate(int index) const {
        const auto value = static_cast<std::uint64_t>(operand(index).imm);
        return static_cast<std::int64_t>(value << operand(index).shift.value);
    }
    [[nodiscard]] std::uint64_t target_at(int index) const {
        return is(index, ARM64_OP_IMM) ? static_cast<std::uint64_t>(operand(index).imm) : 0;
    }

    // Capstone says which operands are written, but not of comparisons, and not of
    // all registers in a list.
    void note_writes() {
        const bool list = memory_index() && operand(0).vas != ARM64_VAS_INVALID;
        for (int index = 0; index < arm_.op_count && !is_comparison(); ++index) {
            if (is(index, ARM64_OP_REG) && (list || (operand(index).access & CS_AC_WRITE) != 0)) {
                out_.writes |= bit_of(register_at(index).number);
            }
        }
        for (int index = 0; index < raw_.detail->regs_write_count; ++index) {
            out_.writes |= bit_of(named(raw_.detail->regs_write[index]).number);
        }
    }

    [[nodiscard]] bool is_comparison() const {
        return raw_.id == ARM64_INS_CMP || raw_.id == ARM64_INS_CMN || raw_.id == ARM64_INS_TST;
    }

    [[nodiscard]] std::optional<int> memory_index() const {
        for (int index = 0; index < arm_.op_count; ++index) {
            if (operand(index).type == ARM64_OP_MEM) {
                return index;
            }
        }
        return std::nullopt;
    }

    void note_memory() {
        const auto index = memory_index();
        if (!index) {
            return;
        }
        const cs_arm64_op &memory = operand(*index);
        out_.has_memory = true;
        out_.memory.base = named(memory.mem.base).number;
        out_.memory.index = named(memory.mem.index).number;
        out_.memory.scale = static_cast<std::uint8_t>(1U << (memory.shift.value & 7U));
        out_.memory.displacement = memory.mem.disp;
        if (arm_.writeback) {
            out_.writes |= bit_of(out_.memory.base);
        }
    }

    bool flow() {
        switch (raw_.id) {
        case ARM64_INS_BL:
        case ARM64_INS_BLR:
            return flow_to(Operation::call, 0);
        case ARM64_INS_B:
            return flow_to(arm_.cc == ARM64_CC_INVALID ? Operation::jump : Operation::branch, 0);
        case ARM64_INS_BR:
            return flow_to(Operation::jump, 0);
        case ARM64_INS_CBZ:
        case ARM64_INS_CBNZ:
            return flow_to(Operation::branch, 1);
        case ARM64_INS_TBZ:
        case ARM64_INS_TBNZ:
            return flow_to(Operation::branch, 2);
        case ARM64_INS_RET:
            out_.operation = Operation::give_back;
            return true;
        case ARM64_INS_BRK:
        case ARM64_INS_HLT:
            out_.operation = Operation::trap;
            return true;
        default:
            return false;
        }
    }

    bool flow_to(Operation operation, int target) {
        out_.operation = operation;
        out_.target = target_at(target);
        out_.source = target == 0 ? register_at(0).number : no_register;
        return true;
    }

    // Branch targets (bti) and signed return addresses (paciasp) are hints, too;
    // a few sign x17.
    bool marker() {
        constexpr std::int64_t first_signing = 8;
        constexpr std::int64_t last_signing = 14;
        const bool hint = raw_.id == ARM64_INS_HINT;
        if (!hint && raw_.id != ARM64_INS_NOP) {
            return false;
        }
        if (hint && operand(0).imm >= first_signing && operand(0).imm <= last_signing) {
            out_.writes = bit_of(17);
            return true;
        }
        out_.operation = Operation::nothing;
        out_.writes = 0;
        return true;
    }

    bool move() {
        switch (raw_.id) {
        case ARM64_INS_ADRP:
        case ARM64_INS_MOVZ:
            return move_constant(shifted_immediate(1));
        case ARM64_INS_MOVN:
            return move_constant(~shifted_immediate(1));
        case ARM64_INS_ADR:
            set_destination(Operation::address);
            out_.memory.displacement = operand(1).imm;
            return true;
        case ARM64_INS_MOVK:
            set_destination(Operation::insert);
            out_.immediate = operand(1).imm;
            out_.shift = static_cast<std::uint8_t>(operand(1).shift.value);
            return true;
        case ARM64_INS_MRS:
            return thread_pointer();
        case ARM64_INS_MOV:
        case ARM64_INS_FMOV:
            return move_register();
        default:
            return false;
        }
    }

    bool thread_pointer() {
        constexpr unsigned place = 0xde82;  // of tpidr_el0, among the system's registers
        if (!is(1, ARM64_OP_REG_MRS)) {
            return false;
        }
        unsigned number = 0;  // a number that is none of Capstone's registers
        std::memcpy(&number, &operand(1).reg, sizeof number);
        if (number != place) {
            return false;
        }
        set_destination(Operation::thread_pointer);
        return true;
    }

    bool move_constant(std::int64_t value) {
        set_destination(Operation::move);
        out_.immediate = value;
        return true;
    }

    // Of a vector register's value only what passes through general ones is followed.
    bool move_register() {
        const bool known = is(1, ARM64_OP_REG) && operand(1).vector_index < 0 &&
                           operand(0).vector_index < 0 && !(is_vector(0) && is_vector(1));
        if (!known) {
            return false;
        }
        set_destination(Operation::move);
        out_.source = register_at(1).number;
        out_.width = std::min(out_.width, register_at(1).width);
        return true;
    }

    [[nodiscard]] bool is_vector(int index) const {
        const Register number = register_at(index).number;
        return number != no_register && number >= first_vector_register;
    }

    void set_destination(Operation operation) {
        out_.operation = operation;
        out_.destination = register_at(0).number;
        out_.writes |= bit_of(out_.destination);  // Capstone 4 forgets it for some adds
        out_.width = register_at(0).width;
    }

    // Constants in each part of a vector register.
    bool vector() {
        if (raw_.id == ARM64_INS_DUP && operand(0).vas == ARM64_VAS_2D &&
            operand(1).vector_index < 0) {
            set_destination(Operation::move);
            out_.source = register_at(1).number;
            out_.second_source = out_.source;
            out_.width = register_at(1).width;
            return true;
        }
        const auto parts = parts_of(operand(0).vas);
        if ((raw_.id != ARM64_INS_MOVI && raw_.id != ARM64_INS_MVNI) || !parts ||
            !is(1, ARM64_OP_IMM) || operand(1).shift.type == ARM64_SFT_MSL) {
            return false;
        }
        const auto part = static_cast<std::uint64_t>(shifted_immediate(1));
        const std::uint64_t value = repeated(part, parts->width);
        move_constant(static_cast<std::int64_t>(raw_.id == ARM64_INS_MVNI ? ~value : value));
        out_.width = parts->whole;
        return true;
    }

    bool arithmetic() {
        const bool subtracts = raw_.id == ARM64_INS_SUB;
        if (!is(0, ARM64_OP_REG) || !is(1, ARM64_OP_REG) || !is(2, ARM64_OP_IMM)) {
            return false;
        }
        const Register source = register_at(1).number;
        if (raw_.id == ARM64_INS_ORR) {
            set_destination(source == no_register ? Operation::move : Operation::bit_or);
            out_.source = source;
            out_.immediate = operand(2).imm;
            return true;
        }
        if ((raw_.id != ARM64_INS_ADD && !subtracts) || source == no_register ||
            (subtracts && arm_.update_flags)) {
            return false;
        }
        const std::int64_t added = subtracts ? -shifted_immediate(2) : shifted_immediate(2);
        // The second half of an address, after adrp, or a member's.
        const bool whole = register_at(0).width == sizeof(std::uint64_t);
        set_destination(whole ? Operation::address : Operation::add);
        out_.source = whole ? no_register : source;
        out_.immediate = whole ? 0 : added;
        out_.memory.base = whole ? source : no_register;
        out_.memory.displacement = whole ? added : 0;
        return true;
    }

    bool plain_access() {
        const auto *const access =
            std::find_if(accesses.begin(), accesses.end(), [&](const Access &one) {
                return one.load == raw_.id || one.store == raw_.id;
            });
        if (access == accesses.end()) {
            return false;
        }
        out_.width = access->width != 0 ? access->width : register_at(0).width;
        if (is(1, ARM64_OP_IMM)) {  // beside the code
            out_.memory.displacement = operand(1).imm;
        }
        const bool stores = access->store == raw_.id;
        out_.operation = stores ? Operation::store : Operation::load;
        (stores ? out_.source : out_.destination) = register_at(0).number;
        if (arm_.writeback && out_.memory.base == stack_pointer && !note_stack(stores)) {
            return false;
        }
        if (is(1, ARM64_OP_REG)) {
            out_.second_source = register_at(1).number;
            second_is_zero_ =
                out_.operation == Operation::store && out_.second_source == no_register;
        }
        return true;
    }

    // The stack pointer is moved before what is stored there, or after what was loaded. False for
    // another order.
    bool note_stack(bool stores) {
        const bool is_behind = is(arm_.op_count - 1, ARM64_OP_IMM);
        if (stores == is_behind) {
            return false;
        }
        out_.operation = stores ? Operation::push : Operation::pop;
        out_.has_memory = false;
        out_.moves_stack = static_cast<std::int16_t>(is_behind ? operand(arm_.op_count - 1).imm
                                                               : out_.memory.displacement);
        return true;
    }

    // Whatever reads or changes memory in another way.
    void remaining() {
        const auto memory = memory_index();
        if (!memory || raw_.id == ARM64_INS_PRFM || raw_.id == ARM64_INS_PRFUM) {
            return;
        }
        const std::string_view name = raw_.mnemonic;
        out_.operation = name.starts_with("ld") ? Operation::load : Operation::update;
        // st1 to st4 and stnp store several registers.
        const bool is_long = name.starts_with("st") &&
                             std::string_view("1234n").find(name[2]) != std::string_view::npos;
        out_.width = is_long ? std::uint8_t{0} : register_at(*memory - 1).width;
    }

    // The zero register has no number that could be the second source.
    void append(std::vector<Instruction> &out) const {
        out.push_back(out_);
        if (second_is_zero_) {
            out.back().writes = 0;
            out.push_back(out_);
            out.back().source = no_register;
            out.back().memory.displacement += out_.width;
        }
    }

    const cs_insn &raw_;
    const cs_arm64 &arm_;
    Instruction out_;
    bool second_is_zero_ = false;
};

}  // namespace

void translate(const cs_insn &raw, std::vector<Instruction> &out) {
    ArmInstruction(raw).translate(out);
}

}  // namespace gdb_ompd::code::aarch64
