// SPDX-License-Identifier: Apache-2.0
// A program on GCC's libgomp made by hand. It has getters' code as GCC 12's reads, of x86-64 or
// aarch64, and records of threads, teams and tasks, in memory that can be damaged.
#pragma once

#include "base/ompd_types.h"

#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace gnu {

constexpr std::uint64_t base = 0x100000;
constexpr std::size_t size = 0x20000;
constexpr std::uint64_t tls_slot = base + 0x8000;  // of the global offset table
constexpr std::uint64_t global_icvs = base + 0x8100;
constexpr std::uint64_t stack_end = base + 0x8200;  // the dynamic linker's variable
constexpr std::uint64_t environment = base + 0x8300;
constexpr std::uint64_t description_of_lwp = base + 0x8400;  // the C library's for debuggers

enum class Code : std::uint8_t { x86_64, aarch64 };
inline Code machine = Code::x86_64;
// From the thread pointer: a thread's record, and what its pthread_t leads to.
inline std::int64_t record_offset() { return machine == Code::x86_64 ? -0x90 : 0x10; }
inline std::int64_t pthread_offset() { return machine == Code::x86_64 ? 0 : -0x740; }

// Offsets in GCC 12's records.
constexpr std::uint64_t task_size = 216;
constexpr std::uint64_t team_tasks = 1344;

inline std::array<std::uint8_t, size> memory;
inline std::map<std::string, std::uint64_t> symbols;
inline std::set<std::uint64_t> threads;  // by their pthread_t
inline std::set<void *> blocks;
inline std::string printed;

inline void put(std::uint64_t address, std::uint64_t value, std::size_t width) {
    for (std::size_t i = 0; i < width; ++i) {
        memory.at(address - base + i) = static_cast<std::uint8_t>(value >> (8 * i));
    }
}

// A part of a function's code: bytes, or the distance to TARGET from what follows.
struct Part {
    std::initializer_list<std::uint8_t> bytes;
    std::uint64_t target = 0;
};

inline std::uint64_t next_code;

inline void code(const char *name, std::initializer_list<Part> parts) {
    std::uint64_t &next = next_code;
    symbols[name] = next;
    for (const Part &part : parts) {
        for (const std::uint8_t byte : part.bytes) {
            put(next++, byte, 1);
        }
        if (part.target != 0) {
            put(next, part.target - (next + 4), 4);
            next += 4;
        }
    }
    next = (next + 15) & ~std::uint64_t{15};
}

// The address of the ICVs of the thread's task in rax, or that of the initial ones.
inline void icv_getter(const char *name, std::initializer_list<std::uint8_t> load) {
    code(name, {{{0x48, 0x8b, 0x05}, tls_slot},
                {{0x64, 0x48, 0x8b, 0x50, 0x58}},
                {{0x48, 0x85, 0xd2}},
                {{0x48, 0x8d, 0x82, 0x98, 0, 0, 0}},
                {{0x48, 0x8d, 0x15}, global_icvs},
                {{0x48, 0x0f, 0x44, 0xc2}},
                {load},
                {{0xc3}}});
}

// By the words of the instructions; the page that the variables are in is eight pages on.
inline void words(const char *name, std::initializer_list<std::uint32_t> slot,
                  std::initializer_list<std::uint32_t> rest) {
    code(name, {});
    std::uint64_t at = symbols[name];
    for (const auto &part : {slot, rest}) {
        for (const std::uint32_t word : part) {
            put(at, word, 4);
            at += 4;
        }
    }
    next_code = (at + 15) & ~std::uint64_t{15};
}

