// SPDX-License-Identifier: Apache-2.0
#include "stop/runtime_calls.hpp"

#include <algorithm>

namespace gdb_ompd {

using code::EntryPoint;
using code::Made;
using code::Owner;
using code::Role;

namespace {

bool has(const EntryPoint *entry, Role role) { return entry != nullptr && entry->role == role; }

}  // namespace

std::string_view text(Construct construct) {
    constexpr std::array<std::string_view, 5> texts{"region", "league", "task", "target",
                                                    "runtime"};
    return texts.at(static_cast<std::size_t>(construct));
}

std::optional<Made> NamedFrame::made() const {
    const auto found = code::outlined(name);
    return found ? std::optional(found->made) : std::nullopt;
}

std::string_view RuntimeCalls::called(const NamedFrame &frame) {
    const auto found = waits_.calls().of_call(frame.pc);
    return found && found->entry != nullptr ? found->entry->name : std::string_view();
}

bool RuntimeCalls::begins_region(const NamedFrame &frame) {
    return waits_.calls().is_in_region_call(frame.pc);
}

bool RuntimeCalls::begins_league(const NamedFrame &frame) {
    return has(around(frame), Role::begins_league);
}

bool RuntimeCalls::is_direct(const NamedFrame &frame) const {
    return waits_.calls().is_direct(frame.pc);
}

bool RuntimeCalls::executes_next_part(NamedFrames users) const {
    const auto found = waits_.calls().of_call(users.front().pc);
    const EntryPoint *const entry = found ? found->entry : nullptr;
    if (!has(entry, Role::executes_next_part)) {
        return false;
    }
    std::vector<std::uint64_t> pcs;
    for (const NamedFrame &frame : users) {
        if (pcs.empty() || pcs.back() != frame.pc) {  // else it is inlined there
            pcs.push_back(frame.pc);
        }
    }
    return code::CallArguments(waits_.calls())
               .handed_on(static_cast<std::size_t>(entry->record), pcs) == code::record_of_task;
}

const EntryPoint *RuntimeCalls::around(const NamedFrame &frame) {
    return waits_.calls().around(frame.pc);
}

bool RuntimeCalls::begins_target(const NamedFrame &caller) const {
    const auto found = waits_.calls().of_call(caller.pc);
    return found && found->entry != nullptr && found->entry->kind == code::WaitKind::target;
}

Construct RuntimeCalls::kind(const NamedFrame &body, NamedFrames between,
                             const NamedFrame *caller) {
    if (waits_.fallbacks().calls_region(between.front().pc)) {  // for a target task, too
        return Construct::target;
    }
    const auto by = caller != nullptr ? waits_.calls().of_call(caller->pc) : std::nullopt;
    if (by && by->entry != nullptr && is_target(by->entry->kind)) {
        if (by->entry->kind == code::WaitKind::target && !by->entry->is_of_gcc()) {
            return Construct::target;
        }
        return body.made() == Made::gcc ? Construct::task : Construct::unknown;
    }
    const auto begins = begun(between, caller);
    const Construct found = kind(body, between, begins.has_value());
    return found == Construct::region ? begins.value_or(found) : found;
}

// By the body's name, as clang makes it, else by the function of the runtime that calls bodies of
// one kind only.
Construct RuntimeCalls::kind(const NamedFrame &body, NamedFrames between, bool begins) {
    const NamedFrame &caller = between.front();
    const auto own = body.made();
    if (own == Made::task) {
        return Construct::task;
    }
    if (own == Made::body || own == Made::debug) {
        return Construct::region;
    }
    // Without debug information a name may be that of the nearest exported function.
    const Role role = caller.has_line ? code::role_of(caller.name) : Role::none;
    if (role == Role::executes_task) {
        return Construct::task;
    }
    if (role == Role::calls_body || role == Role::wraps_body) {
        return Construct::region;
    }
    const bool knows = waits_.bodies().has_microtask(caller.pc);
    const bool calls_itself = waits_.bodies().calls_itself(caller.pc);
    const bool microtask = knows && is_microtask(between);
    if (own != Made::gcc) {  // a callback, a helper, or what a body ended with a jump to
        if (microtask || (begins && (own || between.size() == 1))) {
            return Construct::region;
        }
        if (!is_body(body, caller)) {
            return Construct::unknown;
        }
        if (!calls_itself) {
            return Construct::task;
        }
    }
    if (between.size() == 1) {
        return begins ? Construct::region : Construct::task;
    }
    if (calls_itself) {  // its threads call a region's body themselves, and tasks from a barrier
        const auto many = std::ranges::count(between, Owner::runtime, &NamedFrame::owner);
        return many == 1 ? Construct::region : Construct::task;
    }
    if (!knows) {
        return Construct::unknown;
    }
    return microtask ? Construct::region : Construct::task;
}

// Whether a function that is named like none is a body or what one has jumped to: CALLER, the
// runtime's frame, called it through a pointer. What GCC's calls so where it makes a task may also
// copy variables.
bool RuntimeCalls::is_body(const NamedFrame &body, const NamedFrame &caller) {
    if (is_direct(caller)) {
        return false;
    }
    if (waits_.bodies().calls_itself(caller.pc)) {
        const EntryPoint *const by = around(caller);
        if (body.name == gone || by == nullptr || !by->makes_task) {
            return true;
        }
    }
    return debugger_.is_of_task(body.pc, code::most_tail_calls);
}

// Whether the runtime calls the body of a region in each thread of its team: directly, or through
// the one function that it has for GCC's bodies. What the user's code calls is no such function.
bool RuntimeCalls::is_microtask(NamedFrames between) {
    const EntryPoint *const first = around(between.front());
    return has(first, Role::calls_body) ||
           (first == nullptr && between.size() > 1 && has(around(between[1]), Role::calls_body));
}

std::optional<Construct> RuntimeCalls::begun(NamedFrames between, const NamedFrame *caller) {
    if (caller == nullptr) {
        return std::nullopt;
    }
    std::string_view name = called(*caller);
    if (name.empty()) {
        const EntryPoint *const entry = around(between.back());
        name = entry != nullptr ? entry->name : between.back().name;
    }
    const EntryPoint *const entry = code::entry_point(name);
    if (has(entry, Role::begins_league)) {
        return Construct::league;
    }
    const bool begins = entry == nullptr ? begins_region(between.back())
                                         : entry->begins_region || has(entry, Role::ends_region);
    return begins ? std::optional(Construct::region) : std::nullopt;
}

std::optional<Construct> RuntimeCalls::executed(NamedFrames between, const NamedFrame &caller) {
    const auto begins = begun(between, &caller);
    const auto found = waits_.calls().of_call(caller.pc);
    if (begins || between.size() == 1 || !found || found->entry == nullptr) {
        return begins;
    }
    const bool calls = code::executes_tasks(*found->entry) && !is_direct(between.back());
    return calls ? std::optional(Construct::task) : std::nullopt;
}

std::size_t RuntimeCalls::until_jump(NamedFrames between) {
    for (std::size_t at = 0; at + 1 < between.size(); ++at) {
        const NamedFrame &frame = between[at];
        const NamedFrame &outer = between[at + 1];
        const bool is_inlined = frame.pc == outer.pc && frame.name != outer.name;
        const bool is_leagues = begins_league(frame);  // a device's plugin called it by a library
        if (is_inlined || (outer.owner != Owner::runtime && !is_leagues)) {
            continue;
        }
        if (!is_direct(outer)) {
            const bool both_do =
                waits_.bodies().calls_itself(frame.pc) && waits_.bodies().calls_itself(outer.pc);
            if (begins_region(frame) || is_leagues || both_do) {
                return at + 1;
            }
        } else if (const EntryPoint *const entry = around(frame);
                   entry != nullptr && entry->begins_region) {
            return 0;
        }
    }
    return 0;
}

bool RuntimeCalls::is_in_creator(Construct kind, const NamedFrame &outermost) {
    if (kind != Construct::task || !waits_.bodies().calls_itself(outermost.pc)) {
        return false;
    }
    const EntryPoint *const entry = around(outermost);
    return entry != nullptr && (entry->kind == code::WaitKind::taskwait || entry->makes_task);
}

bool RuntimeCalls::has_left(const NamedFrame &caller, const std::string &inside) {
    const auto &called = waits_.calls().targets().targets(caller.pc);
    return called.size() == 1 && debugger_.is_left_by_jump(called.front(), inside);
}

}  // namespace gdb_ompd
