# SPDX-License-Identifier: Apache-2.0
"""Runtimes' files, and the functions by which they announce events (OpenMP 5.0, section 5.6)."""

from __future__ import annotations

import re

# How runtimes' files are called, where nothing that is in one can be asked. LLVM's is what
# programs of GCC's get, too, where its libgomp.so.1 is a link or a copy of it.
RUNTIME_FILE = re.compile(r"^lib[gi]?omp\w*([-.]|$)")

# Where OpenMP begins and ends; LLVM 14 to 16 mangle the names.
BREAKPOINT_FUNCTIONS: dict[str, str] = {
    "parallel-begin": "ompd_bp_parallel_begin",
    "parallel-end": "ompd_bp_parallel_end",
    "task-begin": "ompd_bp_task_begin",
    "task-end": "ompd_bp_task_end",
    "thread-begin": "ompd_bp_thread_begin",
    "thread-end": "ompd_bp_thread_end",
}
# Those of leagues, which OpenMP 6.0 brings. Other runtimes have leagues among the regions of
# another event.
LEAGUE_FUNCTIONS = {"teams-begin": "ompd_bp_teams_begin", "teams-end": "ompd_bp_teams_end"}
ANNOUNCED_AS = {"teams-begin": "parallel-begin", "teams-end": "parallel-end"}
# Those of target constructs, which OpenMP 6.0 brings. Of GCC's runtime places get their names;
# LLVM's has none, and clang's own code is what is stopped in.
TARGET_FUNCTIONS = {"target-begin": "ompd_bp_target_begin", "target-end": "ompd_bp_target_end"}


def announced_as(event: str) -> str:
    """Return the event that a runtime of before OpenMP 6.0 has for EVENT."""
    return ANNOUNCED_AS.get(event, event)


def mangled(name: str) -> str:
    """Return the C++ name of a function without parameters (LLVM 14 to 16)."""
    return f"_Z{len(name)}{name}v"
