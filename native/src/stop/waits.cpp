// SPDX-License-Identifier: Apache-2.0
#include "stop/waits.hpp"

#include "stop/leaving.hpp"
#include "stop/runtime_stack.hpp"

#include "elf/address_space.hpp"
#include "runtimes/family.hpp"
#include "runtimes/offloading.hpp"

#include <algorithm>

namespace gdb_ompd {

using code::Called;
using code::EntryPoint;
using code::Frame;
using code::Owner;
using code::Site;
using code::WaitKind;

namespace {

const Frame *first_of(std::span<const Frame> frames) {
    return frames.empty() ? nullptr : &frames.front();
}

}  // namespace

WaitReader::WaitReader(std::shared_ptr<AddressSpace> space, const Modules &modules,
                       std::shared_ptr<const code::CodeMap> code, const Modules &runtimes)
    : space_(std::move(space)), code_(std::move(code)), calls_(space_, modules, *code_, runtimes) {
    for (const auto &runtime : runtimes) {
        has_plugins_ = has_plugins_ || is_plugin(*runtime->elf);
        bool has_microtask = false;
        for (const EntryPoint &entry : code::entry_points()) {
            const bool is_dependence = entry.kind == WaitKind::dependence && entry.is_of_gcc();
            if (!is_dependence && entry.role != code::Role::calls_body) {
                continue;
            }
            if (const auto symbol = runtime->elf->symbol(entry.name)) {
                has_microtask = has_microtask || !is_dependence;
                if (is_dependence) {
                    dependence_waits_.push_back(runtime->bias + symbol->value);
                }
            }
        }
        const bool is_executable = !modules.empty() && runtime == modules.front();
        bodies_.add(*runtime, has_microtask,
                    family_of(*runtime->elf, is_executable) == Family::gnu);
    }
}

bool WaitReader::has_targets() {
    if (!has_targets_) {
        has_targets_ = may_offload(calls_.functions().modules());
    }
    return *has_targets_;
}

ThreadWait WaitReader::read(std::span<const Frame> frames, std::optional<std::size_t> user) {
    // A signal's handler that has ended with a jump is no user's frame: whoever is further out than
    // that has not called what is inside.
    const std::span<const Frame> inner = frames.first(user ? *user + 1 : frames.size());
    const std::span<const Frame> handled = code::since_signal(inner);
    const bool is_in_handler = handled.size() < inner.size();
    const auto below = is_in_handler ? handled : frames.first(user.value_or(frames.size()));
    const auto users = is_in_handler ? std::span<const Frame>() : frames.subspan(below.size());
    const Frame *const outermost = bodies_.outermost_of_runtime(below);
    ThreadWait wait;
    wait.in_handler = is_in_handler;
    if (const auto inside = LeavingReader(calls_).since_giving_up(below)) {
        wait.outside = calls_.libraries().outside(below.first(*inside), nullptr);
        return wait;
    }
    if (outermost == nullptr) {
        if (const auto gone = calls_.without_frame(below, [] { return code::Value(); })) {
            return frameless(*gone, below);
        }
        const bool is_in_kernel = below.empty() && RuntimeStack(calls_, users).is_in_kernel();
        wait.outside = is_in_kernel ? std::string(calls_kernel)
                                    : calls_.libraries().outside(below, first_of(users));
        note_library(wait, users, below.empty() && !is_in_kernel);
        return wait;
    }
    const auto gone = calls_.without_frame(
        below, [&] { return bodies_.given(users); },
        [&](std::uint64_t pc) { return fallbacks_.calls_region(pc); });
    if (gone) {
        return frameless(*gone, below);
    }
    if (users.empty()) {
        // What the user's code calls was left to it by a jump, as from a function given to atexit:
        // no worker's stack begins with that.
        const EntryPoint *entry = calls_.around(outermost->pc);
        if (entry == nullptr && is_in_handler) {
            entry = calls_.entry_behind(WaitKind::region_barrier, outermost->pc);
        }
        const bool is_users = is_in_handler || (entry != nullptr && !entry->begins_region);
        if (entry != nullptr && entry->is_called && is_users && entry->waits()) {
            return frameless({{entry, {}, {}, true}, below.size()}, below);
        }
        if (LeavingReader(calls_).ending(frames) == Leaving::process) {
            wait.outside = leaving_process;
            return wait;
        }
        // GCC's runtime waits there for the workers of a region that its primary thread has left.
        if (LeavingReader(calls_).destroys_data(frames)) {
            wait.outside = leaving_thread;
            return wait;
        }
        if (is_in_handler) {
            wait.entry_point = unnamed;
            return wait;
        }
        wait.in_runtime = true;
        wait.before_body = bodies_.are_before_next(below);
        return wait;
    }
    auto called = calls_.of_call(users.front());
    if (!called) {
        // What the system has called, as std::call_once does, may have left no frame.
        const EntryPoint *around = calls_.around(outermost->pc);
        for (const WaitKind kind : {WaitKind::barrier, WaitKind::region_barrier}) {
            around = around != nullptr ? around : calls_.entry_behind(kind, outermost->pc);
        }
        if (around != nullptr) {
            called = Called{around, {}, {}, false};
        }
    }
    if (!called) {
        const std::uint64_t pc = users.front().pc;
        const bool is_systems =
            std::ranges::any_of(calls_.targets().targets(pc), [this](std::uint64_t target) {
                return code_->owner(target) == Owner::system;
            });
        wait.entry_point = is_systems ? calls_.libraries().outside(below, first_of(users))
                                      : calls_.name_called(pc).value_or(std::string(unnamed));
        return wait;
    }
    wait = waiting(*called, below, users);
    if (!called->through.empty()) {
        note_function(wait, *called);
    }
    return wait;
}

// What works in a library, and a library that uses OpenMP, may be the user's own code: its place is
// shown. MPI's is not, and waits by working.
void WaitReader::note_library(ThreadWait &wait, std::span<const Frame> users, bool works) {
    auto call = calls_.libraries().call(users);
    if (!call && !works && !users.empty()) {
        wait.in_library = calls_.libraries().is_in_openmp_library(users.front().pc - 1);
    }
    if (call && (!works || code::is_mpi(call->function))) {
        wait.caller = call->has_openmp ? 0 : users[call->caller].pc;
        wait.library = std::move(call->function);
        if (works) {
            wait.outside = wait.library;
        }
    }
}

std::size_t WaitReader::to_lines(Unwinder &unwinder, ThreadStack &stack, std::size_t count) const {
    for (; count < most_frames; ++count) {
        const std::uint64_t pc = stack.frames()[count - 1].pc;
        if (code_->is_user(pc) && calls_.libraries().has_lines(pc)) {
            break;
        }
        unwinder.unwind(stack, count + 1);
        if (stack.frames().size() == count ||
            code_->owner(stack.frames()[count].pc) == Owner::runtime) {
            break;
        }
    }
    return count;
}

std::optional<WaitReader::Read> WaitReader::read(Unwinder &unwinder, ThreadStack &stack) {
    const auto to_user = unwinder.to_user(stack);
    if (!to_user) {
        return std::nullopt;
    }
    const std::size_t count = to_lines(unwinder, stack, *to_user);
    unwinder.unwind(stack, count + kept_callers);
    const std::span unwound(stack.frames());
    Read found;
    for (const UnwoundFrame &frame : unwound.first(count)) {
        found.addresses.push_back(frame.pc);
    }
    found.wait =
        read_all(to_frames(unwound.first(std::min(unwound.size(), count + kept_callers)))).wait;
    return found;
}

WaitReader::Read WaitReader::read_all(std::span<const Frame> frames) {
    Read found{{}, {}, true};
    for (const Frame &frame : frames) {
        found.addresses.push_back(frame.pc);
    }
    const auto user = std::find_if(frames.begin(), frames.end(), [this](const Frame &frame) {
        return bodies_.is_users(frame.pc);
    });
    const bool has_user = user != frames.end();
    found.wait =
        read(frames, has_user ? std::optional(static_cast<std::size_t>(user - frames.begin()))
                              : std::nullopt);
    return found;
}

ThreadWait WaitReader::frameless(const code::WithoutFrame &gone, std::span<const Frame> below) {
    ThreadWait wait;
    if (gone.called.entry != nullptr) {
        wait = waiting(gone.called, below.first(gone.below), {});
    } else {
        wait.outside = gone.called.outside.empty() ? unnamed : gone.called.outside;
    }
    note_function(wait, gone.called);
    return wait;
}

void WaitReader::note_function(ThreadWait &wait, const Called &called) {
    wait.frameless = true;
    if (called.through.empty()) {
        return;
    }
    wait.function = called.through.back();
    for (const Site &site : called.lost ? std::vector<Site>() : arguments_.last_jumps(called)) {
        wait.jumps.push_back(site.address());
    }
}

ThreadWait WaitReader::waiting(const Called &called, std::span<const Frame> below,
                               std::span<const Frame> users) {
    const EntryPoint &entry = *called.entry;
    ThreadWait wait;
    wait.entry_point = entry.name;
    note_kind(wait, called, below, users);
    if (wait.kind == WaitKind::dependence) {
        wait.undeferred = !entry.waits() || places_.are_undeferred(called, first_of(users));
    } else if (wait.kind != WaitKind::none && entry.object >= 0) {
        wait.object = futex_of_lock(entry, below);
        if (!wait.object) {
            wait.object = kept_object(entry, below);
        }
        if (!wait.object) {
            wait.object =
                arguments_.argument(static_cast<std::size_t>(entry.object), called, users);
        }
    }
    return wait;
}

// GCC's runtime calls the kernel by itself, and sleeps in the lock's own first word.
std::optional<std::uint64_t> WaitReader::futex_of_lock(const EntryPoint &entry,
                                                       std::span<const Frame> below) {
    const bool is_lock =
        entry.kind == WaitKind::lock || entry.kind == WaitKind::nest_lock ||
        (entry.kind == WaitKind::critical && entry.object >= 0 && entry.is_of_gcc());
    if (!is_lock || below.empty() || code_->owner(below.front().pc) != Owner::runtime) {
        return std::nullopt;
    }
    const auto call = RuntimeStack(calls_, below).kernel_call();
    return call ? std::optional(call->first) : std::nullopt;
}

// LLVM's runtime needs the object again when it is let go, and what its code was given cannot have
// changed since, as what the user's code made it of can.
std::optional<std::uint64_t> WaitReader::kept_object(const EntryPoint &entry,
                                                     std::span<const Frame> below) {
    const Frame *const outermost = bodies_.outermost_of_runtime(below);
    const EntryPoint *const own = outermost == nullptr ? nullptr : calls_.around(outermost->pc);
    return own != nullptr && own->kind == entry.kind && own->object >= 0
               ? arguments_.kept_argument(static_cast<std::size_t>(own->object), *outermost)
               : std::nullopt;
}

void WaitReader::note_kind(ThreadWait &wait, const Called &called, std::span<const Frame> below,
                           std::span<const Frame> users) {
    const EntryPoint &entry = *called.entry;
    std::vector<const EntryPoint *> inside;  // outermost first
    for (std::size_t i = below.size(); i-- > 0;) {
        if (const EntryPoint *const around = calls_.around(below[i].pc)) {
            inside.push_back(around);
        }
    }
    if (entry.kind == WaitKind::region_barrier) {
        const bool forks = std::any_of(inside.begin(), inside.end(), [](const EntryPoint *one) {
            return one->role == code::Role::forks;
        });
        wait.kind = forks || bodies_.are_before_given(below) ? WaitKind::none : entry.kind;
        return;
    }
    if (!entry.waits()) {
        const auto waits = std::find_if(inside.begin(), inside.end(),
                                        [](const EntryPoint *one) { return one->waits(); });
        if (waits != inside.end()) {
            wait.kind = code::is_taskloop(entry) ? WaitKind::taskloop : (*waits)->kind;
        } else if (!below.empty() && waits_for_dependences(below)) {
            wait.kind = WaitKind::dependence;
        } else if (entry.makes_task && entry.is_of_gcc() && waits_for_event(below, users)) {
            wait.kind = WaitKind::task_event;
        }
        return;
    }
    if (is_target(entry.kind)) {
        note_target(wait, entry, below);
        return;
    }
    wait.kind = entry.kind;
    const bool hangs_on_place = entry.kind == WaitKind::barrier || entry.kind == WaitKind::atomic ||
                                entry.role == code::Role::ends_any_taskgroup;
    if (!hangs_on_place) {
        return;
    }
    if (const auto kind = flagged(called, users)) {
        const bool is_loops = *kind == WaitKind::loop_barrier;
        wait.kind =
            is_loops && !places_.follow_loop(called, first_of(users)) ? WaitKind::barrier : *kind;
        wait.is_certain = true;
        return;
    }
    wait.places = places_.of(called, first_of(users));
}

// Without a device a thread waits for none. GCC's runtime waits for dependences there, too.
void WaitReader::note_target(ThreadWait &wait, const EntryPoint &entry,
                             std::span<const Frame> below) {
    if (entry.is_of_gcc() && !below.empty() && waits_for_dependences(below)) {
        wait.kind = WaitKind::dependence;
    } else if (has_plugins_) {
        wait.kind = entry.kind;
    }
}

// GCC's runtime has the event of a detached task that it executes at once in its entry point's
// frame.
bool WaitReader::waits_for_event(std::span<const Frame> below, std::span<const Frame> users) {
    const auto pointer = calls_.functions().architecture()->convention().stack_pointer;
    const auto stack_of = [&](std::span<const Frame> frames) {
        return frames.empty() ? std::nullopt : frames.front().held_by(pointer);
    };
    const auto top = stack_of(below.last(below.empty() ? 0 : 1));
    const auto end = stack_of(users);
    const auto sleeps = RuntimeStack(calls_, below).sleeps_in();
    if (!top || !end || !sleeps || sleeps->address.value < *top || sleeps->address.value >= *end) {
        return false;
    }
    const auto now = calls_.functions().space().uint_at(sleeps->address, sizeof(sleeps->value));
    return now == sleeps->value;  // else it has been fulfilled
}

// Before it executes a task at once, GCC's runtime calls the function that a taskwait with
// dependences jumps to.
bool WaitReader::waits_for_dependences(std::span<const Frame> below) {
    const auto is_called = [&](std::uint64_t function) {
        return std::any_of(below.begin() + 1, below.end(), [&](const Frame &one) {
            const code::FunctionCode *const in = calls_.functions().function(one.pc);
            const auto call = in == nullptr ? std::nullopt : in->call_before(one.pc);
            return call && in->at(*call).target == function;
        });
    };
    return std::any_of(dependence_waits_.begin(), dependence_waits_.end(), [&](std::uint64_t at) {
        const code::FunctionCode *const taskwait = calls_.functions().function_at_start(at);
        const auto jumps = taskwait == nullptr ? std::vector<std::size_t>() : taskwait->leaving();
        return jumps.size() == 1 && is_called(taskwait->at(jumps.front()).target);
    });
}

std::optional<WaitKind> WaitReader::flagged(const Called &called, std::span<const Frame> users) {
    if (called.entry->place < 0) {
        return std::nullopt;
    }
    const auto place =
        arguments_.argument(static_cast<std::size_t>(called.entry->place), called, users);
    const auto flags =
        place ? space_->uint_at(TargetAddr{*place + code::place_flags_offset}, 4) : std::nullopt;
    return flags ? std::optional(code::barrier_of(*flags)) : std::nullopt;
}

}  // namespace gdb_ompd
