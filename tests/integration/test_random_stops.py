# SPDX-License-Identifier: Apache-2.0
"""Stop anywhere, also in the middle of the runtime's own work: no fact is wrong."""

from __future__ import annotations

import json
import os
import zlib
from pathlib import Path
from typing import Any

import pytest
from support.build import Build, binary
from support.gdb_session import run_gdb
from support.runtimes import EVERYTHING, GNU, VERSIONS

SCRIPT = Path(__file__).resolve().parents[1] / "support" / "random_stops_in_gdb.py"
STOPS = int(os.environ.get("RANDOM_STOPS", "30" if EVERYTHING else "10"))
SERVED = 3  # of them behind gdbserver, where one takes some seconds
SEEDS = 4  # that are tried, if the runtime aborts the program


@pytest.mark.parametrize("opt", ["O0", "O2"])
@pytest.mark.parametrize("runtime", VERSIONS)
def test_every_fact_is_what_the_program_answers(runtime: str, opt: str) -> None:
    every_fact_is_right(Build("restless.c", "clang", opt, runtime))


@pytest.mark.parametrize("opt", ["O0", "O2"])
def test_every_fact_of_gccs_runtime(opt: str) -> None:
    every_fact_is_right(Build("restless.c", "gcc", opt, GNU))


@pytest.mark.parametrize("opt", ["O0", "O2"])
def test_every_fact_of_a_fortran_program(opt: str) -> None:
    every_fact_is_right(Build("restless.f90", "gcc", opt, GNU))


def test_every_fact_of_a_program_behind_gdbserver() -> None:
    every_fact_is_right(Build("restless.c", "clang", "O2", "19"), "gdbserver", min(STOPS, SERVED))


def every_fact_is_right(what: Build, life: str = "run", stops: int = STOPS) -> None:
    first = int(os.environ.get("RANDOM_SEED", zlib.crc32(str(what).encode())))
    for seed in range(first, first + SEEDS):
        report = stopped_at_random(what, seed, life, stops)
        print(f"seed {seed}: {report['facts']} facts compared, {len(report['wrong'])} wrong")
        assert not report["wrong"], f"seed {seed}: " + "\n".join(report["wrong"][:20])
        if not report["aborted"]:
            break
    assert not report["aborted"], f"the program was aborted {SEEDS} times"
    assert report["facts"] > 10 * stops


def stopped_at_random(what: Build, seed: int, life: str, stops: int) -> dict[str, Any]:
    """Return how many facts were compared, which were wrong, and whether the runtime has
    aborted the program for being asked in the middle of its own work."""
    env = {"RANDOM_STOPS": str(stops), "RANDOM_SEED": str(seed)}
    env |= {"RANDOM_RUNTIME": what.runtime, "RANDOM_LIFE": life}
    done = run_gdb([f"source {SCRIPT}"], binary(what), env=env, timeout=600)
    reports = [line for line in done.stdout.splitlines() if line.startswith("RANDOM ")]
    assert reports, f"seed {seed}: {done.stdout[-2000:]}\n{done.stderr[-2000:]}"
    report: dict[str, Any] = json.loads(reports[-1].removeprefix("RANDOM "))
    return report
