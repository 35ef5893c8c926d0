// SPDX-License-Identifier: Apache-2.0
// libgompd's functions, and what a debugger asks by them of the program that is made by hand.
#pragma once

#include "gnu_program.hpp"
#include "ompd/ompd_functions.hpp"

#define GOMPD_DECLARE(name, ...) extern "C" ompd_rc_t ompd_##name(__VA_ARGS__);
GDB_OMPD_FUNCTIONS(GOMPD_DECLARE)
#undef GOMPD_DECLARE

namespace gnu {

// Everything that a debugger asks at a stop; what it is told does not matter.
inline void ask_everything(ompd_address_space_handle_t *process) {
    for (const int number : {0, 1, 2}) {
        const std::uint64_t id = pthread(number);
        ompd_thread_handle_t *thread = nullptr;
        if (ompd_get_thread_handle(process, ompd_thread_id_pthread, sizeof id, &id, &thread)) {
            continue;
        }
        ompd_word_t value = 0;
        static_cast<void>(ompd_get_state(thread, &value, nullptr));
        ompd_parallel_handle_t *region = nullptr;
        for (ompd_rc_t code = ompd_get_curr_parallel_handle(thread, &region); code == ompd_rc_ok;) {
            ompd_thread_handle_t *member = nullptr;
            ompd_task_handle_t *implicit = nullptr;
            for (const int each : {0, 1, 5000}) {
                static_cast<void>(ompd_get_thread_in_parallel(region, each, &member));
                static_cast<void>(ompd_get_task_in_parallel(region, each, &implicit));
            }
            code = ompd_get_enclosing_parallel_handle(region, &region);
        }
        ompd_task_handle_t *task = nullptr;
        ompd_rc_t code = ompd_get_curr_task_handle(thread, &task);
        for (int i = 0; code == ompd_rc_ok && i < 10; ++i) {
            ompd_address_t entry{};
            ompd_task_handle_t *other = nullptr;
            static_cast<void>(ompd_get_task_function(task, &entry));
            static_cast<void>(ompd_get_scheduling_task_handle(task, &other));
            for (ompd_icv_id_t icv = 1; icv < 24; ++icv) {
                const char *text = nullptr;
                static_cast<void>(
                    ompd_get_icv_string_from_scope(task, ompd_scope_task, icv, &text));
            }
            code = ompd_get_generating_task_handle(task, &task);
        }
    }
}

}  // namespace gnu
