# SPDX-License-Identifier: Apache-2.0
"""Runs inside gdb: many runs, snapshots, stops and ended threads in one session, and what
they cost.

SOAK_TASK holds the task as JSON: "stop" (where to break), "threads", "reruns",
"snapshots", "stops" (each with every command that reads), "ending" (threads that end under a
condition which is false for them), "plain" (do gdb's own listing instead, so that gdb's growth can be
told from ours), "leak" (what to keep of each stop on purpose, to see that it is
found: "objects", "memory" or nothing). Prints one JSON line.
"""

from __future__ import annotations

import gc
import json
import mmap
import os
import sys
from pathlib import Path
from typing import Any

import gdb

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from fuzz.asking_in_gdb import COMMANDS  # noqa: E402

TASK: dict[str, Any] = json.loads(os.environ["SOAK_TASK"])
# From Python 3.13 on under the second name.
CLEAR_CACHES = getattr(sys, "_clear_internal_caches", None) or sys._clear_type_cache
PAGE_KIB = os.sysconf("SC_PAGE_SIZE") // 1024
SAMPLES = 20
PLAIN = ("info threads", "backtrace", "info sharedlibrary")
LISTINGS = ("threads", "parallel -all", "tasks -all", "icvs -all")
PAGES_OF_A_STOP = 4 * 4096
KEPT: list[Any] = []


def sample(count: int) -> tuple[int, int, int, int]:
    """Return the number of repeats, the KiB that gdb has of its own, Python's live
    blocks and the open descriptors. Of files the system drops pages and reads them again as it likes.

    Python's cache of methods holds the names that C code asked types for (gdb and
    pybind11 make a new string at each call), up to 4,096: it fills for hundreds of runs.
    """
    gc.collect()
    CLEAR_CACHES()
    with open("/proc/self/statm", encoding="ascii") as file:
        resident, of_files = map(int, file.read().split()[1:3])
    descriptors = len(os.listdir("/proc/self/fd"))
    return count, (resident - of_files) * PAGE_KIB, sys.getallocatedblocks(), descriptors


def run_again() -> None:
    """Start the program anew, to its breakpoint, and look at everything once."""
    gdb.execute("run", to_string=True)
    if TASK["plain"]:
        gdb.execute("info threads", to_string=True)
        return
    for command in LISTINGS:
        gdb.execute(f"ompd {command} -json", to_string=True)
    keep()


def snapshot_again() -> None:
    """Drop what was read of this stop, and read it again.

    Inside a command: what gdb evaluates while it unwinds, it frees at the end
    of the command that made it do so, and all of this script is one command.
    """
    gdb.execute("info threads" if TASK["plain"] else "python look()", to_string=True)


def look() -> None:
    """Make one snapshot from nothing."""
    import gdb_ompd
    from gdb_ompd.host.sessions.registry import session_of

    session_of().end_stop()
    if len(gdb_ompd.snapshot().threads) != TASK["threads"]:
        raise gdb.GdbError("the snapshot lacks threads")
    keep()


def keep() -> None:
    """Leak what the task says of this stop's data."""
    if TASK["leak"] == "objects":
        import gdb_ompd

        KEPT.append(gdb_ompd.snapshot())
    elif TASK["leak"] == "memory":
        # Of its own pages: what gdb's heap has free would hide it.
        block = mmap.mmap(-1, PAGES_OF_A_STOP, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        block.write(b"\xff" * PAGES_OF_A_STOP)
        KEPT.append(block)


def stop_again() -> None:
    """Let the program run to its next stop, and ask every command."""
    gdb.execute("continue", to_string=True)
    for command in PLAIN if TASK["plain"] else COMMANDS:
        gdb.execute(command, to_string=True)


class Ending:
    """Lets threads end, a part of them at each call."""

    def __init__(self, threads: int) -> None:
        self.part = max(threads // SAMPLES, 1)
        false = "$_thread == -1" if TASK["plain"] else "$_omp_thread_num() == 7"
        gdb.execute(f"break soak_ends if {false} || number % {self.part} == 0", to_string=True)

    def again(self) -> None:
        """Let so many end as a part has."""
        gdb.execute("continue", to_string=True)
        number = int(gdb.selected_frame().read_var("number"))
        assert number % self.part == 0, number


def measure(work: Any, times: int) -> list[Any]:
    """Do WORK so often; return a sample before, and some on the way."""
    samples = [sample(0)]
    step = max(times // SAMPLES, 1)
    for count in range(1, times + 1):
        work()
        if count % step == 0:
            samples.append(sample(count))
    return samples


def main() -> None:
    """Do the task."""
    gdb.execute("set pagination off")
    gdb.execute("set confirm off")
    gdb.execute(f"break {TASK['stop']}", to_string=True)
    run_again()
    answer = {
        "reruns": measure(run_again, TASK["reruns"]),
        "snapshots": measure(snapshot_again, TASK["snapshots"]),
    }
    gdb.execute(f"set args {TASK['stops'] + 1} {TASK['ending']}")
    gdb.execute("set print thread-events off")
    run_again()
    answer["stops"] = measure(stop_again, TASK["stops"])
    ending = Ending(TASK["ending"])
    parts = measure(ending.again, TASK["ending"] // ending.part)
    answer["ending"] = [(count * ending.part, *rest) for count, *rest in parts]
    gdb.execute("kill", to_string=True)
    print("SOAK " + json.dumps(answer))


main()
