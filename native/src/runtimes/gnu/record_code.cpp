// SPDX-License-Identifier: Apache-2.0
#include "runtimes/gnu/record_code.hpp"

#include "runtimes/code_read.hpp"

#include <array>
#include <span>
#include <utility>

namespace gdb_ompd::gnu {

namespace {

using code::Arithmetic;
using code::Instruction;
using code::Operand;
using code::Operation;
using code::Register;
using To = Relative::To;
using Known = std::optional<Relative>;

class RecordCode {
public:
    RecordCode(AddressSpace &space, const code::Architecture &architecture)
        : space_(space), first_argument_(architecture.convention().arguments[0]),
          arguments_(architecture.convention().arguments.first(most_passed)),
          lost_by_call_(architecture.call_clobbered()) {
        begin();
    }

    void execute(const Instruction &one) {
        if (one.is_call()) {
            for (const Register each : arguments_) {
                note(Access::How::passed, register_value(each), 0);
            }
            forget(lost_by_call_);
        } else if (one.operation == Operation::jump) {
            if (one.target != 0) {
                add({Access::How::jumps, register_value(first_argument_).value_or(Relative{}), 0,
                     one.target});
            }
            begin();
        } else if (one.operation == Operation::give_back) {
            add({Access::How::returns, {}, 0, 0});
            begin();
        } else {
            compute(one);
        }
    }

    [[nodiscard]] std::vector<Access> found() && { return std::move(found_); }

private:
    static constexpr std::size_t most_passed = 3;

    void begin() {
        values_.fill(std::nullopt);
        values_.at(first_argument_) = Relative{To::argument, 0, 0};
    }

    void forget(std::uint64_t registers) {
        for (std::size_t number = 0; number < values_.size(); ++number) {
            if ((registers & code::bit_of(static_cast<Register>(number))) != 0) {
                values_.at(number).reset();
            }
        }
    }

    void add(const Access &access) { found_.push_back(access); }

    void note(Access::How how, const Known &place, std::uint8_t width) {
        if (place && place->to != To::nothing) {
            add({how, *place, width, 0});
        }
    }

    [[nodiscard]] Known register_value(Register number) const {
        return number < values_.size() ? values_.at(number) : std::nullopt;
    }

    // The address of a memory operand.
    [[nodiscard]] Known place(const code::Memory &memory) const {
        Known base = memory.base == code::no_register ? Relative{} : register_value(memory.base);
        const bool is_plain = memory.index == code::no_register;
        if (!base || !is_plain || (memory.thread_local_segment && base->to != To::nothing)) {
            return std::nullopt;
        }
        if (memory.thread_local_segment) {
            base->to = To::thread_pointer;
        }
        base->offset += memory.displacement;
        return base;
    }

    void compute(const Instruction &one) {
        const Known at = one.has_memory ? place(one.memory) : std::nullopt;
        const bool names_memory = one.has_memory && one.operation != Operation::address;
        if (names_memory) {
            note(Access::How::memory, at, one.width);
        }
        const Known made = result(one, at);
        forget(one.writes);
        if (made && one.destination < values_.size()) {
            values_.at(one.destination) = made;
        } else if (made && one.computation.destination < values_.size()) {
            values_.at(one.computation.destination) = made;
        }
    }

    // What an instruction leaves in its destination; AT is its memory operand's address.
    [[nodiscard]] Known result(const Instruction &one, const Known &at) {
        if (one.operation == Operation::thread_pointer) {
            return Relative{To::thread_pointer, 0, 0};
        }
        if (one.operation == Operation::load && at) {
            return loaded(one, *at);
        }
        const code::Computation &is = one.computation;
        if (is.width != 8 && is.first.kind != Operand::Kind::immediate) {
            return std::nullopt;
        }
        const Known first = value(one, is.first);
        if (!first || is.arithmetic == Arithmetic::first) {
            return first;
        }
        const Known second = value(one, is.second);
        return second ? sum(is.arithmetic, *first, *second) : std::nullopt;
    }

    [[nodiscard]] Known value(const Instruction &one, const Operand &operand) const {
        switch (operand.kind) {
        case Operand::Kind::in_register:
            return operand.width == 8 ? register_value(operand.number) : std::nullopt;
        case Operand::Kind::immediate:
            return Relative{To::nothing, one.immediate, 0};
        case Operand::Kind::address:
            return place(one.memory);
        default:
            return std::nullopt;
        }
    }

    static Known sum(Arithmetic arithmetic, Relative first, Relative second) {
        const bool subtracts = arithmetic == Arithmetic::subtract;
        if ((arithmetic != Arithmetic::add && !subtracts) ||
            (second.to != To::nothing && (subtracts || first.to != To::nothing))) {
            return std::nullopt;
        }
        if (second.to != To::nothing) {
            std::swap(first, second);
        }
        first.offset += subtracts ? -second.offset : second.offset;
        return first;
    }

    // Among the variables of the runtime's are those that tell how far its thread-local storage is.
    [[nodiscard]] Known loaded(const Instruction &one, const Relative &at) const {
        if (at.to != To::nothing) {
            return Relative{To::read, 0, found_.size() - 1};
        }
        const auto variable = TargetAddr{static_cast<std::uint64_t>(at.offset)};
        const auto read = one.width == 8 ? space_.uint_at(variable, 8) : std::nullopt;
        return read ? Known(Relative{To::nothing, static_cast<std::int64_t>(*read), 0})
                    : std::nullopt;
    }

    AddressSpace &space_;
    Register first_argument_;
    std::span<const Register> arguments_;
    std::uint64_t lost_by_call_;
    std::array<Known, code::first_vector_register> values_;
    std::vector<Access> found_;
};

}  // namespace

std::vector<Access> record_accesses(AddressSpace &space, std::optional<TargetAddr> address,
                                    std::size_t size) {
    const auto architecture = code::make_architecture(space.layout().machine);
    if (architecture == nullptr) {
        return {};
    }
    RecordCode code(space, *architecture);
    for (const Instruction &one : code_read(space, address, size)) {
        code.execute(one);
    }
    return std::move(code).found();
}

}  // namespace gdb_ompd::gnu
