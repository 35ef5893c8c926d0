# SPDX-License-Identifier: Apache-2.0
"""`ompd why` tells a stack that overflowed, and its size, from every other SIGSEGV."""

from __future__ import annotations

import json
import os
import resource
import subprocess
from pathlib import Path
from typing import Any

import pytest
from support.build import Build, binary
from support.gdb_session import clean_environment, run_gdb
from support.runtimes import ROOT, VERSIONS, stripped

DRIVER = Path(__file__).resolve().parents[1] / "support" / "overflow_in_gdb.py"
LINES = (ROOT / "tests" / "programs" / "overflow.c").read_text(encoding="utf-8").splitlines()
OVERFLOWS = range(
    next(n for n, line in enumerate(LINES, start=1) if " deep(int n) {" in line),
    next(n for n, line in enumerate(LINES, start=1) if " deep_on_own_stack(" in line),
)
WORKER = ("1 deep", "1 wide")
INITIAL = ("0 deep", "0 wide")
OTHERS = ("1 null", "0 null", "1 own", "1 forbidden", "0 forbidden")
WITH_CORE = ("1 deep", "0 wide", "1 null")
MIB = 1 << 20
# Each takes a quarter of a minute: a choice, unless GDB_OMPD_ALL_BUILDS is set.
EVERYTHING = "GDB_OMPD_ALL_BUILDS" in os.environ
BUILDS = [
    Build("overflow.c", "clang", opt, version)
    for opt in ("O0", "O2")
    for version in (*VERSIONS, *map(stripped, VERSIONS))
]
CHOSEN = [
    Build("overflow.c", "clang", "O0", "14"),
    Build("overflow.c", "clang", "O2", stripped("19")),
]

Document = dict[str, Any]


def answers(said: str) -> dict[str, Document]:
    found = [json.loads(line[5:]) for line in said.splitlines() if line.startswith("WHY: ")]
    return {document["label"]: document for document in found}


def assert_overflow(answer: Document, way: str, settings: list[str]) -> None:
    (overflow,) = answer["overflows"]
    assert overflow["gdb_num"] == answer["selected"] == answer["still"], answer
    assert overflow["settings"] == settings, answer
    limit = resource.getrlimit(resource.RLIMIT_STACK)[0]
    size = MIB if way in WORKER else limit
    assert size - 64 * 1024 < overflow["stack_size"] < size + 64 * 1024, answer
    assert answer["verdict"] == "crashed", answer
    assert any(f"SIGSEGV at overflow.c:{line}, in " in answer["text"] for line in OVERFLOWS)
    assert f" overflowed: a larger {settings[0]}" in answer["text"], answer


@pytest.mark.parametrize("what", BUILDS if EVERYTHING else CHOSEN, ids=str)
def test_live_and_in_a_core_of_gdbs(what: Build, tmp_path: Path) -> None:
    program = binary(what)
    ways = [*WORKER, *INITIAL, *OTHERS]
    call = f"python ask({ways!r}, {WITH_CORE!r}, {str(tmp_path / 'core')!r})"
    done = run_gdb([f"source {DRIVER}", call], program, timeout=240)
    said = answers(done.stdout)
    wanted = {f"live {way}" for way in ways} | {f"core {way}" for way in WITH_CORE}
    assert set(said) == wanted, done
    for label, answer in said.items():
        way = label.partition(" ")[2]
        if way in WORKER:
            assert_overflow(answer, way, ["OMP_STACKSIZE", "KMP_STACKSIZE"])
        elif way in INITIAL:
            assert_overflow(answer, way, ["ulimit -s"])
        else:
            assert answer["overflows"] == [] and "overflowed" not in answer["text"], answer


def _unlimited() -> None:
    hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
    resource.setrlimit(resource.RLIMIT_CORE, (hard, hard))


def test_in_a_core_of_the_kernels(tmp_path: Path) -> None:
    pattern = Path("/proc/sys/kernel/core_pattern").read_text(encoding="ascii").strip()
    if pattern.startswith(("|", "/")) or resource.getrlimit(resource.RLIMIT_CORE)[1] == 0:
        pytest.skip(f"the kernel writes no core here: core_pattern is {pattern}")
    program = binary(Build("overflow.c", "clang", "O0", stripped("14")))
    for way, overflows in (("1 deep", 1), ("1 null", 0)):
        subprocess.run(
            [str(program), *way.split()],
            cwd=tmp_path,
            env=clean_environment({"OMP_STACKSIZE": "1M"}),
            preexec_fn=_unlimited,
            check=False,
        )
        (core,) = [path for path in tmp_path.iterdir() if path.name.startswith("core")]
        done = run_gdb([f"source {DRIVER}", f"python read({str(core)!r})"], program)
        assert "WHY: " in done.stdout, done
        os.unlink(core)
        answer = answers(done.stdout)["kernel"]
        assert len(answer["overflows"]) == overflows, answer
        if overflows:
            assert_overflow(answer, way, ["OMP_STACKSIZE", "KMP_STACKSIZE"])
