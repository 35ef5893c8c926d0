// SPDX-License-Identifier: Apache-2.0
#include "code/removed_stores.hpp"

#include "code/function_values.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace gdb_ompd::code {

namespace {

constexpr unsigned widest = 1U << 20;  // bytes that one instruction moves

// What the instructions of a function do to the bytes of one of its variables.
class Accesses {
public:
    Accesses(FunctionReader &functions, const FunctionCode &code, std::size_t here,
             FrameBytes variable)
        : code_(code), values_(functions.values(code)), here_(here),
          stack_(Terms::at_entry(values_.convention().stack_pointer)) {
        stack_.offset += values_.convention().pushed_by_call;
        const Term begin{stack_.base, stack_.offset + static_cast<std::uint64_t>(variable.begin)};
        const ControlFlow &flow = values_.flow();
        const auto next = [&](std::size_t index) { return flow.next(index); };
        const std::vector<std::size_t> pointing = values_.pointing_to(begin, variable.size);
        points_.resize(code.instructions().size());
        for (const std::size_t index : pointing) {
            points_[index] = true;
        }
        is_pointed_to_ = reached(pointing, next);
        is_before_ = reached({here}, [&](std::size_t index) { return flow.before(index); });
    }

    // Whether code that may have been executed writes it.
    [[nodiscard]] bool is_written_in(const Range &range, std::int64_t byte) const {
        const std::size_t count = code_.instructions().size();
        for (auto index = code_.index_of(range.start);
             index && *index < count && range.holds(code_.at(*index).address); ++*index) {
            if (is_before_[*index] && writes(*index, byte)) {
                return true;
            }
        }
        return false;
    }

    // Whether code that may be executed next reads it, before other code overwrites it.
    [[nodiscard]] bool is_read(std::int64_t byte) const {
        struct Step {
            std::size_t index = 0;
            bool is_pointed_to = false;
        };
        std::vector<std::array<bool, 2>> seen(code_.instructions().size());
        std::vector<Step> due{{here_, is_pointed_to_[here_]}};
        while (!due.empty()) {
            const auto [index, is_pointed_to] = due.back();
            due.pop_back();
            if (reads(index, byte, is_pointed_to)) {
                return true;
            }
            const bool is_then = is_pointed_to || points_[index];
            for (const std::size_t next : overwrites(index, byte) ? std::vector<std::size_t>()
                                                                  : values_.flow().next(index)) {
                if (!seen[next][is_then ? 1 : 0]) {
                    seen[next][is_then ? 1 : 0] = true;
                    due.push_back({next, is_then});
                }
            }
        }
        return false;
    }

private:
    // What is reached from some instructions, by the ways to those that are NEXT.
    template <typename Next>
    [[nodiscard]] std::vector<bool> reached(std::vector<std::size_t> due, const Next &next) const {
        std::vector<bool> found(code_.instructions().size());
        while (!due.empty()) {
            const std::size_t index = due.back();
            due.pop_back();
            for (const std::size_t each : next(index)) {
                if (!found[each]) {
                    found[each] = true;
                    due.push_back(each);
                }
            }
        }
        return found;
    }

    [[nodiscard]] bool writes(std::size_t index, std::int64_t byte) const {
        const Instruction &one = code_.at(index);
        return one.is_call() ? is_pointed_to_[index]
                             : one.changes_memory() && touches(index, byte, is_pointed_to_[index]);
    }

    [[nodiscard]] bool overwrites(std::size_t index, std::int64_t byte) const {
        const Instruction &one = code_.at(index);
        const std::optional<Term> place = values_.operand_place(index);
        return one.operation == Operation::store && one.width != 0 && !one.repeats && place &&
               place->base == stack_.base && touches(index, byte, false);
    }

    [[nodiscard]] bool touches(std::size_t index, std::int64_t byte, bool is_pointed_to) const {
        const Instruction &one = code_.at(index);
        const std::optional<Term> place = values_.operand_place(index);
        if (!place || place->base != stack_.base) {
            return is_pointed_to || (place && values_.is_stack(*place));
        }
        const unsigned each =
            std::max({one.width, one.computation.first.width, one.computation.second.width});
        const unsigned all = one.second_source != no_register ? 2 * each : each;
        const auto behind = byte - static_cast<std::int64_t>(place->offset - stack_.offset);
        return behind >= 0 && behind < (one.repeats || each == 0 ? widest : all);
    }

    [[nodiscard]] bool reads(std::size_t index, std::int64_t byte, bool is_pointed_to) const {
        const Instruction &one = code_.at(index);
        if (is_pointed_to && (one.is_call() || one.repeats)) {
            return true;
        }
        const bool is_plain_store = one.operation == Operation::store;
        const bool is_none =
            one.operation == Operation::address || one.operation == Operation::nothing;
        return one.has_memory && !is_plain_store && !is_none && touches(index, byte, is_pointed_to);
    }

    const FunctionCode &code_;
    FunctionValues &values_;
    std::size_t here_;
    Term stack_;
    // By instruction: whether it makes a pointer to the variable, whether others may have one
    // there, and whether it is before HERE.
    std::vector<bool> points_;
    std::vector<bool> is_pointed_to_;
    std::vector<bool> is_before_;
};

}  // namespace

std::optional<std::size_t> part_not_stored(FunctionReader &functions, const FunctionCode &code,
                                           std::size_t here, FrameBytes variable,
                                           std::span<const StoredPart> parts) {
    const Accesses accesses(functions, code, here, variable);
    const auto is_missed = [&](const StoredPart &part) {
        for (std::uint32_t each = 0; each < part.bytes.size; ++each) {
            const std::int64_t byte = part.bytes.begin + each;
            const bool is_stored = std::ranges::any_of(
                part.code, [&](const Range &range) { return accesses.is_written_in(range, byte); });
            if (!is_stored && !accesses.is_read(byte)) {
                return true;
            }
        }
        return false;
    };
    const auto found = std::ranges::find_if(parts, is_missed);
    return found == parts.end() ? std::nullopt : std::optional<std::size_t>(found - parts.begin());
}

}  // namespace gdb_ompd::code
