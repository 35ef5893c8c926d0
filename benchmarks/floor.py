# SPDX-License-Identifier: Apache-2.0
"""How far the listing is from libompd alone: the same questions, asked by a program
that reads memory by process_vm_readv, without gdb and Python."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from building import floor, program, runtime
from commands import INFO_THREADS
from runs import PLUGIN, Failed, environment, run
from table import Row

COMMAND = "ompd threads -no-location"
LABEL = "libompd alone"
STOPS = 2**31 - 1  # the program is stopped before they are over


def rows(listings: Iterable[Row], repeats: int) -> Iterator[Row]:
    """Yield a row that compares each size's listing, among LISTINGS, with the floor."""
    for row in listings:
        if row.measured == COMMAND and row.compared_with == INFO_THREADS and row.threads:
            yield Row(COMMAND, row.threads, row.time, LABEL, _time(row.threads, repeats))


def _time(threads: int, repeats: int) -> float | str:
    """Return the processor time of a listing in seconds, or why there is none."""
    library = runtime().library_folder / "libompd.so"
    argv = [floor(), library, repeats, threads, program("team"), threads, STOPS]
    try:
        # The plugin's environment switches the states on, and finds the library.
        said = run([str(each) for each in argv], environment(PLUGIN), timeout=60).output
    except Failed as failure:
        return f"fails: {failure}"
    match = re.search(r"^FLOOR (\S+) (\d+)$", said, flags=re.MULTILINE)
    if match is None or int(match[2]) != threads:
        return f"fails: {said.strip().splitlines()[-1][:100] if said.strip() else 'no output'}"
    return float(match[1])
