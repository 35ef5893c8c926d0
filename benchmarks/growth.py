# SPDX-License-Identifier: Apache-2.0
"""What one more thread costs, from listings at two sizes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from commands import INFO_THREADS
from table import Row


def rows(listings: Sequence[Row], few: int, many: int) -> Iterator[Row]:
    """Yield the time per additional thread of each command, beside ``info threads``.

    The target that a listing must meet as a whole holds for each thread of it.
    """
    times = [r for r in listings if r.compared_with == INFO_THREADS and not r.memory]
    at = {(row.measured, row.threads): row for row in times}
    for (command, threads), large in at.items():
        small = at.get((command, few))
        if threads != many or small is None:
            continue
        ours, its = _per_thread(small, large)
        yield Row(
            f"{command}, each thread from {few} to {many}",
            None,
            ours,
            INFO_THREADS,
            its,
            large.target,
        )


def _per_thread(small: Row, large: Row) -> tuple[float | str, float | str]:
    """Return the slopes of a command and of what it is compared with."""
    assert small.threads is not None and large.threads is not None
    more = large.threads - small.threads
    pairs = ((small.time, large.time), (small.its_time, large.its_time))
    slopes: list[float | str] = []
    for before, after in pairs:
        if isinstance(before, str) or isinstance(after, str):
            slopes.append("not known")
        else:
            slopes.append((after - before) / more)
    return slopes[0], slopes[1]
