# SPDX-License-Identifier: Apache-2.0
"""The functions by which a runtime announces events (OpenMP 5.0, section 5.6)."""

from __future__ import annotations

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
