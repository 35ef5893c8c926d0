// SPDX-License-Identifier: Apache-2.0
#include "stop/hang_facts.hpp"

#include "base/live_threads.hpp"
#include "elf/address_space.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>

namespace gdb_ompd {

using code::Frame;
using code::Owner;
using code::Role;
using code::WaitKind;

namespace {

constexpr std::string_view spinning = "pthread_spin_lock";
constexpr unsigned spin_lock_size = 4;  // bytes
constexpr std::string_view counting_down = "x86-64";
bool is_lock(WaitKind kind) {
    return kind == WaitKind::critical || kind == WaitKind::lock || kind == WaitKind::nest_lock;
}

code::Value to_value(std::optional<int> number) {
    return number ? code::Value{static_cast<std::uint64_t>(*number)} : std::nullopt;
}

BarrierType type_of(WaitKind kind) {
    return kind == WaitKind::region_barrier ? BarrierType::forkjoin : BarrierType::plain;
}

Mutex mutex_of(WaitKind kind) {
    return kind == WaitKind::critical    ? Mutex::critical
           : kind == WaitKind::nest_lock ? Mutex::nest_lock
                                         : Mutex::lock;
}

// What gathers the threads that arrive later has no word of its own.
StackOfThread stack_of(int gdb_num, BarrierType type, const RuntimeStack &stack,
                       const RuntimeStack::Part &part) {
    const Phase phase = stack.phase(part);
    return {gdb_num,
            type,
            phase,
            phase == Phase::gathers ? std::vector<std::uint64_t>() : stack.words(part),
            {}};
}

}  // namespace

HangReader::HangReader(WaitReader &waits, const std::vector<ProcessThread> &process,
                       std::optional<std::vector<Range>> readable, std::optional<bool> is_forked,
                       std::function<bool(std::uint64_t)> is_own)
    : waits_(waits), readable_(std::move(readable)), absence_(waits.calls().functions(), is_forked),
      releases_(waits.calls()),
      kernel_calls_(waits, process, std::move(is_own),
                    [this](std::uint64_t word) { return is_posted(word); }),
      held_locks_(waits.calls()), held_mutexes_(waits.calls(), Calls::have_done_to_mutexes) {
    if (std::ranges::all_of(process, [](const auto &one) { return one.pthread.has_value(); })) {
        for (const ProcessThread &one : process) {
            alive_.insert(*one.pthread);
        }
    }
}

bool HangReader::is_posted(std::uint64_t semaphore) {
    const auto [known, is_new] = posted_.try_emplace(semaphore, false);
    if (is_new) {
        known->second = releases_.may_be_called_back({WaitKind::semaphore, semaphore});
    }
    return known->second;
}

HangFacts HangReader::read(const StandingThread &thread, Frames frames) {
    HangFacts facts;
    const RuntimeStack stack(waits_.calls(), frames);
    if (thread.kind != WaitKind::none) {
        read_wait(facts, thread, stack);
    } else {
        const std::size_t in_system = stack.in_system();
        facts.in_known_code = readable_
                                  ? in_system < frames.size() && is_readable(frames[in_system].pc)
                                  : !frames.empty();
    }
    if (thread.in_explicit_task || is_barrier(thread.kind)) {
        facts.come = come(thread, frames, stack);
    }
    if (thread.runtime != nullptr && (thread.in_explicit_task || thread.kind != WaitKind::none)) {
        facts.groups = thread.runtime->groups(thread.gdb_num);
    }
    facts.held = held_locks_.of(frames);
    const LeavingReader end(waits_.calls());
    facts.ending = end.ending(frames);
    facts.gave_up = end.gave_up(frames);
    facts.makes_thread = makes_worker(frames);
    facts.once = executed_once(frames);
    facts.interruption = interruption(waits_.calls(), frames, [&] {
        const auto lwp = kernel_calls_.lwp_of(thread.gdb_num);
        return lwp ? blocked_signals(*lwp) : std::nullopt;
    });
    return facts;
}

Polled HangReader::polls(const StandingThread &thread, Frames frames, std::optional<bool> blocked,
                         const code::Ahead::Self::IsSo &is_others) {
    if (thread.kind == WaitKind::none && thread.outside == spinning) {
        return spin_lock(frames);
    }
    const bool may_spin = thread.kind == WaitKind::none ||
                          (is_lock(thread.kind) && may_pass(thread, blocked == true));
    return may_spin ? polled(waits_.calls(), frames, self(thread, frames, is_others)) : Polled();
}

// Whether the lock of a thread that is in the call which sets it is free or may have been given to
// it: without a queue and an owner nobody knows better, unless it sleeps.
bool HangReader::may_pass(const StandingThread &thread, bool sleeps) {
    if (thread.of_locks == nullptr || !thread.object) {
        return false;
    }
    const LockWord &word = lock(*thread.of_locks, thread.kind, TargetAddr{*thread.object}).word;
    const bool is_given =
        word.queued ? std::ranges::find(*word.queued, thread.gdb_num) == word.queued->end()
                    : !word.owner;
    return word.held == false || (is_given && !sleeps);
}

HangReader::Lock HangReader::lock(const StandingThread &thread, const code::Tried &tried) {
    if (tried.kind == WaitKind::spin_lock) {
        return {.word = {.held = is_spin_lock_held(tried.object)}};
    }
    if (tried.kind != WaitKind::mutex) {
        Lock found = thread.of_locks == nullptr
                         ? Lock()
                         : lock(*thread.of_locks, tried.kind, TargetAddr{tried.object});
        found.refuses_owner = tried.kind == WaitKind::lock;
        return found;
    }
    const SystemCall call = kernel_calls_.wait_for(thread.gdb_num, tried.object);
    Lock found;
    found.word.held = call.mutex.has_value();
    found.word.owner = call.owner;
    found.has_ended = call.owner_ended.has_value();
    found.refuses_owner = call.lets_others_unlock;  // it asks nobody whether it is the owner
    return found;
}

// A thread's own lock cannot be set again, if it is no nest lock and no mutex that may be.
code::Ahead::Self HangReader::self(const StandingThread &thread, Frames frames,
                                   const code::Ahead::Self::IsSo &is_others) {
    const auto fails = [this, &thread](const code::Tried &tried) {
        const Lock found = lock(thread, tried);
        return found.word.held == true &&
               (found.refuses_owner || found.word.owner != thread.gdb_num);
    };
    // Its own it may have just set, unless it has done so before.
    const auto has_failed = [this, &thread, frames, &is_others](const code::Tried &tried) {
        const Lock found = lock(thread, tried);
        if (found.refuses_owner && found.word.owner == thread.gdb_num) {
            const std::vector<HeldLock> held = held_mutexes_.of(frames);
            return std::ranges::any_of(held, [&](const HeldLock &one) {
                return one.certain && one.kind == tried.kind && one.object == tried.object;
            });
        }
        return found.word.held == true &&
               (found.has_ended ||
                (found.word.owner ? found.word.owner != thread.gdb_num : is_others(tried)));
    };
    return {kernel_calls_.pthread_of(thread.gdb_num), to_value(thread.thread_num),
            to_value(thread.team_size), fails, has_failed};
}

// The spin lock that pthread_spin_lock was given: it keeps that.
namespace {

// Whether a function may return from an instruction on before it has read memory again.
bool may_return_unread(const code::FunctionCode &code, std::size_t here) {
    std::vector<bool> known(code.instructions().size());
    std::vector<std::size_t> waiting{here};
    while (!waiting.empty()) {
        const std::size_t at = waiting.back();
        waiting.pop_back();
        if (known[at] || code.at(at).has_memory) {
            continue;
        }
        known[at] = true;
        if (code.at(at).operation == code::Operation::give_back) {
            return true;
        }
        std::ranges::copy(code.successors(at), std::back_inserter(waiting));
    }
    return false;
}

}  // namespace

Polled HangReader::spin_lock(Frames frames) const {
    code::UserCalls &calls = waits_.calls();
    const auto *const code =
        frames.empty() ? nullptr : calls.functions().function(frames.front().pc);
    const auto here = code != nullptr ? code->index_of(frames.front().pc) : std::nullopt;
    if (!here || may_return_unread(*code, *here)) {
        return {};  // it may have just got the lock
    }
    const code::Register first = calls.functions().architecture()->convention().arguments[0];
    const auto lock = calls.in_frame(*code, *here, frames.front()).at_entry(first).value;
    return lock && is_spin_lock_held(*lock) == true
               ? Polled{{*lock}, code::Tried{WaitKind::spin_lock, *lock}}
               : Polled();
}

// The C library's for x86 counts down from 1, those of other processors exchange 0 for 1.
std::optional<bool> HangReader::is_spin_lock_held(std::uint64_t lock) const {
    const code::FunctionReader &functions = waits_.calls().functions();
    const auto word = functions.space().uint_at(TargetAddr{lock}, spin_lock_size);
    if (!word) {
        return std::nullopt;
    }
    return functions.architecture()->name() == counting_down ? static_cast<std::int32_t>(*word) <= 0
                                                             : *word != 0;
}

// No barrier is written in an explicit task: one whose task is that may be just beginning it.
void HangReader::read_wait(HangFacts &facts, const StandingThread &thread,
                           const RuntimeStack &stack) {
    const RuntimeStack::Part part = stack.innermost();
    const bool at_barrier = is_barrier(thread.kind);
    if (stack.works_on_task(part)) {
        facts.busy = true;
    } else if (at_barrier && thread.in_explicit_task && stack.phase(part) == Phase::unknown) {
        facts.busy.reset();
    }
    if (is_lock(thread.kind) && thread.object) {
        // Who sleeps for it, whatever thread it is, takes it afterwards only, if then.
        const auto futex = stack.futex();
        if (futex && futex->address.value == *thread.object) {
            facts.blocked = true;
        }
    }
    if (thread.runtime == nullptr) {
        return;
    }
    Capabilities &runtime = *thread.runtime;
    facts.children = runtime.children(thread.gdb_num, thread.undeferred);
    facts.tasks_of_group = runtime.tasks_of_group(thread.gdb_num);
    if (at_barrier || thread.kind == WaitKind::copyprivate) {
        StackOfThread of_thread = stack_of(thread.gdb_num, type_of(thread.kind), stack, part);
        of_thread.sleeps_in = stack.futex();
        facts.blocked = runtime.kept_at_barrier(of_thread);
        facts.awaits_tasks = runtime.sleeps_until_tasks_are_done(of_thread);
    } else if (waits_for_tasks(thread.kind)) {
        StackOfThread of_thread;
        of_thread.sleeps_in = stack.futex();
        if (runtime.sleeps_until_a_task_is_done(of_thread)) {
            facts.blocked = true;
        }
    } else if (thread.kind == WaitKind::ordered) {
        facts.blocked = runtime.turn_is_to_come(thread.gdb_num);
    } else if (thread.kind == WaitKind::doacross) {
        if (thread.object) {
            facts.sink = runtime.sink(thread.gdb_num, TargetAddr{*thread.object});
        }
        facts.blocked = facts.sink ? facts.sink->is_to_come : stack.keeps_spinning();
    }
}

// Who calls the routine needs the control of pthread_once again afterwards.
std::vector<std::uint64_t> HangReader::executed_once(Frames frames) const {
    code::UserCalls &calls = waits_.calls();
    std::vector<std::uint64_t> found;
    for (std::size_t place = 1; place < frames.size(); ++place) {
        const auto upto = frames.first(place + 1);
        if (calls.code().owner(frames[place].pc) != Owner::system) {
            continue;
        }
        const auto caller = routine_caller(calls, upto);
        if (!caller || !executes_once(calls.libraries().outside(upto, nullptr))) {
            continue;
        }
        const auto control = code::CallArguments(calls).kept_argument(0, frames[*caller]);
        if (control && std::ranges::find(found, *control) == found.end()) {
            found.push_back(*control);
        }
    }
    return found;
}

// Whether a runtime has called pthread_create, the system's or one that stands before it.
bool HangReader::makes_worker(Frames frames) const {
    code::UserCalls &calls = waits_.calls();
    for (std::size_t place = 1; place < frames.size(); ++place) {
        if (calls.code().owner(frames[place].pc) == Owner::runtime &&
            calls.code().owner(frames[place - 1].pc) != Owner::runtime) {
            const std::uint64_t pc = frames[place - 1].pc - (place == 1 ? 0 : 1);
            const bool makes = calls.functions().plain_name_around(pc) == makes_thread;
            if (makes) {
                return true;
            }
        }
    }
    return false;
}

std::vector<HangReader::Absent> HangReader::absent(Capabilities &runtime, int gdb_num, int outer) {
    return alive_.empty() ? std::vector<Absent>()
                          : with_reasons(runtime.absent(gdb_num, outer, alive_));
}

std::vector<HangReader::Absent> HangReader::absent_workers(Capabilities &runtime, int gdb_num) {
    return alive_.empty() ? std::vector<Absent>()
                          : with_reasons(runtime.absent_workers(gdb_num, alive_));
}

std::vector<HangReader::Absent> HangReader::with_reasons(const std::vector<AbsentThread> &threads) {
    std::vector<Absent> found;
    found.reserve(threads.size());
    for (const AbsentThread &thread : threads) {
        found.push_back({thread, absence_.why(thread)});
    }
    return found;
}

std::optional<Come> HangReader::come(const StandingThread &thread, Frames frames,
                                     const RuntimeStack &stack) {
    const bool at_end = thread.kind == WaitKind::region_barrier;
    if (thread.runtime == nullptr && !thread.in_explicit_task) {
        return Come{};
    }
    if (thread.runtime == nullptr) {  // the barrier is on its stack, below the task
        return is_barrier(thread.kind) ? std::optional(Come{at_end, !at_end}) : std::nullopt;
    }
    if (!thread.runtime->tells_who_has_come()) {
        if (thread.kind == WaitKind::none && thread.entry_point == unnamed) {
            return std::nullopt;  // a worker before its body or behind it
        }
        return thread.in_explicit_task ? come_by_stack(thread, frames, stack) : Come{};
    }
    const RuntimeStack::Part part = stack.below_task();
    StackOfThread of_thread = stack_of(thread.gdb_num, BarrierType::forkjoin, stack, part);
    const bool awaits_tasks = of_thread.phase == Phase::released &&
                              thread.runtime->kept_at_barrier(of_thread).value_or(false);
    if (of_thread.phase == Phase::gathers || awaits_tasks) {
        const bool at_regions_end =
            stack.has(part, {Role::waits_behind_region, Role::waits_before_region});
        return Come{at_regions_end, !at_regions_end};
    }
    Come found;
    found.region = thread.runtime->has_come(of_thread);
    of_thread.type = BarrierType::plain;
    found.team = thread.runtime->has_come(of_thread);
    // Where the functions have no names the records are silent of a barrier that all have come to.
    const bool is_silent = of_thread.phase == Phase::unknown && !found.region && !found.team;
    return is_silent && thread.in_explicit_task ? come_by_stack(thread, frames, stack) : found;
}

// The barrier in which a thread executes its task: the barrier's function calls that which
// executes tasks. A task that has jumped to a function of the system's has no frame.
Come HangReader::come_by_stack(const StandingThread &thread, Frames frames,
                               const RuntimeStack &stack) {
    const code::CodeMap &code = waits_.calls().code();
    const auto is_user = [&](const Frame &frame) { return code.is_user(frame.pc); };
    const std::size_t jumped = thread.outside.empty() ? 0 : stack.in_system();
    for (std::size_t first = 1; first < frames.size(); ++first) {
        if (is_user(frames[first]) || !(first == jumped || is_user(frames[first - 1]))) {
            continue;
        }
        const Frames outer = frames.subspan(first);
        const auto user = std::ranges::find_if(outer, is_user);
        const auto runtimes = std::count_if(outer.begin(), user, [&](const Frame &frame) {
            return code.owner(frame.pc) == Owner::runtime;
        });
        const bool has_user = user != outer.end();
        const auto place = static_cast<std::size_t>(user - outer.begin());
        if (RuntimeStack(waits_.calls(), outer).has({0, place, 0}, {Role::calls_body})) {
            return {};  // it has called the region's body
        }
        const WaitKind kind =
            waits_.read(outer, has_user ? std::optional(place) : std::nullopt).kind;
        if (!has_user || kind == WaitKind::region_barrier) {
            return {.region = runtimes > 1};
        }
        if (is_barrier(kind) && runtimes > 1) {
            return {.team = true};
        }
    }
    return {};
}

bool HangReader::is_readable(std::uint64_t pc) const {
    return std::ranges::any_of(
        *readable_, [pc](const Range &range) { return range.first <= pc && pc < range.second; });
}

const HangReader::Lock &HangReader::lock(Capabilities &runtime, WaitKind kind, TargetAddr object) {
    const auto [place, is_new] = locks_.try_emplace({&runtime, object.value, kind});
    if (is_new) {
        LockWord word = runtime.lock(object, mutex_of(kind));
        const bool has_ended = runtime.has_ended(word, alive_);
        place->second = {.word = std::move(word), .has_ended = has_ended};
    }
    return place->second;
}

}  // namespace gdb_ompd
