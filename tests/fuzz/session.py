# SPDX-License-Identifier: Apache-2.0
"""Run the fuzzer's script in a gdb; where gdb itself dies, go on in another."""

from __future__ import annotations

import json
import re
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Optional

from support.gdb_session import GdbResult, GdbTimeout, run_gdb
from support.runtimes import GNU, runtime_folder

HERE = Path(__file__).resolve().parent
STOP = "fuzz_is_here"
SECONDS_FOR_ALL = 600.0  # besides those for each run
SECONDS_FOR_EACH = 5.0
MOST_DEATHS = 20


@dataclass(frozen=True)
class Setting:
    """A program to be fuzzed: on which runtime, and whether it runs or is a core."""

    runtime: str
    mode: str  # "live" or "core"

    def __str__(self) -> str:
        library = "libgomp" if self.runtime == GNU else f"libomp {self.runtime}"
        return f"{library}, {self.mode}"


@dataclass
class Report:
    """What came of some runs."""

    runs: int = 0
    wrong: list[str] = field(default_factory=list)
    answers: dict[str, int] = field(default_factory=lambda: {"same": 0, "other": 0, "error": 0})
    slowest: tuple[float, str] = (0.0, "")
    kib: int = 0  # the most that a gdb grew by
    words: int = 0

    def add(self, other: Report) -> None:
        """Take in what came of other runs."""
        self.runs += other.runs
        self.wrong += other.wrong
        self.answers = {kind: n + other.answers[kind] for kind, n in self.answers.items()}
        self.slowest = max(self.slowest, other.slowest)
        self.kib, self.words = max(self.kib, other.kib), max(self.words, other.words)


def build_program(folder: Path, runtime: str) -> Path:
    """Compile fuzz.c into FOLDER."""
    target = folder / f"fuzz-{runtime}"
    compiler, link = "gcc", list[str]()
    if runtime != GNU:
        library = runtime_folder(runtime)
        compiler = "clang"
        link = [f"-L{library}", "-lomp", f"-Wl,-rpath,{library}", "-lpthread"]
    flags = ["-g", "-O0", "-fopenmp", "-Wall", "-Wextra", "-Werror"]
    subprocess.run([compiler, *flags, str(HERE / "fuzz.c"), *link, "-o", str(target)], check=True)
    return target


def make_core(program: Path) -> Path:
    """Return a core of PROGRAM at its stop."""
    core = program.with_suffix(".core")
    commands = [f"break {STOP}", "run", f"generate-core-file {core}", "kill"]
    run_gdb(commands, program, extension=False, env=_environment())
    return core


def fuzz(
    setting: Setting,
    first: int,
    runs: int,
    planted: Optional[str] = None,
    most_seconds: float = 2.0,
) -> Report:
    """Do RUNS runs from number FIRST on, and return what came of them; PLANTED is a
    defect that is to be found, MOST_SECONDS the longest that a command may take."""
    report = Report()
    with tempfile.TemporaryDirectory() as name:
        program = build_program(Path(name), setting.runtime)
        core = make_core(program) if setting.mode == "core" else None
        for begin, end in _parts(report, first, first + runs, Path(name) / "progress"):
            task = {"stop": None if core else STOP, "first": begin, "runs": end - begin}
            task |= {"progress": str(Path(name) / "progress")}
            task |= {"planted": planted, "most_seconds": most_seconds}
            found = _one_gdb(program, core, task)
            if isinstance(found, str):
                at = int((Path(name) / "progress").read_text(encoding="ascii") or begin)
                report.add(Report(at + 1 - begin, [f"run {at}: gdb died: {found}"]))
            else:
                report.add(Report(**{**found, "slowest": tuple(found["slowest"])}))
    return report


def _parts(report: Report, begin: int, end: int, progress: Path) -> Iterator[tuple[int, int]]:
    """Yield the runs that are left, and after gdb's death those behind it."""
    first = begin
    for _ in range(MOST_DEATHS):
        if begin >= end:
            return
        progress.write_text(str(begin), encoding="ascii")
        yield begin, end
        begin = first + report.runs


def _environment(**more: str) -> dict[str, str]:
    return {"KMP_BLOCKTIME": "0", **more}


def _one_gdb(program: Path, core: Optional[Path], task: dict[str, Any]) -> dict[str, Any] | str:
    """Return one gdb's report, or the end of what it said if it has made none."""
    try:
        done = run_gdb(
            [f"source {HERE / 'fuzz_in_gdb.py'}"],
            program,
            core,
            env=_environment(FUZZ_TASK=json.dumps(task)),
            timeout=SECONDS_FOR_ALL + SECONDS_FOR_EACH * task["runs"],
        )
    except GdbTimeout as error:
        return str(error)[-1500:]
    return _report(done)


def _report(done: GdbResult) -> dict[str, Any] | str:
    match = re.search(r"^FUZZ (\{.*\})$", done.stdout, flags=re.MULTILINE)
    if match is None:
        return f"{done.returncode}: {done.stdout[-300:]} {done.stderr[-1500:]}"
    found: dict[str, Any] = json.loads(match.group(1))
    return found
