// SPDX-License-Identifier: Apache-2.0
// What the C library records of threads and mutexes, and where stacks end.
//
// A pthread_t points to glibc's descriptor of the thread (struct pthread, nptl/descr.h). It
// holds the stack's block, size and guard, one after the other, and the thread's number;
// what they hold tells them from the descriptor's other words.
#pragma once

#include "runtimes/llvm/records.hpp"

#include <cstdint>
#include <optional>
#include <span>

namespace gdb_ompd {

struct MutexWord {
    std::optional<std::uint64_t> owner = {};  // the LWP of the thread that holds it
    bool is_shared = true;                    // other processes may use it, or that is not known
    bool lets_others_unlock = false;          // who unlocks it is not asked whether it holds it
    std::uint64_t readers = 0;                // how often a rwlock is held for reading
};

struct StackRange {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;  // the first address behind it

    bool operator==(const StackRange &) const = default;
};

// As glibc records a pthread_mutex_t.
[[nodiscard]] MutexWord read_mutex(const llvm::Memory &memory, TargetAddr mutex);

// The pthread_rwlock_t in which a thread sleeps at WORD, which is one of three, while it has VALUE.
[[nodiscard]] TargetAddr rwlock_of(TargetAddr word, std::uint32_t value);
// As glibc records one, which has an owner while a writer holds it.
[[nodiscard]] MutexWord read_rwlock(const llvm::Memory &memory, TargetAddr rwlock);

// Whether the C library knows a thread by the LWP that the debugger has: not where the
// program runs in a namespace of process numbers of its own.
[[nodiscard]] bool has_own_number(const llvm::Memory &memory, TargetAddr descriptor,
                                  std::uint64_t lwp);

// Whether WORD is where a thread's descriptor has its LWP: who waits until it ends sleeps there.
[[nodiscard]] bool is_own_number(const llvm::Memory &memory, TargetAddr word, TargetAddr descriptor,
                                 std::uint64_t lwp);

// The pthread_t of the thread that holds a lock of stdio's, by the lock's first word.
[[nodiscard]] std::optional<std::uint64_t> stdio_owner(const llvm::Memory &memory, TargetAddr lock);

// The stack of the thread with that descriptor, none if it is not clear.
[[nodiscard]] std::optional<StackRange> stack_of(const llvm::Memory &memory, TargetAddr descriptor);
// The initial thread's stack as far as it has grown; START is an address in it.
[[nodiscard]] std::optional<StackRange> initial_stack(const llvm::Memory &memory, TargetAddr start);

// Whether a FAULT at that address is what happens below the end of STACK. POINTERS are the
// stack pointers of the thread's innermost frames.
[[nodiscard]] bool ran_off(const llvm::Memory &memory, TargetAddr fault, StackRange stack,
                           std::span<const std::uint64_t> pointers);

// Whether PC is right behind a call of the kernel.
[[nodiscard]] bool is_behind_system_call(const llvm::Memory &memory, TargetAddr pc);

}  // namespace gdb_ompd
