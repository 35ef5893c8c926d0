// SPDX-License-Identifier: Apache-2.0
#include "processor.hpp"

#include <capstone/capstone.h>

#include <array>

namespace libgompd {

// Capstone's state, given back at the end.
class Decoder {
public:
    Decoder() {
        if (cs_open(CS_ARCH_X86, CS_MODE_64, &handle) != CS_ERR_OK) {
            throw Refused{ompd_rc_nomem};
        }
        cs_option(handle, CS_OPT_DETAIL, CS_OPT_ON);
        instruction = cs_malloc(handle);
    }
    ~Decoder() {
        if (instruction != nullptr) {
            cs_free(instruction, 1);
        }
        cs_close(&handle);
    }
    Decoder(const Decoder &) = delete;
    Decoder &operator=(const Decoder &) = delete;

    csh handle = 0;
    cs_insn *instruction = nullptr;
};

namespace {

enum Register : std::uint8_t { rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi };

struct Part {
    int number = -1;  // as the machine numbers registers
    unsigned size = 0;
    bool high = false;  // ah to bh
};

Part part_of(x86_reg name) {
    static constexpr std::array<x86_reg, 16> whole{
        X86_REG_RAX, X86_REG_RCX, X86_REG_RDX, X86_REG_RBX, X86_REG_RSP, X86_REG_RBP,
        X86_REG_RSI, X86_REG_RDI, X86_REG_R8,  X86_REG_R9,  X86_REG_R10, X86_REG_R11,
        X86_REG_R12, X86_REG_R13, X86_REG_R14, X86_REG_R15};
    static constexpr std::array<x86_reg, 16> half{
        X86_REG_EAX,  X86_REG_ECX,  X86_REG_EDX,  X86_REG_EBX, X86_REG_ESP,  X86_REG_EBP,
        X86_REG_ESI,  X86_REG_EDI,  X86_REG_R8D,  X86_REG_R9D, X86_REG_R10D, X86_REG_R11D,
        X86_REG_R12D, X86_REG_R13D, X86_REG_R14D, X86_REG_R15D};
    static constexpr std::array<x86_reg, 4> word{X86_REG_AX, X86_REG_CX, X86_REG_DX, X86_REG_BX};
    static constexpr std::array<x86_reg, 12> byte{
        X86_REG_AL,  X86_REG_CL,  X86_REG_DL,  X86_REG_BL,  X86_REG_SPL,  X86_REG_BPL,
        X86_REG_SIL, X86_REG_DIL, X86_REG_R8B, X86_REG_R9B, X86_REG_R10B, X86_REG_R11B};
    const auto find = [&](const auto &names, unsigned size) {
        for (std::size_t i = 0; i < names.size(); ++i) {
            if (names[i] == name) {
                return Part{static_cast<int>(i), size, false};
            }
        }
        return Part{};
    };
    for (const Part &found : {find(whole, 8), find(half, 4), find(word, 2), find(byte, 1)}) {
        if (found.number >= 0) {
            return found;
        }
    }
    return {};
}

struct Flags {
    bool zero = false, sign = false, carry = false, overflow = false;

    // CODE is the low half of the opcode of a conditional instruction.
    [[nodiscard]] std::optional<bool> holds(unsigned code) const {
        bool fact = false;
        switch (code >> 1U) {
        case 0:
            fact = overflow;
            break;
        case 1:
            fact = carry;
            break;
        case 2:
            fact = zero;
            break;
        case 3:
            fact = carry || zero;
            break;
        case 4:
            fact = sign;
            break;
        case 6:
            fact = sign != overflow;
            break;
        case 7:
            fact = zero || sign != overflow;
            break;
        default:
            return std::nullopt;  // parity
        }
        return fact != ((code & 1U) != 0);
    }
};

class X86 final : public Processor {
public:
    X86(Decoder &decoder, const Entry &entry, Memory &memory)
        : Processor(entry.function), decoder_(decoder), memory_(memory), entry_(entry) {
        registers_[rsp] = entry.stack;
        registers_[rdi] = entry.first;
        registers_[rsi] = entry.second;
    }

