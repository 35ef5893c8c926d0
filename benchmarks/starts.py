# SPDX-License-Identifier: Apache-2.0
"""What the extension adds to gdb's own start and to a program's way to a breakpoint."""

from __future__ import annotations

import re
import statistics
from collections.abc import Callable, Iterator
from typing import Union

from building import program
from commands import begin, session_alone
from runs import OURS, PLAIN, PLUGIN, Failed, Run, alternate, median_cpu, median_wall
from runs import program_with, run_gdb
from table import Row

TO_BREAKPOINT = 1.05
FIRST_START_EXTRA = 0.050
LOADING_EXTRA = 0.030
PLUGIN_TIMEOUT = 120
STARTS = 6  # in one gdb


def loading(repeats: int) -> Iterator[Row]:
    """Yield what loading the extension adds to a gdb that does nothing else."""
    runs = alternate({kind: _doing_nothing(kind) for kind in (PLAIN, OURS, PLUGIN)}, repeats)
    ours, plain = median_wall(runs[OURS]), median_wall(runs[PLAIN])
    yield Row("gdb's start", None, ours, PLAIN, plain, LOADING_EXTRA, extra=True)
    yield Row(
        "gdb's start, processor",
        None,
        median_cpu(runs[OURS]),
        PLAIN,
        median_cpu(runs[PLAIN]),
        LOADING_EXTRA,
        extra=True,
    )
    yield Row("gdb's start", None, ours, PLUGIN, median_wall(runs[PLUGIN]), extra=True)


def _doing_nothing(kind: str) -> Callable[[], Run]:
    return lambda: run_gdb(kind, [])


def to_breakpoint(threads: int, repeats: int) -> Iterator[Row]:
    """Yield rows for whole gdb runs, and for first and later starts within one gdb."""
    runs = alternate({kind: _whole_run(kind, threads) for kind in (PLAIN, OURS)}, repeats)
    what = "gdb -batch to a breakpoint"
    ours, plain = median_wall(runs[OURS]), median_wall(runs[PLAIN])
    yield Row(what, threads, ours, PLAIN, plain, FIRST_START_EXTRA + LOADING_EXTRA, extra=True)
    yield Row(f"{what}, processor", threads, median_cpu(runs[OURS]), PLAIN, median_cpu(runs[PLAIN]))
    yield Row(what, threads, ours, PLUGIN, _plugin_run(threads), extra=True)
    yield from _starts_in_one_gdb(threads, repeats)


def _whole_run(kind: str, threads: int) -> Callable[[], Run]:
    return lambda: run_gdb(
        kind, begin(kind), program_with(program("team"), threads), PLUGIN_TIMEOUT
    )


def _plugin_run(threads: int) -> Union[float, str]:
    """Run once: it takes long, and may not come to the breakpoint at all."""
    try:
        done = _whole_run(PLUGIN, threads)()
    except Failed as failure:
        return f"fails: {failure}"
    if not re.search(r"hit Breakpoint \d+, team_is_here", done.output):
        return "fails: does not come to the breakpoint"
    return done.wall


def _starts_in_one_gdb(threads: int, repeats: int) -> Iterator[Row]:
    """The first start of a gdb reads the files' symbols; later ones find them warm."""
    starts: dict[str, list[list[dict[str, float]]]] = {PLAIN: [], OURS: []}
    for turn in range(repeats):
        # In turns: sessions differ more from one another than the two kinds do.
        for kind in (PLAIN, OURS) if turn % 2 else (OURS, PLAIN):
            starts[kind].append(session_alone(kind, threads, STARTS)["starts"])
    for clock, name in (("wall", ""), ("cpu", ", processor")):
        first = {kind: [each[0][clock] for each in done] for kind, done in starts.items()}
        later = {
            kind: [statistics.median(s[clock] for s in each[1:]) for each in done]
            for kind, done in starts.items()
        }
        yield _extra(f"run to a breakpoint, first in a gdb{name}", threads, first)
        plain = statistics.median(later[PLAIN])
        # The machine's pace changes between turns by more than what is measured.
        ours = plain * statistics.median(a / b for a, b in zip(later[OURS], later[PLAIN]))
        yield Row(f"run to a breakpoint, again{name}", threads, ours, PLAIN, plain, TO_BREAKPOINT)


def _extra(measured: str, threads: int, times: dict[str, list[float]]) -> Row:
    ours, plain = statistics.median(times[OURS]), statistics.median(times[PLAIN])
    return Row(measured, threads, ours, PLAIN, plain, FIRST_START_EXTRA, extra=True)
