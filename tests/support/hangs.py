# SPDX-License-Identifier: Apache-2.0
"""Build programs that hang, or only look busy, and ask `ompd why` of them while they run."""

from __future__ import annotations

import json
import re
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from support.build import PROGRAMS
from support.gdb_session import clean_environment, run_gdb
from support.runtimes import runtime_folder

FOLDER = PROGRAMS / "hangs"
HUNG = sorted(path.stem for path in FOLDER.glob("*.c"))
HEALTHY = sorted(path.stem for path in (FOLDER / "healthy").glob("*.c"))
DRIVER = Path(__file__).with_name("hangs_in_gdb.py")
_EXPECT = re.compile(r"/\* expect: (?P<verdicts>[\w|]+) \*/")

Document = dict[str, Any]


@dataclass(frozen=True)
class Expected:
    """What the comments of a hung program say: its verdict, and the lines that cause it."""

    verdicts: frozenset[str]
    lines: frozenset[int]


def expected(name: str) -> Expected:
    """Return what a program's source expects of the verdict."""
    verdicts: set[str] = set()
    lines: set[int] = set()
    text = (FOLDER / f"{name}.c").read_text(encoding="utf-8")
    for number, line in enumerate(text.splitlines(), start=1):
        match = _EXPECT.search(line)
        if match is not None:
            verdicts |= set(match["verdicts"].split("|"))
            lines.add(number)
    return Expected(frozenset(verdicts), frozenset(lines))


def built(name: str, opt: str, version: str, folder: Path) -> Path:
    """Return the program NAME, a path below the folder of hung programs."""
    lib, path = runtime_folder(version), folder / Path(name).name
    flags = ["-g", f"-{opt}", "-fopenmp", "-Wall", "-Wextra", "-Werror"]
    subprocess.run(
        ["clang", *flags, "-c", str(FOLDER / f"{name}.c"), "-o", f"{path}.o"], check=True
    )
    link = [f"-L{lib}", "-lomp", f"-Wl,-rpath,{lib}", "-lpthread"]
    subprocess.run(["clang", f"{path}.o", *link, "-o", str(path)], check=True)
    return path


@contextmanager
def running(program: Path) -> Iterator[int]:
    """Run a program until it says that it is ready; yield whom to attach to."""
    with subprocess.Popen(
        [str(program)], stdout=subprocess.PIPE, text=True, env=clean_environment()
    ) as process:
        assert process.stdout is not None
        try:
            pid = process.pid
            for line in process.stdout:
                if line.startswith("child "):
                    pid = int(line.split()[1])
                if line == "ready\n":
                    break
            yield pid
        finally:
            process.kill()


def ask(program: Path, pid: int, stops: int = 1, core: Path | None = None) -> list[Document]:
    """Return the answers of STOPS stops, and the one in a core if one is wanted."""
    call = f"python ask({pid}, {stops}, {str(core) if core else None!r})"
    said = run_gdb([f"source {DRIVER}", call], program=program, timeout=240)
    found = [json.loads(line[5:]) for line in said.stdout.splitlines() if line.startswith("WHY: ")]
    assert len(found) == stops + (core is not None), f"{said.stdout[-3000:]}\n{said.stderr[-3000:]}"
    return found


def hung(program: Path, pid: int, core: Path | None = None) -> list[Document]:
    """Return the answers once the program has come to its hang."""
    wanted = expected(program.name).verdicts
    answers: list[Document] = []
    for _ in range(4):
        time.sleep(0.5)
        answers = ask(program, pid, core=core)
        if all(answer["verdict"] in wanted for answer in answers):
            break
    return answers
