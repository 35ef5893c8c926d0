# SPDX-License-Identifier: Apache-2.0
"""Stop anywhere, also in the middle of the runtime's own work: no fact is wrong."""

from __future__ import annotations

import json
import os
import zlib
from pathlib import Path

import pytest
from support.build import Build, binary
from support.gdb_session import run_gdb
from support.runtimes import VERSIONS

SCRIPT = Path(__file__).resolve().parents[1] / "support" / "random_stops_in_gdb.py"
STOPS = os.environ.get("RANDOM_STOPS", "30")


@pytest.mark.parametrize("opt", ["O0", "O2"])
@pytest.mark.parametrize("runtime", VERSIONS)
def test_every_fact_is_what_the_program_answers(runtime: str, opt: str) -> None:
    what = Build("restless.c", "clang", opt, runtime)
    seed = os.environ.get("RANDOM_SEED", str(zlib.crc32(str(what).encode())))
    done = run_gdb(
        [f"source {SCRIPT}"],
        binary(what),
        env={"RANDOM_STOPS": STOPS, "RANDOM_SEED": seed},
        timeout=600,
    )
    reports = [line for line in done.stdout.splitlines() if line.startswith("RANDOM ")]
    assert reports, f"seed {seed}: {done.stdout[-2000:]}\n{done.stderr[-2000:]}"
    report = json.loads(reports[-1].removeprefix("RANDOM "))
    print(f"seed {seed}: {report['facts']} facts compared, {len(report['wrong'])} wrong")
    assert report["facts"] > 10 * int(STOPS)
    assert not report["wrong"], f"seed {seed}: " + "\n".join(report["wrong"][:20])
