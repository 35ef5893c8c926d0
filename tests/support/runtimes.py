# SPDX-License-Identifier: Apache-2.0
"""The OpenMP runtimes that the tests run against: with symbols, variants, and the distribution's."""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
VERSIONS = ("14", "19")
GNU = "gnu"  # GCC's libgomp as it is installed
_STRIPPED = "-stripped"
# Set it for everything that continuous integration leaves out for time.
EVERYTHING = bool(os.environ.get("GDB_OMPD_ALL_BUILDS"))
# The versions of the distribution's own runtimes that are tested, stripped as they are: others
# in other releases, so that scripts/newer-debuggers.sh sets it.
STRIPPED_VERSIONS = tuple(os.environ.get("GDB_OMPD_STRIPPED", "14 15 16 19").split())
# The suites whose runtimes are tested, too: scripts/newer-runtimes.sh sets it.
NEWER_SUITES = os.environ.get("GDB_OMPD_NEWER_SUITES", "")


@functools.lru_cache(maxsize=None)
def runtime_folder(version: str, *options: str) -> Path:
    """Return the folder that holds libomp.so and libompd.so of VERSION, making it once.

    With OPTIONS of scripts/build-libomp.sh it holds a variant of libomp.so
    alone. VERSION may be what stripped() returns, or one of newer().
    """
    if version in newer():
        return newer()[version].folder
    if version.endswith(_STRIPPED):
        return _of_this_release(version.removesuffix(_STRIPPED))
    script = ROOT / "scripts" / "build-libomp.sh"
    done = subprocess.run(
        ["sh", str(script), version, *options],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        timeout=1800,
    )
    return Path(done.stdout.strip().splitlines()[-1])


def stripped(version: str) -> str:
    """Name the distribution's own build of VERSION, to be used like a version."""
    return version + _STRIPPED


def library_folder(version: str, symbols: str, folder: Path) -> Path:
    """Return what LD_LIBRARY_PATH is to be for a program that is linked with our own build
    of VERSION: SYMBOLS is "symbols" for that build, "stripped" for it without its symbols,
    "debian" for the distribution's. What is made for that goes to FOLDER."""
    own = runtime_folder(version)
    if symbols == "symbols":
        return own
    lib = folder / f"lib-{version}-{symbols}"
    lib.mkdir()
    if symbols == "stripped":
        for name in ("libomp.so", "libompd.so"):
            shutil.copy(own / name, lib / name)
        subprocess.run(["strip", str(lib / "libomp.so")], check=True)
        return lib
    for file in runtime_folder(stripped(version)).iterdir():
        (lib / file.name).symlink_to(file)
    if not (lib / "libomp.so").exists():
        (lib / "libomp.so").symlink_to((lib / "libomp.so.5").resolve())
    return lib


@dataclass(frozen=True)
class Variant:
    """One way to build one version of the runtime; without options the one with everything."""

    version: str
    options: tuple[str, ...] = ()

    def __str__(self) -> str:
        words = [word.removeprefix("--") for word in self.options]
        words = [word for word in words if word not in ("compiler", "optimize")]
        return "-".join([self.version, *(words or ["default"])])

    @property
    def file(self) -> Path:
        """The library, with its symbol table."""
        return runtime_folder(self.version, *self.options) / "libomp.so"


def _compiled(version: str, compiler: str, level: str) -> Variant:
    return Variant(version, ("--compiler", compiler, "--optimize", level))


# Recovery must find everything in these.
OPTIMIZED = [Variant(version) for version in VERSIONS] + [
    _compiled(version, compiler, level)
    for version in VERSIONS
    for compiler in ("clang", "gcc")
    for level in ("O1", "O2", "O3", "Os")
]
# These it may refuse, but not get wrong.
REFUSABLE = [
    variant
    for version in VERSIONS
    for variant in (
        _compiled(version, "clang", "O0"),
        _compiled(version, "gcc", "O0"),
        Variant(version, ("--thinlto",)),
        Variant(version, ("--no-ompd",)),
    )
]
# A variant costs half a minute of two cores: one by each compiler at its highest level, and
# one of each kind that may be refused. scripts/score-recovery.sh builds and scores them all.
_QUICK = {"14-default", "19-default", "14-gcc-O3", "19-clang-O3", "19-clang-O0", "14-no-ompd"}


def chosen(variants: list[Variant]) -> list[Variant]:
    """Return those of VARIANTS that this run tests."""
    return [variant for variant in variants if EVERYTHING or str(variant) in _QUICK]


@dataclass(frozen=True)
class Distributed:
    """A libomp of the distribution's, stripped, unpacked and not installed."""

    name: str  # such as bookworm-14
    folder: Path
    has_libompd: bool
    libc: str  # the newest symbol version it needs, such as GLIBC_2.34
    runs: bool  # with the C library of this machine

    @property
    def file(self) -> Path:
        """The library."""
        return self.folder / "libomp.so.5"


@functools.lru_cache(maxsize=None)
def distributed(*arguments: str) -> dict[str, Distributed]:
    """Return by name what scripts/distribution-runtimes.sh finds, fetching it once."""
    script = ROOT / "scripts" / "distribution-runtimes.sh"
    done = subprocess.run(
        ["sh", str(script), *arguments],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        timeout=900,
    )
    found = {}
    for line in done.stdout.splitlines():
        name, folder, ompd, libc, verdict = line.split("\t")
        found[name] = Distributed(name, Path(folder), ompd != "-", libc, verdict == "runs")
    return found


def _of_this_release(version: str) -> Path:
    """Return the folder of the distribution's own libomp VERSION; skip the test on a release
    that is not said to have it."""
    found = [each for each in distributed(version).values() if each.runs]
    if not found and version not in STRIPPED_VERSIONS:
        pytest.skip(f"this release of the distribution has no libomp {version}")
    if not found:
        raise LookupError(f"this release of the distribution has no libomp {version}")
    return found[0].folder


@functools.lru_cache(maxsize=None)
def _suites() -> dict[str, Distributed]:
    return distributed("--suites", NEWER_SUITES) if NEWER_SUITES else {}


def newer() -> dict[str, Distributed]:
    """Return by name the runtimes of NEWER_SUITES; none if it is not set."""
    return {name: each for name, each in _suites().items() if not name.endswith("-libc")}


def newer_libcs() -> list[Path]:
    """Return the folders of the C libraries of NEWER_SUITES, in that order."""
    return [each.folder for name, each in _suites().items() if name.endswith("-libc")]


def link_options(version: str) -> list[str]:
    """Return what a program needs besides to be linked against VERSION of the runtime.

    A runtime of another suite needs a newer C library, and the dynamic linker that
    belongs to it: the first suite's, whose libthread_db an older gdb can still load.
    """
    if version not in newer():
        return []
    libc = newer_libcs()[0]
    loader = next(libc.glob("ld-linux*"))
    return [
        "-Wl,--allow-shlib-undefined",
        f"-Wl,-rpath,{libc}",
        f"-Wl,--dynamic-linker={loader}",
    ]
