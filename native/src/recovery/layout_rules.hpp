// SPDX-License-Identifier: Apache-2.0
// The rules of violated_invariants(), as tables. They are facts of LLVM's
// openmp/runtime/src (kmp.h, ompt-internal.h) on 64-bit, little-endian machines.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace gdb_ompd::recovery::rules {

using Names = std::span<const std::string_view>;

struct FixedValue {
    std::uint64_t value;
    Names names;
};
// SECOND is FIRST and DISTANCE more.
struct Distance {
    std::string_view first;
    std::uint64_t distance;
    std::string_view second;
};
struct Multiple {  // and not 0
    std::string_view name;
    std::uint64_t unit;
};
struct DeclaredOrder {
    std::string_view record;
    Names fields;
};
struct RecordSize {
    std::string_view record;
    std::string_view size;  // the constant that says it
};

// No record of the runtime is larger; kmp_team_t has about 2 KiB.
inline constexpr std::uint64_t largest_record = 1 << 16;

inline constexpr auto pointers = std::to_array<std::string_view>({
    "ompd_sizeof__kmp_base_info_t__th_current_task",
    "ompd_sizeof__kmp_base_info_t__th_team",
    "ompd_sizeof__kmp_base_team_t__ompt_serialized_team_info",
    "ompd_sizeof__kmp_base_team_t__t_implicit_task_taskdata",
    "ompd_sizeof__kmp_base_team_t__t_parent",
    "ompd_sizeof__kmp_base_team_t__t_pkfn",
    "ompd_sizeof__kmp_base_team_t__t_threads",
    "ompd_sizeof__kmp_desc_base_t__ds_thread",
    "ompd_sizeof__kmp_taskdata_t__td_parent",
    "ompd_sizeof__kmp_taskdata_t__td_team",
    "ompd_sizeof__kmp_task_t__routine",
    "ompd_sizeof__kmp_nested_nthreads_t__nth",
    "ompd_sizeof__kmp_nested_proc_bind_t__bind_types",
    "ompd_sizeof__ompt_task_info_t__scheduling_parent",
    "ompd_sizeof__ompt_lw_taskteam_t__parent",
    "ompd_sizeof____kmp_affinity_format",
    "ompd_sizeof____kmp_tool_libraries",
    "ompd_sizeof____kmp_tool_verbose_init",
});

// ompt_data_t and ompt_wait_id_t are of the specification, pthread_t is of the
// system, size_t and the 64 bits of ompd_state are the runtime's choice.
inline constexpr auto words = std::to_array<std::string_view>({
    "ompd_sizeof__ompt_task_info_t__task_data",
    "ompd_sizeof__ompt_team_info_t__parallel_data",
    "ompd_sizeof__ompt_thread_info_t__wait_id",
    "ompd_sizeof__ompt_thread_info_t__thread_data",
    "ompd_sizeof__ompt_data_t__value",
    "ompd_sizeof__ompt_data_t__ptr",
    "ompd_sizeof__ompt_frame_t__exit_frame",
    "ompd_sizeof__ompt_frame_t__enter_frame",
    "ompd_sizeof__ompt_data_t",
    "ompd_sizeof__ompt_id_t",
    "ompd_sizeof__kmp_thread_t",
    "ompd_sizeof____kmp_stksize",
    "ompd_sizeof__ompd_state",
});