inline void make_aarch64_getters() {
    // bti c; adrp x2, tls_slot; ldr x2, [x2]; mrs x3, tpidr_el0; add x3, x3, x2
    const auto slot = {0xd503245f, 0x90000042, 0xf9400042, 0xd53bd043, 0x8b020063};
    const std::uint32_t ret = 0xd65f03c0;
    words("omp_get_thread_num", slot, {0xb9402860, ret});  // ldr w0, [x3, 40]
    words("omp_get_level", slot, {0xb9402c60, ret});
    words("omp_get_active_level", slot, {0xb9403060, ret});
    // ldr x3, [x3, 16]; mov w0, 1; cbz x3, the end; ldr w0, [x3]
    words("omp_get_num_threads", slot, {0xf9400863, 0x52800020, 0xb4000043, 0xb9400060, ret});
    // ldr w4, [x3, 44]; add x3, x3, 16; subs w4, w4, w0; b.le behind the loop
    // loop: ldr x3, [x3]; add x3, x3, 8; subs w4, w4, 1; b.ne loop; ldr x3, [x3]; ldr w0, [x3]
    words("omp_get_team_size", slot,
          {0xb9402c64, 0x91004063, 0x6b000084, 0x540000ad, 0xf9400063, 0x91002063, 0x71000484,
           0x54ffffa1, 0xf9400063, 0xb9400060, ret});
    // The same, and ldr w0, [x3, 24]
    words("omp_get_ancestor_thread_num", slot,
          {0xb9402c64, 0x91004063, 0x6b000084, 0x540000ad, 0xf9400063, 0x91002063, 0x71000484,
           0x54ffffa1, 0xb9401860, ret});
    // ldr x3, [x3, 88]; adrp x1, global_icvs; add x1, x1, 0x100; cmp x3, 0; add x3, x3, 152;
    // csel x0, x1, x3, eq; ldr w0, [x0]
    words(
        "omp_get_max_threads", slot,
        {0xf9402c63, 0x90000041, 0x91040021, 0xf100007f, 0x91026063, 0x9a830020, 0xb9400000, ret});
    words(
        "omp_get_dynamic", slot,
        {0xf9402c63, 0x90000041, 0x91040021, 0xf100007f, 0x91026063, 0x9a830020, 0x39406000, ret});
    // stp x29, x30, [sp, -16]!; as before with x4 and x3; ldp w5, w6, [x3, 8]; str w5, [x0];
    // str w6, [x1]; ldp x29, x30, [sp], 16
    words("omp_get_schedule", slot,
          {0xa9bf7bfd, 0xf9402c63, 0x90000044, 0x91040084, 0xf100007f, 0x91026063, 0x9a830083,
           0x29411865, 0xb9000005, 0xb9000026, 0xa8c17bfd, ret});
    // ldr x3, [x3, 88]; mov w0, 0; cbz x3, the end; ldrb w0, [x3, 213]
    words("omp_in_final", slot, {0xf9402c63, 0x52800000, 0xb4000043, 0x39435460, ret});
    words("omp_fulfill_event", {}, {ret});
    words("omp_get_affinity_format", {}, {ret});
    words("pthread_self", {}, {0xd53bd043, 0xd11d0060, ret});  // sub x0, x3, 0x740
    words("__errno_location", slot, {0xaa0303e0, ret});        // mov x0, x3
}

