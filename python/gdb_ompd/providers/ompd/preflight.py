# SPDX-License-Identifier: Apache-2.0
"""Whether the settings in memory are such as libompd can be asked about.

It takes the lengths of lists and texts as they are: a wrong one makes it write
beyond what it has allocated (reference: ompd.md, 7). The fields are those of
``kmp_nested_nthreads_t`` in openmp/runtime/src/kmp.h.
"""

from __future__ import annotations

from ... import _native
from ...errors import Inconsistent
from .layout import Layout

# A level of nesting takes an element; OMP_NUM_THREADS has no more of them.
MAX_LEVELS = 1000
MAX_ENVIRONMENT = 1 << 20
NESTED = {
    "__kmp_nested_nth": "kmp_nested_nthreads_t",
    "__kmp_nested_proc_bind": "kmp_nested_proc_bind_t",
}


def check_settings(space: _native.AddressSpace, layout: Layout) -> None:
    """Raise Inconsistent where libompd must not be asked for ICVs or settings."""
    for name, record in NESTED.items():
        address = space.symbol_address(name)
        if address is not None:
            used = space.read_uint(address + layout.access(record, "used"), 4)
            _check(f"the length of {name}", used, MAX_LEVELS)
    size = space.symbol_address("ompd_env_block_size")
    if size is not None:
        _check("ompd_env_block_size", space.read_uint(size, 8), MAX_ENVIRONMENT)


def _check(what: str, value: int, most: int) -> None:
    if value > most:
        raise Inconsistent(
            f"the OpenMP runtime's settings are not sound ({what} is {value}):"
            " its memory may be overwritten; they are not read"
        )