inline constexpr auto integers = std::to_array<std::string_view>({
    "ompd_sizeof__kmp_base_root_t__r_in_parallel",
    "ompd_sizeof__kmp_base_team_t__t_active_level",
    "ompd_sizeof__kmp_base_team_t__t_master_tid",
    "ompd_sizeof__kmp_base_team_t__t_nproc",
    "ompd_sizeof__kmp_base_team_t__t_level",
    "ompd_sizeof__kmp_desc_base_t__ds_tid",
    "ompd_sizeof__kmp_r_sched_t__r_sched_type",
    "ompd_sizeof__kmp_r_sched_t__chunk",
    "ompd_sizeof__kmp_internal_control_t__max_active_levels",
    "ompd_sizeof__kmp_internal_control_t__nproc",
    "ompd_sizeof__kmp_internal_control_t__proc_bind",
    "ompd_sizeof__kmp_internal_control_t__default_device",
    "ompd_sizeof__kmp_internal_control_t__thread_limit",
    "ompd_sizeof__kmp_taskdata_t__td_flags",
    "ompd_sizeof__kmp_nested_nthreads_t__used",
    "ompd_sizeof__kmp_nested_proc_bind_t__used",
    "ompd_sizeof__ompt_thread_info_t__state",
    "ompd_sizeof__kmp_tasking_flags_t",
    "ompd_sizeof____kmp_avail_proc",
    "ompd_sizeof____kmp_max_nth",
    "ompd_sizeof____kmp_omp_cancellation",
    "ompd_sizeof____kmp_max_task_priority",
    "ompd_sizeof____kmp_display_affinity",
    "ompd_sizeof____kmp_tool",
    "ompd_sizeof__int",
    "ompd_sizeof____kmp_gtid",
    "ompd_sizeof____kmp_nth",
});

inline constexpr auto bytes = std::to_array<std::string_view>({
    "ompd_sizeof__kmp_internal_control_t__dynamic",
    "ompd_sizeof__char",
});

// What comes first in its record.
inline constexpr auto at_start = std::to_array<std::string_view>({
    "ompd_access__kmp_base_info_t__th_info",
    "ompd_access__kmp_desc_t__ds",
    "ompd_access__kmp_info_t__th",
    "ompd_access__kmp_root_t__r",
    "ompd_access__kmp_team_p__t",
    "ompd_access__kmp_r_sched_t__r_sched_type",
    "ompd_access__kmp_nested_nthreads_t__nth",
    "ompd_access__kmp_nested_proc_bind_t__bind_types",
    "ompd_access__ompt_task_info_t__frame",
    "ompd_access__ompt_team_info_t__parallel_data",
    "ompd_access__ompt_thread_info_t__thread_data",
    "ompd_access__ompt_data_t__value",
    "ompd_access__ompt_data_t__ptr",
    "ompd_access__ompt_frame_t__exit_frame",
    "ompd_access__ompt_lw_taskteam_t__ompt_team_info",
});

// Compiled programs know kmp_task_t and the lower half of the task flags,
// OMPT's tools know ompt_frame_t; the rest has one member before it.
inline constexpr auto after_integer = std::to_array<std::string_view>({
    "ompd_access__kmp_base_root_t__r_in_parallel",
    "ompd_access__kmp_r_sched_t__chunk",
    "ompd_access__kmp_internal_control_t__dynamic",
    "ompd_access__kmp_taskdata_t__td_flags",
});
inline constexpr auto after_word = std::to_array<std::string_view>({
    "ompd_access__kmp_taskdata_t__td_team",
    "ompd_access__kmp_task_t__routine",
    "ompd_access__ompt_frame_t__enter_frame",
});
inline constexpr auto two_integers = std::to_array<std::string_view>({
    "ompd_sizeof__kmp_internal_control_t__sched",
});
inline constexpr auto after_word_and_integer = std::to_array<std::string_view>({
    "ompd_access__kmp_nested_nthreads_t__used",
    "ompd_access__kmp_nested_proc_bind_t__used",
});
inline constexpr auto two_words = std::to_array<std::string_view>({
    "ompd_sizeof__kmp_base_team_t__ompt_team_info",
    "ompd_sizeof__kmp_nested_nthreads_t",
    "ompd_sizeof__kmp_nested_proc_bind_t",
});
inline constexpr auto three_words = std::to_array<std::string_view>({
    "ompd_access__kmp_desc_base_t__ds_thread",
    "ompd_access__kmp_taskdata_t__td_parent",
    "ompd_sizeof__ompt_task_info_t__frame",
});
inline constexpr auto five_words = std::to_array<std::string_view>({
    "ompd_sizeof__kmp_task_t",
});

