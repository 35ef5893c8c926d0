# SPDX-License-Identifier: Apache-2.0
"""The functions by which user code calls an OpenMP runtime, and what they mean.

Exported by libomp for clang's code (``__kmpc_``) and for GCC's (``GOMP_``), so
their names are there on stripped runtimes too.
"""

from __future__ import annotations

BEGINS_REGION = frozenset(
    {
        "__kmpc_fork_call",
        "__kmpc_fork_call_if",
        "GOMP_parallel",
        "GOMP_parallel_start",
        "GOMP_parallel_sections",
        "GOMP_parallel_reductions",
    }
)
BEGINS_REGION_PREFIX = "GOMP_parallel_loop_"
# What LLVM's debug information calls a function that it exports under GCC's name.
OWN_PREFIX = "__kmp_api_"


def begins_region(name: str) -> bool:
    """Tell whether the entry point begins a parallel region."""
    name = name.removeprefix(OWN_PREFIX)
    return name in BEGINS_REGION or name.startswith(BEGINS_REGION_PREFIX)
