// SPDX-License-Identifier: Apache-2.0
#include "code/jump_tables.hpp"

#include <algorithm>
#include <tuple>

namespace gdb_ompd::code {

namespace {

constexpr std::size_t most_before = 24;  // instructions, from the comparison to the jump
constexpr std::uint64_t most_cases = 512;
constexpr unsigned relative_size = 4;  // bytes, of what is added to where a table is
constexpr unsigned absolute_size = 8;

bool is_on_base(const Memory &one) {
    return one.base != no_register && one.index == no_register && !one.thread_local_segment;
}

bool is_same(const Memory &one, const Memory &other) {
    return one.base == other.base && one.displacement == other.displacement;
}

// A register, or a variable of the function's, as it was before an instruction.
struct Place {
    Register number = no_register;
    Memory memory;
    std::size_t before = 0;

    bool operator==(const Place &other) const {
        return number == other.number && before == other.before &&
               (number != no_register || is_same(memory, other.memory));
    }
};

// A table, and what its places are counted by.
struct Table {
    std::uint64_t address = 0;
    std::uint64_t added_to = 0;  // 0: it has addresses
    Place counted;
};

class Switch {
public:
    Switch(const FunctionCode &code, std::size_t jump) : code_(code), jump_(jump), first_(jump) {
        while (first_ > 0 && jump - first_ < most_before && code.jumps_to(first_).empty() &&
               !code.at(first_ - 1).ends_flow() && !code.at(first_ - 1).is_call()) {
            --first_;
        }
    }

    [[nodiscard]] std::vector<std::uint64_t> cases(const ReadConstant &read) const {
        const auto table = this->table();
        const std::uint64_t count = table ? this->count(table->counted) : 0;
        std::vector<std::uint64_t> found;
        for (std::uint64_t number = 0; number < std::min(count, most_cases + 1); ++number) {
            const unsigned size = table->added_to == 0 ? absolute_size : relative_size;
            const auto entry = read(table->address + number * size, size);
            const std::uint64_t place =
                !entry ? 0
                : table->added_to == 0
                    ? *entry
                    : table->added_to +
                          static_cast<std::uint64_t>(static_cast<std::int32_t>(*entry));
            if (!code_.index_of(place)) {
                return {};
            }
            found.push_back(place);
        }
        return count <= most_cases ? found : std::vector<std::uint64_t>();
    }

private:
    [[nodiscard]] std::optional<std::size_t> writer(Register number, std::size_t before) const {
        for (std::size_t at = before; at-- > first_;) {
            if ((code_.at(at).writes & bit_of(number)) != 0) {
                return at;
            }
        }
        return std::nullopt;
    }

    [[nodiscard]] std::optional<Table> table() const {
        const Instruction &jump = code_.at(jump_);
        if (jump.has_memory) {
            return absolute(jump.memory, jump_);
        }
        const auto made = writer(jump.source, jump_);
        if (!made) {
            return std::nullopt;
        }
        const Computation &sum = code_.at(*made).computation;
        if (sum.arithmetic == Arithmetic::first && sum.first.kind == Operand::Kind::memory) {
            return absolute(code_.at(*made).memory, *made);
        }
        if (sum.arithmetic != Arithmetic::add || sum.first.kind != Operand::Kind::in_register ||
            sum.second.kind != Operand::Kind::in_register) {
            return std::nullopt;
        }
        const auto one = relative(sum.first.number, sum.second.number, *made);
        return one ? one : relative(sum.second.number, sum.first.number, *made);
    }

    [[nodiscard]] std::optional<Table> absolute(const Memory &entry, std::size_t at) const {
        if (entry.base != no_register || entry.index == no_register ||
            entry.scale != absolute_size || entry.displacement == 0) {
            return std::nullopt;
        }
        return Table{static_cast<std::uint64_t>(entry.displacement), 0,
                     origin({entry.index, {}, at})};
    }

