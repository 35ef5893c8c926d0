// SPDX-License-Identifier: Apache-2.0
#include "stop/pthreads.hpp"

#include "elf/address_space.hpp"

#include <algorithm>
#include <set>
#include <vector>

namespace gdb_ompd {

namespace {

using llvm::FieldPlace;
using llvm::Memory;

// Of pthread_mutex_t's __data: after __lock and __count, and after that and __nusers.
constexpr FieldPlace mutex_owner{8, 4};
constexpr FieldPlace mutex_kind{16, 4};
// Of pthread_rwlock_t's: __readers is first. __wrphase_futex and behind it __writers_futex, 4 bytes
// each, have 2 bits only. A reader behind a waiting writer sleeps in __readers while others read.
constexpr std::uint64_t rwlock_futexes = 8;
constexpr std::uint64_t one_reader = 8;
constexpr FieldPlace rwlock_readers{0, 4};
constexpr std::uint64_t writers_phase = 1;  // those that are counted wait
constexpr FieldPlace rwlock_writer{24, 4};
constexpr FieldPlace rwlock_shared{28, 4};
constexpr FieldPlace lwp_number{0, 4};
constexpr FieldPlace stdio_lock_owner{8, 8};  // of _IO_lock_t
constexpr std::uint64_t shared_bit = 128;     // PTHREAD_MUTEX_PSHARED_BIT
constexpr std::uint64_t type_bits = 127;      // with the bits for robust and priority
constexpr std::uint64_t normal_type = 0, adaptive_type = 3;
constexpr std::size_t descriptor_size = 2304;  // of x86-64; behind it may be another's
constexpr std::size_t word_size = 8;
constexpr std::size_t number_size = 4;
constexpr std::uint64_t page = 4096;
constexpr std::uint64_t pages_at_once = 16;
constexpr std::uint64_t max_stack = std::uint64_t{1} << 36U;
// What is written below the stack pointer: the x86-64 ABI's red zone, a call's return address.
constexpr std::uint64_t below = 256;
constexpr std::uint64_t x86_syscall = 0x050F;  // as the target reads it
constexpr std::uint64_t a64_svc = 0xD4000001;

std::vector<std::uint64_t> numbers_at(const Memory &memory, TargetAddr at, std::size_t size) {
    std::vector<std::byte> bytes(descriptor_size);
    memory.read(at, bytes);
    std::vector<std::uint64_t> found;
    for (std::size_t i = 0; i + size <= bytes.size(); i += size) {
        found.push_back(memory.space().to_uint(std::span(bytes).subspan(i, size)));
    }
    return found;
}

// Whether these are a stack's: the descriptor is at the block's upper end.
bool is_block(std::uint64_t block, std::uint64_t size, std::uint64_t guard,
              std::uint64_t descriptor) {
    const bool pages = block % page == 0 && guard % page == 0;
    return pages && 0 < guard && guard < size && size < max_stack && block < descriptor &&
           descriptor < block + size && block + size <= descriptor + descriptor_size + page;
}

}  // namespace

MutexWord read_mutex(const Memory &memory, TargetAddr mutex) {
    try {
        const std::uint64_t owner = memory.field(mutex, mutex_owner);
        const std::uint64_t kind = memory.field(mutex, mutex_kind);
        const std::uint64_t type = kind & type_bits;
        return {owner == 0 ? std::nullopt : std::optional(owner), (kind & shared_bit) != 0,
                type == normal_type || type == adaptive_type};
    } catch (const Inconsistent &) {
        return {};
    }
}

TargetAddr rwlock_of(TargetAddr word, std::uint32_t value) {
    const std::uint64_t field = value < one_reader ? rwlock_futexes : 0;
    return {word.value / word_size * word_size - field};
}

MutexWord read_rwlock(const Memory &memory, TargetAddr rwlock) {
    try {
        const std::uint64_t writer = memory.field(rwlock, rwlock_writer);
        const bool is_shared = memory.field(rwlock, rwlock_shared) != 0;
        const std::uint64_t readers = memory.field(rwlock, rwlock_readers);
        const bool are_inside = (readers & writers_phase) == 0;
        return {writer == 0 ? std::nullopt : std::optional(writer), is_shared, are_inside,
                are_inside ? readers / one_reader : 0};
    } catch (const Inconsistent &) {
        return {};
    }
}

bool has_own_number(const Memory &memory, TargetAddr descriptor, std::uint64_t lwp) {
    try {
        return std::ranges::count(numbers_at(memory, descriptor, number_size), lwp) != 0;
    } catch (const Inconsistent &) {
        return false;
    }
}

bool is_own_number(const Memory &memory, TargetAddr word, TargetAddr descriptor,
                   std::uint64_t lwp) {
    if (word < descriptor || word.value - descriptor.value >= descriptor_size) {
        return false;
    }
    try {
        return memory.field(word, lwp_number) == lwp;
    } catch (const Inconsistent &) {
        return false;
    }
}

std::optional<std::uint64_t> stdio_owner(const Memory &memory, TargetAddr lock) {
    try {
        return memory.field(lock, stdio_lock_owner);
    } catch (const Inconsistent &) {
        return std::nullopt;
    }
}

std::optional<StackRange> stack_of(const Memory &memory, TargetAddr descriptor) {
    try {
        const auto words = numbers_at(memory, descriptor, word_size);
        std::set<std::pair<std::uint64_t, std::uint64_t>> found;
        for (std::size_t i = 0; i + 2 < words.size(); ++i) {
            if (is_block(words[i], words[i + 1], words[i + 2], descriptor.value)) {
                found.emplace(words[i] + words[i + 2], words[i] + words[i + 1]);
            }
        }
        return found.size() == 1
                   ? std::optional(StackRange{found.begin()->first, found.begin()->second})
                   : std::nullopt;
    } catch (const Inconsistent &) {
        return std::nullopt;
    }
}

std::optional<StackRange> initial_stack(const Memory &memory, TargetAddr start) {
    const std::uint64_t first = start.value & ~(page - 1);
    std::uint64_t low = first;
    std::uint64_t high = first;
    const auto grow_down = [&](std::uint64_t step) {
        while (first - low < max_stack && low > step && memory.is_readable({low - step}, step)) {
            low -= step;
        }
    };
    try {
        grow_down(pages_at_once * page);
        grow_down(page);
        while (high - first < max_stack && memory.is_readable({high}, page)) {
            high += page;
        }
    } catch (const BudgetSpent &) {
        return std::nullopt;
    }
    return low < high ? std::optional(StackRange{low, high}) : std::nullopt;
}

// With a large frame the fault is far below the end: then that frame's own end cannot be
// used either.
bool ran_off(const Memory &memory, TargetAddr fault, StackRange stack,
             std::span<const std::uint64_t> pointers) {
    if (pointers.empty() || fault.value >= stack.begin || fault.value + below < pointers[0]) {
        return false;
    }
    const auto caller =
        std::ranges::find_if(pointers, [&](std::uint64_t at) { return at >= stack.begin; });
    if (caller == pointers.end() || *caller >= stack.end) {
        return false;  // a stack of the program's own making
    }
    const bool is_near = fault.value < pointers[0] + page || fault.value + page >= stack.begin;
    return is_near || !memory.is_readable({pointers[0]}, word_size);
}

bool is_behind_system_call(const Memory &memory, TargetAddr pc) {
    const auto is = [&](std::uint64_t behind, std::size_t size, std::uint64_t value) {
        try {
            return memory.field({pc.value - behind}, {0, size}) == value;
        } catch (const Inconsistent &) {
            return false;
        }
    };
    return is(2, 2, x86_syscall) || is(4, 4, a64_svc);
}

}  // namespace gdb_ompd
