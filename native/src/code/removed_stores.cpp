// SPDX-License-Identifier: Apache-2.0
#include "code/removed_stores.hpp"

#include "code/function_values.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <utility>
#include <vector>

namespace gdb_ompd::code {

namespace {

constexpr unsigned widest = 1U << 20;  // bytes that one instruction moves

// What the instructions of a function do to the bytes of one of its variables.
class Accesses {
public:
    Accesses(FunctionReader &functions, const FunctionCode &code, std::size_t here,
             FrameBytes variable)
        : functions_(functions), code_(code), values_(functions.values(code)), here_(here),
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
        std::vector<std::size_t> known;
        for (const std::size_t index :
             pointing.empty() ? pointing : values_.handing_over(begin, variable.size)) {
            if (code.at(index).is_call()) {
                takes_.insert(index);
            }
            if (!code.at(index).is_call() || called_by(index) == nullptr) {
                known.push_back(index);
            }
        }
        is_known_to_others_ = reached(known, next);
        is_before_ = reached({here}, [&](std::size_t index) { return flow.before(index); });
    }

    // Whether code that may have been executed writes it.
    [[nodiscard]] bool is_written_in(const Range &range, std::int64_t byte) {
        return any_in(range,
                      [&](std::size_t index) { return is_before_[index] && writes(index, byte); });
    }

    // Whether code of a RANGE may have been executed since it was last overwritten.
    [[nodiscard]] bool is_since(const Range &range, std::int64_t byte) {
        const auto before = [&](std::size_t index) {
            return index != here_ && overwrites(index, byte) ? std::vector<std::size_t>()
                                                             : values_.flow().before(index);
        };
        const std::vector<bool> since = reached({here_}, before);
        return any_in(range, [&](std::size_t index) { return since[index]; });
    }

