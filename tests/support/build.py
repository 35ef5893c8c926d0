# SPDX-License-Identifier: Apache-2.0
"""Build test programs against a chosen runtime, once per content."""

from __future__ import annotations

import functools
import hashlib
import itertools
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from support.runtimes import GNU, ROOT, link_options, runtime_folder

PROGRAMS = ROOT / "tests" / "programs"
_COMPILERS = {
    ("clang", ".c"): "clang",
    ("clang", ".cpp"): "clang++",
    ("offload", ".c"): "clang",
    ("gcc", ".c"): "gcc",
    ("gcc", ".cpp"): "g++",
    ("gcc", ".f90"): "gfortran",
}
# clang's code for its plugin for the host, on the distribution's runtimes.
OFFLOADS = "distribution"
_FOR_DEVICE = ["-fopenmp-targets=x86_64-pc-linux-gnu"]
_WARNINGS = ("-Wall", "-Wextra", "-Werror")
# A newer compiler than the runtime, as on newer releases of the distribution.
_MISSING = re.compile(r"undefined reference to `__kmpc_")


class BuildError(Exception):
    """A test program does not compile or link."""


class MissingInRuntime(pytest.skip.Exception):
    """The compiler's code calls what the runtime has not: the test is skipped if nobody minds."""


@dataclass(frozen=True)
class Build:
    """One binary to be: which program, and how it is made."""

    program: str  # a file name in tests/programs
    compiler: str = "clang"
    opt: str = "O0"  # with other options behind it: "O2 -fno-plt"
    runtime: str = "19"

    def __str__(self) -> str:
        runtime = "libgomp" if self.runtime == GNU else f"libomp{self.runtime}"
        return f"{self.program}-{self.compiler}-{self.opt.replace(' ', '')}-{runtime}"


def can_build(program: str, compiler: str) -> bool:
    """Return whether COMPILER has a driver for PROGRAM's language."""
    return (compiler, Path(program).suffix) in _COMPILERS


def build(program: str, compiler: str = "clang", opt: str = "O0", runtime: str = "19") -> Path:
    """Return the binary of PROGRAM, compiled and linked if it is not in the cache."""
    return binary(Build(program, compiler, opt, runtime))


@functools.lru_cache(maxsize=None)
def binary(what: Build) -> Path:
    """Return the binary of WHAT; safe when several processes ask for the same."""
    sources = _sources(what.program)
    commands = _commands(what, sources)
    target = _cache() / f"{what}-{_key(commands, sources)}" / Path(what.program).stem
    if not target.exists():
        _make(commands, sources, target)
    # A new checkout's sources are newer than what was made of the same text: gdb would warn.
    if target.stat().st_mtime < max(source.stat().st_mtime for source in sources):
        os.utime(target)
    return target


def _cache() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "gdb-ompd" / "programs"


def _sources(program: str) -> list[Path]:
    """Return what is compiled, in an order in which Fortran finds its modules.

    The programs that wait or hang include what they share.
    """
    if program.startswith("values/"):
        return [PROGRAMS / "values" / "record.c", PROGRAMS / program]
    if program.startswith(("waits/", "hangs/", "targets/")):
        return [PROGRAMS / program]
    sources = [PROGRAMS / "truth.c"]
    if program.endswith(".f90"):
        sources.append(PROGRAMS / "truth_module.f90")
    return sources + [PROGRAMS / program]


_OF_CPP_20 = frozenset({"std_waits.cpp", "latch_of_three.cpp"})


def _commands(what: Build, sources: Sequence[Path]) -> list[list[str]]:
    """Return the compile commands and, last, the link command, for use in an empty folder.

    Each source is compiled with -fopenmp, but the link names libomp itself:
    with -fopenmp there, gcc would link its own runtime.
    """
    commands = []
    for source in sources:
        driver = _COMPILERS[what.compiler, source.suffix]
        flags = ["-g", *f"-{what.opt}".split(), "-fopenmp", *_WARNINGS]
        if source.suffix == ".f90":
            flags.append("-cpp")
        if what.compiler == "offload":
            flags += _FOR_DEVICE
        if what.compiler == "gcc":
            flags.append("-Wno-deprecated-openmp")  # "master" is, and is still to be debugged
        if source.suffix == ".cpp":
            flags.append("-std=c++20" if source.name in _OF_CPP_20 else "-std=c++17")
        commands.append([driver, *flags, "-c", str(source), "-o", f"{source.stem}.o"])
    driver = _COMPILERS[what.compiler, Path(what.program).suffix]
    objects = [f"{source.stem}.o" for source in sources]
    if what.runtime == OFFLOADS:
        rpath = f"-Wl,-rpath,{_libraries(driver)}"  # what offloads is not where others are
        return commands + [[driver, *objects, "-fopenmp", *_FOR_DEVICE, rpath, "-o", "linked"]]
    if what.runtime == GNU:
        return commands + [[driver, *objects, "-fopenmp", "-o", "linked"]]
    lib = str(runtime_folder(what.runtime))
    found = [f"-L{lib}", "-lomp", f"-Wl,-rpath,{lib}", *link_options(what.runtime)]
    return commands + [[driver, *objects, *found, "-lpthread", "-o", "linked"]]


@functools.lru_cache(maxsize=None)
def _version(driver: str) -> str:
    done = subprocess.run([driver, "--version"], stdout=subprocess.PIPE, text=True, check=True)
    return done.stdout


@functools.lru_cache(maxsize=None)
def _libraries(clang: str) -> Path:
    """Return the folder with the libraries of that compiler's release."""
    command = [clang, "-print-resource-dir"]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return Path(done.stdout.strip()).parents[1]


def _key(commands: Sequence[Sequence[str]], sources: Sequence[Path]) -> str:
    digest = hashlib.sha256()
    for command in commands:
        digest.update(repr(command).encode())
        digest.update(_version(command[0]).encode())
    folders = {folder for source in sources for folder in list(source.parents)[:2]}
    for path in [*sources, *sorted(h for folder in folders for h in folder.glob("*.h"))]:
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _make(commands: Sequence[Sequence[str]], sources: Sequence[Path], target: Path) -> None:
    """Build in a folder of our own, then rename it: another process may be at it too."""
    target.parent.parent.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="building-", dir=target.parent.parent))
    try:
        for command, source in itertools.zip_longest(commands, sources):
            if source in _SHARED:
                shutil.copy(_object(command, source), folder / f"{source.stem}.o")
            else:
                _run(command, folder, target.parent)
        (folder / "linked").rename(folder / target.name)
        try:
            folder.rename(target.parent)
        except OSError:
            if not target.exists():
                raise
    finally:
        shutil.rmtree(folder, ignore_errors=True)


# What many programs have in them is compiled once for all: it is most of what they are.
_SHARED = (PROGRAMS / "truth.c", PROGRAMS / "values" / "record.c")


def _object(command: Sequence[str], source: Path) -> Path:
    """Return what COMMAND makes of SOURCE."""
    target = _cache() / f"{source.stem}-{_key([command], [source])}.o"
    if not target.exists():
        with tempfile.TemporaryDirectory(prefix="building-", dir=_cache()) as folder:
            _run(command, Path(folder), target)
            (Path(folder) / f"{source.stem}.o").rename(target)
    return target


def _run(command: Sequence[str], folder: Path, target: Path) -> None:
    done = subprocess.run(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    if _MISSING.search(done.stdout):
        raise MissingInRuntime(f"of code that calls what is not there: {target}")
    if done.returncode != 0:
        raise BuildError(f"{' '.join(command)}\n{done.stdout}")
