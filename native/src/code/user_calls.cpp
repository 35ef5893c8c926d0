// SPDX-License-Identifier: Apache-2.0
#include "code/user_calls.hpp"

#include "code/kept_argument.hpp"

#include "elf/address_space.hpp"

#include <algorithm>

namespace gdb_ompd::code {

namespace {

constexpr int longest_chain = 8;  // functions that jump to one another before the runtime

std::optional<std::size_t> position_of(std::span<const Register> arguments, Register name) {
    const auto found = std::find(arguments.begin(), arguments.end(), name);
    if (found == arguments.end()) {
        return std::nullopt;
    }
    return static_cast<std::size_t>(found - arguments.begin());
}

// The one value that all sites agree on.
Value common(const std::vector<Value> &values) {
    const bool agree = !values.empty() && std::all_of(values.begin(), values.end(), [&](Value one) {
        return one && one == values.front();
    });
    return agree ? values.front() : std::nullopt;
}

}  // namespace

UserCalls::UserCalls(std::shared_ptr<AddressSpace> space, const Modules &modules,
                     const CodeMap &code, const Modules &runtimes)
    : code_(code), functions_(std::move(space), modules),
      targets_(functions_.space(), functions_.architecture()), entries_(runtimes) {}

std::optional<Called> UserCalls::of_call(std::uint64_t pc) {
    const auto targets = targets_.targets(pc);
    for (const std::uint64_t target : targets) {
        if (const EntryPoint *const entry = entries_.at(target)) {
            return Called{entry, {}, {}, false};
        }
    }
    for (const std::uint64_t target : targets) {
        if (code_.is_user(target)) {
            auto found = left(target, {}, [](const Called &) { return false; });
            if (found && found->entry != nullptr) {
                return found;
            }
            return std::nullopt;
        }
    }
    return std::nullopt;
}

std::vector<std::pair<std::uint64_t, std::uint64_t>> UserCalls::ways_inside(std::uint64_t pc) {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> found;
    const FunctionCode *const code = functions_.function(pc);
    for (std::size_t index = 0; code != nullptr && index < code->instructions().size(); ++index) {
        const auto jumps = code->jumps_to(index);
        for (const std::size_t source : jumps) {
            found.emplace_back(code->at(source).address, code->at(index).address);
        }
        if (!jumps.empty() && index > 0 && !code->at(index - 1).ends_flow()) {
            found.emplace_back(code->at(index - 1).address, code->at(index).address);
        }
    }
    return found;
}

std::vector<std::uint64_t> UserCalls::jumps_out(std::uint64_t pc) {
    std::vector<std::uint64_t> found;
    const FunctionCode *const code = functions_.function(pc);
    for (const std::size_t index : code == nullptr ? std::vector<std::size_t>() : code->leaving()) {
        if (const auto target = targets_.destination(code->at(index))) {
            found.push_back(*target);
        }
    }
    return found;
}

std::vector<UserCalls::CallMade> UserCalls::calls_made(std::uint64_t pc) {
    std::vector<CallMade> found;
    const FunctionCode *const code = functions_.function(pc);
    if (code == nullptr) {
        return found;
    }
    for (const Instruction &each : code->instructions()) {
        if (const auto target = each.is_call() ? targets_.destination(each) : std::nullopt) {
            found.push_back({each.address, each.end(), *target});
        }
    }
    return found;
}

// The one entry point or function of the system's that a user function without a frame
// can be in. Of several it is the one that is KNOWN by its own frame.
std::optional<Called> UserCalls::left(std::uint64_t function, const Through &through,
                                      const std::function<bool(const Called &)> &is_known) {
    const FunctionCode *const code = functions_.function_at_start(function);
    if (code == nullptr || through.size() == most_tail_calls) {
        return std::nullopt;
    }
    Through longer = through;
    longer.push_back(function);
    std::vector<Called> found;  // each once
    for (const std::size_t index : code->leaving()) {
        const auto target = targets_.destination(code->at(index));
        auto called = target ? found_at(*target, longer, is_known) : std::nullopt;
        if (called && std::find(found.begin(), found.end(), *called) == found.end()) {
            found.push_back(*std::move(called));
        }
    }
    if (found.size() > 1) {
        std::erase_if(found, [&](const Called &called) { return !is_known(called); });
    }
    const auto is_same = [&](const Called &called) {
        return called.entry == found.front().entry && called.outside == found.front().outside;
    };
    if (found.empty() || !std::ranges::all_of(found, is_same)) {
        return std::nullopt;
    }
    return found.size() == 1 ? found.front()
                             : Called{found.front().entry, found.front().outside, longer, true};
}

std::optional<Called> UserCalls::found_at(std::uint64_t target, const Through &through,
                                          const std::function<bool(const Called &)> &is_known) {
    if (const EntryPoint *const entry = entries_.at(target)) {
        return Called{entry, {}, through, false};
    }
    switch (code_.owner(target)) {
    case Owner::user:
        return left(target, through, is_known);
    case Owner::system: {
        auto name = functions_.plain_name(target);
        return name ? std::optional(Called{nullptr, *std::move(name), through, false, target})
                    : std::nullopt;
    }
    case Owner::runtime:
        break;
    }
    return std::nullopt;
}

bool UserCalls::is_direct(std::uint64_t return_address) const {
    const auto targets = targets_.targets(return_address);
    return std::any_of(targets.begin(), targets.end(), [this](std::uint64_t target) {
        return functions_.module_at(target) != nullptr;
    });
}

bool UserCalls::goes_on_to(std::uint64_t function, std::uint64_t pc, int jumps) {
    const auto around = functions_.symbol_at(pc);
    const auto targets = around && jumps > 0 ? jumps_out(function) : std::vector<std::uint64_t>();
    return std::any_of(targets.begin(), targets.end(), [&](std::uint64_t target) {
        return target == around->start() || goes_on_to(target, pc, jumps - 1);
    });
}

bool UserCalls::is_in_region_call(std::uint64_t pc) {
    if (const EntryPoint *const entry = entries_.around(pc)) {
        return entry->begins_region || entry->name == ends_region;
    }
    return std::ranges::any_of(entries_.beginning(),
                               [&](std::uint64_t entry) { return is_behind(entry, pc, 1); });
}

// Whether PC is in a function to which FUNCTION goes on by as many JUMPS at its end, or fewer. That
// one is its library's own, and has no symbol where the library is stripped: its code is followed.
bool UserCalls::is_behind(std::uint64_t function, std::uint64_t pc, int jumps) {
    return std::ranges::any_of(jumps_out(function), [&](std::uint64_t target) {
        return is_reached(target, pc, jumps - 1);
    });
}

// The same of the code from START on: it has PC, or goes on to it.
bool UserCalls::is_reached(std::uint64_t start, std::uint64_t pc, int jumps) {
    const FunctionCode *const code = functions_.code_from(start);
    if (code == nullptr) {
        return false;
    }
    const auto index = code->index_of(pc);
    if (index && code->leads_to(*index)) {
        return true;
    }
    return jumps > 0 && std::ranges::any_of(code->leaving(), [&](std::size_t leaves) {
               const auto target = targets_.destination(code->at(leaves));
               return target && code->leads_to(leaves) && is_reached(*target, pc, jumps - 1);
           });
}

bool UserCalls::has_pushed_arguments(std::uint64_t pc) {
    const FunctionCode *const code = functions_.function(pc - 1);
    auto index = code == nullptr ? std::nullopt : code->call_before(pc);
    const auto behind = index ? code->index_of(pc) : std::nullopt;
    const auto moves_stack = [&](const Instruction &one) {
        return one.computation.destination == functions_.architecture()->convention().stack_pointer;
    };
    if (!behind || !moves_stack(code->at(*behind))) {
        return false;
    }
    while ((index = code->only_before(*index))) {
        const Instruction &before = code->at(*index);
        if (before.operation == Operation::push || before.is_call() || moves_stack(before)) {
            return before.operation == Operation::push;
        }
    }
    return false;
}

Value UserCalls::function_called(const Frame &frame) {
    const FunctionCode *const named = functions_.function(frame.pc - 1);
    return targets_.indirect(
        frame.pc, [&](Register number) { return frame.held_by(number); },
        named != nullptr ? named : functions_.nameless(frame.pc - 1));
}

std::optional<WithoutFrame> UserCalls::without_frame(std::span<const Frame> frames,
                                                     const std::function<Value()> &body) {
    for (std::size_t below = 1; below < frames.size(); ++below) {
        const Frame &inner = frames[below - 1];
        const Frame &caller = frames[below];
        const Owner owner = code_.owner(inner.pc);
        const bool calls = inner.is_called && code_.owner(caller.pc) == Owner::runtime;
        if (!calls || owner == Owner::user || is_direct(caller.pc)) {
            continue;
        }
        const EntryPoint *const entry = entries_.around(inner.pc);
        const std::string name =
            owner == Owner::system ? outside(frames.first(below), nullptr) : "";
        // What was called may have jumped on: to what the runtime has for several entry points, or
        // to a function of the library's own.
        const bool is_inside = entry == nullptr && owner == Owner::runtime;
        const auto has_jumped = [&](const EntryPoint &one) {
            return std::ranges::any_of(entries_.starts(one), [&](std::uint64_t start) {
                return is_behind(start, inner.pc, most_tail_calls);
            });
        };
        const auto is_known = [&](const Called &called) {
            if (called.entry == nullptr && owner == Owner::system) {
                return called.outside == name ||
                       is_behind(called.function, inner.pc, most_tail_calls);
            }
            return called.outside == name &&
                   (called.entry == entry ||
                    (is_inside && called.entry != nullptr && has_jumped(*called.entry)));
        };
        const EntryPoint *const around = entries_.around(caller.pc);
        const bool is_body = around != nullptr && around->name == microtask;
        const bool waits = entry != nullptr && entry->waits();
        const auto jumped = [&](Value function) -> std::optional<Called> {
            if (!function || !code_.is_user(*function)) {
                return std::nullopt;
            }
            auto found = left(*function, {}, is_known);
            // In the runtime no function of the system's was called, and the other way round.
            return found && (found->entry == nullptr) == (owner == Owner::system) ? found
                                                                                  : std::nullopt;
        };
        const Value function = function_called(caller);
        auto found = jumped(function);
        if (!found && is_body && (waits || owner == Owner::system)) {
            found = jumped(body());
        }
        if (found) {
            return WithoutFrame{*std::move(found), below};
        }
        if (waits) {
            return WithoutFrame{{entry, {}, {}, true}, below};
        }
        const bool is_users = function && code_.is_user(*function);
        if (is_inside && is_users) {  // which has not returned, whatever it has jumped to
            return WithoutFrame{{nullptr, {}, {*function}, true}, below};
        }
        // The runtime itself calls the system by name: it has called a body, which jumped on.
        if (owner == Owner::system &&
            (is_body || is_users ||
             targets_.is_indirect(caller.pc, functions_.function(caller.pc - 1)))) {
            Called called{nullptr, name, {}, true};
            if (is_users) {
                called.through.push_back(*function);
            }
            return WithoutFrame{std::move(called), below};
        }
    }
    return std::nullopt;
}

std::span<const Frame> since_signal(std::span<const Frame> frames) {
    for (std::size_t number = 2; number < frames.size(); ++number) {
        if (is_interrupted(frames, number)) {
            return frames.first(number - 1);
        }
    }
    return frames;
}

std::string UserCalls::outside(std::span<const Frame> frames, const Frame *user) {
    if (frames.empty()) {
        return {};
    }
    if (user != nullptr) {
        for (const std::uint64_t target : targets_.targets(user->pc)) {
            const auto name = code_.is_user(target) ? std::nullopt : functions_.plain_name(target);
            if (name) {
                return *name;
            }
        }
    }
    // A return address behind a call that never returns is in the next function.
    return functions_.plain_name_around(frames.back().pc - (frames.size() > 1 ? 1 : 0));
}

std::optional<std::string> UserCalls::name_called(std::uint64_t return_address) const {
    for (const std::uint64_t target : targets_.targets(return_address)) {
        const auto function = functions_.symbol_at(target);
        if (function && function->start() == target) {
            return function->symbol.name;
        }
    }
    return std::nullopt;
}

const EntryPoint *UserCalls::entry_of(const Instruction &instruction) const {
    const auto target = targets_.destination(instruction);
    return target ? entries_.at(*target) : nullptr;
}

std::vector<Site> UserCalls::jumps_to(const FunctionCode &code, std::uint64_t function,
                                      const Called &called) {
    std::vector<Site> found;
    for (const std::size_t index : code.leaving()) {
        const auto target = targets_.destination(code.at(index));
        if (!target) {
            continue;
        }
        const bool is_last = function == 0;
        const bool arrives = called.entry != nullptr
                                 ? entries_.at(*target) == called.entry
                                 : functions_.plain_name(*target) == called.outside;
        if (is_last ? arrives : *target == function) {
            found.push_back({&code, index});
        }
    }
    return found;
}

std::vector<Site> UserCalls::last_jumps(const Called &called) {
    const FunctionCode *const code =
        called.through.empty() ? nullptr : functions_.function_at_start(called.through.back());
    return code == nullptr ? std::vector<Site>() : jumps_to(*code, 0, called);
}

std::vector<Site> UserCalls::sites(const Called &called, const Frame *user) {
    if (!called.through.empty()) {
        return last_jumps(called);
    }
    const FunctionCode *const code = user == nullptr ? nullptr : functions_.function(user->pc - 1);
    const auto index = code == nullptr ? std::nullopt : code->call_before(user->pc);
    return index ? std::vector{Site{code, *index}} : std::vector<Site>();
}

Value UserCalls::memory(std::uint64_t address, unsigned size) const {
    return functions_.space().uint_at(TargetAddr{address}, size);
}

Value UserCalls::argument(std::size_t number, const Called &called, std::span<const Frame> frames) {
    if (functions_.architecture() == nullptr) {
        return std::nullopt;
    }
    if (called.through.empty()) {
        return frames.empty() ? std::nullopt : of_call(number, frames, 0);
    }
    const auto convention = functions_.architecture()->convention();
    return number < convention.arguments.size()
               ? passed(number, called, called.through.size(), frames)
               : std::nullopt;
}

// An argument as the function at POSITION of the chain, or what it ends in, got it.
Value UserCalls::passed(std::size_t number, const Called &called, std::size_t position,
                        std::span<const Frame> frames) {
    if (position == 0) {  // without a user frame the runtime called it
        return frames.empty() ? std::nullopt : of_call(number, frames, 0);
    }
    const FunctionCode *const code = functions_.function_at_start(called.through[position - 1]);
    if (code == nullptr) {
        return std::nullopt;
    }
    const bool is_last = position == called.through.size();
    const auto arguments = functions_.architecture()->convention().arguments;
    std::vector<Value> values;
    for (const Site &site : jumps_to(*code, is_last ? 0 : called.through[position], called)) {
        CallSite call(
            *code, site.index, *functions_.architecture(), [](Register) { return Value(); },
            [this](std::uint64_t address, unsigned size) { return memory(address, size); },
            [&](Register name) -> Value {
                const auto asked = position_of(arguments, name);
                return asked ? passed(*asked, called, position - 1, frames) : std::nullopt;
            });
        values.push_back(call.argument(number));
    }
    return common(values);
}

// An argument of the call by which the first of FRAMES goes on.
Value UserCalls::of_call(std::size_t number, std::span<const Frame> frames, int depth) {
    const Frame &frame = frames.front();
    const FunctionCode *const code = functions_.function(frame.pc - 1);
    const auto index = code == nullptr ? std::nullopt : code->call_before(frame.pc);
    if (!index) {
        return std::nullopt;
    }
    const auto at_entry = [&](Register name) -> Value {
        std::span<const Frame> callers = frames.subspan(1);
        while (!callers.empty() && callers.front().pc == frame.pc) {
            callers = callers.subspan(1);  // it is inlined there
        }
        const auto asked = position_of(functions_.architecture()->convention().arguments, name);
        if (!asked || callers.empty() || depth == most_tail_calls ||
            !code_.is_user(callers.front().pc)) {
            return std::nullopt;
        }
        const auto targets = targets_.targets(callers.front().pc);
        const bool calls =
            std::find(targets.begin(), targets.end(), code->start()) != targets.end();
        return calls ? of_call(*asked, callers, depth + 1) : std::nullopt;
    };
    CallSite call(
        *code, *index, *functions_.architecture(),
        [&](Register name) { return frame.held_by(name); },
        [this](std::uint64_t address, unsigned size) { return memory(address, size); }, at_entry);
    return call.argument(number);
}

Value UserCalls::kept_argument(std::size_t number, const Frame &frame) {
    const FunctionCode *const code = functions_.function(frame.pc - 1);
    const auto call = code == nullptr ? std::nullopt : code->call_before(frame.pc);
    return call ? code::kept_argument(*code, *call, number, functions_.architecture()->convention(),
                                      [&](Register name) { return frame.held_by(name); })
                : std::nullopt;
}

bool UserCalls::is_named(std::uint64_t function, std::string_view name) const {
    const auto symbol = functions_.symbol_at(function);
    if (!symbol || symbol->start() != function) {
        return false;
    }
    const auto names = symbol->module->elf->function_names(symbol->symbol.value);
    return std::any_of(names.begin(), names.end(), [name](std::string_view one) {
        // A versioned name is written NAME@VERSION in a file's own table.
        one = one.substr(0, one.find('@'));
        if (one.starts_with(own_prefix)) {
            one.remove_prefix(own_prefix.size());
        }
        return one == name;
    });
}

std::optional<std::uint64_t> UserCalls::construct(std::uint64_t pc, std::string_view entry) {
    std::optional<std::uint64_t> called;
    const auto targets = targets_.targets(pc);
    if (!targets.empty()) {
        called = targets.front();
    } else if (const FunctionCode *const code = functions_.function(pc - 1)) {
        // A debugger that knows of a jump shows it as a call that returns behind it.
        for (const std::size_t index : code->leaving()) {
            if (code->at(index).end() == pc) {
                called = targets_.destination(code->at(index));
            }
        }
    }
    if (!called) {
        return std::nullopt;
    }
    if (is_named(*called, entry)) {
        return pc - 1;
    }
    const auto found = jumps_into(*called, entry, longest_chain);
    return found.size() == 1 ? std::optional(*found.begin()) : std::nullopt;
}

// The jumps to ENTRY that FUNCTION, or what it jumps to, contains.
std::set<std::uint64_t> UserCalls::jumps_into(std::uint64_t function, std::string_view entry,
                                              int depth) {
    std::set<std::uint64_t> found;
    const FunctionCode *const code = functions_.function_at_start(function);
    if (code == nullptr) {
        return found;
    }
    std::vector<std::uint64_t> others;
    for (const std::size_t index : code->leaving()) {
        const auto target = targets_.destination(code->at(index));
        if (target && is_named(*target, entry)) {
            found.insert(code->at(index).address);
        } else if (target) {
            others.push_back(*target);
        }
    }
    if (found.empty() && depth > 0) {
        for (const std::uint64_t other : others) {
            found.merge(jumps_into(other, entry, depth - 1));
        }
    }
    return found;
}

}  // namespace gdb_ompd::code