struct Flag {
    std::string_view name;
    unsigned bit;
};
inline constexpr auto flags = std::to_array<Flag>({
    {"ompd_bitfield__kmp_tasking_flags_t__tiedness", 0},
    {"ompd_bitfield__kmp_tasking_flags_t__final", 1},
    {"ompd_bitfield__kmp_tasking_flags_t__tasktype", 16},
    {"ompd_bitfield__kmp_tasking_flags_t__task_serial", 17},
    {"ompd_bitfield__kmp_tasking_flags_t__tasking_ser", 18},
    {"ompd_bitfield__kmp_tasking_flags_t__team_serial", 19},
    {"ompd_bitfield__kmp_tasking_flags_t__started", 20},
    {"ompd_bitfield__kmp_tasking_flags_t__executing", 21},
    {"ompd_bitfield__kmp_tasking_flags_t__complete", 22},
    {"ompd_bitfield__kmp_tasking_flags_t__freed", 23},
    {"ompd_bitfield__kmp_tasking_flags_t__native", 24},
});

inline constexpr auto fixed_values = std::to_array<FixedValue>({
    {1, bytes},
    {4, integers},
    {8, pointers},
    {8, words},
    {0, at_start},
    {4, after_integer},
    {8, after_word},
    {8, two_integers},
    {12, after_word_and_integer},
    {16, two_words},
    {24, three_words},
    {40, five_words},
});

// One record in two places, or its variable and its type; then neighbours.
inline constexpr auto distances = std::to_array<Distance>({
    {"ompd_sizeof__kmp_info_t__th", 0, "ompd_sizeof__kmp_info_t"},
    {"ompd_sizeof__kmp_nested_nthreads_t", 0, "ompd_sizeof____kmp_nested_nth"},
    {"ompd_sizeof__kmp_nested_proc_bind_t", 0, "ompd_sizeof____kmp_nested_proc_bind"},
    {"ompd_sizeof__kmp_base_team_t__ompt_team_info", 0,
     "ompd_sizeof__ompt_lw_taskteam_t__ompt_team_info"},
    {"ompd_sizeof__kmp_taskdata_t__ompt_task_info", 0,
     "ompd_sizeof__ompt_lw_taskteam_t__ompt_task_info"},
    {"ompd_sizeof__ompt_task_info_t__frame", 0, "ompd_access__ompt_task_info_t__task_data"},
    {"ompd_sizeof__ompt_lw_taskteam_t__ompt_team_info", 0,
     "ompd_access__ompt_lw_taskteam_t__ompt_task_info"},
    {"ompd_sizeof__kmp_base_info_t__th_info", 0, "ompd_access__kmp_base_info_t__th_team"},
    {"ompd_access__kmp_desc_base_t__ds_thread", 8, "ompd_access__kmp_desc_base_t__ds_tid"},
    {"ompd_access__kmp_desc_base_t__ds_tid", 8, "ompd_sizeof__kmp_desc_t__ds"},
    {"ompd_access__kmp_base_team_t__t_master_tid", 16, "ompd_access__kmp_base_team_t__t_parent"},
    {"ompd_access__kmp_internal_control_t__default_device", 12,
     "ompd_sizeof__kmp_taskdata_t__td_icvs"},
    {"ompd_access__ompt_thread_info_t__wait_id", 24,
     "ompd_sizeof__kmp_base_info_t__ompt_thread_info"},
    {"ompd_access__kmp_base_team_t__t_nproc", 4, "ompd_access__kmp_base_team_t__t_pkfn"},
    {"ompd_access__kmp_base_team_t__t_threads", 8,
     "ompd_access__kmp_base_team_t__t_implicit_task_taskdata"},
    {"ompd_access__kmp_base_team_t__t_implicit_task_taskdata", 8,
     "ompd_access__kmp_base_team_t__t_level"},
    {"ompd_access__kmp_base_team_t__ompt_team_info", 16,
     "ompd_access__kmp_base_team_t__ompt_serialized_team_info"},
    {"ompd_access__ompt_task_info_t__task_data", 8,
     "ompd_access__ompt_task_info_t__scheduling_parent"},
    {"ompd_access__ompt_thread_info_t__state", 8, "ompd_access__ompt_thread_info_t__wait_id"},
    {"ompd_access__kmp_internal_control_t__nproc", 4,
     "ompd_access__kmp_internal_control_t__thread_limit"},
    {"ompd_access__kmp_internal_control_t__sched", 8,
     "ompd_access__kmp_internal_control_t__proc_bind"},
    {"ompd_access__kmp_internal_control_t__proc_bind", 4,
     "ompd_access__kmp_internal_control_t__default_device"},
});