    // Of an ENTRY that is added to where the table is, which BASE has.
    [[nodiscard]] std::optional<Table> relative(Register base, Register entry,
                                                std::size_t before) const {
        const auto added_to = constant(base, before);
        auto loads = writer(entry, before);
        while (loads && code_.at(*loads).computation.first.number == entry &&
               code_.at(*loads).computation.first.kind == Operand::Kind::in_register &&
               code_.at(*loads).computation.arithmetic == Arithmetic::first) {
            loads = writer(entry, *loads);  // it becomes wider
        }
        if (!added_to || !loads ||
            code_.at(*loads).computation.first.kind != Operand::Kind::memory ||
            code_.at(*loads).computation.arithmetic != Arithmetic::first) {
            return std::nullopt;
        }
        const Memory &place = code_.at(*loads).memory;
        if (place.displacement != 0 || place.index == no_register) {
            return std::nullopt;
        }
        for (const auto &[table, counted, scale] :
             {std::tuple(place.base, place.index, static_cast<unsigned>(place.scale)),
              std::tuple(place.index, place.base, 1U)}) {
            const auto address = constant(table, *loads);
            const auto number = address ? unscaled({counted, {}, *loads}, scale) : std::nullopt;
            if (number) {
                return Table{*address, *added_to, *number};
            }
        }
        return std::nullopt;
    }

    [[nodiscard]] std::optional<std::uint64_t> constant(Register number, std::size_t before) const {
        const auto made = writer(number, before);
        const bool is_one = made && code_.at(*made).operation == Operation::address &&
                            code_.at(*made).memory.base == no_register &&
                            code_.at(*made).memory.index == no_register;
        return is_one
                   ? std::optional(static_cast<std::uint64_t>(code_.at(*made).memory.displacement))
                   : std::nullopt;
    }

    // What a register counts in entries, which is multiplied by SCALE where it is used.
    [[nodiscard]] std::optional<Place> unscaled(const Place &counted, unsigned scale) const {
        if (scale == relative_size) {
            return origin(counted);
        }
        const auto made = writer(counted.number, counted.before);
        if (scale != 1 || !made || code_.at(*made).operation != Operation::address) {
            return std::nullopt;
        }
        const Memory &by = code_.at(*made).memory;
        return by.base == no_register && by.displacement == 0 && by.scale == relative_size
                   ? std::optional(origin({by.index, {}, *made}))
                   : std::nullopt;
    }

    // Where a value comes from that is only moved since.
    [[nodiscard]] Place origin(Place place) const {
        while (place.before > first_) {
            const Instruction &one = code_.at(place.before - 1);
            const Computation &made = one.computation;
            const bool is_register = place.number != no_register;
            if (is_register && (one.writes & bit_of(place.number)) != 0) {
                const bool moves =
                    made.arithmetic == Arithmetic::first && made.destination == place.number;
                if (moves && made.first.kind == Operand::Kind::in_register) {
                    place.number = made.first.number;
                } else if (moves && made.first.kind == Operand::Kind::memory &&
                           is_on_base(one.memory)) {
                    place.number = no_register;
                    place.memory = one.memory;
                } else {
                    return place;
                }
            } else if (!is_register && (one.writes & bit_of(place.memory.base)) != 0) {
                return place;
            } else if (!is_register && one.changes_memory()) {
                if (one.operation != Operation::store || one.memory.base != place.memory.base ||
                    !is_on_base(one.memory)) {
                    return place;
                }
                if (is_same(one.memory, place.memory)) {
                    if (one.source == no_register) {
                        return place;
                    }
                    place.number = one.source;
                }
            }
            --place.before;
        }
        return place;
    }

    // How many cases there are: what COUNTED is compared with before a branch that leaves.
    [[nodiscard]] std::uint64_t count(const Place &counted) const {
        Condition leaves = Condition::none;
        for (std::size_t at = jump_; at-- > first_;) {
            const Instruction &one = code_.at(at);
            if (one.operation == Operation::branch) {
                leaves = one.condition;
            } else if (one.sets_flags) {
                const bool bounds = leaves == Condition::above || leaves == Condition::not_below;
                const Computation &by = one.computation;
                if (!bounds || by.second.kind != Operand::Kind::immediate ||
                    (by.arithmetic != Arithmetic::subtract)) {
                    leaves = Condition::none;
                    continue;
                }
                Place compared{no_register, one.memory, at};
                if (by.first.kind == Operand::Kind::in_register) {
                    compared.number = by.first.number;
                } else if (by.first.kind != Operand::Kind::memory || !is_on_base(one.memory)) {
                    return 0;
                }
                const auto last = static_cast<std::uint64_t>(one.immediate);
                return origin(compared) == counted ? last + (leaves == Condition::above ? 1 : 0)
                                                   : 0;
            }
        }
        return 0;
    }

    const FunctionCode &code_;
    std::size_t jump_;
    std::size_t first_;  // no other jump leads to what is behind it
};

}  // namespace

std::vector<std::uint64_t> cases_of(const FunctionCode &code, std::size_t jump,
                                    const ReadConstant &read) {
    return Switch(code, jump).cases(read);
}

}  // namespace gdb_ompd::code
