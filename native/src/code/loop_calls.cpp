// SPDX-License-Identifier: Apache-2.0
#include "code/loop_calls.hpp"

#include "code/control_flow.hpp"

#include <algorithm>

namespace gdb_ompd::code {

namespace {

// The instructions that may be executed after those of FROM, without what is behind one of AVOIDED.
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

}  // namespace

// Until the first call of it a function's name is known by the dynamic linker's stub.
std::vector<std::string> LoopCalls::names_of(std::uint64_t target) {
    if (calls_.code().is_user(target)) {
        return {names_.unbound(target)};
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
        for (const std::string &name : names_of(*target)) {
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

}  // namespace gdb_ompd::code
