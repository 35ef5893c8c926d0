// SPDX-License-Identifier: Apache-2.0
// What an x86-64 instruction does.
#include "code/x86_64_instruction.hpp"
#include "code/x86_64_names.hpp"

#include <string_view>

namespace gdb_ompd::code::x86 {

namespace {

constexpr Register rax = 0;
constexpr Register rdx = 2;
constexpr std::int16_t word = 8;  // bytes

class X86Instruction {
public:
    X86Instruction(const cs_insn &raw, Instruction &out)
        : raw_(raw), x86_(raw.detail->x86), out_(out) {}

    void translate() {
        note_writes();
        note_memory();
        if (!flow() && !move() && !arithmetic()) {
            remaining();
        }
        note_computation();
    }

private:
    [[nodiscard]] const cs_x86_op &operand(int index) const { return x86_.operands[index]; }
    [[nodiscard]] bool is(int index, x86_op_type type) const {
        return index < x86_.op_count && operand(index).type == type;
    }

    [[nodiscard]] bool is_repeating() const {
        return x86_.prefix[0] == X86_PREFIX_REP || x86_.prefix[0] == X86_PREFIX_REPNE;
    }

    // Capstone says which operands are written; the first is taken to be in any case.
    void note_writes() {
        for (int index = 0; index < x86_.op_count; ++index) {
            if (operand(index).type == X86_OP_REG &&
                (index == 0 || (operand(index).access & CS_AC_WRITE) != 0)) {
                out_.writes |= bit_of(number_of(operand(index).reg));
            }
        }
        for (int index = 0; index < raw_.detail->regs_write_count; ++index) {
            out_.writes |= bit_of(number_of(raw_.detail->regs_write[index]));
            out_.sets_flags |= raw_.detail->regs_write[index] == X86_REG_EFLAGS;
            // The prefix alone may be part of another instruction's code.
            out_.repeats |= is_repeating() && raw_.detail->regs_write[index] == X86_REG_RCX;
        }
        if (raw_.id == X86_INS_SYSCALL) {  // of which Capstone does not say it
            for (const x86_reg each : {X86_REG_RAX, X86_REG_RCX, X86_REG_R11}) {
                out_.writes |= bit_of(number_of(each));
            }
        }
        if (raw_.id == X86_INS_CMPXCHG) {  // nor of this
            out_.writes |= bit_of(rax);
            out_.sets_flags = true;
        }
    }

    void note_memory() {
        for (int index = 0; index < x86_.op_count; ++index) {
            if (operand(index).type != X86_OP_MEM) {
                continue;
            }
            const x86_op_mem &memory = operand(index).mem;
            out_.has_memory = true;
            out_.width = operand(index).size;
            out_.memory.displacement = memory.disp;
            out_.memory.index = number_of(memory.index);
            out_.memory.scale = static_cast<std::uint8_t>(memory.scale);
            out_.memory.thread_local_segment =
                memory.segment == X86_REG_FS || memory.segment == X86_REG_GS;
            if (memory.base == X86_REG_RIP) {
                out_.memory.displacement += static_cast<std::int64_t>(raw_.address + raw_.size);
            } else {
                out_.memory.base = number_of(memory.base);
            }
        }
    }

    bool flow() {
        if (raw_.id == X86_INS_CALL || raw_.id == X86_INS_JMP || is_branch()) {
            out_.operation = raw_.id == X86_INS_CALL  ? Operation::call
                             : raw_.id == X86_INS_JMP ? Operation::jump
                                                      : Operation::branch;
            out_.target = is(0, X86_OP_IMM) ? static_cast<std::uint64_t>(operand(0).imm) : 0;
            out_.source = is(0, X86_OP_REG) ? number_of(operand(0).reg) : no_register;
            return true;
        }
        switch (raw_.id) {
        case X86_INS_RET:
            out_.operation = Operation::give_back;
            return true;
        case X86_INS_NOP:
        case X86_INS_ENDBR64:
            out_.operation = Operation::nothing;
            out_.writes = 0;
            return true;
        case X86_INS_UD2:
        case X86_INS_HLT:
        case X86_INS_INT3:
            out_.operation = Operation::trap;
            return true;
        default:
            return false;
        }
    }

    [[nodiscard]] bool is_branch() const {
        for (int index = 0; index < raw_.detail->groups_count; ++index) {
            if (raw_.detail->groups[index] == CS_GRP_JUMP) {
                return true;
            }
        }
        return false;
    }

