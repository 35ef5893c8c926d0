// SPDX-License-Identifier: Apache-2.0
#include "recovery/meta_symbols.hpp"

namespace gdb_ompd::recovery {

// Record and field; record and flag; type or variable.
#define GDB_OMPD_FIELDS(X)                                                                         \
    X(kmp_base_info_t, th_current_task)                                                            \
    X(kmp_base_info_t, th_team)                                                                    \
    X(kmp_base_info_t, th_info)                                                                    \
    X(kmp_base_info_t, ompt_thread_info)                                                           \
    X(kmp_base_root_t, r_in_parallel)                                                              \
    X(kmp_base_team_t, ompt_team_info)                                                             \
    X(kmp_base_team_t, ompt_serialized_team_info)                                                  \
    X(kmp_base_team_t, t_active_level)                                                             \
    X(kmp_base_team_t, t_implicit_task_taskdata)                                                   \
    X(kmp_base_team_t, t_master_tid)                                                               \
    X(kmp_base_team_t, t_nproc)                                                                    \
    X(kmp_base_team_t, t_level)                                                                    \
    X(kmp_base_team_t, t_parent)                                                                   \
    X(kmp_base_team_t, t_pkfn)                                                                     \
    X(kmp_base_team_t, t_threads)                                                                  \
    X(kmp_desc_t, ds)                                                                              \
    X(kmp_desc_base_t, ds_thread)                                                                  \
    X(kmp_desc_base_t, ds_tid)                                                                     \
    X(kmp_info_t, th)                                                                              \
    X(kmp_r_sched_t, r_sched_type)                                                                 \
    X(kmp_r_sched_t, chunk)                                                                        \
    X(kmp_root_t, r)                                                                               \
    X(kmp_internal_control_t, dynamic)                                                             \
    X(kmp_internal_control_t, max_active_levels)                                                   \
    X(kmp_internal_control_t, nproc)                                                               \
    X(kmp_internal_control_t, proc_bind)                                                           \
    X(kmp_internal_control_t, sched)                                                               \
    X(kmp_internal_control_t, default_device)                                                      \
    X(kmp_internal_control_t, thread_limit)                                                        \
    X(kmp_taskdata_t, ompt_task_info)                                                              \
    X(kmp_taskdata_t, td_flags)                                                                    \
    X(kmp_taskdata_t, td_icvs)                                                                     \
    X(kmp_taskdata_t, td_parent)                                                                   \
    X(kmp_taskdata_t, td_team)                                                                     \
    X(kmp_task_t, routine)                                                                         \
    X(kmp_team_p, t)                                                                               \
    X(kmp_nested_nthreads_t, used)                                                                 \
    X(kmp_nested_nthreads_t, nth)                                                                  \
    X(kmp_nested_proc_bind_t, used)                                                                \
    X(kmp_nested_proc_bind_t, bind_types)                                                          \
    X(ompt_task_info_t, frame)                                                                     \
    X(ompt_task_info_t, scheduling_parent)                                                         \
    X(ompt_task_info_t, task_data)                                                                 \
    X(ompt_team_info_t, parallel_data)                                                             \
    X(ompt_thread_info_t, state)                                                                   \
    X(ompt_thread_info_t, wait_id)                                                                 \
    X(ompt_thread_info_t, thread_data)                                                             \
    X(ompt_data_t, value)                                                                          \
    X(ompt_data_t, ptr)                                                                            \
    X(ompt_frame_t, exit_frame)                                                                    \
    X(ompt_frame_t, enter_frame)                                                                   \
    X(ompt_lw_taskteam_t, parent)                                                                  \
    X(ompt_lw_taskteam_t, ompt_team_info)                                                          \
    X(ompt_lw_taskteam_t, ompt_task_info)

#define GDB_OMPD_FLAGS(X)                                                                          \
    X(kmp_tasking_flags_t, final)                                                                  \
    X(kmp_tasking_flags_t, tiedness)                                                               \
    X(kmp_tasking_flags_t, tasktype)                                                               \
    X(kmp_tasking_flags_t, task_serial)                                                            \
    X(kmp_tasking_flags_t, tasking_ser)                                                            \
    X(kmp_tasking_flags_t, team_serial)                                                            \
    X(kmp_tasking_flags_t, started)                                                                \
    X(kmp_tasking_flags_t, executing)                                                              \
    X(kmp_tasking_flags_t, complete)                                                               \
    X(kmp_tasking_flags_t, freed)                                                                  \
    X(kmp_tasking_flags_t, native)

#define GDB_OMPD_SIZES(X)                                                                          \
    X(kmp_info_t)                                                                                  \
    X(kmp_taskdata_t)                                                                              \
    X(kmp_task_t)                                                                                  \
    X(kmp_tasking_flags_t)                                                                         \
    X(kmp_thread_t)                                                                                \
    X(ompt_data_t)                                                                                 \
    X(ompt_id_t)                                                                                   \
    X(__kmp_avail_proc)                                                                            \
    X(__kmp_max_nth)                                                                               \
    X(__kmp_stksize)                                                                               \
    X(__kmp_omp_cancellation)                                                                      \
    X(__kmp_max_task_priority)                                                                     \
    X(__kmp_display_affinity)                                                                      \
    X(__kmp_affinity_format)                                                                       \
    X(__kmp_tool_libraries)                                                                        \
    X(__kmp_tool_verbose_init)                                                                     \
    X(__kmp_tool)                                                                                  \
    X(ompd_state)                                                                                  \
    X(kmp_nested_nthreads_t)                                                                       \
    X(__kmp_nested_nth)                                                                            \
    X(kmp_nested_proc_bind_t)                                                                      \
    X(__kmp_nested_proc_bind)                                                                      \
    X(int)                                                                                         \
    X(char)                                                                                        \
    X(__kmp_gtid)                                                                                  \
    X(__kmp_nth)

#define GDB_OMPD_ACCESS(record, field) "ompd_access__" #record "__" #field,
#define GDB_OMPD_FIELD_SIZE(record, field) "ompd_sizeof__" #record "__" #field,
#define GDB_OMPD_BITFIELD(record, flag) "ompd_bitfield__" #record "__" #flag,
#define GDB_OMPD_SIZE(name) "ompd_sizeof__" #name,

// clang-format off: it takes the lists for calls
constexpr MetaSymbols stores_in_ompd_init = {GDB_OMPD_FIELDS(GDB_OMPD_ACCESS) GDB_OMPD_FLAGS(
    GDB_OMPD_BITFIELD) GDB_OMPD_FIELDS(GDB_OMPD_FIELD_SIZE) GDB_OMPD_SIZES(GDB_OMPD_SIZE)};

constexpr MetaSymbols definitions_in_memory = {GDB_OMPD_FIELDS(GDB_OMPD_ACCESS) GDB_OMPD_FIELDS(
    GDB_OMPD_FIELD_SIZE) GDB_OMPD_FLAGS(GDB_OMPD_BITFIELD) GDB_OMPD_SIZES(GDB_OMPD_SIZE)};
// clang-format on

// A name too few would leave an empty one at the end.
static_assert(!stores_in_ompd_init.back().empty() && !definitions_in_memory.back().empty());

}  // namespace gdb_ompd::recovery
