# SPDX-License-Identifier: Apache-2.0
"""A stripped runtime, gdb on programs that use it, and what gdb must say of it."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from support.build import Build, binary
from support.gdb_session import GdbResult, run_gdb
from support.runtimes import runtime_folder

BEGIN = "ompd_bp_parallel_begin"
QUIET = ("set confirm off", "set breakpoint pending on")
STATUS = ("echo STATUS\\n", "ompd status -json")
THREADS = ("echo THREADS\\n", "ompd threads -json")
# Waits in a region until it is told to go on, and begins another one then.
WAITING = """
#include <stdio.h>
#include <unistd.h>

static volatile int go;

int main(void) {
#pragma omp parallel num_threads(3)
    {
#pragma omp master
        {
            puts("ready");
            fflush(stdout);
            while (!go)
                usleep(1000);
        }
    }
#pragma omp parallel num_threads(2)
    { __asm__ volatile(""); }
    return 0;
}
"""


@dataclass(frozen=True)
class Stripped:
    """A stripped libomp, its libompd beside it, and where to keep what is recovered."""

    version: str
    folder: Path
    cache: Path

    def gdb(
        self,
        commands: Sequence[str],
        program: Path | None = None,
        core: Path | None = None,
        extension: bool = True,
        env: Mapping[str, str] | None = None,
    ) -> GdbResult:
        """Run COMMANDS on the program, nested.c if none is named, with this runtime."""
        chosen = program or binary(Build("nested.c", "clang", "O0", self.version))
        own = {"LD_LIBRARY_PATH": str(self.folder), "XDG_CACHE_HOME": str(self.cache)}
        own.update(env or {})
        done = run_gdb([*QUIET, *commands], chosen, core, extension, own)
        assert "Traceback" not in done.stderr and "Python Exception" not in done.stderr, done
        return done

    @property
    def kept(self) -> list[str]:
        """What the cache holds."""
        return sorted(path.name for path in self.cache.rglob("*") if path.is_file())


def strip(runtime: str, tmp_path: Path) -> Stripped:
    """Return that version's runtime, stripped, and an empty cache, both in TMP_PATH."""
    folder = tmp_path / "runtime"
    folder.mkdir()
    original = runtime_folder(runtime)
    shutil.copy(original / "libompd.so", folder)
    out = str(folder / "libomp.so")
    subprocess.run(["strip", "-o", out, str(original / "libomp.so")], check=True)
    return Stripped(runtime, folder, tmp_path / "cache")


def documents(said: str, mark: str) -> list[dict[str, Any]]:
    """Return the JSON documents that follow MARK in what gdb said."""
    decoder = json.JSONDecoder()
    found = []
    for part in said.split(f"{mark}\n")[1:]:
        assert part.startswith("{"), part
        found.append(decoder.raw_decode(part)[0])
    return found


def assert_recovered(said: str, version: str, count: int = 1) -> None:
    """Each status in SAID, COUNT of them, has symbols that were recovered and verified."""
    statuses = documents(said, "STATUS")
    assert len(statuses) == count, said
    for status in statuses:
        (runtime,) = status["runtimes"]
        assert (runtime["symbols"], runtime["problem"]) == ("recovered", None), runtime
        assert (runtime["profile"], runtime["layout_verified"]) == (
            f"LLVM {version}",
            True,
        ), runtime


def assert_team_of(said: str, size: int) -> None:
    """The listing shows a team of that size, each of its threads once, without an error."""
    (listing,) = documents(said, "THREADS")
    threads = listing["threads"]
    assert not any(thread["error"] for thread in threads), threads
    team = [thread["thread_num"] for thread in threads if thread["team_size"] == size]
    assert sorted(team) == list(range(size)), threads
