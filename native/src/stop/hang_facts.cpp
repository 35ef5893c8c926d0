// SPDX-License-Identifier: Apache-2.0
#include "stop/hang_facts.hpp"

#include "elf/address_space.hpp"
#include "stop/polled.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace gdb_ompd {

using code::Frame;
using code::Owner;
using code::Role;
using code::WaitKind;

namespace {

// Calls that wait for nobody, whoever makes them. They give the processor away, wake others, are
// the kernel's for memory and threads, or make a thread or begin it.
constexpr std::array<std::string_view, 16> going_on{"sched_yield",
                                                    "fork",
                                                    "_Fork",
                                                    "clone",
                                                    "clone3",
                                                    "start_thread",
                                                    "mmap",
                                                    "munmap",
                                                    "mremap",
                                                    "mprotect",
                                                    "madvise",
                                                    "brk",
                                                    "sem_post",
                                                    "pthread_mutex_unlock",
                                                    "pthread_cond_signal",
                                                    "pthread_cond_broadcast"};
constexpr std::string_view spinning = "pthread_spin_lock";
constexpr std::string_view makes_thread = "pthread_create";
constexpr std::string_view executing_once = "pthread_once";
constexpr unsigned spin_lock_size = 4;            // bytes
constexpr std::uint64_t lowest_address = 0x1000;  // nothing is mapped below
constexpr std::uint64_t largest_record = 1024;    // of a thread's, bytes
constexpr std::array<std::string_view, 5> locking{
    "pthread_mutex_lock", "lll_lock_wait", "pthread_mutex_timedlock", "pthread_mutex_clocklock",
    "pthread_mutex_clocklock_common"};
// Those that give up at a time that they are given.
constexpr std::array<std::string_view, 9> timed{
    "pthread_mutex_timedlock",    "pthread_mutex_clocklock",    "pthread_mutex_clocklock_common",
    "pthread_timedjoin_np",       "pthread_clockjoin_np",       "pthread_rwlock_timedrdlock",
    "pthread_rwlock_clockrdlock", "pthread_rwlock_timedwrlock", "pthread_rwlock_clockwrlock"};
constexpr std::string_view taking_rwlock = "pthread_rwlock_";

bool takes_mutex(std::string_view function) {
    return std::ranges::any_of(locking, [&](auto one) { return function.ends_with(one); });
}

bool is_timed(std::string_view function) {
    return std::ranges::any_of(timed, [&](auto one) { return function.ends_with(one); });
}

bool goes_on(std::string_view function) {
    return std::ranges::find(going_on, function) != going_on.end();
}

bool is_lock(WaitKind kind) {
    return kind == WaitKind::critical || kind == WaitKind::lock || kind == WaitKind::nest_lock;
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

HangReader::HangReader(WaitReader &waits, std::vector<ProcessThread> process,
                       std::optional<std::vector<Range>> readable, std::optional<bool> is_forked,
                       std::function<bool(std::uint64_t)> is_own)
    : waits_(waits), process_(std::move(process)), readable_(std::move(readable)),
      absence_(waits.calls().functions(), is_forked), is_own_(std::move(is_own)),
      held_locks_(waits.calls()), releases_(waits.calls()) {
    for (const ProcessThread &one : process_) {
        if (one.pthread) {
            by_pthread_.emplace(*one.pthread, one);
        }
    }
    if (std::ranges::all_of(process_, [](const auto &one) { return one.pthread.has_value(); })) {
        for (const ProcessThread &one : process_) {
            alive_.insert(*one.pthread);
        }
    }
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
        facts.polls =
            thread.outside == spinning ? spin_lock(frames) : polled(waits_.calls(), frames);
    }
    if (thread.in_explicit_task || is_barrier(thread.kind)) {
        facts.come = come(thread, frames, stack);
    }
    facts.held = held_locks_.of(frames);
    const LeavingReader end(waits_.calls());
    facts.ending = end.ending(frames);
    facts.gave_up = end.gave_up(frames);
    facts.makes_thread = makes_worker(frames);
    facts.once = executed_once(frames);
    return facts;
}

// The spin lock that pthread_spin_lock was given: it keeps that, and is 1 while it is free.
std::vector<std::uint64_t> HangReader::spin_lock(Frames frames) const {
    code::UserCalls &calls = waits_.calls();
    const auto *const code =
        frames.empty() ? nullptr : calls.functions().function(frames.front().pc);
    const auto here = code != nullptr ? code->index_of(frames.front().pc) : std::nullopt;
    if (!here) {
        return {};
    }
    const code::Register first = calls.functions().architecture()->convention().arguments[0];
    const auto lock = calls.in_frame(*code, *here, frames.front()).at_entry(first).value;
    const auto word =
        lock ? calls.functions().space().uint_at(TargetAddr{*lock}, spin_lock_size) : std::nullopt;
    return word && static_cast<std::int32_t>(*word) <= 0 ? std::vector{*lock}
                                                         : std::vector<std::uint64_t>();
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
    facts.groups = runtime.groups(thread.gdb_num);
    facts.tasks_of_group = runtime.tasks_of_group(thread.gdb_num);
    if (at_barrier || thread.kind == WaitKind::copyprivate) {
        StackOfThread of_thread = stack_of(thread.gdb_num, type_of(thread.kind), stack, part);
        of_thread.sleeps_in = stack.futex();
        facts.blocked = runtime.kept_at_barrier(of_thread);
        facts.awaits_tasks = runtime.sleeps_until_tasks_are_done(of_thread);
    } else if (thread.kind == WaitKind::ordered) {
        facts.blocked = runtime.turn_is_to_come(thread.gdb_num);
    } else if (thread.kind == WaitKind::doacross) {
        if (thread.object) {
            facts.sink = runtime.sink(thread.gdb_num, TargetAddr{*thread.object});
        }
        facts.blocked = facts.sink ? facts.sink->is_to_come : stack.keeps_spinning();
    }
}

// A runtime that calls the kernel itself stands for what it was called for. The word that futex is
// given is the mutex's first.
SystemCall HangReader::system_call(const StandingThread &thread, Frames frames) const {
    const RuntimeStack stack(waits_.calls(), frames);
    SystemCall found;
    if (const auto lock = lock_of_runtime(frames)) {
        found.function = unnamed;
        found.mutex = lock;
        found.lock = LockType::runtimes;
        return found;
    }
    const auto call = stack.kernel_call();
    if (!call) {
        return found;
    }
    const std::size_t in_system = stack.in_system();
    std::string called = thread.outside;
    if (called.empty()) {
        called = waits_.calls().outside(frames.first(in_system), nullptr);
    }
    const std::string innermost = waits_.calls().outside(frames.first(1), nullptr);
    const bool makes = called == makes_thread && !takes_mutex(innermost);
    const code::EntryPoint *const entry = code::entry_point(thread.entry_point);
    // It makes its workers, gathers or wakes them, which may be done. A forked process has none.
    if (thread.outside.empty() && (in_system == 0 || makes) && entry != nullptr &&
        entry->begins_region && process_.size() > 1) {
        found.calls_workers = true;
        return found;
    }
    if (called.empty()) {
        called = thread.entry_point;
    }
    const code::EntryPoint *const by_runtime = thread.outside.empty() ? entry : nullptr;
    const bool lets_go = by_runtime != nullptr && by_runtime->lock == code::LockEffect::leaves;
    if (called.empty() || lets_go || goes_on(called) || goes_on(innermost) || makes) {
        return found;
    }
    const bool locks = takes_mutex(called);
    const bool is_runtimes = locks && thread.outside.empty() && in_system < frames.size() &&
                             waits_.calls().code().owner(frames[in_system].pc) == Owner::runtime;
    found.function = is_runtimes ? thread.entry_point : called;
    std::vector<std::string> inside;  // the names of all that the thread is in of the system's
    for (std::size_t count = 1; count <= in_system; ++count) {
        inside.push_back(waits_.calls().outside(frames.first(count), nullptr));
    }
    if (locks && !is_runtimes) {
        found.mutex = call->first;
        read_owner(found, thread.gdb_num, read_mutex(memory(), TargetAddr{*found.mutex}));
    } else if (called.starts_with(taking_rwlock)) {
        // Those that read it are not recorded.
        const TargetAddr rwlock = rwlock_of(TargetAddr{call->first});
        found.mutex = rwlock.value;
        found.lock = LockType::rwlock;
        read_owner(found, thread.gdb_num, read_rwlock(memory(), rwlock));
    } else if (!locks && std::ranges::any_of(inside, takes_mutex)) {
        found.mutex = call->first;
        // A condition's wait locks the program's again.
        if (called.find("cond") == std::string::npos) {
            found.lock = LockType::systems;
        }
        read_owner(found, thread.gdb_num, read_mutex(memory(), TargetAddr{*found.mutex}));
    } else if (in_system > 0 && called == executing_once) {
        found.mutex = call->first;
        found.lock = LockType::once;
    } else if (!locks) {
        read_own_lock(found, thread.gdb_num, TargetAddr{call->first});
    }
    found.is_timed =
        is_timed(called) || ((found.mutex || found.joins) && std::ranges::any_of(inside, is_timed));
    // Whom the runtime's own function waits for it may be given by one that seems to be idle.
    const bool is_users =
        !thread.outside.empty() ||
        (in_system < frames.size() && waits_.calls().code().is_user(frames[in_system].pc));
    const bool is_read = found.lock == LockType::rwlock && !found.owner && !found.owner_ended;
    if ((!found.mutex || is_read) && !found.joins && in_system > 0 && is_users) {
        read_sleep(found, thread.gdb_num, SleepReader(waits_.calls(), frames, in_system, called));
    }
    return found;
}

// LLVM's own locks, such as that for making threads, are taken by one function, which it exports.
std::optional<std::uint64_t> HangReader::lock_of_runtime(Frames frames) const {
    code::UserCalls &calls = waits_.calls();
    for (std::size_t place = 0; place + 1 < frames.size(); ++place) {
        const Owner owner = calls.code().owner(frames[place].pc);
        if (owner == Owner::user) {
            break;
        }
        if (owner != Owner::runtime ||
            code::role_of(calls.functions().identifier_at(
                frames[place].pc - (place == 0 ? 0 : 1))) != Role::takes_own_lock) {
            continue;
        }
        const Frame &caller = frames[place + 1];
        const auto *const code = calls.functions().function(caller.pc - 1);
        const auto call = code == nullptr ? std::nullopt : code->call_before(caller.pc);
        return call ? calls.in_frame(*code, *call, caller).argument(*call, 0).value : std::nullopt;
    }
    return std::nullopt;
}

// pthread_once calls the routine through a register, and needs its control again afterwards.
std::vector<std::uint64_t> HangReader::executed_once(Frames frames) const {
    code::UserCalls &calls = waits_.calls();
    std::vector<std::uint64_t> found;
    for (std::size_t place = 1; place < frames.size(); ++place) {
        const Frame &frame = frames[place];
        if (calls.code().owner(frame.pc) != Owner::system || !frames[place - 1].is_called ||
            calls.is_direct(frame.pc) ||
            !std::string_view(calls.outside(frames.first(place + 1), nullptr))
                 .starts_with(executing_once)) {
            continue;
        }
        if (const auto control = code::CallArguments(calls).kept_argument(0, frame)) {
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

void HangReader::read_sleep(SystemCall &found, int gdb_num, const SleepReader &reader) const {
    const auto self = std::ranges::find(process_, gdb_num, &ProcessThread::gdb_num);
    found.sleep = reader.sleep(is_own_);
    if (found.sleep != Sleep::none && self != process_.end() && self->pthread) {
        found.taken_by = reader.taken_by(
            *self->pthread, [&](auto own, auto other) { return named(*self, own, other); });
    }
}

// Which other thread a value names as OWN names SELF: by its pthread_t or its number, or as a
// record that has the pthread_t at the same place.
std::optional<int> HangReader::named(const ProcessThread &self, std::uint64_t own,
                                     std::uint64_t other) const {
    AddressSpace &space = waits_.calls().functions().space();
    const auto thread_of = [&](std::uint64_t mine, std::uint64_t theirs) -> std::optional<int> {
        const auto found = by_pthread_.find(theirs);
        return mine == *self.pthread && found != by_pthread_.end() && theirs != mine
                   ? std::optional(found->second.gdb_num)
                   : std::nullopt;
    };
    if (const auto found = thread_of(own, other)) {
        return found;
    }
    if (own == other || own < lowest_address || other < lowest_address) {
        return std::nullopt;
    }
    for (std::uint64_t at = 0; at < largest_record; at += pointer_size) {
        const auto mine = space.uint_at(TargetAddr{own + at}, pointer_size);
        const auto theirs = space.uint_at(TargetAddr{other + at}, pointer_size);
        if (!mine || !theirs) {
            break;
        }
        if (const auto found = thread_of(*mine, *theirs)) {
            return found;
        }
    }
    return std::nullopt;
}

// Who sleeps until a thread ends does so in that one's descriptor. A lock of stdio's names the
// thread that holds it, by its pthread_t. Many calls are given a number, such as that of a file.
void HangReader::read_own_lock(SystemCall &found, int gdb_num, TargetAddr word) const {
    if (word.value < lowest_address) {
        return;
    }
    const llvm::Memory memory = this->memory();
    // Of the descriptors that begin at or below the word, the nearest may have it.
    const auto above = by_pthread_.upper_bound(word.value);
    if (above != by_pthread_.begin()) {
        const ProcessThread &one = std::prev(above)->second;
        if (one.gdb_num != gdb_num &&
            is_own_number(memory, word, TargetAddr{*one.pthread}, one.lwp)) {
            found.joins = one.gdb_num;
            return;
        }
    }
    const auto owner = by_pthread_.find(stdio_owner(memory, word).value_or(0));
    if (owner != by_pthread_.end() && owner->second.gdb_num != gdb_num) {
        found.mutex = word.value;
        found.lock = LockType::systems;
        found.owner = owner->second.gdb_num;
    }
}

llvm::Memory HangReader::memory() const {
    return llvm::Memory(waits_.calls().functions().space()).for_walk(Budget());
}

// One of another process may hold a mutex that is shared with it.
void HangReader::read_owner(SystemCall &found, int gdb_num, MutexWord word) const {
    const auto owner = std::ranges::find(
        process_, word.owner, [](const ProcessThread &one) { return std::optional(one.lwp); });
    const auto own = std::ranges::find(process_, gdb_num, &ProcessThread::gdb_num);
    if (owner != process_.end()) {
        found.owner = owner->gdb_num;
    } else if (!word.is_shared && own != process_.end() && own->pthread &&
               has_own_number(memory(), TargetAddr{*own->pthread}, own->lwp)) {
        found.owner_ended = word.owner;
    }
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

HangReader::Lock HangReader::lock(Capabilities &runtime, WaitKind kind, TargetAddr object) const {
    const LockWord word = runtime.lock(object, mutex_of(kind));
    return {word, runtime.has_ended(word, alive_)};
}

}  // namespace gdb_ompd