    bool move() {
        if (raw_.id == X86_INS_LEA) {
            out_.operation = Operation::address;
            out_.destination = number_of(operand(0).reg);
            return true;
        }
        if (is_exclusive_or(raw_.id) && is(0, X86_OP_REG) && same_registers()) {
            out_.operation = Operation::move;
            out_.destination = number_of(operand(0).reg);
            out_.width = 64;  // all of it becomes 0
            return true;
        }
        if (!is_move(raw_.id) || x86_.op_count != 2) {
            return false;
        }
        if (is(0, X86_OP_MEM)) {
            out_.operation = Operation::store;
            set_source(1);
        } else {
            out_.operation = is(1, X86_OP_MEM) ? Operation::load : Operation::move;
            out_.destination = number_of(operand(0).reg);
            out_.width = operand(0).size;
            if (out_.operation == Operation::load) {
                out_.width = operand(1).size;
            } else {
                set_source(1);
            }
        }
        return true;
    }

    [[nodiscard]] bool same_registers() const {
        for (int index = 1; index < x86_.op_count; ++index) {
            if (!is(index, X86_OP_REG) || operand(index).reg != operand(0).reg) {
                return false;
            }
        }
        return x86_.op_count > 1;
    }

    void set_source(int index) {
        if (is(index, X86_OP_IMM)) {
            out_.immediate = operand(index).imm;
        } else if (is(index, X86_OP_REG)) {
            out_.source = number_of(operand(index).reg);
            // A register that recovery does not follow must not look like a constant.
            if (out_.source == no_register) {
                out_.operation = is(0, X86_OP_MEM) ? Operation::update : Operation::other;
            }
        }
    }

    bool arithmetic() {
        switch (raw_.id) {
        case X86_INS_OR:
        case X86_INS_AND:
            if (is(0, X86_OP_MEM)) {
                out_.operation = raw_.id == X86_INS_OR ? Operation::store_or : Operation::store_and;
                set_source(1);
                return true;
            }
            return false;
        case X86_INS_CMP:
        case X86_INS_TEST:
        case X86_INS_BT:
            out_.operation = has_memory() ? Operation::compare : Operation::nothing;
            out_.writes = 0;
            return true;
        case X86_INS_PUSH:
            out_.operation = Operation::push;
            out_.source = is(0, X86_OP_REG) ? number_of(operand(0).reg) : no_register;
            out_.immediate = is(0, X86_OP_IMM) ? operand(0).imm : 0;
            out_.moves_stack = -word;
            out_.writes = 0;
            return true;
        case X86_INS_POP:
            out_.operation = Operation::pop;
            out_.destination = is(0, X86_OP_REG) ? number_of(operand(0).reg) : no_register;
            out_.moves_stack = word;
            return true;
        case X86_INS_LEAVE:
            out_.operation = Operation::pop;
            out_.source = out_.destination = number_of(X86_REG_RBP);
            out_.moves_stack = word;
            return true;
        default:
            return false;
        }
    }

    [[nodiscard]] bool has_memory() const {
        return is(0, X86_OP_MEM) || is(1, X86_OP_MEM) || is(2, X86_OP_MEM);
    }

    // The constant that is added to memory, 0 for none.
    [[nodiscard]] std::int64_t added() const {
        const std::int64_t constant = is(1, X86_OP_IMM) ? operand(1).imm : 0;
        switch (raw_.id) {
        case X86_INS_ADD:
            return constant;
        case X86_INS_SUB:
            return -constant;
        case X86_INS_INC:
            return 1;
        case X86_INS_DEC:
            return -1;
        default:
            return 0;
        }
    }

    // Whatever reads or changes memory in another way.
    void remaining() {
        // Capstone has what stores vectors only read.
        const bool stores = is(1, X86_OP_REG) || raw_.id == X86_INS_FST ||
                            raw_.id == X86_INS_FNSTCW || raw_.id == X86_INS_STMXCSR;
        if (is(0, X86_OP_MEM) && ((operand(0).access & CS_AC_WRITE) != 0 || stores)) {
            out_.operation = Operation::update;
            const bool is_long =
                std::string_view(raw_.mnemonic).find("save") != std::string_view::npos;
            out_.width = is_long ? std::uint8_t{0} : out_.width;
            out_.immediate = added();
            note_swap();
        } else if (has_memory()) {
            out_.operation = Operation::load;
            const bool widens =
                raw_.id == X86_INS_MOVZX || raw_.id == X86_INS_MOVSX || raw_.id == X86_INS_MOVSXD;
            // Otherwise the register's new value is computed from what was loaded.
            out_.destination = widens ? number_of(operand(0).reg) : no_register;
        }
    }

