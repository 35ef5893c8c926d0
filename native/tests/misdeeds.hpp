// SPDX-License-Identifier: Apache-2.0
// What an OMPD library must never do, each by a name: for the fake library, and
// for the shim that misbehaves before a real one.
#pragma once

#include "base/ompd_types.h"

#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cfenv>
#include <cstdio>
#include <cstring>
#include <new>
#include <string_view>

namespace misdeeds {

constexpr std::array<std::string_view, 14> names{
    "segv", "bus",      "fpe",     "ill",      "stack", "throw",       "throw_number",
    "loop", "restless", "overrun", "underrun", "leak",  "double_free", "print",
};

inline ompd_rc_t bus() {
    const int file = memfd_create("misdeed", 0);
    void *page = mmap(nullptr, 4096, PROT_READ, MAP_SHARED, file, 0);
    close(file);
    const char beyond_the_end = *static_cast<volatile char *>(page);
    return static_cast<ompd_rc_t>(beyond_the_end);
}

// Some processors do not trap on a division by zero: by a trap of floating point.
inline ompd_rc_t divide_by_zero() {
    feenableexcept(FE_DIVBYZERO);
    double zero = 0;
    asm volatile("" : "+m"(zero));
    const double quotient = 1 / zero;
    asm volatile("" ::"m"(quotient));
    return ompd_rc_error;
}

// NOLINTNEXTLINE(misc-no-recursion): that is what it is for
__attribute__((noinline)) inline int use_up_the_stack(int depth) {
    std::array<char, 1024> room;
    room[0] = static_cast<char>(depth);
    asm volatile("" ::"r"(room.data()) : "memory");  // it is to be there
    return use_up_the_stack(depth + 1) + room[0];
}

// Allocates while refused, as a library that checks no result would.
inline ompd_rc_t ask_for_ever(const ompd_callbacks_t &callbacks) {
    for (;;) {
        void *block = nullptr;
        if (callbacks.alloc_memory(1, &block) == ompd_rc_ok) {
            static_cast<void>(callbacks.free_memory(block));
        }
    }
}

// Writes BYTES beyond the end of a block, or before its beginning.
inline ompd_rc_t write_beyond(const ompd_callbacks_t &callbacks, std::ptrdiff_t bytes) {
    void *block = nullptr;
    if (callbacks.alloc_memory(24, &block) != ompd_rc_ok) {
        return ompd_rc_nomem;
    }
    const std::ptrdiff_t at = bytes > 0 ? 24 + bytes - 1 : bytes;
    std::memset(static_cast<char *>(block) + at, 'x', 1);
    asm volatile("" ::: "memory");
    return callbacks.free_memory(block);
}

inline ompd_rc_t leak(const ompd_callbacks_t &callbacks) {
    for (int i = 0; i < 100; ++i) {
        void *block = nullptr;
        static_cast<void>(callbacks.alloc_memory(1000, &block));
    }
    *static_cast<volatile int *>(nullptr) = 0;
    return ompd_rc_ok;
}

inline ompd_rc_t free_twice(const ompd_callbacks_t &callbacks) {
    void *block = nullptr;
    static_cast<void>(callbacks.alloc_memory(24, &block));
    static_cast<void>(callbacks.free_memory(block));
    return callbacks.free_memory(block);
}

// Do what NAME says; the code to return where it lets the library go on.
inline ompd_rc_t commit(std::string_view name, const ompd_callbacks_t &callbacks) {
    if (name == "segv") {
        *static_cast<volatile int *>(nullptr) = 0;
    } else if (name == "bus") {
        return bus();
    } else if (name == "fpe") {
        return divide_by_zero();
    } else if (name == "ill") {
        __builtin_trap();
    } else if (name == "stack") {
        return use_up_the_stack(0) == 0 ? ompd_rc_ok : ompd_rc_error;
    } else if (name == "throw") {
        throw std::bad_alloc();
    } else if (name == "throw_number") {
        throw 42;
    } else if (name == "loop") {
        for (;;) {
            asm volatile("");
        }
    } else if (name == "restless") {
        return ask_for_ever(callbacks);
    } else if (name == "overrun") {
        return write_beyond(callbacks, 40);
    } else if (name == "underrun") {
        return write_beyond(callbacks, -1);
    } else if (name == "leak") {
        return leak(callbacks);
    } else if (name == "double_free") {
        return free_twice(callbacks);
    } else if (name == "print") {
        std::puts("the library talks");
    }
    return ompd_rc_error;
}

}  // namespace misdeeds