// Cache lines have at least 64 bytes; records of pointers are aligned as those.
inline constexpr auto multiples = std::to_array<Multiple>({
    {"ompd_sizeof__kmp_info_t__th", 64},
    {"ompd_sizeof__kmp_root_t__r", 64},
    {"ompd_sizeof__kmp_team_p__t", 64},
    {"ompd_sizeof__kmp_base_info_t__th_info", 64},
    {"ompd_access__kmp_base_team_t__t_master_tid", 64},
    {"ompd_access__kmp_base_team_t__t_threads", 64},
    {"ompd_access__kmp_taskdata_t__td_icvs", 64},
    {"ompd_sizeof__kmp_taskdata_t", 64},
    {"ompd_sizeof__kmp_desc_t__ds", 8},
    {"ompd_sizeof__kmp_task_t", 8},
    {"ompd_sizeof__kmp_taskdata_t__td_icvs", 8},
    {"ompd_sizeof__kmp_base_info_t__ompt_thread_info", 8},
    {"ompd_sizeof__kmp_taskdata_t__ompt_task_info", 8},
});

inline constexpr auto kmp_base_info_t_order =
    std::to_array<std::string_view>({"th_info", "th_team", "ompt_thread_info", "th_current_task"});
inline constexpr auto kmp_base_root_t_order = std::to_array<std::string_view>({"r_in_parallel"});
inline constexpr auto kmp_base_team_t_order = std::to_array<std::string_view>(
    {"t_master_tid", "t_parent", "t_nproc", "t_pkfn", "ompt_team_info", "ompt_serialized_team_info",
     "t_threads", "t_implicit_task_taskdata", "t_level", "t_active_level"});
inline constexpr auto kmp_desc_t_order = std::to_array<std::string_view>({"ds"});
inline constexpr auto kmp_desc_base_t_order =
    std::to_array<std::string_view>({"ds_thread", "ds_tid"});
inline constexpr auto kmp_info_t_order = std::to_array<std::string_view>({"th"});
inline constexpr auto kmp_r_sched_t_order =
    std::to_array<std::string_view>({"r_sched_type", "chunk"});
inline constexpr auto kmp_root_t_order = std::to_array<std::string_view>({"r"});
inline constexpr auto kmp_internal_control_t_order =
    std::to_array<std::string_view>({"dynamic", "nproc", "thread_limit", "max_active_levels",
                                     "sched", "proc_bind", "default_device"});
inline constexpr auto kmp_taskdata_t_order = std::to_array<std::string_view>(
    {"td_flags", "td_team", "td_parent", "td_icvs", "ompt_task_info"});
inline constexpr auto kmp_task_t_order = std::to_array<std::string_view>({"routine"});
inline constexpr auto kmp_team_p_order = std::to_array<std::string_view>({"t"});
inline constexpr auto kmp_nested_nthreads_t_order =
    std::to_array<std::string_view>({"nth", "used"});
inline constexpr auto kmp_nested_proc_bind_t_order =
    std::to_array<std::string_view>({"bind_types", "used"});
