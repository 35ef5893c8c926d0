# SPDX-License-Identifier: Apache-2.0
"""The OpenMP runtimes that the tests run against: with symbols, variants, and the distribution's."""

from __future__ import annotations

import functools
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
VERSIONS = ("14", "19")
# Set it for everything that continuous integration leaves out for time.
EVERYTHING = bool(os.environ.get("GDB_OMPD_ALL_RUNTIMES"))


@functools.lru_cache(maxsize=None)
def runtime_folder(version: str, *options: str) -> Path:
    """Return the folder that holds libomp.so and libompd.so of VERSION, building it once.

    With OPTIONS of scripts/build-libomp.sh it holds a variant of libomp.so alone.
    """
    script = ROOT / "scripts" / "build-libomp.sh"
    done = subprocess.run(
        ["sh", str(script), version, *options],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        timeout=1800,
    )
    return Path(done.stdout.strip().splitlines()[-1])


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
# A variant costs half a minute of two cores: each compiler and level once.
_QUICK = {"14-default", "19-default", "14-clang-O1", "14-gcc-O3", "19-gcc-O2", "19-clang-O3"}
_QUICK |= {"19-clang-O0", "19-thinlto", "14-no-ompd"}


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