inline void make_x86_64_getters() {
    const auto of_thread = [](const char *name, std::uint8_t offset) {
        code(name, {{{0xf3, 0x0f, 0x1e, 0xfa}},
                    {{0x48, 0x8b, 0x05}, tls_slot},
                    {{0x64, 0x8b, 0x40, offset}},
                    {{0xc3}}});
    };
    of_thread("omp_get_thread_num", 0x28);
    of_thread("omp_get_level", 0x2c);
    of_thread("omp_get_active_level", 0x30);
    code("omp_get_num_threads", {{{0x48, 0x8b, 0x05}, tls_slot},
                                 {{0x64, 0x48, 0x8b, 0x50, 0x10}},
                                 {{0xb8, 1, 0, 0, 0}},
                                 {{0x48, 0x85, 0xd2}},
                                 {{0x74, 0x02}},
                                 {{0x8b, 0x02}},
                                 {{0xc3}}});
    // Both walk outwards from the thread's state: level minus argument times.
    const auto of_level = [](const char *name, std::initializer_list<std::uint8_t> load) {
        code(name, {{{0x48, 0x8b, 0x05}, tls_slot},
                    {{0x64, 0x8b, 0x50, 0x2c}},                    // mov fs:0x2c(rax),edx
                    {{0x64, 0x48, 0x03, 0x04, 0x25, 0, 0, 0, 0}},  // add fs:0,rax
                    {{0x29, 0xfa}},                                // sub edi,edx
                    {{0x48, 0x83, 0xc0, 0x10}},                    // add 0x10,rax
                    {{0x85, 0xd2}},                                // test edx,edx
                    {{0x7e, 0x0c}},                                // jle
                    {{0x48, 0x8b, 0x00, 0x48, 0x83, 0xc0, 0x08}},  // rax = rax[0] + 8
                    {{0x83, 0xea, 0x01, 0x75, 0xf4}},              // one less, again
                    {load},
                    {{0xc3}}});
    };
    of_level("omp_get_team_size", {0x48, 0x8b, 0x10, 0x8b, 0x02});
    of_level("omp_get_ancestor_thread_num", {0x8b, 0x40, 0x18});
    icv_getter("omp_get_max_threads", {0x8b, 0x00});
    icv_getter("omp_get_dynamic", {0x0f, 0xb6, 0x40, 0x18});
    icv_getter("omp_get_schedule", {0x8b, 0x50, 0x08, 0x89, 0x17, 0x8b, 0x40, 0x0c, 0x89, 0x06});
    code("omp_in_final", {{{0x48, 0x8b, 0x05}, tls_slot},
                          {{0x64, 0x48, 0x8b, 0x50, 0x58}},
                          {{0x31, 0xc0}},
                          {{0x48, 0x85, 0xd2}},
                          {{0x74, 0x07}},
                          {{0x0f, 0xb6, 0x82, 0xd5, 0, 0, 0}},
                          {{0xc3}}});
    code("omp_fulfill_event", {{{0xc3}}});
    code("omp_get_affinity_format", {{{0xc3}}});
    code("__errno_location", {{{0x48, 0x8b, 0x05}, tls_slot},
                              {{0x64, 0x48, 0x03, 0x04, 0x25, 0, 0, 0, 0}},  // add fs:0,rax
                              {{0xc3}}});
}

// Records

inline std::uint64_t thread_pointer(int number) {
    return base + 0xa000 + 0x1000 * static_cast<std::uint64_t>(number);
}
inline std::uint64_t record_of(int number) {
    return thread_pointer(number) + static_cast<std::uint64_t>(record_offset());
}
inline std::uint64_t pthread(int number) {
    return thread_pointer(number) + static_cast<std::uint64_t>(pthread_offset());
}
constexpr std::uint64_t team = base + 0x10000;
constexpr std::uint64_t pool = base + 0x9000;
constexpr std::uint64_t explicit_task = base + 0x9800;
inline std::uint64_t implicit_task(int number) {
    return team + team_tasks + task_size * static_cast<std::uint64_t>(number);
}

inline void make_thread(int number) {
    const std::uint64_t pointer = thread_pointer(number);
    if (machine == Code::x86_64) {
        put(pointer, pointer, 8);
    } else {
        put(pointer, pointer + 0x810, 8);  // its vector of blocks, behind how long that is
        put(pointer + 0x800, 3, 8);
    }
    threads.insert(pthread(number));
}

inline void put_text(std::uint64_t address, const char *text) {
    std::memcpy(memory.data() + (address - base), text, std::strlen(text) + 1);
}

// What the C library has for others.
inline void make_c_library() {
    symbols["__libc_stack_end"] = stack_end;
    put(stack_end, 0x7fff12345670, 8);
    put(pthread(0) + 0x698, 0x7fff12345670, 8);
    symbols["errno"] = record_of(1);  // of thread 1: of no other is it asked
    symbols["_thread_db_pthread_tid"] = description_of_lwp;
    put(description_of_lwp, 32, 4);
    put(description_of_lwp + 4, 1, 4);
    put(description_of_lwp + 8, 0x2d0, 4);
    symbols["environ"] = environment;
    put(environment, environment + 8, 8);
    put(environment + 8, environment + 0x40, 8);
    put(environment + 16, environment + 0x60, 8);
    put_text(environment + 0x40, "HOME=/nowhere");
    put_text(environment + 0x60, "OMP_NUM_THREADS=2");
}

inline void put_into_team(int number, std::uint64_t task) {
    const std::uint64_t record = record_of(number);
    put(record + 16, team, 8);
    put(record + 40, static_cast<std::uint64_t>(number), 4);
    put(record + 44, 1, 4);
    put(record + 48, 1, 4);
    put(record + 88, task, 8);
    put(record + 104, pool, 8);
}

