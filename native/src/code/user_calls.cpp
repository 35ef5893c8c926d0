// SPDX-License-Identifier: Apache-2.0
#include "code/user_calls.hpp"

#include "code/kept_registers.hpp"
#include "elf/address_space.hpp"

#include <algorithm>

namespace gdb_ompd::code {

namespace {

constexpr std::array<std::string_view, 6> starters{"_start", "__clone", "__clone3",
                                                   "clone",  "clone3",  "start_thread"};

// What ends the process or a thread, and how many frames it has until it calls the program's code.
struct Ends {
    std::string_view name;
    std::size_t frames = 1;
};
constexpr std::array ends{Ends{"exit", 2}, Ends{"quick_exit", 2}, Ends{"call_tls_dtors"},
                          Ends{"nptl_deallocate_tsd"}};
constexpr std::array<std::string_view, 3> finalizing{"dl_fini", "dl_call_fini", "cxa_finalize"};

std::size_t own_frames(std::string_view name) {
    const auto *const found = std::ranges::find(ends, name, &Ends::name);
    return found == ends.end() ? 0 : found->frames;
}

bool is_one_of(std::span<const std::string_view> names, std::string_view name) {
    return std::ranges::find(names, name) != names.end();
}

Modules with(Modules some, const Modules &others) {
    some.insert(some.end(), others.begin(), others.end());
    return some;
}

constexpr std::string_view starts_main = "libc_start_";

// Py_BytesMain, Rf_mainloop: what a program calls that is all in its library.
bool is_whole_program(std::string_view name) {
    return name.find("main") != std::string_view::npos ||
           name.find("Main") != std::string_view::npos;
}

}  // namespace

bool is_mpi(std::string_view function) {
    function.remove_prefix(function.starts_with('P') || function.starts_with('p') ? 1 : 0);
    return function.starts_with("MPI_") ||
           (function.starts_with("mpi_") && function.ends_with('_'));
}

UserCalls::UserCalls(std::shared_ptr<AddressSpace> space, const Modules &modules,
                     const CodeMap &code, const Modules &runtimes)
    : code_(code), runtimes_(runtimes), functions_(std::move(space), modules),
      targets_(functions_.space(), functions_.architecture()),
      entries_(with(runtimes, code.interceptors())) {}

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

std::vector<LoopCounter> UserCalls::loop_counters(std::uint64_t pc, std::int64_t iteration) {
    const FunctionCode *const code = functions_.function(pc);
    const Architecture *const architecture = functions_.architecture();
    if (code == nullptr || architecture == nullptr) {
        return {};
    }
    return code::loop_counters(*code, architecture->convention(), iteration);
}

bool UserCalls::may_change_in_place(std::uint64_t pc, std::string_view name) {
    const FunctionCode *const code = functions_.function(pc);
    const Architecture *const architecture = functions_.architecture();
    if (code == nullptr || architecture == nullptr) {
        return true;
    }
    const auto preserved = architecture->convention().preserved;
    const auto found = std::ranges::find(preserved, name, &NamedRegister::name);
    return found == preserved.end() || changes_in_place(*code, found->number);
}

bool UserCalls::is_kept(std::span<const std::uint64_t> pcs, std::string_view name) {
    const Architecture *const architecture = functions_.architecture();
    const Register number = architecture != nullptr ? architecture->named(name) : no_register;
    if (pcs.empty() || !code::is_kept(functions_, pcs, number)) {
        return false;
    }
    const FunctionCode *const code = functions_.function(pcs.back() - 1);
    const auto call = code != nullptr ? code->call_before(pcs.back()) : std::nullopt;
    return !call || !is_left_by_call(functions_, *code, *call, number);
}

bool UserCalls::is_set_again(std::uint64_t pc, const Range &within, std::string_view name) {
    const FunctionCode *const code = functions_.function(pc);
    const auto here = code != nullptr ? code->index_of(pc) : std::nullopt;
    const Architecture *const architecture = functions_.architecture();
    return here && architecture != nullptr &&
           code::is_set_again(functions_, *code, within, *here, architecture->named(name));
}

bool UserCalls::may_stay(std::uint64_t from, std::uint64_t to, std::span<const std::string> names,
                         std::vector<std::int64_t> slots) {
    const FunctionCode *const code = functions_.function(to);
    const auto first = code != nullptr ? code->index_of(from) : std::nullopt;
    const auto last = code != nullptr ? code->index_of(to) : std::nullopt;
    MadeOf value{{}, std::move(slots)};
    for (const std::string &name : names) {
        value.registers.push_back(functions_.architecture()->named(name));
    }
    return first && last && code::may_stay(functions_, *code, *first, *last, value);
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
        start != 0 && jumps > 0 ? jumps_out(function) : std::vector<std::uint64_t>();
    return std::any_of(targets.begin(), targets.end(), [&](std::uint64_t target) {
        return target == start || goes_on_to(target, pc, jumps - 1);
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
    return std::ranges::any_of(jumps_out(function), [&](std::uint64_t target) {
        return is_reached(target, pc, jumps - 1);
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
    return targets_.indirect(
        frame.pc, [&](Register number) { return frame.held_by(number); },
        functions_.function(frame.pc - 1));
}

std::optional<WithoutFrame> UserCalls::without_frame(std::span<const Frame> frames,
                                                     const std::function<Value()> &body) {
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
        const bool is_body = is_tools || (around != nullptr && around->role == Role::calls_body);
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

bool starts_stack(std::string_view function) {
    const std::size_t plain = std::min(function.find_first_not_of('_'), function.size());
    return is_one_of(starters, function) || function.substr(plain).starts_with(starts_main);
}

std::size_t that_called(std::span<const Frame> frames, std::size_t at) {
    std::size_t caller = at;
    while (caller < frames.size() && frames[caller].is_tail_call) {
        ++caller;
    }
    return caller < frames.size() ? caller : at;
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
    // A plain name has no underscores. A return address behind a call that never returns is in the
    // next function.
    constexpr std::string_view plain_start = "start";
    const auto name = [&] {
        return functions_.plain_name_around(frames.back().pc - (frames.size() > 1 ? 1 : 0));
    };
    const auto drop = [&](std::size_t count) { frames = frames.first(frames.size() - count); };
    while (frames.size() > 1 && (name().empty() || starts_stack(name()) || name() == plain_start)) {
        drop(1);
    }
    // A handler or a destructor that has ended with a jump has left no frame.
    const std::size_t own = own_frames(name());
    if (own == 0 || frames.size() <= own) {
        return name();
    }
    const std::string ends = name();
    drop(own);
    return name().empty() || is_one_of(finalizing, name()) ? ends : name();
}

bool UserCalls::has_lines(std::uint64_t pc) const {
    const Module *const module = functions_.module_at(pc);
    return module != nullptr && module->elf->has_lines();
}

// Whether MODULE is linked against the OTHER, by its name or, without one, by that of its file.
bool UserCalls::needs(const Module &module, const Module &other) {
    const auto &needed = module.elf->headers().needed;
    const auto &name = other.elf->headers().soname;
    const std::string file = name ? *name : other.name.substr(other.name.rfind('/') + 1);
    return std::ranges::find(needed, file) != needed.end();
}

bool UserCalls::uses_openmp(const Module &module) const {
    return std::ranges::any_of(runtimes_, [&](const auto &runtime) {
        return &module == runtime.get() || needs(module, *runtime);
    });
}

bool UserCalls::is_in_openmp_library(std::uint64_t pc) const {
    const Module *const module = functions_.module_at(pc);
    return module != nullptr && !code_.is_executable(pc) && code_.is_user(pc) &&
           !module->elf->has_lines() && uses_openmp(*module);
}

// The name of the function of CALLEE's in which INNER is, by the call of OUTER in the file AROUND.
// None for a call through a pointer, which may be a callback: but one by a file that is linked
// against CALLEE.
std::optional<std::string> UserCalls::name_across(const Frame &inner, const Module &callee,
                                                  const Frame &outer, const Module &around) {
    for (const std::uint64_t target : targets_.targets(outer.pc)) {
        auto name =
            functions_.module_at(target) == &callee ? functions_.plain_name(target) : std::nullopt;
        if (name) {
            return name;
        }
    }
    const std::string name =
        needs(around, callee) ? functions_.plain_name_around(inner.pc - 1) : std::string();
    return name.empty() ? std::nullopt : std::optional(name);
}

std::optional<LibraryCall> UserCalls::library_call(std::span<const Frame> users) {
    std::optional<LibraryCall> found;
    bool by_name = true;  // as far as this
    const Module *const inside = !users.empty() && is_in_openmp_library(users.front().pc - 1)
                                     ? functions_.module_at(users.front().pc - 1)
                                     : nullptr;
    for (std::size_t caller = 1; caller < users.size(); ++caller) {
        const Frame &inner = users[caller - 1];
        const Module *const callee = functions_.module_at(inner.pc - 1);
        const Module *const around = functions_.module_at(users[caller].pc - 1);
        const bool is_library = callee != nullptr && around != nullptr && inner.is_called &&
                                !callee->elf->has_lines() && code_.is_user(inner.pc) &&
                                code_.is_user(users[caller].pc);
        // A library that uses OpenMP is a user of those without.
        if (!is_library || (uses_openmp(*callee) && inside == nullptr)) {
            break;
        }
        if (callee == around) {
            continue;
        }
        auto name = name_across(inner, *callee, users[caller], *around);
        if (name ? is_whole_program(*name) : code_.is_executable(inner.pc)) {
            break;  // or it is the user's own function, which the library calls back
        }
        if (inside != nullptr && found && !(name && inside->elf->symbol(*name))) {
            break;  // libblas's cblas_dgemm is OpenBLAS's as well; who calls that is not
        }
        by_name = by_name && name;
        if (name && (by_name || is_mpi(*name))) {
            found = LibraryCall{*std::move(name), caller, inside != nullptr};
        }
    }
    return found;
}

std::optional<LibraryCall> UserCalls::library_call_of(std::span<const Frame> frames,
                                                      std::uint64_t pc) {
    const auto frame = std::ranges::find(frames, pc, &Frame::pc);
    return library_call(frames.subspan(static_cast<std::size_t>(frame - frames.begin())));
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
    return target &&
           role_of(symbol ? without_version(symbol->symbol.name) : names_.unbound(*target)) == role;
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

}  // namespace gdb_ompd::code
