# SPDX-License-Identifier: Apache-2.0
"""Each cause for which a program is slow, in a program of its own that has no other; and programs
where nothing is the matter."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import pytest
from support.build import Build, binary
from support.gdb_session import run_gdb
from support.gdbserver import gdbserver
from support.runtimes import EVERYTHING, GNU, stripped

BUILDS = (
    Build("slow.c", "gcc", "O2", GNU),
    Build("slow.c", "clang", "O0", stripped("14")),
    Build("slow.c", "clang", "O2", stripped("19")),
)
CPUS = len(os.sched_getaffinity(0))
MANY = str(2 * CPUS + 2)
# Words that stand in the sentence of one cause only.
CAUSES = (
    r"may run on CPU \d+ only, and take turns",
    r"work or spin, but the process may",
    r"are bound to CPU \d+ while no thread",
    r"have begun teams of 4 inside",
    r"has used \d+ % of the processor time",
    r"The runtime rejected \w+=",
)
ONE_CPU, TOO_MANY, BOUND, INSIDE, UNEVEN, REJECTED = CAUSES


class Case(NamedTuple):
    """What the program does, and the causes that are to be named; IN_CORE those that a core tells."""

    how: str
    causes: tuple[str, ...] = ()
    in_core: tuple[str, ...] = ()
    env: Mapping[str, str] = {}
    # libomp takes what its memory holds for a number of threads that it rejects, and may not start.
    compilers: tuple[str, ...] = ("gcc", "clang")


def rejected(name: str, value: str) -> Case:
    return Case("even 2", (REJECTED,), (REJECTED,), {name: value})


ONE_EACH = {"OMP_PLACES": "{0},{1}", "OMP_PROC_BIND": "close"}
CASES = {
    "one cpu": Case(f"one {CPUS}", (ONE_CPU,)),
    "jailed": Case("even 2", (ONE_CPU,), (), {"OMP_PLACES": "{0}", "OMP_PROC_BIND": "close"}),
    "many": Case(f"even {MANY}", (TOO_MANY,)),
    "inside": Case(f"inside {CPUS}", (TOO_MANY, INSIDE), (INSIDE,)),
    "uneven": Case("uneven 2", (UNEVEN,)),
    "threads": rejected("OMP_NUM_THREADS", "8c")._replace(compilers=("gcc",)),
    "places": rejected("OMP_PLACES", "core"),
    "schedule": rejected("OMP_SCHEDULE", "dynamik"),
    "stack": rejected("OMP_STACKSIZE", "8X"),
    "binding": rejected("OMP_PROC_BIND", "sprad"),
    "even": Case("even 2"),
    "alone": Case("alone 2"),
    "apart": Case("apart 2"),
    "bound": Case("even 2", (), (), ONE_EACH),
    "settings": Case(
        "even 2",
        env={
            "OMP_NUM_THREADS": "4,2",
            "OMP_PLACES": "cores(2)",
            "OMP_SCHEDULE": "nonmonotonic:dynamic,4",
            "OMP_STACKSIZE": "4M",
            "OMP_PROC_BIND": "spread,close",
        },
    ),
}
# Each cause is tried on one build, and on every one where everything is.
CHOSEN = [
    pytest.param(case, build, id=f"{name}-{build}")
    for number, (name, case) in enumerate(CASES.items())
    for turn, build in enumerate(BUILDS)
    if build.compiler in case.compilers
    and (EVERYTHING or len(case.compilers) == 1 or number % len(BUILDS) == turn)
]


def named(text: str) -> tuple[str, ...]:
    return tuple(cause for cause in CAUSES if re.search(cause, text))


@pytest.mark.skipif(CPUS < 2, reason="one CPU is shared by all")
@pytest.mark.parametrize("case, build", CHOSEN)
def test_each_cause_is_named_and_none_that_is_not_there(
    case: Case, build: Build, tmp_path: Path
) -> None:
    saved, core, program = tmp_path / "stop.json", tmp_path / "core", binary(build)
    stop = ["set confirm off", "set breakpoint pending on", "break stop_here", f"run {case.how}"]
    again = ["ompd why", "continue", "echo ASKED\\n", "ompd why", "echo ASKED\\n"]
    kept = [f"ompd save {saved}", f"ompd why -from {saved}", f"generate-core-file {core}"]
    done = run_gdb([*stop, *again, *kept], program, env={"OMP_WAIT_POLICY": "passive", **case.env})
    _, live, later = done.stdout.split("ASKED\n")
    assert named(live) == case.causes, done.stdout + done.stderr
    assert named(later) == case.causes, later
    text = run_gdb(["ompd why"], program, core).stdout
    assert named(text) == case.in_core, text
    is_unknown = (
        "Whether its threads lack CPUs, or one has all the work, is not in a core file" in text
    )
    assert is_unknown == (not case.how.startswith("alone")), text  # which has no team of several


@pytest.mark.skipif(CPUS < 2, reason="one CPU is shared by all")
def test_another_machines_kernel_tells_who_has_all_the_work() -> None:
    program = binary(BUILDS[0])
    with gdbserver("--once", str(program), "uneven", "2") as (_, address):
        stop = ["set confirm off", f"target remote {address}", "break stop_here", "continue"]
        again = ["ompd why", "continue", "echo ASKED\\n", "ompd why", "kill"]
        text = run_gdb([*stop, *again], program).stdout
    assert named(text.split("ASKED\n")[1]) == (UNEVEN,), text


@pytest.mark.skipif(CPUS < 2, reason="one CPU is shared by all")
def test_so_many_threads_of_another_machine_are_not_asked_for() -> None:
    program = binary(BUILDS[0])
    with gdbserver("--once", str(program), "even", "130") as (_, address):
        stop = ["set confirm off", f"target remote {address}", "break stop_here", "continue"]
        text = run_gdb([*stop, "ompd why", "kill"], program).stdout
    assert "is asked of no more than 128 threads of another machine" in text, text
