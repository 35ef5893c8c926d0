// SPDX-License-Identifier: Apache-2.0
#include "code/loop_calls.hpp"

#include "code/function_values.hpp"

#include <algorithm>

namespace gdb_ompd::code {

std::vector<bool> reached(const ControlFlow &flow, std::vector<std::size_t> from,
                          const std::vector<bool> &avoided) {
    std::vector<bool> found(flow.code().instructions().size());
    while (!from.empty()) {
        const std::size_t index = from.back();
        from.pop_back();
        if (found[index]) {
            continue;
        }
        found[index] = true;
        if (!avoided[index]) {
            const auto next = flow.next(index);
            from.insert(from.end(), next.begin(), next.end());
        }
    }
    return found;
}

// Until the first call of it a function's name is known by the dynamic linker's stub.
std::vector<std::string> LoopCalls::names_of(const Instruction &call, std::uint64_t target) {
    if (calls_.code().is_user(target)) {
        return {names_.unbound(call, target)};
    }
    const auto function = calls_.functions().symbol_at(target);
    return function && function->start() == target
               ? function->module->elf->function_names(function->symbol.value)
               : std::vector<std::string>();
}

std::vector<LoopCalls::Found> LoopCalls::calls_in(const FunctionCode &code) {
    std::vector<Found> found;
    for (std::size_t index = 0; index < code.instructions().size(); ++index) {
        const Instruction &one = code.at(index);
        const auto target =
            one.is_call() || one.is_jump() ? calls_.targets().destination(one) : std::nullopt;
        if (!target || (code.start() <= *target && *target < code.end())) {
            continue;
        }
        for (const std::string &name : names_of(code.at(index), *target)) {
            if (const auto call = loop_call(std::string_view(name).substr(0, name.find('@')))) {
                found.push_back({index, *call});
                break;
            }
        }
    }
    return found;
}

std::optional<LoopAround> LoopCalls::around(const FunctionCode &code, std::size_t here) {
    const std::vector<Found> calls = calls_in(code);
    if (calls.empty()) {
        return std::nullopt;
    }
    const ControlFlow flow(code);
    std::vector<bool> all(code.instructions().size());
    for (const Found &one : calls) {
        all[one.index] = true;
    }
    // What may be executed without having begun a loop is in none for certain.
    if (reached(flow, {0}, all)[here] && !all[here]) {
        return std::nullopt;
    }
    std::optional<LoopAround> found;
    const auto before = reached(flow, {here}, all);
    for (const Found &one : calls) {
        const bool goes_on = one.call.step == LoopStep::goes_on;
        if (!goes_on && one.call.step != LoopStep::shares_out_all) {
            continue;
        }
        const auto behind = reached(flow, flow.next(one.index), all);
        const bool comes_back = !goes_on || before[one.index];
        if (!comes_back || (one.index != here && !behind[here])) {
            continue;
        }
        if (found || (one.index == here && !goes_on)) {
            return std::nullopt;  // of two it cannot be told in which it is
        }
        found = LoopAround{one.call, one.index, std::nullopt, 0};
        for (const Found &other : calls) {
            if (other.call.step == LoopStep::begins &&
                reached(flow, flow.next(other.index), all)[one.index]) {
                found->begin = other.call;
                found->begin_index = other.index;
            }
        }
    }
    return found;
}

// Also through the dynamic linker's stub.
bool LoopCalls::calls_function(const Instruction &one, std::string_view name) {
    const auto target = one.is_call() ? calls_.targets().destination(one) : std::nullopt;
    return target && std::ranges::any_of(names_of(one, *target), [&](const std::string &each) {
               return std::string_view(each).substr(0, each.find('@')) == name;
           });
}

// Whether an instruction divides by what the call at CALLED has returned.
bool LoopCalls::is_divisor(const FunctionCode &code, std::size_t division, std::size_t called) {
    const Computation &made = code.at(division).computation;
    if (made.arithmetic != Arithmetic::divide || made.second.kind != Operand::Kind::in_register ||
        made.first.kind != Operand::Kind::in_register) {
        return false;
    }
    FunctionValues &values = calls_.functions().values(code);
    Term by = values.before(division).held[made.second.number];
    while (by.offset == 0 && values.node(by.base).kind == Node::Kind::part) {
        by = values.node(by.base).first;
    }
    const Node node = values.node(by.base);
    return by.offset == 0 && node.kind == Node::Kind::unknown && node.at == called;
}

// What is behind the calls that ask for the number of threads and the thread's: the division, then
// whether the thread is among the first ones, a product, and whether it has any iteration.
std::optional<LoopDivision> LoopCalls::division_behind(const FunctionCode &code, std::size_t asks,
                                                       std::size_t begin, std::size_t end) {
    std::optional<std::size_t> division;
    bool has_asked = false;
    bool has_product = false;
    for (std::size_t index = begin; index < end; ++index) {
        const Instruction &one = code.at(index);
        const bool branches =
            one.operation == Operation::branch && one.condition != Condition::none;
        if (!division) {
            division = is_divisor(code, index, asks) ? std::optional(index) : std::nullopt;
        } else if (branches && has_product) {
            return LoopDivision{asks, 0, *division, index};
        } else if (branches) {
            has_asked = true;
        } else if (has_asked && one.computation.arithmetic == Arithmetic::multiply) {
            has_product = true;
        }
    }
    return std::nullopt;
}

// The branches behind the same calls on which it may depend whether the thread has a first chunk.
std::vector<LoopDivision> LoopCalls::chunks_behind(const FunctionCode &code, std::size_t asks,
                                                   std::size_t number_of, std::size_t end) {
    std::vector<LoopDivision> found;
    for (std::size_t index = number_of + 1; index < end; ++index) {
        const Instruction &one = code.at(index);
        if (one.operation == Operation::branch && one.condition != Condition::none) {
            found.push_back({asks, number_of, index, index, true});
        }
    }
    return found;
}

std::vector<LoopDivision> LoopCalls::divisions_in(const FunctionCode &code) {
    const std::size_t all = code.instructions().size();
    std::vector<std::size_t> calls;
    for (std::size_t index = 0; index < all; ++index) {
        if (code.at(index).is_call()) {
            calls.push_back(index);
        }
    }
    std::vector<LoopDivision> found;
    for (std::size_t number = 0; number + 1 < calls.size(); ++number) {
        if (calls_function(code.at(calls[number]), "omp_get_num_threads") &&
            calls_function(code.at(calls[number + 1]), "omp_get_thread_num")) {
            const std::size_t end = number + 2 < calls.size() ? calls[number + 2] : all;
            if (auto one = division_behind(code, calls[number], calls[number + 1] + 1, end)) {
                one->number_of = calls[number + 1];
                found.push_back(*one);
            } else {
                const auto ways = chunks_behind(code, calls[number], calls[number + 1], end);
                found.insert(found.end(), ways.begin(), ways.end());
            }
        }
    }
    return found;
}

std::vector<LoopDivision> LoopCalls::divided(const FunctionCode &code, std::size_t here) {
    std::vector<LoopDivision> divisions = divisions_in(code);
    if (divisions.empty()) {
        return {};
    }
    const ControlFlow flow(code);
    std::vector<bool> begins(code.instructions().size());
    for (const Found &one : calls_in(code)) {
        begins[one.index] = true;
    }
    for (const LoopDivision &one : divisions) {
        begins[one.called] = true;
    }
    std::erase_if(divisions, [&](const LoopDivision &one) {
        // On one side of the last question is the loop, on the other what follows it.
        const auto sides = flow.next(one.guard);
        const auto leads_here = [&](std::size_t side) -> bool {
            return reached(flow, {side}, begins)[here];
        };
        std::vector<bool> behind(code.instructions().size());
        behind[one.index] = true;
        return begins[here] || sides.size() != 2 || leads_here(sides[0]) == leads_here(sides[1]) ||
               reached(flow, {0}, behind)[here];
    });
    const bool is_one = std::ranges::all_of(
        divisions, [&](const LoopDivision &one) { return one.called == divisions.front().called; });
    return is_one ? divisions : std::vector<LoopDivision>();  // else it cannot be told which it is
}

}  // namespace gdb_ompd::code
