# SPDX-License-Identifier: Apache-2.0
"""Which device a target construct is for that names none."""

from __future__ import annotations

from typing import Any, Callable, Iterable, Sequence, TypeVar

from ..errors import LibraryFailed, OmpdToolError
from ..model import Icv

Row = TypeVar("Row", bound=Any)
DEFAULT = "default-device-var"


def with_devices(
    threads: Sequence[Row], icvs: Callable[[Sequence[int]], Iterable[Icv]]
) -> tuple[Row, ...]:
    """Return THREADS, which have a target construct each or None, with the default device of those
    that name none. ICVS returns the ICVs of threads by their GDB numbers."""
    asked = [t.gdb_num for t in threads if t.target and t.target.default and not t.target.on_host]
    if not asked:
        return tuple(threads)
    try:
        values = [icv for icv in icvs(asked) if icv.name == DEFAULT and isinstance(icv.value, int)]
    except LibraryFailed:
        raise
    except OmpdToolError:
        return tuple(threads)
    known = {icv.owner.gdb_num: icv.value for icv in values if icv.owner is not None}
    return tuple(
        t._replace(target=t.target._replace(device=known.get(t.gdb_num)))
        if t.gdb_num in asked
        else t
        for t in threads
    )
