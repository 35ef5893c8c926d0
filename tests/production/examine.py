# SPDX-License-Identifier: Apache-2.0
"""Run a program without gdb and in it, and count what was wrong."""

from __future__ import annotations

import json
import re
import shlex
import signal
import subprocess
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from production import programs
from production.programs import Program
from support.asking import BUGS
from support.gdb_session import run_gdb

DRIVER = Path(__file__).with_name("in_gdb.py")
OF_ONE = 10  # stops in one gdb
MOST_RUNS = 8  # of a program that ends before it was stopped as often as it should be
MOST_SECONDS = 900


@dataclass
class Result:
    """What was found of one program."""

    name: str
    stops: Counter[str] = field(default_factory=Counter)  # by how the program was reached
    answers: int = 0
    facts: int = 0
    slowest: tuple[float, str] = (0.0, "")
    failed: Counter[tuple[str, str]] = field(default_factory=Counter)  # of what kind, and what
    refused: Counter[str] = field(default_factory=Counter)

    @property
    def live(self) -> int:
        """Return how often the running program was stopped."""
        return self.stops["started"] + self.stops["attached"]

    def add(self, way: str, report: dict[str, Any], stderr: str) -> None:
        """Add what one gdb has found."""
        self.stops[way] += report["stops"]
        self.answers += report["answers"]
        self.facts += report["facts"]
        self.slowest = max(self.slowest, (report["slowest"][0], report["slowest"][1]))
        for text in report["wrong"]:
            self.failed["wrong", f"{way}: {text}"] += 1
        for text in report["contradictions"]:
            self.failed["contradiction", f"{way}: {text}"] += 1
        for text, count in report["problems"].items():
            kind, _, what = text.partition(": ")
            self.failed[kind, f"{way}: {what}"] += count
        self.refused.update(report["refused"])
        if report["error"]:
            self.failed["examination", f"{way}: {report['error']}"] += 1
        for line in stderr.splitlines():
            if any(bug in line for bug in BUGS):
                self.failed["bug", f"{way}: on standard error: {line}"] += 1

    def row(self) -> str:
        """Return the program's line of the table."""
        kinds: Counter[str] = Counter()
        for (kind, _), count in self.failed.items():
            kinds[kind] += count
        said = ", ".join(f"{count} {kind}" for kind, count in kinds.most_common())
        ways = " ".join(f"{self.stops[way]:6}" for way in ("started", "attached", "core"))
        counts = f"{self.answers:8} {self.facts:7} {sum(self.refused.values()):8}"
        return f"{self.name:16} {ways} {counts} {self.slowest[0]:6.2f} s  {said or 'ok'}"


HEAD = f"{'program':16} started attach  core  answers   facts  refused   slowest  what failed"


def examine(program: Program, stops: int, rounds: int, folder: Path, is_short: bool) -> Result:
    """Stop a program so often, live and in cores, and compare its result with that of a run
    without gdb. In short form it is started once, and has no cores."""
    result = Result(program.name)
    command, env = programs.prepare(program, rounds, folder)
    expected = _plain(program, command, env, folder)
    number = 0
    while (wanted := stops - result.live) > 0:
        if number == MOST_RUNS:
            result.failed["examination", f"only {result.live} stops in {number} runs"] += 1
            break
        job = {
            "stops": min(OF_ONE, wanted),
            "seed": number * OF_ONE,
            "folder": str(folder / f"gdb{number}"),
            "output": str(folder / f"output{number}"),
            "moves": not is_short,
            "cores": not is_short,
        }
        Path(job["folder"]).mkdir()
        programs.clean(folder)
        if number % 2 == 0:
            _started(program, command, env, folder, job, expected, result)
        else:
            _attached(program, command, env, folder, job, expected, result)
        for core in sorted(Path(job["folder"]).glob("stop*/core")):
            said = {"life": "core", "said": str(core.with_name("said.json")), "seed": 0}
            files = [(core.with_name("exe")).resolve(), core]
            report, stderr = _gdb({**said, "folder": str(core.parent)}, files, env, folder)
            result.add("core", {**report, "stops": 1}, stderr)
            core.unlink()
        number += 1
    return result


def _started(
    program: Program,
    command: list[str],
    env: dict[str, str],
    folder: Path,
    job: dict[str, Any],
    expected: tuple[int, list[str]],
    result: Result,
) -> None:
    given = {**job, "life": "run", "arguments": shlex.join(command[1:])}
    report, stderr = _gdb(given, [command[0]], env, folder)
    result.add("started", report, stderr)
    _same(program, report["exit_code"], Path(job["output"]), expected, "started", result)


def _attached(
    program: Program,
    command: list[str],
    env: dict[str, str],
    folder: Path,
    job: dict[str, Any],
    expected: tuple[int, list[str]],
    result: Result,
) -> None:
    with _running(command, env, folder, Path(job["output"])) as process:
        report, stderr = _gdb({**job, "life": process.pid}, [], env, folder)
        result.add("attached", report, stderr)
        code = process.wait(MOST_SECONDS)
    _same(program, code, Path(job["output"]), expected, "attached", result)


def _plain(
    program: Program, command: list[str], env: dict[str, str], folder: Path
) -> tuple[int, list[str]]:
    """Return the exit code and the result of a run without gdb."""
    output = folder / "output"
    with _running(command, env, folder, output) as process:
        code = process.wait(MOST_SECONDS)
    return code, program.result_of(output.read_text("utf-8", "replace"))


@contextmanager
def _running(
    command: list[str], env: dict[str, str], folder: Path, output: Path
) -> Iterator["subprocess.Popen[bytes]"]:
    with open(output, "wb") as file:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=subprocess.STDOUT,
            env=env,
            cwd=folder,
            start_new_session=True,
        )
    try:
        yield process
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
            process.wait()


def _same(
    program: Program,
    code: int,
    output: Path,
    expected: tuple[int, list[str]],
    way: str,
    result: Result,
) -> None:
    said = program.result_of(output.read_text("utf-8", "replace"))
    if code != expected[0]:
        result.failed["result", f"{way}: exit code {code}, not {expected[0]}"] += 1
    if said != expected[1]:
        result.failed["result", f"{way}: {said}, not {expected[1]}"] += 1


def _gdb(
    job: dict[str, Any], arguments: list[Any], env: dict[str, str], folder: Path
) -> tuple[dict[str, Any], str]:
    """Have gdb do a job; return its report and what it wrote to standard error."""
    file = Path(job["folder"]) / "job.json"
    file.write_text(json.dumps(job), encoding="utf-8")
    done = run_gdb(
        [f"source {DRIVER}"],
        arguments=arguments,
        env={**env, "PRODUCTION_JOB": str(file)},
        cwd=folder,
        timeout=MOST_SECONDS,
    )
    (file.with_name("gdb.txt")).write_text(done.stdout + done.stderr, encoding="utf-8")
    match = re.search(r"^PRODUCTION (.*)$", done.stdout, re.MULTILINE)
    if match is None:
        raise ValueError(f"gdb ({done.returncode}): {done.stdout[-2000:]}\n{done.stderr[-2000:]}")
    report: dict[str, Any] = json.loads(match.group(1))
    if done.returncode:
        report["problems"][f"bug: gdb ended with {done.returncode}"] = 1
    return report, done.stderr
