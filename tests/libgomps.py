# SPDX-License-Identifier: Apache-2.0
"""What is said of GCC's programs on each of several libgomps: run by
scripts/distribution-libgomps.sh with a list of "SUITE VERSION FOLDER", and -hangs for those
that hang."""

from __future__ import annotations

import json
import platform
import re
import sys
import tempfile
from pathlib import Path

from support.build import Build, binary
from support.events import COUNTERS, MARK, PROGRAM, QUIET, TELL
from support.facts import Fact, Tally
from support.gdb_session import run_gdb
from support.hangs import HUNG, Setting, ask, is_right
from support.runtimes import GNU, newer_libcs
from support.truth_compare import stop_facts
from support.truth_session import run_live

PROGRAMS = (
    *(("nested.c", "O0"), ("tasks.c", "O2"), ("task_regions.c", "O0"), ("serialized.c", "O2")),
    *(("icvs.c", "O2"), ("roots.c", "O2"), ("classes.cpp", "O0"), ("fortran.f90", "O2")),
)
# For which task a thread has suspended its own is on its stack alone.
MAY_BE_UNKNOWN = frozenset({"scheduling"})
# What gcc has programs start with.
LOADER = b"/lib64/ld-linux-x86-64.so.2"
# Programs that hang, in one gdb.
AT_ONCE = 16
EVENTS = ("parallel-begin", "parallel-end", "task-begin", "task-end")
REGIONS = ("regions_of_solve", "regions_of_others")
TASKS = ("tasks_of_update", "tasks_of_others", "undeferred_tasks", "iterations")


class Library:
    """One libgomp. Where it needs a newer C library, and one was fetched
    (GDB_OMPD_NEWER_SUITES=trixie in the environment), programs run on that."""

    def __init__(self, folder: str, work: Path) -> None:
        self.folder = folder
        self._work = work
        self._libc = next(iter(newer_libcs()), None) if _is_newer(folder) else None
        self.path = folder if self._libc is None else f"{folder}:{self._libc}"
        self.env = {"LD_LIBRARY_PATH": folder}
        if self._libc is not None:
            # Not for gdb itself, which starts programs by this.
            shell = work / "shell"
            start = f"LD_LIBRARY_PATH={self.path} $2"
            shell.write_text(f'#!/bin/sh\neval "{start}"\n', encoding="ascii")
            shell.chmod(0o755)
            self.env = {"SHELL": str(shell)}

    def program(self, what: Build) -> Path:
        """Return a program that runs on it."""
        return self.with_loader(binary(what))

    def with_loader(self, made: Path) -> Path:
        """Return a program with the dynamic linker of the C library that it runs on."""
        if self._libc is None:
            return made
        loader = self._work / "ld"
        if not loader.exists():
            loader.symlink_to(next(self._libc.glob("ld-linux*")))
        name = str(loader).encode("ascii")
        assert len(name) <= len(LOADER)
        copy = self._work / f"{made.name}.on"
        copy.write_bytes(made.read_bytes().replace(LOADER, name.ljust(len(LOADER), b"\0"), 1))
        copy.chmod(0o755)
        return copy


def _is_newer(folder: str) -> bool:
    """Tell whether this machine's C library is too old for a folder's libgomp."""
    needed = re.findall(rb"GLIBC_2\.(\d+)\0", (Path(folder) / "libgomp.so.1").read_bytes())
    own = platform.libc_ver()[1].split(".")
    return max(map(int, needed)) > int(own[1])


def truth(library: Library, family: str) -> Tally:
    """Hold all that is said at every stop, live and in the last one's core, against what the
    programs recorded."""
    tally = Tally()
    # Before GCC 11 max-active-levels-var alone nests nothing, and the programs wait for it;
    # and it is one variable for all, so that what a thread has read may have changed.
    is_old = "GCC 9 or 10" in family
    env = library.env | ({"OMP_NESTED": "true"} if is_old else {})
    for name, opt in PROGRAMS:
        with tempfile.TemporaryDirectory() as work:
            program = library.program(Build(name, "gcc", opt, GNU))
            session = run_live(program, Path(work), with_cores=True, env=env)
            for stop in (*session.stops, *session.in_cores):
                facts = stop_facts(stop)
                tally.add(each for each in facts if not is_old or not of_levels(each))
    return tally