    void note_swap() {
        const bool compares = raw_.id == X86_INS_CMPXCHG;
        const bool swaps = (raw_.id == X86_INS_XCHG || compares) && is(1, X86_OP_REG);
        const Operand source = swaps ? operand_at(1) : Operand{};
        if (source.kind != Operand::Kind::none) {
            out_.swaps = !compares;
            out_.swaps_if_equal = compares;
            out_.source = source.number;
        }
    }

    void note_computation() {
        if (raw_.id == X86_INS_CDQE) {
            compute(Arithmetic::first, rax, 8, {Operand::Kind::in_register, rax, 4, true});
            return;
        }
        if (raw_.id == X86_INS_CDQ || raw_.id == X86_INS_CQO) {
            const std::uint8_t width = raw_.id == X86_INS_CDQ ? 4 : 8;
            out_.immediate = 8 * width - 1;
            out_.writes = bit_of(rdx);  // Capstone has it write what it reads, too
            compute(Arithmetic::shift_right, rdx, width,
                    {Operand::Kind::in_register, rax, width, true},
                    {Operand::Kind::immediate, no_register, 8, false});
            return;
        }
        if (note_condition() || (x86_.op_count == 1 && note_two_results())) {
            return;
        }
        if (!is(0, X86_OP_REG) || out_.is_call() || out_.is_jump()) {
            return;
        }
        const bool is_signed = raw_.id == X86_INS_MOVSX || raw_.id == X86_INS_MOVSXD;
        switch (raw_.id) {
        case X86_INS_LEA:
            compute(Arithmetic::first, {Operand::Kind::address, no_register, 8, false});
            return;
        case X86_INS_MOV:
        case X86_INS_MOVABS:
        case X86_INS_MOVZX:
        case X86_INS_MOVSX:
        case X86_INS_MOVSXD:
            compute(Arithmetic::first, operand_at(1, is_signed));
            return;
        case X86_INS_XOR:
            if (same_registers()) {
                compute(Arithmetic::first, {Operand::Kind::immediate, no_register, 8, false});
                return;
            }
            note_arithmetic();
            return;
        default:
            note_arithmetic();
        }
    }

    // What compares, and what depends on it; false for another instruction.
    bool note_condition() {
        if (raw_.id == X86_INS_CMP || raw_.id == X86_INS_TEST) {
            const bool subtracts = raw_.id == X86_INS_CMP;
            compute(subtracts ? Arithmetic::subtract : Arithmetic::bit_and, no_register,
                    operand(0).size, operand_at(0), operand_at(1));
            return true;
        }
        if (raw_.id == X86_INS_CMPXCHG) {
            const std::uint8_t width = operand(0).size;
            compute(Arithmetic::subtract, no_register, width,
                    {Operand::Kind::in_register, rax, width, false}, operand_at(0));
            return true;
        }
        for (const Conditional &one : conditionals) {
            if (raw_.id == one.jump || raw_.id == one.move || raw_.id == one.set) {
                out_.condition = one.condition;
            }
            if (raw_.id == one.move) {
                compute(Arithmetic::choose, operand_at(0), operand_at(1));
            } else if (raw_.id == one.set && is(0, X86_OP_REG)) {
                compute(Arithmetic::holds, operand_at(0), operand_at(0));
            }
        }
        return out_.condition != Condition::none;
    }

    // Products and quotients in two registers; false for another instruction.
    bool note_two_results() {
        const bool is_signed = raw_.id == X86_INS_IDIV || raw_.id == X86_INS_IMUL;
        const bool divides = raw_.id == X86_INS_IDIV || raw_.id == X86_INS_DIV;
        if (!divides && raw_.id != X86_INS_IMUL && raw_.id != X86_INS_MUL) {
            return false;
        }
        out_.writes = bit_of(rax) | bit_of(rdx);  // the operand is only read
        const std::uint8_t width = operand(0).size;
        if (width >= 4) {
            compute(divides ? Arithmetic::divide : Arithmetic::multiply_wide, rax, width,
                    {Operand::Kind::in_register, rax, width, is_signed}, operand_at(0, is_signed));
            out_.computation.upper = rdx;
        }
        return true;
    }