    bool step(std::span<const std::uint8_t> code) override;

private:
    using Value = std::optional<std::uint64_t>;

    bool execute(const cs_insn &instruction);
    [[nodiscard]] std::uint64_t address(const cs_insn &instruction, const x86_op_mem &place);
    Value get(const cs_insn &instruction, const cs_x86_op &operand);
    bool set(const cs_insn &instruction, const cs_x86_op &operand, std::uint64_t value);
    void set_register(const Part &part, std::uint64_t value);
    bool compute(const cs_insn &instruction, const cs_x86 &x86);
    bool move(const cs_insn &instruction, const cs_x86 &x86);
    bool conditional(const cs_insn &instruction, const cs_x86 &x86);
    bool stack(const cs_insn &instruction, const cs_x86 &x86);
    bool multiply(const cs_insn &instruction, const cs_x86 &x86);
    bool vector(const cs_insn &instruction, const cs_x86 &x86);
    bool call(const cs_x86 &x86);
    void set_flags(std::uint64_t result, unsigned size, bool carry, bool overflow);

    Decoder &decoder_;
    Memory &memory_;
    Entry entry_;
    std::array<std::uint64_t, 16> registers_{};
    std::optional<Flags> flags_{Flags{}};
    unsigned calls_ = 0;
};

std::uint64_t X86::address(const cs_insn &instruction, const x86_op_mem &place) {
    auto found = static_cast<std::uint64_t>(place.disp);
    if (place.base == X86_REG_RIP) {
        found += instruction.address + instruction.size;
    } else if (place.base != X86_REG_INVALID) {
        const Part part = part_of(place.base);
        found += part.number < 0 ? 0 : registers_[static_cast<std::size_t>(part.number)];
    }
    if (place.index != X86_REG_INVALID) {
        const Part part = part_of(place.index);
        found += part.number < 0 ? 0
                                 : registers_[static_cast<std::size_t>(part.number)] *
                                       static_cast<std::uint64_t>(place.scale);
    }
    return place.segment == X86_REG_FS ? found + entry_.thread_pointer : found;
}

X86::Value X86::get(const cs_insn &instruction, const cs_x86_op &operand) {
    if (operand.type == X86_OP_IMM) {
        return static_cast<std::uint64_t>(operand.imm) & mask(operand.size);
    }
    if (operand.type == X86_OP_MEM) {
        return memory_.load(address(instruction, operand.mem), operand.size);
    }
    const Part part = part_of(operand.reg);
    if (operand.type != X86_OP_REG || part.number < 0) {
        return std::nullopt;
    }
    return registers_[static_cast<std::size_t>(part.number)] & mask(part.size);
}

void X86::set_register(const Part &part, std::uint64_t value) {
    std::uint64_t &whole = registers_[static_cast<std::size_t>(part.number)];
    // Writing half a register clears the other half; writing less keeps the rest.
    whole = part.size >= 4 ? value & mask(part.size)
                           : (whole & ~mask(part.size)) | (value & mask(part.size));
}

bool X86::set(const cs_insn &instruction, const cs_x86_op &operand, std::uint64_t value) {
    if (operand.type == X86_OP_MEM) {
        return memory_.store(address(instruction, operand.mem), operand.size,
                             value & mask(operand.size));
    }
    const Part part = part_of(operand.reg);
    if (operand.type != X86_OP_REG || part.number < 0) {
        return false;
    }
    set_register(part, value);
    return true;
}

void X86::set_flags(std::uint64_t result, unsigned size, bool carry, bool overflow) {
    flags_ = Flags{(result & mask(size)) == 0, (result & sign(size)) != 0, carry, overflow};
}

bool X86::move(const cs_insn &instruction, const cs_x86 &x86) {
    if (x86.op_count != 2) {
        return false;
    }
    const cs_x86_op &to = x86.operands[0];
    const cs_x86_op &from = x86.operands[1];
    if (instruction.id == X86_INS_LEA) {
        return set(instruction, to, address(instruction, from.mem));
    }
    const Value value = get(instruction, from);
    if (!value) {
        return false;
    }
    const bool is_signed = instruction.id == X86_INS_MOVSX || instruction.id == X86_INS_MOVSXD ||
                           (instruction.id == X86_INS_MOV && from.type == X86_OP_IMM);
    return set(instruction, to, is_signed ? extended(*value, from.size) : *value);
}

// Arithmetic of one or two operands, the first of which is the result.
bool X86::compute(const cs_insn &instruction, const cs_x86 &x86) {
    if (x86.op_count == 0 || x86.op_count > 2) {
        return false;
    }
    const cs_x86_op &to = x86.operands[0];
    const unsigned size = to.size;
    const Value left = get(instruction, to);
    const Value given = x86.op_count == 2 ? get(instruction, x86.operands[1]) : Value(1);
    if (!left || !given) {
        return false;
    }
    const std::uint64_t a = *left & mask(size);
    const std::uint64_t b =
        (x86.op_count == 2 ? extended(*given, x86.operands[1].size) : 1) & mask(size);
    std::uint64_t result = 0;
    bool keeps = false;  // the operand as it was
    switch (instruction.id) {
    case X86_INS_ADD:
    case X86_INS_INC:
        result = (a + b) & mask(size);
        set_flags(result, size, result < a, ((a ^ result) & (b ^ result) & sign(size)) != 0);
        break;
    case X86_INS_CMP:
        keeps = true;
        [[fallthrough]];
    case X86_INS_SUB:
    case X86_INS_DEC:
        result = (a - b) & mask(size);
        set_flags(result, size, a < b, ((a ^ b) & (a ^ result) & sign(size)) != 0);
        break;
    case X86_INS_TEST:
        keeps = true;
        [[fallthrough]];
    case X86_INS_AND:
        result = a & b;
        set_flags(result, size, false, false);
        break;
    case X86_INS_OR:
        result = a | b;
        set_flags(result, size, false, false);
        break;
    case X86_INS_XOR:
        result = a ^ b;
        set_flags(result, size, false, false);
        break;
    case X86_INS_NEG:
        result = (0 - a) & mask(size);
        set_flags(result, size, a != 0, a == sign(size));
        break;
    default:
        return false;
    }
    return keeps || set(instruction, to, result);
}

bool X86::conditional(const cs_insn &instruction, const cs_x86 &x86) {
    const bool is_long = x86.opcode[0] == 0x0f;
    const unsigned opcode = is_long ? x86.opcode[1] : x86.opcode[0];
    if (is_long == ((opcode & 0xf0U) == 0x70)) {
        return false;  // only the short jump has one byte
    }
    const auto holds = flags_ ? flags_->holds(opcode & 0xfU) : std::nullopt;
    if (!holds || x86.op_count == 0) {
        return false;
    }
    const cs_x86_op &first = x86.operands[0];
    switch (opcode & 0xf0U) {
    case 0x40: {  // cmov, which loads whatever holds and clears the upper half
        const Value other = x86.op_count == 2 ? get(instruction, x86.operands[1]) : Value();
        const Value own = get(instruction, first);
        return other && own && set(instruction, first, *holds ? *other : *own);
    }
    case 0x70:
    case 0x80:
        if (*holds) {
            next = static_cast<std::uint64_t>(first.imm);
        }
        return true;
    case 0x90:
        return set(instruction, first, *holds ? 1 : 0);
    default:
        return false;
    }
}

bool X86::stack(const cs_insn &instruction, const cs_x86 &x86) {
    std::uint64_t &top = registers_[rsp];
    const cs_x86_op &operand = x86.operands[0];
    if (x86.op_count != 1 || operand.type != X86_OP_REG || operand.size != 8) {
        return false;
    }
    if (instruction.id == X86_INS_PUSH) {
        top -= 8;
        return memory_.store(top, 8, *get(instruction, operand));
    }
    const Value value = memory_.load(top, 8);
    top += 8;
    return value && set(instruction, operand, *value);
}

// By a constant. Of the flags nothing is known then, and nothing may depend on them.
bool X86::multiply(const cs_insn &instruction, const cs_x86 &x86) {
    const bool is_shift = instruction.id == X86_INS_SHL;
    if (x86.op_count != (is_shift ? 2 : 3) || x86.operands[x86.op_count - 1].type != X86_OP_IMM) {
        return false;
    }
    const Value value = get(instruction, x86.operands[x86.op_count - 2]);
    const auto by = static_cast<std::uint64_t>(x86.operands[x86.op_count - 1].imm);
    flags_.reset();
    return value &&
           set(instruction, x86.operands[0], is_shift ? *value << (by & 63U) : *value * by);
}

// What vector registers hold is not known.
bool X86::vector(const cs_insn &instruction, const cs_x86 &x86) {
    const cs_x86_op &to = x86.operands[0];
    if (to.type == X86_OP_REG) {
        return to.reg >= X86_REG_XMM0 && to.reg <= X86_REG_XMM15;
    }
    bool is_stored = to.type == X86_OP_MEM;
    for (unsigned at = 0; is_stored && at < to.size; at += 8) {
        is_stored = memory_.store(address(instruction, to.mem) + at, 0, 0);
    }
    return is_stored;
}

bool X86::call(const cs_x86 &x86) {
    if (calls_++ < entry_.passed_calls) {
        registers_[rax] = entry_.returned;
        return true;
    }
    const bool is_direct = x86.op_count == 1 && x86.operands[0].type == X86_OP_IMM;
    ending = {Ending::How::called, registers_[rax], registers_[rdi], registers_[rsi],
              is_direct ? static_cast<std::uint64_t>(x86.operands[0].imm) : 0};
    return false;
}

bool X86::execute(const cs_insn &instruction) {
    const cs_x86 &x86 = instruction.detail->x86;
    next = instruction.address + instruction.size;
    switch (instruction.id) {
    case X86_INS_NOP:
    case X86_INS_ENDBR64:
        return true;
    case X86_INS_RET:
        if (registers_[rsp] == entry_.stack) {
            ending = {Ending::How::returned, registers_[rax]};
        }
        return false;
    case X86_INS_CALL:
        return call(x86);
    case X86_INS_JMP:
        if (x86.op_count != 1 || x86.operands[0].type != X86_OP_IMM) {
            return false;
        }
        next = static_cast<std::uint64_t>(x86.operands[0].imm);
        return true;
    case X86_INS_MOV:
    case X86_INS_MOVABS:
    case X86_INS_MOVZX:
    case X86_INS_MOVSX:
    case X86_INS_MOVSXD:
    case X86_INS_LEA:
        return move(instruction, x86);
    case X86_INS_PUSH:
    case X86_INS_POP:
        return stack(instruction, x86);
    case X86_INS_IMUL:
    case X86_INS_SHL:
        return multiply(instruction, x86);
    case X86_INS_MOVD:
    case X86_INS_MOVQ:
    case X86_INS_PSHUFD:
        return vector(instruction, x86);
    case X86_INS_CDQE:
        registers_[rax] = extended(registers_[rax], 4);
        return true;
    case X86_INS_ADD:
    case X86_INS_INC:
    case X86_INS_CMP:
    case X86_INS_SUB:
    case X86_INS_DEC:
    case X86_INS_TEST:
    case X86_INS_AND:
    case X86_INS_OR:
    case X86_INS_XOR:
    case X86_INS_NEG:
        return compute(instruction, x86);
    default:
        return conditional(instruction, x86);
    }
}

bool X86::step(std::span<const std::uint8_t> code) {
    const std::uint8_t *bytes = code.data();
    std::size_t left = code.size();
    std::uint64_t address = next;
    return decoder_.instruction != nullptr &&
           cs_disasm_iter(decoder_.handle, &bytes, &left, &address, decoder_.instruction) &&
           execute(*decoder_.instruction);
}

}  // namespace

std::shared_ptr<Decoder> make_decoder() { return std::make_shared<Decoder>(); }

std::unique_ptr<Processor> make_x86_64(Decoder &decoder, const Entry &entry, Memory &memory) {
    return std::make_unique<X86>(decoder, entry, memory);
}

}  // namespace libgompd
