// SPDX-License-Identifier: Apache-2.0
#include "stop/kernel_calls.hpp"

#include "code/call_arguments.hpp"
#include "elf/address_space.hpp"
#include "stop/lock_changes.hpp"
#include "stop/runtime_stack.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace gdb_ompd {

using code::Frame;
using code::Owner;
using code::Role;

namespace {

// Calls that wait for nobody, whoever makes them. They give the processor away, wake others, are
// the kernel's for memory and threads, or make a thread or begin it.
constexpr std::array<std::string_view, 22> going_on{"sched_yield",
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
                                                    "pthread_mutex_unlock_full",
                                                    "pthread_mutex_unlock_usercnt",
                                                    "pthread_rwlock_unlock",
                                                    "pthread_cond_signal",
                                                    "pthread_cond_broadcast",
                                                    "mtx_unlock",
                                                    "cnd_signal",
                                                    "cnd_broadcast"};
constexpr std::uint64_t lowest_address = 0x1000;  // nothing is mapped below
constexpr std::uint64_t largest_record = 1024;    // of a thread's, bytes
constexpr std::array<std::string_view, 7> locking{"pthread_mutex_lock",
                                                  "lll_lock_wait",
                                                  "pthread_mutex_timedlock",
                                                  "pthread_mutex_clocklock",
                                                  "pthread_mutex_clocklock_common",
                                                  "mtx_lock",
                                                  "mtx_timedlock"};
// Those that give up at a time that they are given.
constexpr std::array<std::string_view, 10> timed{
    "pthread_mutex_timedlock",        "pthread_mutex_clocklock",
    "pthread_mutex_clocklock_common", "mtx_timedlock",
    "pthread_timedjoin_np",           "pthread_clockjoin_np",
    "pthread_rwlock_timedrdlock",     "pthread_rwlock_clockrdlock",
    "pthread_rwlock_timedwrlock",     "pthread_rwlock_clockwrlock"};
constexpr std::uint64_t largest_number = 1U << 22U;  // of a thread's, in Linux
constexpr std::string_view taking_rwlock = "pthread_rwlock_";

bool takes_mutex(std::string_view function) {
    return std::ranges::any_of(locking, [&](auto one) { return function.ends_with(one); });
}

bool is_timed(std::string_view function) {
    return std::ranges::any_of(timed, [&](auto one) { return function.ends_with(one); });
}

bool waits_for_condition(std::string_view function) {
    return function.find("cond") != std::string_view::npos;
}

bool goes_on(std::string_view function) {
    return std::ranges::find(going_on, function) != going_on.end();
}

}  // namespace

std::optional<std::size_t> routine_caller(const code::UserCalls &calls,
                                          std::span<const Frame> frames) {
    for (std::size_t place = frames.size() - 1; place > 0 && place + 2 >= frames.size(); --place) {
        if (!frames[place - 1].is_called) {
            break;
        }
        if (!calls.is_direct(frames[place].pc)) {
            return place;
        }
    }
    return std::nullopt;
}

KernelCalls::KernelCalls(WaitReader &waits, std::vector<ProcessThread> process,
                         SleepReader::IsSo is_own, SleepReader::IsSo is_posted)
    : waits_(waits), process_(std::move(process)), is_own_(std::move(is_own)),
      is_posted_(std::move(is_posted)) {
    for (const ProcessThread &one : process_) {
        if (one.pthread) {
            by_pthread_.emplace(*one.pthread, one);
        }
    }
}