// A team of two at level 1, begun by the thread in which the program began, which has no task of
// its own. Thread 1 executes an explicit task that was put into a queue. A third thread has nothing
// to do with OpenMP.
inline void make_program(Code code = Code::x86_64) {
    machine = code;
    memory.fill(0);
    symbols.clear();
    threads.clear();
    printed.clear();
    next_code = base;
    code == Code::x86_64 ? make_x86_64_getters() : make_aarch64_getters();
    put(tls_slot, static_cast<std::uint64_t>(record_offset()), 8);
    put(global_icvs, 7, 8);
    put(global_icvs + 8, 3, 4);
    for (const int number : {0, 1, 2}) {
        make_thread(number);
    }
    make_c_library();
    put(pool, pool + 0x100, 8);
    put(pool + 0x100, record_of(0), 8);
    put(team, 2, 4);
    const std::uint64_t members = team + team_tasks + 2 * task_size;
    put(team + 88, members, 8);
    put(members, team + 80, 8);
    put(members + 8, record_of(1) + 96, 8);
    for (const int number : {0, 1}) {
        put(implicit_task(number) + 152, 5, 8);
        put(implicit_task(number) + 160, 0x80000002, 4);
        put(implicit_task(number) + 164, 4, 4);
        put(implicit_task(number) + 176, 1, 1);
    }
    put(explicit_task, implicit_task(1), 8);
    put(explicit_task + 192, 0x4011a0, 8);
    put(explicit_task + 208, 3, 4);
    put(explicit_task + 213, 1, 1);
    put_into_team(0, implicit_task(0));
    put_into_team(1, explicit_task);
}

// The debugger's side

inline ompd_rc_t allocate(ompd_size_t wanted, void **block) {
    *block = std::malloc(wanted);
    blocks.insert(*block);
    return ompd_rc_ok;
}
inline ompd_rc_t release(void *block) {
    blocks.erase(block);
    std::free(block);
    return ompd_rc_ok;
}
inline ompd_rc_t print(const char *text, int) {
    printed += text;
    return ompd_rc_ok;
}
inline ompd_rc_t sizes(ompd_address_space_context_t *, ompd_device_type_sizes_t *found) {
    *found = {1, 2, 4, 8, 8, 8};
    return ompd_rc_ok;
}
inline ompd_rc_t symbol(ompd_address_space_context_t *, ompd_thread_context_t *, const char *name,
                        ompd_address_t *found, const char *) {
    const auto known = symbols.find(name);
    *found = {ompd_segment_none, known == symbols.end() ? 0 : known->second};
    return known == symbols.end() ? ompd_rc_error : ompd_rc_ok;
}
inline ompd_rc_t read(ompd_address_space_context_t *, ompd_thread_context_t *,
                      const ompd_address_t *from, ompd_size_t wanted, void *out) {
    const std::uint64_t at = from->address - base;
    if (at >= size || wanted > size - at) {
        return ompd_rc_error;
    }
    std::memcpy(out, memory.data() + at, wanted);
    return ompd_rc_ok;
}
inline ompd_rc_t read_text(ompd_address_space_context_t *space, ompd_thread_context_t *thread,
                           const ompd_address_t *from, ompd_size_t wanted, void *out) {
    return read(space, thread, from, wanted, out);
}
inline ompd_rc_t context(ompd_address_space_context_t *, ompd_thread_id_t kind, ompd_size_t width,
                         const void *id, ompd_thread_context_t **found) {
    std::uint64_t pointer = 0;
    if (kind != ompd_thread_id_pthread || width != sizeof pointer) {
        return kind == ompd_thread_id_pthread ? ompd_rc_bad_input : ompd_rc_unsupported;
    }
    std::memcpy(&pointer, id, sizeof pointer);
    if (!threads.contains(pointer)) {
        return ompd_rc_unavailable;
    }
    static char any;
    *found = reinterpret_cast<ompd_thread_context_t *>(&any);
    return ompd_rc_ok;
}

inline const ompd_callbacks_t callbacks{allocate, release,   print,   sizes,   symbol, read,
                                        nullptr,  read_text, nullptr, nullptr, context};

}  // namespace gnu
