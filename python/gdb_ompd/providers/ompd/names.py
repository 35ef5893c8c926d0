# SPDX-License-Identifier: Apache-2.0
"""The 145 names by which LLVM's runtime publishes its layout to OMPD.

The same in LLVM 13 to 24 (openmp/runtime/src/ompd-specific.h): for a field the
offset ``ompd_access__T__F`` and the size ``ompd_sizeof__T__F``, for a flag the
mask ``ompd_bitfield__T__F``, for a type or variable ``ompd_sizeof__X``.
"""

from __future__ import annotations

FIELDS: dict[str, tuple[str, ...]] = {
    "kmp_base_info_t": ("th_current_task", "th_team", "th_info", "ompt_thread_info"),
    "kmp_base_root_t": ("r_in_parallel",),
    "kmp_base_team_t": (
        "ompt_team_info",
        "ompt_serialized_team_info",
        "t_active_level",
        "t_implicit_task_taskdata",
        "t_master_tid",
        "t_nproc",
        "t_level",
        "t_parent",
        "t_pkfn",
        "t_threads",
    ),
    "kmp_desc_t": ("ds",),
    "kmp_desc_base_t": ("ds_thread", "ds_tid"),
    "kmp_info_t": ("th",),
    "kmp_r_sched_t": ("r_sched_type", "chunk"),
    "kmp_root_t": ("r",),
    "kmp_internal_control_t": (
        "dynamic",
        "max_active_levels",
        "nproc",
        "proc_bind",
        "sched",
        "default_device",
        "thread_limit",
    ),
    "kmp_taskdata_t": ("ompt_task_info", "td_flags", "td_icvs", "td_parent", "td_team"),
    "kmp_task_t": ("routine",),
    "kmp_team_p": ("t",),
    "kmp_nested_nthreads_t": ("used", "nth"),
    "kmp_nested_proc_bind_t": ("used", "bind_types"),
    "ompt_task_info_t": ("frame", "scheduling_parent", "task_data"),
    "ompt_team_info_t": ("parallel_data",),
    "ompt_thread_info_t": ("state", "wait_id", "thread_data"),
    "ompt_data_t": ("value", "ptr"),
    "ompt_frame_t": ("exit_frame", "enter_frame"),
    "ompt_lw_taskteam_t": ("parent", "ompt_team_info", "ompt_task_info"),
}

FLAGS_TYPE = "kmp_tasking_flags_t"
FLAGS: tuple[str, ...] = (
    "final",
    "tiedness",
    "tasktype",
    "task_serial",
    "tasking_ser",
    "team_serial",
    "started",
    "executing",
    "complete",
    "freed",
    "native",
)

SIZES: tuple[str, ...] = (
    "kmp_info_t",
    "kmp_taskdata_t",
    "kmp_task_t",
    "kmp_tasking_flags_t",
    "kmp_thread_t",
    "ompt_data_t",
    "ompt_id_t",
    "__kmp_avail_proc",
    "__kmp_max_nth",
    "__kmp_stksize",
    "__kmp_omp_cancellation",
    "__kmp_max_task_priority",
    "__kmp_display_affinity",
    "__kmp_affinity_format",
    "__kmp_tool_libraries",
    "__kmp_tool_verbose_init",
    "__kmp_tool",
    "ompd_state",
    "kmp_nested_nthreads_t",
    "__kmp_nested_nth",
    "kmp_nested_proc_bind_t",
    "__kmp_nested_proc_bind",
    "int",
    "char",
    "__kmp_gtid",
    "__kmp_nth",
)

# Variables that libompd or we read by name; the first three answer nothing without.
REQUIRED_VARIABLES: tuple[str, ...] = (
    "ompd_state",
    "__kmp_threads",
    "__kmp_gtid",
    "ompd_dll_locations",
    "__kmp_openmp_version",
    "ompd_env_block",
    "ompd_env_block_size",
    "__kmp_stksize",
    "__kmp_omp_cancellation",
    "__kmp_max_task_priority",
    "__kmp_display_affinity",
    "__kmp_tool",
    "__kmp_avail_proc",
    "__kmp_affinity_format",
    "__kmp_tool_libraries",
    "__kmp_tool_verbose_init",
    "__kmp_nested_nth",
    "__kmp_nested_proc_bind",
)

# Where OpenMP begins and ends; LLVM 14 to 16 mangle the names.
BREAKPOINT_FUNCTIONS: dict[str, str] = {
    "parallel-begin": "ompd_bp_parallel_begin",
    "parallel-end": "ompd_bp_parallel_end",
    "task-begin": "ompd_bp_task_begin",
    "task-end": "ompd_bp_task_end",
    "thread-begin": "ompd_bp_thread_begin",
    "thread-end": "ompd_bp_thread_end",
}


def mangled(name: str) -> str:
    """Return the C++ name of a function without parameters (LLVM 14 to 16)."""
    return f"_Z{len(name)}{name}v"


def meta_symbols() -> list[str]:
    """List the 145 layout symbols."""
    fields = [(record, field) for record, names in FIELDS.items() for field in names]
    return (
        [f"ompd_access__{record}__{field}" for record, field in fields]
        + [f"ompd_bitfield__{FLAGS_TYPE}__{flag}" for flag in FLAGS]
        + [f"ompd_sizeof__{record}__{field}" for record, field in fields]
        + [f"ompd_sizeof__{name}" for name in SIZES]
    )
