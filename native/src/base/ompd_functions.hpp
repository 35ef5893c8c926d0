// SPDX-License-Identifier: Apache-2.0
// Every function of an OMPD library, each named once (section 5.5).
#pragma once

#include "base/ompd_types.h"

namespace gdb_ompd {

// A function and its name, so that an error can say which call failed.
template <class Signature> struct Function {
    const char *name;
    Signature *pointer;
};

// X(NAME, PARAMETER TYPES...): the library exports it as ompd_NAME.
#define GDB_OMPD_FUNCTIONS(X)                                                                      \
    X(initialize, ompd_word_t, const ompd_callbacks_t *)                                           \
    X(get_api_version, ompd_word_t *)                                                              \
    X(get_version_string, const char **)                                                           \
    X(finalize)                                                                                    \
    X(process_initialize, ompd_address_space_context_t *, ompd_address_space_handle_t **)          \
    X(device_initialize, ompd_address_space_handle_t *, ompd_address_space_context_t *,            \
      ompd_device_t, ompd_size_t, void *, ompd_address_space_handle_t **)                          \
    X(rel_address_space_handle, ompd_address_space_handle_t *)                                     \
    X(get_omp_version, ompd_address_space_handle_t *, ompd_word_t *)                               \
    X(get_omp_version_string, ompd_address_space_handle_t *, const char **)                        \
    X(get_thread_in_parallel, ompd_parallel_handle_t *, int, ompd_thread_handle_t **)              \
    X(get_thread_handle, ompd_address_space_handle_t *, ompd_thread_id_t, ompd_size_t,             \
      const void *, ompd_thread_handle_t **)                                                       \
    X(rel_thread_handle, ompd_thread_handle_t *)                                                   \
    X(thread_handle_compare, ompd_thread_handle_t *, ompd_thread_handle_t *, int *)                \
    X(get_thread_id, ompd_thread_handle_t *, ompd_thread_id_t, ompd_size_t, void *)                \
    X(get_curr_parallel_handle, ompd_thread_handle_t *, ompd_parallel_handle_t **)                 \
    X(get_enclosing_parallel_handle, ompd_parallel_handle_t *, ompd_parallel_handle_t **)          \
    X(get_task_parallel_handle, ompd_task_handle_t *, ompd_parallel_handle_t **)                   \
    X(rel_parallel_handle, ompd_parallel_handle_t *)                                               \
    X(parallel_handle_compare, ompd_parallel_handle_t *, ompd_parallel_handle_t *, int *)          \
    X(get_curr_task_handle, ompd_thread_handle_t *, ompd_task_handle_t **)                         \
    X(get_generating_task_handle, ompd_task_handle_t *, ompd_task_handle_t **)                     \
    X(get_scheduling_task_handle, ompd_task_handle_t *, ompd_task_handle_t **)                     \
    X(get_task_in_parallel, ompd_parallel_handle_t *, int, ompd_task_handle_t **)                  \
    X(rel_task_handle, ompd_task_handle_t *)                                                       \
    X(task_handle_compare, ompd_task_handle_t *, ompd_task_handle_t *, int *)                      \
    X(get_task_function, ompd_task_handle_t *, ompd_address_t *)                                   \
    X(get_task_frame, ompd_task_handle_t *, ompd_frame_info_t *, ompd_frame_info_t *)              \
    X(enumerate_states, ompd_address_space_handle_t *, ompd_word_t, ompd_word_t *, const char **,  \
      ompd_word_t *)                                                                               \
    X(get_state, ompd_thread_handle_t *, ompd_word_t *, ompd_wait_id_t *)                          \
    X(get_display_control_vars, ompd_address_space_handle_t *, const char *const **)               \
    X(rel_display_control_vars, const char *const **)                                              \
    X(enumerate_icvs, ompd_address_space_handle_t *, ompd_icv_id_t, ompd_icv_id_t *,               \
      const char **, ompd_scope_t *, int *)                                                        \
    X(get_icv_from_scope, void *, ompd_scope_t, ompd_icv_id_t, ompd_word_t *)                      \
    X(get_icv_string_from_scope, void *, ompd_scope_t, ompd_icv_id_t, const char **)               \
    X(get_tool_data, void *, ompd_scope_t, ompd_word_t *, ompd_address_t *)

struct Functions {
#define GDB_OMPD_MEMBER(name, ...) Function<ompd_rc_t(__VA_ARGS__)> name{"ompd_" #name, nullptr};
    GDB_OMPD_FUNCTIONS(GDB_OMPD_MEMBER)
#undef GDB_OMPD_MEMBER
};

// The functions' names, for errors that arise where there is no library.
inline constexpr Functions function_names{};

}  // namespace gdb_ompd
