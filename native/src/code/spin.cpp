// SPDX-License-Identifier: Apache-2.0
#include "code/spin.hpp"

#include <algorithm>
#include <span>

namespace gdb_ompd::code {

namespace {

constexpr std::size_t longest_loop = 8;  // instructions

bool changes(const Instruction &one, Register number) { return (one.writes & bit_of(number)) != 0; }

class Spin {
public:
    Spin(std::span<const Instruction> loop, const ReadRegister &held_by, const ReadWord &memory)
        : loop_(loop), held_by_(held_by), memory_(memory) {}

    [[nodiscard]] std::optional<bool> goes_on() const {
        const auto compares =
            std::find_if(loop_.rbegin(), loop_.rend(),
                         [](const Instruction &one) { return one.sets_flags || one.compares; });
        if (compares == loop_.rend() || !std::ranges::all_of(loop_, only_looks)) {
            return std::nullopt;
        }
        const Value first = operand(*compares, compares->computation.first);
        const Value second = operand(*compares, compares->computation.second);
        return first && second
                   ? is_true(loop_.back().condition, compares->computation, *first, *second)
                   : std::nullopt;
    }

private:
    static bool only_looks(const Instruction &one) {
        return !one.has_memory || one.operation == Operation::load ||
               one.operation == Operation::compare;
    }

    [[nodiscard]] Value operand(const Instruction &of, const Operand &one) const {
        switch (one.kind) {
        case Operand::Kind::immediate:
            return static_cast<std::uint64_t>(of.immediate);
        case Operand::Kind::in_register:
            return in_register(one.number);
        case Operand::Kind::memory:
            return in_memory(of, one);
        case Operand::Kind::address:
        case Operand::Kind::none:
            break;
        }
        return std::nullopt;
    }

    // What the loop leaves alone, or loads anew each time.
    [[nodiscard]] Value in_register(Register number) const {
        const Instruction *writer = nullptr;
        for (const Instruction &one : loop_) {
            if (changes(one, number)) {
                if (writer != nullptr) {
                    return std::nullopt;
                }
                writer = &one;
            }
        }
        if (writer == nullptr) {
            return held_by_(number);
        }
        const Computation &made = writer->computation;
        const bool loads = made.arithmetic == Arithmetic::first && made.destination == number &&
                           made.first.kind == Operand::Kind::memory;
        return loads ? in_memory(*writer, made.first) : std::nullopt;
    }

    [[nodiscard]] Value in_memory(const Instruction &of, const Operand &one) const {
        const Memory &place = of.memory;
        if (one.is_signed || place.thread_local_segment || place.index != no_register ||
            place.base == no_register) {
            return std::nullopt;
        }
        if (std::ranges::any_of(loop_,
                                [&](const auto &each) { return changes(each, place.base); })) {
            return std::nullopt;
        }
        const Value base = held_by_(place.base);
        return base ? memory_(*base + static_cast<std::uint64_t>(place.displacement), one.width)
                    : std::nullopt;
    }

    std::span<const Instruction> loop_;
    const ReadRegister &held_by_;
    const ReadWord &memory_;
};

}  // namespace

std::optional<bool> keeps_spinning(const FunctionCode &code, std::uint64_t pc,
                                   const ReadRegister &held_by, const ReadWord &memory) {
    const auto here = code.index_of(pc);
    if (!here) {
        return std::nullopt;
    }
    const std::span instructions(code.instructions());
    const auto ahead =
        instructions.subspan(*here).first(std::min(longest_loop, instructions.size() - *here));
    const auto back = std::ranges::find_if(
        ahead, [](const Instruction &one) { return one.is_jump() || one.is_call(); });
    const auto begin = back == ahead.end() ? std::nullopt : code.index_of(back->target);
    if (!begin || *begin > *here || *here - *begin > longest_loop) {
        return std::nullopt;
    }
    const auto around = instructions.subspan(
        *begin, *here - *begin + static_cast<std::size_t>(back - ahead.begin()) + 1);
    const bool is_straight =
        std::none_of(around.begin(), around.end() - 1, [](const Instruction &one) {
            return one.is_jump() || one.is_call() || one.ends_flow();
        });
    return is_straight && !back->is_call() ? Spin(around, held_by, memory).goes_on() : std::nullopt;
}

}  // namespace gdb_ompd::code