inline constexpr auto ompt_task_info_t_order =
    std::to_array<std::string_view>({"frame", "task_data", "scheduling_parent"});
inline constexpr auto ompt_team_info_t_order = std::to_array<std::string_view>({"parallel_data"});
inline constexpr auto ompt_thread_info_t_order =
    std::to_array<std::string_view>({"thread_data", "state", "wait_id"});
inline constexpr auto ompt_frame_t_order =
    std::to_array<std::string_view>({"exit_frame", "enter_frame"});
inline constexpr auto ompt_lw_taskteam_t_order =
    std::to_array<std::string_view>({"ompt_team_info", "ompt_task_info", "parent"});

// The fields as they are declared, between others that OMPD does not publish.
inline constexpr auto declared_orders = std::to_array<DeclaredOrder>({
    {"kmp_base_info_t", kmp_base_info_t_order},
    {"kmp_base_root_t", kmp_base_root_t_order},
    {"kmp_base_team_t", kmp_base_team_t_order},
    {"kmp_desc_t", kmp_desc_t_order},
    {"kmp_desc_base_t", kmp_desc_base_t_order},
    {"kmp_info_t", kmp_info_t_order},
    {"kmp_r_sched_t", kmp_r_sched_t_order},
    {"kmp_root_t", kmp_root_t_order},
    {"kmp_internal_control_t", kmp_internal_control_t_order},
    {"kmp_taskdata_t", kmp_taskdata_t_order},
    {"kmp_task_t", kmp_task_t_order},
    {"kmp_team_p", kmp_team_p_order},
    {"kmp_nested_nthreads_t", kmp_nested_nthreads_t_order},
    {"kmp_nested_proc_bind_t", kmp_nested_proc_bind_t_order},
    {"ompt_task_info_t", ompt_task_info_t_order},
    {"ompt_team_info_t", ompt_team_info_t_order},
    {"ompt_thread_info_t", ompt_thread_info_t_order},
    {"ompt_frame_t", ompt_frame_t_order},
    {"ompt_lw_taskteam_t", ompt_lw_taskteam_t_order},
});

// The constant that says how large a record is: where nothing else does, it is
// the size of the field that holds one.
inline constexpr auto record_sizes = std::to_array<RecordSize>({
    {"kmp_base_info_t", "ompd_sizeof__kmp_info_t__th"},
    {"kmp_base_team_t", "ompd_sizeof__kmp_team_p__t"},
    {"kmp_base_root_t", "ompd_sizeof__kmp_root_t__r"},
    {"kmp_desc_t", "ompd_sizeof__kmp_base_info_t__th_info"},
    {"kmp_desc_base_t", "ompd_sizeof__kmp_desc_t__ds"},
    {"kmp_info_t", "ompd_sizeof__kmp_info_t"},
    {"kmp_r_sched_t", "ompd_sizeof__kmp_internal_control_t__sched"},
    {"kmp_internal_control_t", "ompd_sizeof__kmp_taskdata_t__td_icvs"},
    {"kmp_taskdata_t", "ompd_sizeof__kmp_taskdata_t"},
    {"kmp_task_t", "ompd_sizeof__kmp_task_t"},
    {"kmp_nested_nthreads_t", "ompd_sizeof__kmp_nested_nthreads_t"},
    {"kmp_nested_proc_bind_t", "ompd_sizeof__kmp_nested_proc_bind_t"},
    {"ompt_task_info_t", "ompd_sizeof__kmp_taskdata_t__ompt_task_info"},
    {"ompt_team_info_t", "ompd_sizeof__kmp_base_team_t__ompt_team_info"},
    {"ompt_thread_info_t", "ompd_sizeof__kmp_base_info_t__ompt_thread_info"},
    {"ompt_frame_t", "ompd_sizeof__ompt_task_info_t__frame"},
});

}  // namespace gdb_ompd::recovery::rules