    void note_arithmetic() {
        Arithmetic arithmetic = Arithmetic::unknown;
        switch (raw_.id) {
        case X86_INS_ADD:
            arithmetic = Arithmetic::add;
            break;
        case X86_INS_SUB:
            arithmetic = Arithmetic::subtract;
            break;
        case X86_INS_SHL:
        case X86_INS_SAL:
            arithmetic = Arithmetic::shift_left;
            break;
        case X86_INS_SHR:
        case X86_INS_SAR:
            arithmetic = Arithmetic::shift_right;
            break;
        case X86_INS_XOR:
            arithmetic = Arithmetic::bit_xor;
            break;
        case X86_INS_AND:
            arithmetic = Arithmetic::bit_and;
            break;
        case X86_INS_OR:
            arithmetic = Arithmetic::bit_or;
            break;
        case X86_INS_IMUL:
            arithmetic = Arithmetic::multiply;
            break;
        case X86_INS_INC:
        case X86_INS_DEC:
            compute_with(raw_.id == X86_INS_INC ? 1 : -1, Arithmetic::add);
            return;
        case X86_INS_NOT:
            compute_with(-1, Arithmetic::bit_xor);
            return;
        case X86_INS_NEG:
            out_.immediate = 0;
            compute(Arithmetic::subtract, {Operand::Kind::immediate, no_register, 8, false},
                    operand_at(0));
            return;
        default:
            return;
        }
        const bool is_shift =
            arithmetic == Arithmetic::shift_left || arithmetic == Arithmetic::shift_right;
        if (x86_.op_count == 3) {
            compute(arithmetic, operand_at(1), operand_at(2));
        } else if (x86_.op_count == 2) {
            compute(arithmetic, operand_at(0, raw_.id == X86_INS_SAR), operand_at(1));
        } else if (is_shift) {
            compute_with(1, arithmetic);
        }
    }

    // Of the first operand and a constant that is not written.
    void compute_with(std::int64_t constant, Arithmetic arithmetic) {
        out_.immediate = constant;
        compute(arithmetic, operand_at(0, raw_.id == X86_INS_SAR),
                {Operand::Kind::immediate, no_register, 8, false});
    }

    void compute(Arithmetic arithmetic, const Operand &first, const Operand &second = {}) {
        compute(arithmetic, number_of(operand(0).reg), operand(0).size, first, second);
    }

    void compute(Arithmetic arithmetic, Register destination, std::uint8_t width,
                 const Operand &first, const Operand &second = {}) {
        const bool is_plain =
            arithmetic == Arithmetic::first ||
            (arithmetic != Arithmetic::unknown && second.kind != Operand::Kind::none);
        const bool is_followed = destination < first_vector_register || destination == no_register;
        if (is_plain && first.kind != Operand::Kind::none && is_followed) {
            out_.computation = {arithmetic, destination, width, first, second};
        }
    }

    // None for what is not followed: a high byte, a vector, another segment.
    Operand operand_at(int index, bool is_signed = false) {
        const cs_x86_op &one = operand(index);
        switch (one.type) {
        case X86_OP_IMM:
            out_.immediate = one.imm;
            return {Operand::Kind::immediate, no_register, 8, false};
        case X86_OP_REG: {
            const bool high = one.reg == X86_REG_AH || one.reg == X86_REG_BH ||
                              one.reg == X86_REG_CH || one.reg == X86_REG_DH;
            const Register number = number_of(one.reg);
            return high || number >= first_vector_register
                       ? Operand{}
                       : Operand{Operand::Kind::in_register, number, one.size, is_signed};
        }
        case X86_OP_MEM:
            return out_.memory.thread_local_segment
                       ? Operand{}
                       : Operand{Operand::Kind::memory, no_register, one.size, is_signed};
        default:
            return {};
        }
    }

    const cs_insn &raw_;
    const cs_x86 &x86_;
    Instruction &out_;
};

}  // namespace

void translate(const cs_insn &raw, Instruction &out) { X86Instruction(raw, out).translate(); }

}  // namespace gdb_ompd::code::x86
