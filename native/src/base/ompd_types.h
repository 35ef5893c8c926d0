// SPDX-License-Identifier: Apache-2.0
// The types of OMPD as OpenMP API 5.0 chapter 5 defines them. Written from the
// specification, so that no runtime's header is needed to build.
#pragma once

#include <cstdint>

// Section 5.3.1 to 5.3.4: integers and addresses.
using ompd_size_t = std::uint64_t;
using ompd_wait_id_t = std::uint64_t;
using ompd_addr_t = std::uint64_t;
using ompd_word_t = std::int64_t;
using ompd_seg_t = std::uint64_t;
using ompd_device_t = std::uint64_t;
using ompd_thread_id_t = std::uint64_t;
using ompd_icv_id_t = std::uint64_t;

constexpr ompd_seg_t ompd_segment_none = 0;
constexpr ompd_icv_id_t ompd_icv_undefined = 0;

struct ompd_address_t {
    ompd_seg_t segment;
    ompd_addr_t address;
};

struct ompd_frame_info_t {
    ompd_address_t frame_address;
    ompd_word_t frame_flag;
};

// Section 5.3.7: how a native thread is named.
constexpr ompd_thread_id_t ompd_thread_id_pthread = 0;
constexpr ompd_thread_id_t ompd_thread_id_lwp = 1;
constexpr ompd_thread_id_t ompd_thread_id_winthread = 2;

// The underlying types are fixed because a library may answer with a number
// that no enumerator has.
enum ompd_scope_t : std::uint32_t {
    ompd_scope_global = 1,
    ompd_scope_address_space = 2,
    ompd_scope_thread = 3,
    ompd_scope_parallel = 4,
    ompd_scope_implicit_task = 5,
    ompd_scope_task = 6,
    ompd_scope_teams = 7,  // OpenMP 6.0
    ompd_scope_target = 8  // OpenMP 6.0
};

enum ompd_rc_t : std::uint32_t {
    ompd_rc_ok = 0,
    ompd_rc_unavailable = 1,
    ompd_rc_stale_handle = 2,
    ompd_rc_bad_input = 3,
    ompd_rc_error = 4,
    ompd_rc_unsupported = 5,
    ompd_rc_needs_state_tracking = 6,
    ompd_rc_incompatible = 7,
    ompd_rc_device_read_error = 8,
    ompd_rc_device_write_error = 9,
    ompd_rc_nomem = 10,
    ompd_rc_incomplete = 11,
    ompd_rc_callback_error = 12,
    ompd_rc_incompatible_handle = 13  // OpenMP 6.0
};

// The library's handles and the tool's contexts; each side sees only pointers
// to the other's.
struct ompd_address_space_handle_t;
struct ompd_thread_handle_t;
struct ompd_parallel_handle_t;
struct ompd_task_handle_t;
struct ompd_address_space_context_t;
struct ompd_thread_context_t;

// Section 5.3.12.
struct ompd_device_type_sizes_t {
    std::uint8_t sizeof_char;
    std::uint8_t sizeof_short;
    std::uint8_t sizeof_int;
    std::uint8_t sizeof_long;
    std::uint8_t sizeof_long_long;
    std::uint8_t sizeof_pointer;
};

// Section 5.4: the callbacks.
using ompd_callback_memory_alloc_fn_t = ompd_rc_t (*)(ompd_size_t nbytes, void **ptr);
using ompd_callback_memory_free_fn_t = ompd_rc_t (*)(void *ptr);
using ompd_callback_print_string_fn_t = ompd_rc_t (*)(const char *string, int category);
using ompd_callback_sizeof_fn_t = ompd_rc_t (*)(ompd_address_space_context_t *space,
                                                ompd_device_type_sizes_t *sizes);
using ompd_callback_symbol_addr_fn_t = ompd_rc_t (*)(ompd_address_space_context_t *space,
                                                     ompd_thread_context_t *thread,
                                                     const char *symbol_name,
                                                     ompd_address_t *symbol_addr,
                                                     const char *file_name);
using ompd_callback_memory_read_fn_t = ompd_rc_t (*)(ompd_address_space_context_t *space,
                                                     ompd_thread_context_t *thread,
                                                     const ompd_address_t *addr, ompd_size_t nbytes,
                                                     void *buffer);
using ompd_callback_memory_write_fn_t = ompd_rc_t (*)(ompd_address_space_context_t *space,
                                                      ompd_thread_context_t *thread,
                                                      const ompd_address_t *addr,
                                                      ompd_size_t nbytes, const void *buffer);
using ompd_callback_device_host_fn_t = ompd_rc_t (*)(ompd_address_space_context_t *space,
                                                     const void *input, ompd_size_t unit_size,
                                                     ompd_size_t count, void *output);
using ompd_callback_get_thread_context_for_thread_id_fn_t = ompd_rc_t (*)(
    ompd_address_space_context_t *space, ompd_thread_id_t kind, ompd_size_t sizeof_thread_id,
    const void *thread_id, ompd_thread_context_t **thread_context);

// Section 5.4.6.
struct ompd_callbacks_t {
    ompd_callback_memory_alloc_fn_t alloc_memory;
    ompd_callback_memory_free_fn_t free_memory;
    ompd_callback_print_string_fn_t print_string;
    ompd_callback_sizeof_fn_t sizeof_type;
    ompd_callback_symbol_addr_fn_t symbol_addr_lookup;
    ompd_callback_memory_read_fn_t read_memory;
    ompd_callback_memory_write_fn_t write_memory;
    ompd_callback_memory_read_fn_t read_string;
    ompd_callback_device_host_fn_t device_to_host;
    ompd_callback_device_host_fn_t host_to_device;
    ompd_callback_get_thread_context_for_thread_id_fn_t get_thread_context_for_thread_id;
};
