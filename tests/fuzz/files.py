# SPDX-License-Identifier: Apache-2.0
"""Damage to files: cores, a runtime, what the cache holds. One gdb for each.

Beside the runtime lies a libompd.so that leaves a mark when it is loaded, which nothing here
allows (docs/trust.md): the runtime came with the program, or a core alone says where it is.
"""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Optional

from fuzz.session import HERE, Report, build_program
from support.gdb_session import GdbResult, GdbTimeout, run_gdb
from support.marking import marking_library
from support.runtimes import stripped

KINDS = ("core", "runtime", "cache")
VERSION = stripped("14")  # the system has a libompd for it, which serves in the other's place
SECONDS = 120.0  # for one gdb
HEADERS = 4096  # where most of what a file says of itself is
SMALL = {"KMP_BLOCKTIME": "0", "OMP_STACKSIZE": "1M", "MALLOC_ARENA_MAX": "1"}


class Scene:
    """A program, its runtime and its core in a folder of their own, and a cache."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.lib = folder / "lib"
        self.cache = folder / "cache"
        self.mark = folder / "was-loaded"
        self.lib.mkdir()
        self.program = build_program(folder, VERSION)
        listed = subprocess.run(["ldd", str(self.program)], capture_output=True, text=True)
        found = re.search(r"(libomp\S*) => (\S+)", listed.stdout)
        assert found is not None, listed.stdout
        self.runtime = self.lib / found.group(1)
        shutil.copy(found.group(2), self.runtime)
        marking_library(self.lib / "libompd.so", self.mark)
        self.core = folder / "core"
        commands = [f"set environment LD_LIBRARY_PATH {self.lib}", "break fuzz_is_here", "run"]
        run_gdb([*commands, f"gcore {self.core}", "kill"], self.program, None, False, SMALL)
        self.sound = self.ask(run=False, most_seconds=SECONDS)
        assert isinstance(self.sound, dict) and not self.sound["wrong"], self.sound

    def ask(self, run: bool, most_seconds: float) -> dict[str, Any] | str:
        """Return one gdb's report, or the end of what it said if it has made none."""
        task = {"run": run, "core": str(self.core), "lib": str(self.lib)}
        task |= {"most_seconds": most_seconds}
        env = {**SMALL, "FILES_TASK": json.dumps(task), "XDG_CACHE_HOME": str(self.cache)}
        try:
            done = self._gdb([f"source {HERE / 'files_in_gdb.py'}"], True, env)
        except GdbTimeout as error:
            return f"no end: {str(error)[-1500:]}"
        match = re.search(r"^FILES (\{.*\})$", done.stdout, flags=re.MULTILINE)
        if match is None:
            return f"{done.returncode}: {done.stdout[-300:]} {done.stderr[-1500:]}"
        report: dict[str, Any] = json.loads(match.group(1))
        return report

    def kills_gdb_alone(self, run: bool) -> bool:
        """Tell whether gdb without the extension does not survive these files either."""
        library = f"set environment LD_LIBRARY_PATH {self.lib}"
        begin = [library, "break fuzz_is_here", "run"] if run else [f"core-file {self.core}"]
        asked = ["info threads", "info sharedlibrary", "thread apply all bt 5", "echo lives\\n"]
        try:
            # A failed assertion of gdb's own ends it by no signal.
            return "lives" not in self._gdb([*begin, *asked], False, SMALL).stdout
        except GdbTimeout:
            return True

    def _gdb(self, commands: list[str], extension: bool, env: dict[str, str]) -> GdbResult:
        return run_gdb(commands, self.program, None, extension, env, timeout=SECONDS)


def fuzz_files(kind: str, first: int, runs: int, most_seconds: float = 2.0) -> Report:
    """Do RUNS runs from number FIRST on, each with a damage of its own to one file."""
    report = Report()
    with tempfile.TemporaryDirectory() as name:
        scene = Scene(Path(name))
        for number in range(first, first + runs):
            chance = random.Random(f"{kind} {number}")
            run = kind == "runtime" and chance.random() < 0.5
            with _damaged(scene, kind, chance) as what:
                found = scene.ask(run, most_seconds)
                if isinstance(found, str) and scene.kills_gdb_alone(run):
                    found = {"said": {}, "wrong": [], "slowest": (0.0, "")}
            report.runs += 1
            _judge(report, scene, f"{kind} {number} ({what})", found, kind == "cache")
            scene.mark.unlink(missing_ok=True)
    return report


