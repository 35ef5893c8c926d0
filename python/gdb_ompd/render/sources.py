# SPDX-License-Identifier: Apache-2.0
"""The source around each place, as the page has it: folded, the place's line marked."""

from __future__ import annotations

from typing import Iterator, Sequence

from ..explain.moved import Whole
from ..explain.names import readable
from ..model import Thread
from ..model.sources import Excerpt
from .folding import ranges
from .pictures import said
from .style import plain
from .words import state

MOST_NAMED = 3  # states of threads at one place


def html(whole: Whole, excerpts: Sequence[Excerpt]) -> str:
    """Return a fold for each of EXCERPTS, with who of WHOLE is there."""
    there: dict[tuple[str, int], list[Thread]] = {}
    for thread in whole.snapshot.threads:
        spot = thread.location
        if spot is not None and spot.file and spot.line:
            there.setdefault((spot.file, spot.line), []).append(thread)
    return "\n".join(
        _fold(each, there.get((each.file, each.line), ()), whole.prefix) for each in excerpts
    )


def _fold(excerpt: Excerpt, threads: Sequence[Thread], prefix: str) -> str:
    name = f"{excerpt.file.rpartition('/')[2]}:{excerpt.line}"
    who = "; ".join(_who(threads, prefix))
    words = ": ".join(filter(None, (excerpt.function and readable(excerpt.function), who)))
    newer = "<p>The file is newer than the program: these may be other lines.</p>"
    return (
        f'<details><summary><b title="{said(excerpt.file)}">{said(name)}</b> {said(words)}</summary>'
        f"{newer if excerpt.is_newer else ''}<pre>{_lines(excerpt)}</pre></details>"
    )


def _who(threads: Sequence[Thread], prefix: str) -> Iterator[str]:
    """Say which of GDB's threads do what at one place."""
    doing: dict[str, list[int]] = {}
    for thread in threads:
        doing.setdefault(plain(state(thread)), []).append(thread.gdb_num)
    for what, numbers in list(doing.items())[:MOST_NAMED]:
        plural = "" if len(numbers) == 1 else "s"
        yield f"GDB thread{plural} {prefix}{ranges(numbers)} {what}"
    if len(doing) > MOST_NAMED:
        yield "and others"


def _lines(excerpt: Excerpt) -> str:
    width = len(str(excerpt.first + len(excerpt.lines) - 1))
    rows = (
        (number, f"{number:{width}}  {said(line)}")
        for number, line in enumerate(excerpt.lines, excerpt.first)
    )
    return "\n".join(f"<mark>{row}</mark>" if n == excerpt.line else row for n, row in rows)
