# SPDX-License-Identifier: Apache-2.0
"""What the symbols of a stripped runtime cost, recovered from its code and from the cache, and
the layout of GCC's runtime, proved on its code."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from building import HERE, ROOT, clean_environment, program
from runs import OURS, program_with, run_gdb
from table import Row

RECOVERY = 0.150
FROM_CACHE = 0.005
LAYOUT = 0.020
NOTHING = "nothing"

# One process each: the extension remembers what it has found.
_MEASURE = """
import json, sys, time
sys.path.insert(0, sys.argv[1])
from gdb_ompd.host.symbols import debug_files
wall, processor = time.perf_counter(), time.process_time()
outcome = debug_files.debug_file(sys.argv[2], True)
wall, processor = time.perf_counter() - wall, time.process_time() - processor
print(json.dumps([wall, processor, outcome.path, outcome.reasons]))
"""


def measure(repeats: int) -> Iterator[Row]:
    """Yield rows for each libomp of the distribution's, all of which are built with -O2."""
    for name, library in _libraries():
        first, again = _times(library, repeats)
        for clock, words in enumerate(("", ", processor")):
            recovered = statistics.median(each[clock] for each in first)
            cached = statistics.median(each[clock] for each in again)
            yield Row(
                f"symbols of {name}, recovered{words}",
                None,
                recovered,
                NOTHING,
                0.0,
                RECOVERY,
                extra=True,
            )
            yield Row(
                f"symbols of {name}, from the cache{words}",
                None,
                cached,
                NOTHING,
                0.0,
                FROM_CACHE,
                extra=True,
            )

    proofs = [_proof() for _ in range(repeats)]
    took = statistics.median(proofs)
    yield Row(
        "layout of libgomp, the first proof, processor",
        None,
        took,
        NOTHING,
        0.0,
        LAYOUT,
        extra=True,
    )


def _proof() -> float:
    """Return the processor time from the first question to a libgomp whose layout is proved: its
    OMPD library is loaded for it."""
    team = program_with(program("team", "gcc"), 4)
    said = run_gdb(OURS, [f"source {HERE / 'in_gdb' / 'layout.py'}"], team).output
    return float(said.partition("LAYOUT ")[2].split()[0])


def _libraries() -> Iterator[tuple[str, Path]]:
    script = ROOT / "scripts" / "distribution-runtimes.sh"
    done = subprocess.run(["sh", str(script)], stdout=subprocess.PIPE, text=True, check=True)
    for line in done.stdout.splitlines():
        name, folder, *_ = line.split("\t")
        yield f"libomp {name.rsplit('-', 1)[1]}", Path(folder) / "libomp.so.5"


def _times(
    library: Path, repeats: int
) -> tuple[list[tuple[float, float]], list[tuple[float, float]]]:
    """Return wall and processor time of a debugger's first look at LIBRARY, and of its next."""
    first, again = [], []
    for _ in range(repeats):
        with tempfile.TemporaryDirectory() as cache:
            first.append(_once(library, cache))
            again.append(_once(library, cache))
    return first, again


def _once(library: Path, cache: str) -> tuple[float, float]:
    done = subprocess.run(
        [sys.executable, "-c", _MEASURE, str(ROOT / "python"), str(library)],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        env={**clean_environment(), "XDG_CACHE_HOME": cache},
    )
    wall, processor, path, reasons = json.loads(done.stdout)
    if path is None or not path.startswith(cache):
        raise RuntimeError(f"{library}: not in the cache: {path}, {reasons}")
    return wall, processor
