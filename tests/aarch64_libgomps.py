# SPDX-License-Identifier: Apache-2.0
"""What is said of GCC's programs for aarch64 on each of several libgomps, under qemu-user: run
by scripts/aarch64-libgomps.sh with a list of "SUITE VERSION SYSROOT"."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from libgomps import MAY_BE_UNKNOWN, of_levels
from support.build import PROGRAMS as SOURCES
from support.facts import Tally
from support.runtimes import ROOT
from support.truth_compare import stop_facts
from support.truth_session import SessionError, emulated, run_emulated

# QEMU does not tell a pthread_t.
UNKNOWN_HERE = MAY_BE_UNKNOWN | {"pthread_id"}
PROGRAMS = ("nested.c", "tasks.c", "task_regions.c", "serialized.c", "icvs.c", "roots.c")
SAID_OF_HANG = (
    "OpenMP parallel region begins at hang.c:54 in main, 4 threads requested",
    'Deadlock: GDB thread 2 waits for lock "account" at hang.c:27 held by GDB thread 3',
)
COMPILER, QEMU, GDB = "aarch64-linux-gnu-gcc", "qemu-aarch64", "gdb-multiarch"


class Library(NamedTuple):
    """One that is tried: whose code it is for, gcc's or clang's, and the libraries with it."""

    compiler: str
    suite: str
    version: str
    sysroot: Path

    def compiled(self, sources: Sequence[Path], made: Path) -> Path:
        """Return a program of SOURCES, made for aarch64."""
        own = [COMPILER]
        if self.compiler == "clang":
            own = ["clang", "--target=aarch64-linux-gnu", f"-L{self.sysroot / 'lib'}"]
        files = [*map(str, sources), "-o", str(made)]
        subprocess.run([*own, "-g", "-O0", "-fopenmp", *files], check=True)
        return made


def is_understood(library: Library, folder: Path, tools: tuple[str, str]) -> bool:
    """Tell whether the hang of the README has its verdict, and its region an event."""
    sources = [ROOT / "examples" / name for name in ("hang.c", "settle.c")]
    program = library.compiled(sources, folder / "hang")
    commands = ["break main", "continue", "ompd break parallel-begin", "continue"]
    commands += ["break hang.c:47", "continue", "ompd why"]
    env = {"OMP_DEBUG": "enabled"}
    said = emulated(program, folder, library.sysroot, commands, tools, env).stdout
    found = [words for words in SAID_OF_HANG if words in said]
    for words in set(SAID_OF_HANG) - set(found):
        print(f"  not said of hang.c: {words}")
    return len(found) == len(SAID_OF_HANG)


def line(library: Library, tools: tuple[str, str]) -> bool:
    """Print what one library gives; tell whether all of it is right."""
    tally, failures = Tally(), list[str]()
    # What libgomps.truth says of those before GCC 11.
    is_old = library.version.startswith(("9.", "10."))
    env = {"OMP_NESTED": "true"} if is_old else {}
    for name in PROGRAMS:
        with tempfile.TemporaryDirectory() as work:
            sources = [SOURCES / name, SOURCES / "truth.c"]
            program = library.compiled(sources, Path(work) / name.replace(".", "-"))
            try:
                session = run_emulated(program, Path(work), library.sysroot, env, tools)
            except SessionError as error:
                failures.append(f"{name}: {error}")
                continue
            for stop in session.stops:
                facts = stop_facts(stop)
                tally.add(each for each in facts if not is_old or not of_levels(each))
    with tempfile.TemporaryDirectory() as work:
        if not is_understood(library, Path(work), tools):
            failures.append("hang.c")
    unknown = [fact for fact in tally.unknown if fact.name not in UNKNOWN_HERE]
    counts = f"{tally.compared} facts, {len(tally.wrong)} wrong, {len(unknown)} unknown"
    print(f"{library.compiler}\t{library.suite}\t{library.version}\t{counts}", flush=True)
    for what in (*tally.wrong, *unknown, *failures):
        print(f"  {what}")
    return not tally.wrong and not failures


def main() -> int:
    """Print a line for each library of the list; 1 where anything is wrong."""
    missing = [tool for tool in (COMPILER, QEMU, GDB) if shutil.which(tool) is None]
    if missing:
        print(f"not run: there is no {' and no '.join(missing)}")
        return 2
    tools = str(shutil.which(QEMU)), str(shutil.which(GDB))
    os.environ["LC_ALL"] = "C.UTF-8"
    rows = [row.split(" ", 3) for row in Path(sys.argv[1]).read_text("utf-8").splitlines()]
    results = [line(Library(*names, Path(root)), tools) for *names, root in rows]
    return 0 if results and all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
