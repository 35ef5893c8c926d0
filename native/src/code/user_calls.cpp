// SPDX-License-Identifier: Apache-2.0
#include "code/user_calls.hpp"

#include "elf/address_space.hpp"

#include <algorithm>

namespace gdb_ompd::code {

namespace {

Modules with(Modules some, const Modules &others) {
    some.insert(some.end(), others.begin(), others.end());
    return some;
}

}  // namespace

UserCalls::UserCalls(std::shared_ptr<AddressSpace> space, const Modules &modules,
                     const CodeMap &code, const Modules &runtimes)
    : code_(code), functions_(std::move(space), modules),
      targets_(functions_.space(), functions_.architecture(), &functions_),
      entries_(with(runtimes, code.interceptors())),
      libraries_(functions_, targets_, code_, runtimes) {}

std::optional<Called> UserCalls::of_call(std::uint64_t pc) {
    return leading_to(targets_.targets(pc));
}

std::optional<Called> UserCalls::of_call(const Frame &frame) {
    const Value function =
        targets_.targets(frame.pc).empty() ? function_called(frame) : std::nullopt;
    return function ? leading_to({&*function, 1}) : of_call(frame.pc);
}

std::optional<Called> UserCalls::leading_to(std::span<const std::uint64_t> targets) {
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
    const std::uint64_t start = functions_.start_of(pc);
    if (start == function) {
        return true;
    }
    const auto targets =
        start != 0 && jumps > 0 ? code_around(function).jumps_out() : std::vector<JumpOut>();
    return std::any_of(targets.begin(), targets.end(), [&](const JumpOut &jump) {
        return jump.target == start || goes_on_to(jump.target, pc, jumps - 1);
    });
}

bool UserCalls::is_in_region_call(std::uint64_t pc) {
    if (const EntryPoint *const entry = entries_.around(pc)) {
        return entry->begins_region || entry->role == Role::ends_region;
    }
    return std::ranges::any_of(entries_.beginning(),
                               [&](std::uint64_t entry) { return is_behind(entry, pc, 1); });
}

// Whether PC is in a function to which FUNCTION goes on by as many JUMPS at its end, or fewer. That
// one is its library's own, and has no symbol where the library is stripped: its code is followed.
bool UserCalls::is_behind(std::uint64_t function, std::uint64_t pc, int jumps) {
    return std::ranges::any_of(code_around(function).jumps_out(), [&](const JumpOut &jump) {
        return is_reached(jump.target, pc, jumps - 1);
    });
}

const EntryPoint *UserCalls::entry_behind(WaitKind kind, std::uint64_t pc) {
    const auto entries = entry_points();
    const auto found = std::ranges::find_if(entries, [&](const EntryPoint &one) {
        return one.kind == kind &&
               std::ranges::any_of(entries_.starts(one), [&](std::uint64_t start) {
                   return is_behind(start, pc, most_tail_calls);
               });
    });
    return found == entries.end() ? nullptr : &*found;
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

Evaluation UserCalls::in_frame(const FunctionCode &code, std::size_t here, const Frame &frame,
                               std::function<Former(Register)> at_entry) {
    if (!at_entry) {
        at_entry = [](Register) { return Former(); };
    }
    return {functions_.values(code),
            {here, [&frame](Register name) { return frame.held_by(name); }, memory(),
             std::move(at_entry)}};
}

ReadMemory UserCalls::memory() {
    return [this](std::uint64_t address, unsigned size) -> Former {
        return {functions_.space().uint_at(TargetAddr{address}, size),
                functions_.is_constant(address)};
    };
}

Value UserCalls::function_called(const Frame &frame) {
    const FunctionCode *const code = functions_.function(frame.pc - 1);
    const Value called = targets_.indirect(
        frame.pc, [&](Register number) { return frame.held_by(number); }, code);
    const auto index = code == nullptr || called ? std::nullopt : code->call_before(frame.pc);
    return index && code->at(*index).target == 0
               ? in_frame(*code, *index, frame).destination(*index).value
               : called;
}

std::optional<WithoutFrame> UserCalls::without_frame(std::span<const Frame> frames,
                                                     const std::function<Value()> &body,
                                                     const CallsGiven &calls_given) {
    for (std::size_t below = 1; below < frames.size(); ++below) {
        const Frame &inner = frames[below - 1];
        const Frame &caller = frames[below];
        const EntryPoint *const entry = entries_.around(inner.pc);
        // A tool's function that has the name of an entry point is as good as that.
        const Owner owner = entry != nullptr ? Owner::runtime : code_.owner(inner.pc);
        const bool is_tools = code_.is_tools(caller.pc);
        const bool is_systems = !is_tools && code_.owner(caller.pc) == Owner::system;
        // The system calls no entry point by itself: it has called what has jumped there. Where
        // that is, exit keeps in a form of its own.
        const EntryPoint *const given = !is_systems || owner != Owner::runtime ? nullptr
                                        : entry == nullptr
                                            ? entry_behind(WaitKind::region_barrier, inner.pc)
                                            : entry;
        const bool is_given = given != nullptr && given->is_called && given->waits();
        const bool calls = inner.is_called && (is_tools ? entries_.around(caller.pc) == nullptr
                                                        : code_.owner(caller.pc) != Owner::user);
        if (!calls || owner == Owner::user || (is_direct(caller.pc) && !is_given)) {
            continue;
        }
        const Value function = function_called(caller);
        if (is_systems && !(function && code_.is_user(*function))) {
            if (is_given) {
                return WithoutFrame{{given, {}, {}, true}, below};
            }
            continue;  // as pthread_once calls its routine
        }
        const std::string name =
            owner == Owner::system ? libraries_.outside(frames.first(below), nullptr) : "";
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
                   (called.entry == entry || (owner == Owner::runtime && called.entry != nullptr &&
                                              has_jumped(*called.entry)));
        };
        const EntryPoint *const around = entries_.around(caller.pc);
        const bool is_body = is_tools || (around != nullptr && around->role == Role::calls_body);
        const bool waits = entry != nullptr && entry->waits();
        const bool is_given_body = calls_given && calls_given(caller.pc);
        const auto jumped = [&](Value function) -> std::optional<Called> {
            if (!function || !code_.is_user(*function)) {
                return std::nullopt;
            }
            auto found = left(*function, {}, is_known);
            // In the runtime no function of the system's was called, and the other way round.
            return found && (found->entry == nullptr) == (owner == Owner::system) ? found
                                                                                  : std::nullopt;
        };
        auto found = jumped(function);
        if (!found && (is_given_body || (is_body && (waits || owner == Owner::system)))) {
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
        if (owner == Owner::system && !is_tools &&
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

Value UserCalls::serialized_body(std::uint64_t return_address) {
    const FunctionCode *const code = functions_.function(return_address - 1);
    const auto call = code == nullptr ? std::nullopt : code->call_before(return_address);
    for (std::size_t at = call.value_or(0); call && ++at < code->instructions().size();) {
        const Instruction &next = code->at(at);
        if (next.is_call() || next.ends_flow()) {
            return calls(next, Role::ends_serialized) ? targets_.destination(code->at(*call))
                                                      : std::nullopt;
        }
    }
    return std::nullopt;
}

bool UserCalls::calls(const Instruction &instruction, Role role) {
    const auto target = targets_.destination(instruction);
    const auto symbol = target ? functions_.symbol_at(*target) : std::nullopt;
    return target && role_of(symbol ? without_version(symbol->symbol.name)
                                    : names_.unbound(instruction, *target)) == role;
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

const EntryPoint *UserCalls::bound_or_not(const Instruction &instruction) {
    const EntryPoint *const bound = entry_of(instruction);
    const auto target = targets_.destination(instruction);
    return bound != nullptr || !target ? bound : entry_point(names_.unbound(instruction, *target));
}

}  // namespace gdb_ompd::code
