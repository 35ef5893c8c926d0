// SPDX-License-Identifier: Apache-2.0
// libgompd's functions, and what a debugger asks by them of the program that is made by hand.
#pragma once

#include "base/ompd_functions.hpp"
#include "gnu_program.hpp"

#include <numeric>
#include <optional>
#include <span>

#define GOMPD_DECLARE(name, ...) extern "C" ompd_rc_t ompd_##name(__VA_ARGS__);
GDB_OMPD_FUNCTIONS(GOMPD_DECLARE)
#undef GOMPD_DECLARE

namespace gnu {

// What FUNCTION answers in the place that is its last parameter: which is left alone where it
// refuses, or it all ends here.
template <class Result, class... Parameters, class... Given>
std::optional<Result> ask(ompd_rc_t (*function)(Parameters...), Given... given) {
    Result result;
    std::memset(&result, 0x5a, sizeof result);
    const Result before = result;
    if (function(given..., &result) == ompd_rc_ok) {
        return result;
    }
    if (std::memcmp(&result, &before, sizeof result) != 0) {
        std::abort();
    }
    return std::nullopt;
}

using Icvs = std::span<const ompd_icv_id_t>;

// The ids of all, and one that is none.
inline Icvs all_icvs() {
    static const auto ids = [] {
        std::array<ompd_icv_id_t, 25> made{};
        std::iota(made.begin(), made.end(), ompd_icv_id_t{0});
        return made;
    }();
    return ids;
}

inline void ask_icvs(void *handle, ompd_scope_t scope, Icvs icvs) {
    for (const ompd_icv_id_t icv : icvs) {
        static_cast<void>(ask<ompd_word_t>(ompd_get_icv_from_scope, handle, scope, icv));
        static_cast<void>(ask<const char *>(ompd_get_icv_string_from_scope, handle, scope, icv));
    }
}

inline void ask_of_region(ompd_parallel_handle_t *region, Icvs icvs) {
    ask_icvs(region, ompd_scope_parallel, icvs);
    for (const int each : {0, 1, 5000}) {
        static_cast<void>(ask<ompd_thread_handle_t *>(ompd_get_thread_in_parallel, region, each));
        static_cast<void>(ask<ompd_task_handle_t *>(ompd_get_task_in_parallel, region, each));
    }
}

inline void ask_of_task(ompd_task_handle_t *task, Icvs icvs) {
    ask_icvs(task, ompd_scope_task, icvs);
    static_cast<void>(ask<ompd_address_t>(ompd_get_task_function, task));
    static_cast<void>(ask<ompd_task_handle_t *>(ompd_get_scheduling_task_handle, task));
    static_cast<void>(ask<ompd_parallel_handle_t *>(ompd_get_task_parallel_handle, task));
}

inline void ask_of_thread(ompd_thread_handle_t *thread, Icvs icvs) {
    for (const auto kind : {ompd_thread_id_pthread, ompd_thread_id_lwp}) {
        static_cast<void>(ask<std::uint64_t>(ompd_get_thread_id, thread, kind, ompd_size_t{8}));
    }
    ompd_word_t state = 0;
    ompd_wait_id_t wait = 0;
    static_cast<void>(ompd_get_state(thread, &state, &wait));
    ask_icvs(thread, ompd_scope_thread, icvs);
    auto region = ask<ompd_parallel_handle_t *>(ompd_get_curr_parallel_handle, thread);
    for (int i = 0; region && i < 10; ++i) {
        ask_of_region(*region, icvs);
        region = ask<ompd_parallel_handle_t *>(ompd_get_enclosing_parallel_handle, *region);
    }
    auto task = ask<ompd_task_handle_t *>(ompd_get_curr_task_handle, thread);
    for (int i = 0; task && i < 10; ++i) {
        ask_of_task(*task, icvs);
        task = ask<ompd_task_handle_t *>(ompd_get_generating_task_handle, *task);
    }
}

// By its pthread id, and by a number that the debugger's side takes for its LWP id.
inline void ask_of_thread(ompd_address_space_handle_t *process, int number, Icvs icvs) {
    const std::uint64_t id = pthread(number);
    for (const auto kind : {ompd_thread_id_pthread, ompd_thread_id_lwp}) {
        const auto thread = ask<ompd_thread_handle_t *>(ompd_get_thread_handle, process, kind,
                                                        ompd_size_t{sizeof id}, &id);
        if (thread) {
            ask_of_thread(*thread, icvs);
        }
    }
}

inline void ask_of_process(ompd_address_space_handle_t *process, Icvs icvs) {
    ask_icvs(process, ompd_scope_address_space, icvs);
    static_cast<void>(ask<const char *>(ompd_get_omp_version_string, process));
    static_cast<void>(ask<const char *const *>(ompd_get_display_control_vars, process));
}

// Everything that a debugger asks at a stop; what it is told does not matter.
inline void ask_everything(ompd_address_space_handle_t *process) {
    ask_of_process(process, all_icvs());
    for (const int number : {0, 1, 2}) {
        ask_of_thread(process, number, all_icvs());
    }
}

}  // namespace gnu