def _judge(
    report: Report, scene: Scene, run: str, found: dict[str, Any] | str, must_be_same: bool
) -> None:
    if scene.mark.exists():
        report.wrong.append(f"{run}: the library beside the runtime was loaded")
    if isinstance(found, str):
        report.wrong.append(f"{run}: gdb died: {found}")
        return
    report.wrong += [f"{run}: {each}" for each in found["wrong"]]
    seconds, command = found["slowest"]
    report.slowest = max(report.slowest, (seconds, f"{run}: {command}"))
    assert isinstance(scene.sound, dict)
    for command, said in found["said"].items():
        same = said == scene.sound["said"][command]
        kind = "same" if same else "error" if said.startswith("error: ") else "other"
        report.answers[kind] += 1
        if must_be_same and not same:
            report.wrong.append(f"{run}: {command}: another answer: {said[:200]}")


@contextmanager
def _damaged(scene: Scene, kind: str, chance: random.Random) -> Iterator[str]:
    """Have one file damaged for a while; yield how."""
    if kind == "cache":
        files = sorted(path for path in scene.cache.rglob("*") if path.is_file())
        file = chance.choice(files)
        damages = [*BYTES, _cut, _emptied, _fifo, _folder, _to_device, _rubbish]
    else:
        file = scene.core if kind == "core" else scene.runtime
        damages = [*BYTES, *BYTES, _cut]
    kept = file.with_name(f"{file.name}.kept")
    shutil.copy2(file, kept)
    try:
        yield chance.choice(damages)(file, chance)
    finally:
        if file.is_dir() and not file.is_symlink():
            shutil.rmtree(file)
        else:
            file.unlink(missing_ok=True)
        kept.rename(file)


Damage = Callable[[Path, random.Random], str]


def _write(file: Path, at: int, data: bytes) -> None:
    with file.open("r+b") as opened:
        opened.seek(at)
        opened.write(data)


def _place(file: Path, chance: random.Random) -> int:
    """Choose a place: where a file says what it holds, or its sections are, more often."""
    size = file.stat().st_size
    where = chance.randrange(4)
    if where < 2:
        return chance.randrange(min(size, HEADERS))
    return chance.randrange(max(0, size - HEADERS) if where == 2 else 0, size)


def _flipped(file: Path, chance: random.Random) -> str:
    data = file.read_bytes()
    places = [_place(file, chance) for _ in range(chance.choice((1, 1, 2, 8, 64)))]
    for at in places:
        _write(file, at, bytes([data[at] ^ 1 << chance.randrange(8)]))
    return f"bits at {places[:4]}"


def _word(file: Path, chance: random.Random) -> str:
    at = _place(file, chance) & -8
    value = chance.choice((0, 1, 0xFFFF, (1 << 31) - 1, 1 << 32, (1 << 63) - 1, (1 << 64) - 1))
    _write(file, at, value.to_bytes(8, "little"))
    return f"{value:#x} at {at}"


def _rubbish(file: Path, chance: random.Random) -> str:
    at, size = _place(file, chance), chance.choice((16, 256, 4096))
    _write(file, at, chance.randbytes(size))
    return f"{size} bytes of rubbish at {at}"


BYTES: tuple[Damage, ...] = (_flipped, _word, _rubbish)


def _cut(file: Path, chance: random.Random) -> str:
    size = chance.randrange(file.stat().st_size)
    os.truncate(file, size)
    return f"cut to {size} bytes"


def _emptied(file: Path, _: random.Random) -> str:
    os.truncate(file, 0)
    return "emptied"


def _fifo(file: Path, _: random.Random) -> str:
    file.unlink()
    os.mkfifo(file)
    return "a FIFO"


def _folder(file: Path, _: random.Random) -> str:
    file.unlink()
    file.mkdir()
    return "a folder"


def _to_device(file: Path, chance: random.Random) -> str:
    device: Optional[str] = chance.choice(("/dev/zero", "/dev/full", "/nowhere"))
    file.unlink()
    file.symlink_to(device)
    return f"a link to {device}"
