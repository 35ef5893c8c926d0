// SPDX-License-Identifier: Apache-2.0
#include "code/kept_registers.hpp"

#include "code/control_flow.hpp"
#include "code/function_values.hpp"

#include <algorithm>
#include <optional>

namespace gdb_ompd::code {

namespace {

constexpr int deepest_calls = 3;  // of functions by each other

class KeptRegister {
public:
    KeptRegister(FunctionReader &functions, Register name) : functions_(functions), name_(name) {}

    // Whether a function has not changed it on any way from its beginning to the instruction HERE.
    [[nodiscard]] bool before(const FunctionCode &code, std::size_t here) {
        if (here == 0 && code.jumps_to(0).empty()) {
            return true;
        }
        if (!is_closed(code)) {
            return false;
        }
        const std::vector<bool> executed = ControlFlow(code).between(0, here, true);
        for (std::size_t index = 0; index < executed.size(); ++index) {
            if ((index == 0 || executed[index]) && changes(code.at(index))) {
                return false;
            }
        }
        return true;
    }

    [[nodiscard]] bool changes(const Instruction &one, int calls = deepest_calls) {
        if (!one.is_call()) {
            return (one.writes & bit_of(name_)) != 0;
        }
        const FunctionCode *const called =
            one.target == 0 || calls == 0 ? nullptr : functions_.function_at_start(one.target);
        return called == nullptr || !is_closed(*called) ||
               std::ranges::any_of(called->instructions(), [&](const Instruction &each) {
                   return changes(each, calls - 1);
               });
    }

private:
    // Whether nothing but a call or its end leads out of a function: what does may come back.
    [[nodiscard]] static bool is_closed(const FunctionCode &code) {
        return !code.jumps_anywhere() && code.leaving().empty();
    }

    FunctionReader &functions_;
    Register name_;
};

}  // namespace

bool is_kept(FunctionReader &functions, std::span<const std::uint64_t> pcs, Register name) {
    KeptRegister kept(functions, name);
    for (std::size_t number = 0; number + 1 < pcs.size(); ++number) {
        const FunctionCode *const code = functions.function(pcs[number] - (number == 0 ? 0 : 1));
        const FunctionCode *const caller = functions.function(pcs[number + 1] - 1);
        if (code == nullptr || caller == nullptr) {
            return false;
        }
        // A function that was reached by another's jump is not the one that was called.
        const auto call = caller->call_before(pcs[number + 1]);
        const auto here =
            number == 0 ? code->index_of(pcs[number]) : code->call_before(pcs[number]);
        if (!call || !here || caller->at(*call).target != code->start() ||
            !kept.before(*code, *here)) {
            return false;
        }
    }
    return name != no_register;
}

bool is_kept_by(FunctionReader &functions, const Instruction &call, Register name) {
    return !KeptRegister(functions, name).changes(call);
}

bool is_left_by_call(FunctionReader &functions, const FunctionCode &code, std::size_t here,
                     Register name) {
    FunctionValues &values = functions.values(code);
    // A second register may be returned beside the first: one that has an argument, too.
    const CallingConvention &convention = values.convention();
    const auto arguments = convention.arguments.first(3);
    if (name >= flags || name == convention.returned ||
        std::ranges::find(arguments, name) != arguments.end()) {
        return false;
    }
    const Term held = values.before(here).held[name];
    const Node node = values.node(held.base);
    return !held.is_number() && node.kind == Node::Kind::unknown && code.at(node.at).is_call() &&
           !is_kept_by(functions, code.at(node.at), name);
}

bool is_set_again(FunctionReader &functions, const FunctionCode &code, const Range &within,
                  std::size_t here, Register name, bool is_constant) {
    if (name >= flags) {
        return false;
    }
    KeptRegister kept(functions, name);
    FunctionValues &values = functions.values(code);
    const bool is_preserved = (values.convention().preserved_bits() & bit_of(name)) != 0;
    const auto sets = [&](const Instruction &one) {
        return !(is_preserved && one.is_call()) && kept.changes(one) &&
               (is_constant || (computes_from(one) & bit_of(name)) == 0);
    };
    const auto &all = code.instructions();
    const auto first = std::ranges::find_if(
        all, [&](const Instruction &one) { return within.holds(one.address) && sets(one); });
    const ControlFlow &flow = values.flow();
    std::vector<bool> seen(all.size());
    std::vector<std::size_t> due{here};
    while (!due.empty()) {
        const std::size_t index = due.back();
        due.pop_back();
        if (index == 0 && is_preserved) {
            return true;  // it is the caller's
        }
        for (const std::size_t before : flow.before(index)) {
            const Instruction &one = code.at(before);
            if (seen[before]) {
                continue;
            }
            seen[before] = true;
            if (!sets(one)) {
                due.push_back(before);
            } else if (within.holds(one.address) && one.address != first->address) {
                return true;
            }
        }
    }
    return false;
}

std::size_t times_set(FunctionReader &functions, const FunctionCode &code, const Range &within,
                      Register name) {
    const bool is_preserved =
        (functions.values(code).convention().preserved_bits() & bit_of(name)) != 0;
    KeptRegister kept(functions, name);
    const auto sets = [&](const Instruction &one) {
        const bool keeps = is_preserved && (one.is_call() || one.operation == Operation::pop);
        return within.holds(one.address) && !keeps && kept.changes(one) &&
               (computes_from(one) & bit_of(name)) == 0;
    };
    return static_cast<std::size_t>(std::ranges::count_if(code.instructions(), sets));
}

bool is_callers(FunctionReader &functions, const FunctionCode &code, std::size_t here,
                Register name) {
    FunctionValues &values = functions.values(code);
    return (values.convention().preserved_bits() & bit_of(name)) != 0 &&
           values.before(here).held[name] == Terms::at_entry(name);
}

bool may_stay(FunctionReader &functions, const FunctionCode &code, std::size_t from, std::size_t to,
              const MadeOf &value) {
    FunctionValues &values = functions.values(code);
    const CallingConvention &convention = values.convention();
    const auto changes_slot = [&](std::size_t index, std::int64_t slot) {
        Term place = Terms::at_entry(convention.stack_pointer);
        place.offset += static_cast<std::uint64_t>(slot) + convention.pushed_by_call;
        return values.may_change(index, place, 1);
    };
    const auto changes = [&](std::size_t index) {
        return std::ranges::any_of(value.registers,
                                   [&](Register name) {
                                       return KeptRegister(functions, name).changes(code.at(index));
                                   }) ||
               std::ranges::any_of(value.slots,
                                   [&](std::int64_t slot) { return changes_slot(index, slot); });
    };
    std::vector<bool> seen(code.instructions().size());
    std::vector<std::size_t> due{from};
    while (!due.empty() && !seen[to]) {
        const std::size_t index = due.back();
        due.pop_back();
        for (const std::size_t next :
             changes(index) ? std::vector<std::size_t>() : values.flow().next(index)) {
            if (!seen[next]) {
                seen[next] = true;
                due.push_back(next);
            }
        }
    }
    return seen[to];
}

}  // namespace gdb_ompd::code