// A runtime that calls the kernel itself stands for what it was called for. The word that futex is
// given is the mutex's first.
SystemCall KernelCalls::of(const StandingThread &thread, Frames frames) const {
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
        called = waits_.calls().libraries().outside(frames.first(in_system), nullptr);
    }
    const std::string innermost = waits_.calls().libraries().outside(frames.first(1), nullptr);
    const bool makes = called == makes_thread && !takes_mutex(innermost);
    const code::EntryPoint *const entry = code::entry_point(thread.entry_point);
    // It makes its workers, gathers or wakes them, which may be done. A forked process has none.
    if (thread.outside.empty() && (in_system == 0 || makes) && entry != nullptr &&
        entry->begins_region && process_.size() > 1) {
        found.calls_workers = true;
        return found;
    }
    // What makes a task and waits for none of the program's is kept by who uses the team's queue.
    if (thread.outside.empty() && in_system == 0 && entry != nullptr && entry->makes_task &&
        thread.kind == code::WaitKind::none) {
        return found;
    }
    if (called.empty()) {
        called = thread.entry_point;
    }
    const code::EntryPoint *const by_runtime = thread.outside.empty() ? entry : nullptr;
    const bool lets_go = by_runtime != nullptr && by_runtime->lock == code::LockEffect::leaves;
    if (called.empty() || lets_go || goes_on(innermost) || makes) {
        return found;
    }
    std::vector<std::string> inside;  // the names of all that the thread is in of the system's
    for (std::size_t count = 1; count <= in_system; ++count) {
        inside.push_back(waits_.calls().libraries().outside(frames.first(count), nullptr));
    }
    // What fork() calls of the program's may lock a mutex by a jump, and leave no frame.
    const bool takes = std::ranges::any_of(inside, takes_mutex);
    if (goes_on(called) && !takes) {
        return found;
    }
    const bool locks = takes_mutex(called);
    const bool is_runtimes = locks && thread.outside.empty() && in_system < frames.size() &&
                             waits_.calls().code().owner(frames[in_system].pc) == Owner::runtime;
    found.function = is_runtimes ? thread.entry_point : called;
    if (is_of_semaphore(called)) {
        // It has been posted, and the thread, or another that waits for it, is about to take that.
        AddressSpace &space = waits_.calls().functions().space();
        if (space.uint_at(TargetAddr{call->first}, sizeof(std::uint32_t)).value_or(0) != 0) {
            return {};
        }
        found.semaphore = call->first;
    }
    if (locks && !is_runtimes) {
        found.mutex = mutex_of(frames, in_system, called, call->first);
        if (found.mutex) {
            read_owner(found, thread.gdb_num, read_mutex(memory(), TargetAddr{*found.mutex}));
        }
    } else if (called.starts_with(taking_rwlock)) {
        // Those that read it are counted alone.
        const TargetAddr rwlock =
            rwlock_of(TargetAddr{call->first}, static_cast<std::uint32_t>(call->third));
        found.mutex = rwlock.value;
        found.lock = LockType::rwlock;
        const MutexWord word = read_rwlock(memory(), rwlock);
        read_owner(found, thread.gdb_num, word);
        found.readers = static_cast<int>(word.readers);
    } else if (!locks && takes) {
        found.mutex = call->first;
        // A condition's wait locks the program's again, and a callback that has jumped its own.
        if (!std::ranges::any_of(inside, waits_for_condition) && !is_programs(call->first)) {
            found.lock = LockType::systems;
        }
        read_owner(found, thread.gdb_num, read_mutex(memory(), TargetAddr{*found.mutex}));
    } else if (in_system > 0 && executes_once(called) &&
               !routine_caller(waits_.calls(), frames.first(in_system))) {
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

// Whether WORD is a variable of a file that is not the system's.
bool KernelCalls::is_programs(std::uint64_t word) const {
    const code::UserCalls &calls = waits_.calls();
    return calls.functions().module_at(word) != nullptr && calls.code().is_user(word);
}

// Where the kernel has refused a mutex that hands on priority, because its thread would wait for
// itself or its owner has ended, glibc sleeps forever in a word of its own stack.
std::optional<std::uint64_t> KernelCalls::mutex_of(Frames frames, std::size_t in_system,
                                                   std::string_view called,
                                                   std::uint64_t word) const {
    code::UserCalls &calls = waits_.calls();
    const auto *const architecture = calls.functions().architecture();
    const auto stack_at = [&](std::size_t place) {
        return place < frames.size()
                   ? frames[place].held_by(architecture->convention().stack_pointer)
                   : std::nullopt;
    };
    const auto top = stack_at(0);
    const auto end = stack_at(in_system);
    if (!top || !end || word < *top || word >= *end) {
        return word;
    }
    code::CallArguments arguments(calls);
    if (const auto kept = arguments.kept_argument(0, frames[in_system - 1])) {
        return kept;
    }
    const auto targets = calls.targets().targets(frames[in_system].pc);
    const bool is_called = std::ranges::any_of(targets, [&](std::uint64_t target) {
        return calls.functions().plain_name(target) == called;
    });
    return is_called ? arguments.argument(0, {}, frames.subspan(in_system)) : std::nullopt;
}

// LLVM's own locks, such as that for making threads, are taken by one function, which it exports.
std::optional<std::uint64_t> KernelCalls::lock_of_runtime(Frames frames) const {
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

SystemCall KernelCalls::wait_for(int gdb_num, std::uint64_t mutex) const {
    const MutexWord word = read_mutex(memory(), TargetAddr{mutex});
    SystemCall found;
    if (word.owner) {
        found.mutex = mutex;
        read_owner(found, gdb_num, word);
    }
    return found;
}

std::optional<std::uint64_t> KernelCalls::pthread_of(int gdb_num) const {
    const auto thread = std::ranges::find(process_, gdb_num, &ProcessThread::gdb_num);
    return thread != process_.end() ? thread->pthread : std::nullopt;
}

std::optional<std::uint64_t> KernelCalls::lwp_of(int gdb_num) const {
    const auto thread = std::ranges::find(process_, gdb_num, &ProcessThread::gdb_num);
    return thread != process_.end() ? std::optional(thread->lwp) : std::nullopt;
}

void KernelCalls::read_sleep(SystemCall &found, int gdb_num, const SleepReader &reader) const {
    const auto self = std::ranges::find(process_, gdb_num, &ProcessThread::gdb_num);
    found.sleep = reader.sleep(is_own_, is_posted_);
    if (found.sleep != Sleep::none && self != process_.end() && self->pthread) {
        found.taken_by = reader.taken_by(
            *self->pthread, [&](auto own, auto other) { return named(*self, own, other); });
    }
}

// Which other thread a value names as OWN names SELF: by its pthread_t or its number, or as a
// record that has the pthread_t at the same place.
std::optional<int> KernelCalls::named(const ProcessThread &self, std::uint64_t own,
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
void KernelCalls::read_own_lock(SystemCall &found, int gdb_num, TargetAddr word) const {
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

llvm::Memory KernelCalls::memory() const {
    return llvm::Memory(waits_.calls().functions().space()).for_walk(Budget());
}

// One of another process may hold a mutex that is shared with it.
void KernelCalls::read_owner(SystemCall &found, int gdb_num, MutexWord word) const {
    found.lets_others_unlock = word.lets_others_unlock;
    const auto owner = std::ranges::find(
        process_, word.owner, [](const ProcessThread &one) { return std::optional(one.lwp); });
    const auto own = std::ranges::find(process_, gdb_num, &ProcessThread::gdb_num);
    if (owner != process_.end()) {
        found.owner = owner->gdb_num;
    } else if (word.is_shared && word.owner.value_or(largest_number) < largest_number) {
        found.owner_elsewhere = word.owner;
    } else if (!word.is_shared && own != process_.end() && own->pthread &&
               has_own_number(memory(), TargetAddr{*own->pthread}, own->lwp)) {
        found.owner_ended = word.owner;
    }
}

}  // namespace gdb_ompd
