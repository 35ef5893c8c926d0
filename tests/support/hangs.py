# SPDX-License-Identifier: Apache-2.0
"""Build programs that hang, or only look busy, and ask `ompd why` of them while they run."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from support.build import PROGRAMS, Build, MissingInRuntime, binary
from support.gdb_session import run_gdb
from support.runtimes import EVERYTHING, GNU, library_folder

FOLDER = PROGRAMS / "hangs"
SOURCES = ("*.c", "*.cpp")
HUNG = sorted(path.name for pattern in SOURCES for path in FOLDER.glob(pattern))
HEALTHY = sorted(
    f"healthy/{path.name}" for pattern in SOURCES for path in (FOLDER / "healthy").glob(pattern)
)
DRIVER = Path(__file__).with_name("hangs_in_gdb.py")
WITH_CORE = {
    "barrier_in_critical.c",
    "gnu/forked_before_region.c",
    "lock_of_condition.c",
    "lock_not_released.c",
    "master_in_read.c",
}
_SAYS = re.compile(r"/\* says: (?P<words>.+?) \*/")
_EXPECT = re.compile(r"/\* expect: (?P<verdicts>[\w|]+) \*/")
# Where gcc says that something is which the program expects at another line.
_OF_GCC = "/* gcc: here */"
# Newer GDBs number the other threads that they attach to in another order.
_OTHERS = re.compile(r"GDB\\ threads?\\ (?!1\b(?!\\-))(?:\d|,|\\-)+")
# What is said of waits for what nobody is there to do.
_NO_CYCLE = (
    "not in this process",
    "which has ended",
    "fork() did not copy",
    "no thread of this process",
    "holder has ended",
    "has been destroyed",
    "no thread is left",
)

Document = dict[str, Any]


@dataclass(frozen=True)
class Setting:
    """How the programs are built and on which runtime they run; SYMBOLS is one of those of
    library_folder()."""

    opt: str
    version: str
    symbols: str
    active: bool = False  # OMP_WAIT_POLICY: waiting threads spin, and never sleep

    def __str__(self) -> str:
        spins = "-active" if self.active else ""
        runtime = "libgomp" if self.version == GNU else f"libomp{self.version}-{self.symbols}"
        return f"{self.opt}-{runtime}{spins}"


@dataclass(frozen=True)
class Expected:
    """What the comments of a hung program say: its verdict, the lines that cause it, and the
    names of what it hangs on."""

    verdicts: frozenset[str]
    lines: frozenset[int]
    words: frozenset[str]
    of_gcc: frozenset[int]  # lines that gcc has for others of them


def expected(name: str) -> Expected:
    """Return what a program's source expects of the verdict."""
    verdicts: set[str] = set()
    lines: set[int] = set()
    words: set[str] = set()
    of_gcc: set[int] = set()
    text = (FOLDER / name).read_text(encoding="utf-8")
    for number, line in enumerate(text.splitlines(), start=1):
        words |= set(_SAYS.findall(line))
        if _OF_GCC in line:
            of_gcc.add(number)
        match = _EXPECT.search(line)
        if match is not None:
            verdicts |= set(match["verdicts"].split("|"))
            lines.add(number)
    return Expected(frozenset(verdicts), frozenset(lines), frozenset(words), frozenset(of_gcc))


def _numbered(words: str) -> re.Pattern[str]:
    """Return what matches WORDS, with any numbers of threads that are not the primary one."""
    return re.compile(_OTHERS.sub(r"GDB threads? [\\d,-]+", re.escape(words)))


def is_right(answer: Document) -> bool:
    """Tell whether the verdict on a hang, its lines and members are what the source says."""
    wanted, name = expected(answer["name"]), Path(answer["name"]).name
    lines = wanted.lines | (wanted.of_gcc if answer["gcc"] else frozenset())
    told = {line for line in lines if f"{name}:{line}" in answer["text"]}
    all_told = len(told) >= len(wanted.lines)  # of gcc's lines more than one may be named
    said = all(_numbered(words).search(answer["shown"]) for words in wanted.words)
    if answer["verdict"] not in wanted.verdicts or not said:
        return False
    if answer["verdict"] == "deadlock":
        alone = any(words in answer["text"] for words in _NO_CYCLE)
        return all_told and bool(answer["cycles"]) is not alone
    return bool(told) and not answer["cycles"]


def is_verdict_right(answer: Document) -> bool:
    """Tell whether the verdict on a hang of a program without names and lines is what the source
    says, and has a cycle where it must have one."""
    if answer["verdict"] not in expected(answer["name"]).verdicts:
        return False
    alone = any(words in answer["text"] for words in _NO_CYCLE)
    return answer["verdict"] != "deadlock" or bool(answer["cycles"]) is not alone


def ask(
    names: Sequence[str],
    setting: Setting,
    folder: Path,
    stops: int = 0,
    env: Mapping[str, str] = MappingProxyType({}),
    placed: Callable[[Path], Path] = lambda path: path,
) -> dict[tuple[str, str], list[Document]]:
    """Run each program, where PLACED puts it and with ENV, and return what was said, by its
    name and "live" or "core": of the healthy ones at so many STOPS, of the hung ones once they
    hang. Left out is one whose code, made by a newer compiler, calls what the runtime has not."""
    environment = {"MALLOC_ARENA_MAX": "1", **env}
    if setting.version != GNU:
        lib = library_folder(setting.version, setting.symbols, folder)
        environment["LD_LIBRARY_PATH"] = str(lib)
    if setting.active:
        environment["OMP_WAIT_POLICY"] = "active"
    compiled_ones = {name: compiled(name, setting) for name in names}
    built = {name: path and placed(path) for name, path in compiled_ones.items()}
    plan = [
        {
            "name": name,
            "path": str(path),
            "stops": stops,
            "verdicts": sorted(expected(name).verdicts),
            "core": str(folder / "core") if _has_core(name, setting) else None,
            "environment": environment,
        }
        for name, path in built.items()
        if path is not None
    ]
    (folder / "plan.json").write_text(json.dumps(plan), encoding="utf-8")
    out = folder / "out.jsonl"
    out.touch()
    said = run_gdb(
        [f"source {DRIVER}", f"python ask_all({str(folder / 'plan.json')!r})"],
        env={"HANGS_OUT": str(out)},
        timeout=280,
    )
    found: dict[tuple[str, str], list[Document]] = {}
    for line in out.read_text(encoding="utf-8").splitlines():
        document = {**json.loads(line), "gcc": setting.version == GNU}
        found.setdefault((document["name"], document["how"]), []).append(document)
    wanted = {each["name"] for each in plan}
    assert {name for name, _ in found} == wanted, f"{said.stdout[-3000:]}\n{said.stderr[-3000:]}"
    return found


def _has_core(name: str, setting: Setting) -> bool:
    return EVERYTHING or (name in WITH_CORE and setting.opt == "O0")


def compiled(name: str, setting: Setting) -> Path | None:
    """Return the program, None where it cannot be linked with that runtime."""
    compiler = "gcc" if setting.version == GNU else "clang"
    try:
        return binary(Build(f"hangs/{name}", compiler, setting.opt, setting.version))
    except MissingInRuntime:
        return None