def of_levels(fact: Fact) -> bool:
    return "max-active-levels-var" in fact.subject + fact.name


def hangs(library: Library, opt: str, names: list[str]) -> bool:
    """Print how often the cause of a hang of NAMES was named, and each time that it was not; tell
    whether it always was where it can be known."""
    env = {"LD_LIBRARY_PATH": library.path, "OMP_NESTED": "true"}
    answers = []
    for first in range(0, len(names), AT_ONCE):
        with tempfile.TemporaryDirectory() as work:
            some, setting = names[first : first + AT_ONCE], Setting(opt, GNU, "")
            for found in ask(
                some, setting, Path(work), env=env, placed=library.with_loader
            ).values():
                answers += found
    wrong = [answer for answer in answers if not is_right(answer)]
    print(f"\t{len(answers) - len(wrong)} of {len(answers)} hangs at -{opt}", flush=True)
    for answer in wrong:
        print(f"  {answer['name']}: {answer['shown']}")
    return not wrong


def layout(library: Library) -> str:
    """Return how the extension calls the version, or why it does not serve it."""
    asked = ["break solve", "run r", "ompd status -json"]
    done = run_gdb(asked, library.program(events("O0")), env=library.env)
    found = re.search(r"^{.*}$", done.stdout, re.M | re.S)
    if found is None:
        return "no answer"
    rows = json.loads(found.group())["runtimes"]
    if len(rows) != 1:
        return "not run: it needs a newer C library than this machine's"
    row = rows[0]
    if not row["file"].startswith(library.folder):
        return f"not run on it: {row['file']}"
    return str(row["problem"] or row["version"])


def events(opt: str) -> Build:
    return Build(PROGRAM, "gcc", opt, GNU)


def stops(library: Library, opt: str) -> tuple[list[int], list[int]]:
    """Return how often event breakpoints were hit, and what the program counted."""
    breaks = [line for each in EVENTS for line in (f"ompd break {each}", "ignore $bpnum 1000000")]
    asked = [*QUIET, *breaks, "break ended", "run a", TELL]
    done = run_gdb(asked, library.program(events(opt)), env=library.env)
    counted = json.loads(done.stdout.split(MARK, 1)[1].split("\n", 1)[0])
    assert set(COUNTERS) <= set(counted)
    regions = sum(counted[name] for name in REGIONS)
    tasks = sum(counted[name] for name in TASKS)
    return [counted[str(at)] for at in (1, 2, 3, 4)], [regions, regions, tasks, tasks]


def line(suite: str, version: str, library: Library, hung: bool) -> bool:
    """Print what one library gives, of programs that hang or others; tell whether all is right."""
    family = layout(library)
    print(f"{suite}\t{version}\t{family}", end="", flush=True)
    if not family.startswith("GNU libgomp of GCC"):
        print()
        return family.startswith("not run")
    if hung:
        # Detached tasks came with GCC 11: on an older one these programs end.
        is_old = "GCC 9 or 10" in family
        names = [name for name in HUNG if not (is_old and "detached" in name)]
        return all([hangs(library, opt, names) for opt in ("O0", "O2")])
    tally = truth(library, family)
    unknown = [fact for fact in tally.unknown if fact.name not in MAY_BE_UNKNOWN]
    counts = f"{tally.compared} facts, {len(tally.wrong)} wrong, {len(unknown)} unknown"
    hits = [stops(library, opt) for opt in ("O0", "O2")]
    stopped = sum(map(sum, (found for found, _ in hits)))
    happened = sum(map(sum, (counted for _, counted in hits)))
    print(f"\t{counts}\t{stopped} stops of {happened} events", flush=True)
    for fact in (*tally.wrong, *unknown):
        print(f"  {fact}")
    return not tally.wrong and all(found == counted for found, counted in hits)


def main() -> int:
    """Print a line for each library of the list; 1 where anything is wrong."""
    *options, file = sys.argv[1:]
    rows = [row.split(" ", 2) for row in Path(file).read_text("utf-8").splitlines()]
    results = []
    for row in rows:
        if row[1][0].isdigit():
            with tempfile.TemporaryDirectory(prefix="g", dir="/tmp") as work:
                results.append(line(*row[:2], Library(row[2], Path(work)), "-hangs" in options))
        else:
            print(*row)
    return 0 if results and all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
