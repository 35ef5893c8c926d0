# SPDX-License-Identifier: Apache-2.0
"""What is said of GCC's programs on each of several libgomps: run by
scripts/distribution-libgomps.sh with a list of "SUITE VERSION FOLDER"."""

from __future__ import annotations

import json
import re
import sys
import tempfile
from pathlib import Path

from support.build import Build, binary
from support.events import COUNTERS, MARK, PROGRAM, QUIET, TELL
from support.facts import Fact, Tally
from support.gdb_session import run_gdb
from support.runtimes import GNU
from support.truth_compare import stop_facts
from support.truth_session import read_core, run_live

PROGRAMS = (
    *(("nested.c", "O0"), ("tasks.c", "O2"), ("task_regions.c", "O0"), ("serialized.c", "O2")),
    *(("icvs.c", "O2"), ("roots.c", "O2"), ("classes.cpp", "O0"), ("fortran.f90", "O2")),
)
# For which task a thread has suspended its own is on its stack alone.
MAY_BE_UNKNOWN = frozenset({"scheduling"})
EVENTS = ("parallel-begin", "parallel-end", "task-begin", "task-end")
REGIONS = ("regions_of_solve", "regions_of_others")
TASKS = ("tasks_of_update", "tasks_of_others", "undeferred_tasks", "iterations")


def truth(folder: str, family: str) -> Tally:
    """Hold all that is said at every stop, live and in the last one's core, against what the
    programs recorded."""
    tally = Tally()
    # Before GCC 11 max-active-levels-var alone nests nothing, and the programs wait for it;
    # and it is one variable for all, so that what a thread has read may have changed.
    is_old = "GCC 9 or 10" in family
    library = {"LD_LIBRARY_PATH": folder} | ({"OMP_NESTED": "true"} if is_old else {})
    for name, opt in PROGRAMS:
        with tempfile.TemporaryDirectory() as work:
            program = binary(Build(name, "gcc", opt, GNU))
            session = run_live(program, Path(work), with_cores=True, env=library)
            last = session.cores[max(session.cores)]
            for stop in (*session.stops, read_core(program, last, Path(work))):
                facts = stop_facts(stop)
                tally.add(each for each in facts if not is_old or not of_levels(each))
    return tally


def of_levels(fact: Fact) -> bool:
    return "max-active-levels-var" in fact.subject + fact.name


def layout(folder: str) -> str:
    """Return how the extension calls the version, or why it does not serve it."""
    asked = ["break solve", "run r", "ompd status -json"]
    done = run_gdb(asked, binary(events("O0")), env={"LD_LIBRARY_PATH": folder})
    found = re.search(r"^{.*}$", done.stdout, re.M | re.S)
    if found is None:
        return "no answer"
    rows = json.loads(found.group())["runtimes"]
    if len(rows) != 1:
        return "not run: it needs a newer C library than this machine's"
    row = rows[0]
    if not row["file"].startswith(folder):
        return f"not run on it: {row['file']}"
    return str(row["problem"] or row["version"])


def events(opt: str) -> Build:
    return Build(PROGRAM, "gcc", opt, GNU)


def stops(folder: str, opt: str) -> tuple[list[int], list[int]]:
    """Return how often event breakpoints were hit, and what the program counted."""
    breaks = [line for each in EVENTS for line in (f"ompd break {each}", "ignore $bpnum 1000000")]
    library = {"LD_LIBRARY_PATH": folder}
    done = run_gdb(
        [*QUIET, *breaks, "break ended", "run a", TELL], binary(events(opt)), env=library
    )
    counted = json.loads(done.stdout.split(MARK, 1)[1].split("\n", 1)[0])
    assert set(COUNTERS) <= set(counted)
    regions = sum(counted[name] for name in REGIONS)
    tasks = sum(counted[name] for name in TASKS)
    return [counted[str(at)] for at in (1, 2, 3, 4)], [regions, regions, tasks, tasks]


def line(suite: str, version: str, folder: str) -> bool:
    """Print what one library gives; tell whether all is right."""
    family = layout(folder)
    print(f"{suite}\t{version}\t{family}", end="", flush=True)
    if not family.startswith("GNU libgomp of GCC"):
        print()
        return family.startswith("not run")
    tally = truth(folder, family)
    unknown = [fact for fact in tally.unknown if fact.name not in MAY_BE_UNKNOWN]
    counts = f"{tally.compared} facts, {len(tally.wrong)} wrong, {len(unknown)} unknown"
    hits = [stops(folder, opt) for opt in ("O0", "O2")]
    stopped = sum(map(sum, (found for found, _ in hits)))
    happened = sum(map(sum, (counted for _, counted in hits)))
    print(f"\t{counts}\t{stopped} stops of {happened} events", flush=True)
    for fact in (*tally.wrong, *unknown):
        print(f"  {fact}")
    return not tally.wrong and all(found == counted for found, counted in hits)


def main() -> int:
    """Print a line for each library of the list; 1 where anything is wrong."""
    rows = [row.split(" ", 2) for row in Path(sys.argv[1]).read_text("utf-8").splitlines()]
    results = []
    for row in rows:
        if row[1][0].isdigit():
            results.append(line(*row))
        else:
            print(*row)
    return 0 if results and all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
