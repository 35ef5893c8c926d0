// SPDX-License-Identifier: Apache-2.0
#include "code/call_arguments.hpp"

#include <algorithm>

namespace gdb_ompd::code {

namespace {

std::optional<std::size_t> position_of(std::span<const Register> arguments, Register name) {
    const auto found = std::find(arguments.begin(), arguments.end(), name);
    if (found == arguments.end()) {
        return std::nullopt;
    }
    return static_cast<std::size_t>(found - arguments.begin());
}

bool contains(std::span<const std::uint64_t> addresses, std::uint64_t one) {
    return std::find(addresses.begin(), addresses.end(), one) != addresses.end();
}

// The one value that all sites agree on.
Value common(const std::vector<Value> &values) {
    const bool agree = !values.empty() && std::all_of(values.begin(), values.end(), [&](Value one) {
        return one && one == values.front();
    });
    return agree ? values.front() : std::nullopt;
}

}  // namespace

std::vector<Site> CallArguments::jumps_to(const FunctionCode &code, std::uint64_t function,
                                          const Called &called) {
    std::vector<Site> found;
    for (const std::size_t index : code.leaving()) {
        const auto target = calls_.targets().destination(code.at(index));
        if (!target) {
            continue;
        }
        const bool is_last = function == 0;
        const bool arrives = called.entry != nullptr
                                 ? calls_.entry_at(*target) == called.entry
                                 : calls_.functions().plain_name(*target) == called.outside;
        if (is_last ? arrives : *target == function) {
            found.push_back({&code, index});
        }
    }
    return found;
}

std::vector<Site> CallArguments::last_jumps(const Called &called) {
    const FunctionCode *const code =
        called.through.empty() ? nullptr
                               : calls_.functions().function_at_start(called.through.back());
    return code == nullptr ? std::vector<Site>() : jumps_to(*code, 0, called);
}

std::vector<Site> CallArguments::sites(const Called &called, const Frame *user) {
    if (!called.through.empty()) {
        return last_jumps(called);
    }
    const FunctionCode *const code =
        user == nullptr ? nullptr : calls_.functions().function(user->pc - 1);
    const auto index = code == nullptr ? std::nullopt : code->call_before(user->pc);
    return index ? std::vector{Site{code, *index}} : std::vector<Site>();
}

Value CallArguments::argument(std::size_t number, const Called &called,
                              std::span<const Frame> frames) {
    if (calls_.functions().architecture() == nullptr) {
        return std::nullopt;
    }
    if (called.through.empty()) {
        return frames.empty() ? std::nullopt : of_call(number, frames, 0);
    }
    const auto convention = calls_.functions().architecture()->convention();
    return number < convention.arguments.size()
               ? passed(number, called, called.through.size(), frames)
               : std::nullopt;
}

// An argument as the function at POSITION of the chain, or what it ends in, got it.
Value CallArguments::passed(std::size_t number, const Called &called, std::size_t position,
                            std::span<const Frame> frames) {
    if (position == 0) {  // without a user frame the runtime called it
        return frames.empty() ? std::nullopt : of_call(number, frames, 0);
    }
    const FunctionCode *const code =
        calls_.functions().function_at_start(called.through[position - 1]);
    if (code == nullptr) {
        return std::nullopt;
    }
    const bool is_last = position == called.through.size();
    const auto arguments = calls_.functions().architecture()->convention().arguments;
    std::vector<Value> values;
    for (const Site &site : jumps_to(*code, is_last ? 0 : called.through[position], called)) {
        const auto at_entry = [&](Register name) -> Former {
            const auto asked = position_of(arguments, name);
            return {asked ? passed(*asked, called, position - 1, frames) : std::nullopt, true};
        };
        Evaluation gone(calls_.functions().values(*code),
                        {std::nullopt, {}, calls_.memory(), at_entry});
        values.push_back(gone.argument(site.index, number).value);
    }
    return common(values);
}

// An argument of the call by which the first of FRAMES goes on.
Value CallArguments::of_call(std::size_t number, std::span<const Frame> frames, int depth) {
    const Frame &frame = frames.front();
    const FunctionCode *const code = calls_.functions().function(frame.pc - 1);
    const auto index = code == nullptr ? std::nullopt : code->call_before(frame.pc);
    if (!index) {
        return std::nullopt;
    }
    const auto at_entry = [&](Register name) -> Former {
        std::span<const Frame> callers = frames.subspan(1);
        while (!callers.empty() && callers.front().pc == frame.pc) {
            callers = callers.subspan(1);  // it is inlined there
        }
        const auto asked =
            position_of(calls_.functions().architecture()->convention().arguments, name);
        if (!asked || callers.empty() || depth == most_tail_calls ||
            !calls_.code().is_user(callers.front().pc)) {
            return {};
        }
        const bool calls = contains(calls_.targets().targets(callers.front().pc), code->start());
        return {calls ? of_call(*asked, callers, depth + 1) : std::nullopt, true};
    };
    return calls_.in_frame(*code, *index, frame, at_entry).argument(*index, number).value;
}

Value CallArguments::kept_argument(std::size_t number, const Frame &frame) {
    const FunctionCode *const code = calls_.functions().function(frame.pc - 1);
    const auto call = code == nullptr ? std::nullopt : code->call_before(frame.pc);
    const auto arguments = code == nullptr
                               ? std::span<const Register>()
                               : calls_.functions().architecture()->convention().arguments;
    return call && number < arguments.size()
               ? calls_.in_frame(*code, *call, frame).at_entry(arguments[number]).value
               : std::nullopt;
}

std::optional<std::size_t> CallArguments::handed_on(std::size_t number,
                                                    std::span<const std::uint64_t> pcs) {
    std::optional<std::size_t> found(number);
    std::uint64_t called = 0;
    for (const std::uint64_t pc : pcs) {
        const FunctionCode *const code = calls_.functions().function(pc - 1);
        const auto index = code == nullptr ? std::nullopt : code->call_before(pc);
        if (!index || (called != 0 && !contains(calls_.targets().targets(pc), called))) {
            return std::nullopt;
        }
        FunctionValues &values = calls_.functions().values(*code);
        const auto arguments = values.convention().arguments;
        if (*found >= arguments.size()) {
            return std::nullopt;
        }
        const Term term = values.stored_once(values.before(*index).held[arguments[*found]]);
        const Node node = values.node(term.base);
        found = term.offset == 0 && node.kind == Node::Kind::entry
                    ? position_of(arguments, node.register_number)
                    : std::nullopt;
        if (!found) {
            return std::nullopt;
        }
        called = code->start();
    }
    return found;
}

}  // namespace gdb_ompd::code