    // Whether code that may be executed next reads it, before other code overwrites it.
    [[nodiscard]] bool is_read(std::int64_t byte) {
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

    template <typename Is> [[nodiscard]] bool any_in(const Range &range, const Is &is) const {
        const std::size_t count = code_.instructions().size();
        for (auto index = code_.index_of(range.start);
             index && *index < count && range.holds(code_.at(*index).address); ++*index) {
            if (is(*index)) {
                return true;
            }
        }
        return false;
    }

    [[nodiscard]] bool writes(std::size_t index, std::int64_t byte) {
        const Instruction &one = code_.at(index);
        return one.is_call() ? (takes_.contains(index) ? use_by_call(index, byte).may_write
                                                       : is_known_to_others_[index])
                             : one.changes_memory() && touches(index, byte, is_pointed_to_[index]);
    }

    [[nodiscard]] bool overwrites(std::size_t index, std::int64_t byte) {
        const Instruction &one = code_.at(index);
        if (one.is_call()) {
            return takes_.contains(index) && use_by_call(index, byte).first == First::overwrites;
        }
        const std::optional<Term> place = values_.operand_place(index);
        return one.operation == Operation::store && one.width != 0 && !one.repeats && place &&
               place->base == stack_.base && touches(index, byte, false);
    }

    [[nodiscard]] bool touches(std::size_t index, std::int64_t byte, bool is_pointed_to) const {
        const Instruction &one = code_.at(index);
        const std::optional<Term> place = values_.operand_place(index);
        if (place && !values_.may_be_stack(*place)) {
            return is_known_to_others_[index];
        }
        if (!place || place->base != stack_.base) {
            return is_pointed_to || (place && values_.is_stack(*place));
        }
        return is_at(one, byte - static_cast<std::int64_t>(place->offset - stack_.offset));
    }

    [[nodiscard]] bool reads(std::size_t index, std::int64_t byte, bool is_pointed_to) {
        const Instruction &one = code_.at(index);
        if (one.is_call()) {
            return takes_.contains(index) ? use_by_call(index, byte).first == First::reads
                                          : is_known_to_others_[index];
        }
        return (is_pointed_to && one.repeats) ||
               (may_read(one) && touches(index, byte, is_pointed_to));
    }

    // What a function does first with what it is called with a pointer to.
    enum class First : std::uint8_t { reads, overwrites, leaves };
    struct Use {
        First first = First::reads;
        bool may_write = true;
    };

    // The function that a call calls, if it is known, and one alone of its arguments a pointer.
    [[nodiscard]] const FunctionCode *called_by(std::size_t index) {
        const std::uint64_t target = code_.at(index).target;
        return target == 0 ? nullptr : functions_.function_at_start(target);
    }

    [[nodiscard]] Use use_by_call(std::size_t index, std::int64_t byte) {
        const FunctionCode *const callee = called_by(index);
        const FunctionValues::State state = values_.before(index);
        std::optional<Term> given;  // the byte, by what the function has at its begin
        for (const Register name : values_.convention().arguments) {
            const Term held = values_.stored_once(state.held[name]);
            if (!values_.is_stack(held)) {
                continue;
            }
            if (given || held.base != stack_.base) {
                return {};
            }
            given = Terms::at_entry(name);
            given->offset += static_cast<std::uint64_t>(byte) - (held.offset - stack_.offset);
        }
        return callee != nullptr && given ? use_by(*callee, *given) : Use();
    }

    // What is not plainly something else is taken for reading and writing it.
    [[nodiscard]] Use use_by(const FunctionCode &callee, Term byte) {
        FunctionValues &values = functions_.values(callee);
        const auto is_given = [&](Term term) { return term.base == byte.base; };
        Use found{First::overwrites, false};
        std::vector<std::array<bool, 2>> seen(callee.instructions().size());
        std::vector<std::pair<std::size_t, bool>> due{{0, false}};
        while (!due.empty()) {
            const auto [index, is_overwritten] = due.back();
            due.pop_back();
            if (std::exchange(seen[index][is_overwritten ? 1 : 0], true)) {
                continue;
            }
            const Instruction &one = callee.at(index);
            const std::optional<Term> place = values.operand_place(index);
            const std::vector<std::size_t> next = values.flow().next(index);
            const bool is_end = one.operation == Operation::give_back;
            if (one.is_call() || one.repeats || callee.goes_anywhere(index) ||
                (next.empty() && !is_end) ||
                (one.changes_memory() && one.source < flags &&
                 is_given(values.before(index).held[one.source]))) {
                return {};
            }
            const bool is_there =
                place && is_given(*place) &&
                is_at(one, static_cast<std::int64_t>(byte.offset - place->offset));
            const bool is_elsewhere =
                !is_there && place &&
                (is_given(*place) || values.is_stack(*place) || !values.may_be_stack(*place));
            if (may_read(one) && !is_elsewhere && !is_overwritten) {
                found.first = First::reads;
            }
            found.may_write = found.may_write || (one.changes_memory() && !is_elsewhere);
            const bool is_then =
                is_overwritten || (is_there && one.operation == Operation::store && one.width != 0);
            if (is_end && !is_then && found.first == First::overwrites) {
                found.first = First::leaves;
            }
            for (const std::size_t each : next) {
                due.emplace_back(each, is_then);
            }
        }
        return found;
    }

    [[nodiscard]] static bool may_read(const Instruction &one) {
        return one.has_memory && one.operation != Operation::store &&
               one.operation != Operation::address && one.operation != Operation::nothing;
    }

    // Whether what an instruction has as its operand is, or may go on to, a byte so far BEHIND its
    // begin.
    [[nodiscard]] static bool is_at(const Instruction &one, std::int64_t behind) {
        const unsigned each =
            std::max({one.width, one.computation.first.width, one.computation.second.width});
        const unsigned all = one.second_source != no_register ? 2 * each : each;
        return behind >= 0 && behind < (one.repeats || each == 0 ? widest : all);
    }

    FunctionReader &functions_;
    const FunctionCode &code_;
    FunctionValues &values_;
    std::size_t here_;
    Term stack_;
    std::set<std::size_t> takes_;  // calls with a pointer to the variable
    // By instruction: whether it makes a pointer to the variable, whether a register may have one
    // there, whether other functions may, and whether it is before HERE.
    std::vector<bool> points_;
    std::vector<bool> is_pointed_to_;
    std::vector<bool> is_known_to_others_;
    std::vector<bool> is_before_;
};

}  // namespace

std::optional<std::size_t> part_not_stored(FunctionReader &functions, const FunctionCode &code,
                                           std::size_t here, FrameBytes variable,
                                           std::span<const StoredPart> parts) {
    Accesses accesses(functions, code, here, variable);
    const auto is_missed = [&](const StoredPart &part) {
        for (std::uint32_t each = 0; each < part.bytes.size; ++each) {
            const std::int64_t byte = part.bytes.begin + each;
            const bool is_stored = std::ranges::any_of(
                part.code, [&](const Range &range) { return accesses.is_written_in(range, byte); });
            if (is_stored || accesses.is_read(byte)) {
                continue;
            }
            if (part.code.empty() || std::ranges::any_of(part.code, [&](const Range &range) {
                    return accesses.is_since(range, byte);
                })) {
                return true;
            }
        }
        return false;
    };
    const auto found = std::ranges::find_if(parts, is_missed);
    return found == parts.end() ? std::nullopt : std::optional<std::size_t>(found - parts.begin());
}

}  // namespace gdb_ompd::code
