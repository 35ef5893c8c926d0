# SPDX-License-Identifier: Apache-2.0
"""A mistake in a command line, or a question to the wrong thread, is told in one line."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.asking import Answer, ask
from support.build import build
from support.refusals import AT_WORK, assert_each_says, exit_code, on_libomp
from support.runtimes import VERSIONS

MISTAKES = {
    "ompd nonsense": 'Undefined ompd command: "nonsense".  Try "help ompd".',
    "ompd threads -x": 'Unrecognized option at: -x. Try "help ompd threads".',
    "ompd threads --json": 'Unrecognized option at: --json. Try "help ompd threads".',
    "ompd icvs -": "Ambiguous option at: -. It may be -all or -json or -from.",
    "ompd threads junk": '"junk" is no thread number, nor a range such as 1-5.',
    "ompd threads 99": 'there is no GDB thread 99: "ompd threads" lists them',
    "ompd threads -3": 'Unrecognized option at: -3. Try "help ompd threads".',
    "ompd threads -team": '-team wants a value. Try "help ompd threads".',
    "ompd threads -team 9": 'there is no region 9: "ompd parallel -all" lists them',
    "ompd threads -state sleeping": (
        'no thread is "sleeping"; known are working, waiting, idle, running, crashed,'
        " unreadable, other, and what is waited for"
    ),
    "ompd bt -all 3": 'COUNT is for one thread\'s stack. Try "help ompd bt".',
    "ompd bt on off": (
        '"on off" is no number of frames, nor "on", "off" or "on continued". Try "help ompd bt".'
    ),
    "ompd report -svg tree out": (
        'The picture is to be one of: regions, waits, stacks. Try "help ompd report".'
    ),
    "ompd parallel 1": 'Junk at end of command: "1". Try "help ompd parallel".',
    "ompd tasks 1": 'Junk at end of command: "1". Try "help ompd tasks".',
    "ompd env omp_nowhere": 'OMP_NOWHERE is not set: "ompd env" lists what is, '
    '"ompd icvs" what is in force.',
    "ompd status all": 'Junk at end of command: "all". Try "help ompd status".',
    "ompd init now": 'Junk at end of command: "now". Try "help ompd init".',
    "ompd thread 0 1": 'One thread number is wanted. Try "help ompd thread".',
    "ompd thread x": '"x" is not a thread number.',
    "ompd thread 1.5": '"1.5" is not a thread number.',
    "ompd thread $unset": '"$unset" is not a thread number.',
    "ompd thread -- -1": '"-1" is not a thread number.',
    "ompd thread 2": "the current team has threads 0 to 1, not 2",
    "ompd thread 99999999999999999999": (
        "the current team has threads 0 to 1, not 99999999999999999999"
    ),
    "ompd icvs no-such-var": 'no ICV is called "no-such-var": "ompd icvs" lists them.',
    "ompd icvs -all levels-var no-such-var": (
        'no ICV is called "no-such-var": "ompd icvs" lists them.'
    ),
    "set ompd nonsense": 'Undefined set ompd command: "nonsense".  Try "help set ompd".',
    "show ompd nonsense": 'Undefined show ompd command: "nonsense".  Try "help show ompd".',
}


def test_mistakes_in_a_command_line() -> None:
    """All in one gdb: a mistake must not spoil the next command either."""
    session = ask(["break truth_stop", "run"], list(MISTAKES), build("nested.c"))
    said = dict(zip(MISTAKES, session.answers))
    assert said == {command: Answer("", f"{text}\n") for command, text in MISTAKES.items()}
    assert session.returncode == exit_code("info line nonsense")


def test_a_good_command_after_a_bad_one_ends_gdb_well() -> None:
    setup = ["break truth_stop", "run"]
    session = ask(setup, ["ompd threads -x", "ompd threads"], build("nested.c"))
    assert session.answers[1].stderr == ""
    assert session.returncode == exit_code("print 1")


@pytest.mark.parametrize("version", VERSIONS)
def test_idle_worker_has_no_task(version: str) -> None:
    """At the third stop of idle.c all workers are out of work."""
    setup = ["break truth_stop", "run", "continue", "continue", "thread 5"]
    text = "GDB thread 5 is an idle OpenMP worker: it is in no region and has no task"
    program = build("idle.c", runtime=version)
    assert_each_says(text, setup, ["ompd tasks", "ompd icvs", "ompd thread 0"], program)


FIND_NATIVE = """
import gdb

def holds(thread):
    thread.switch()
    frame = gdb.newest_frame()
    while frame is not None and frame.name() != "truth_hold_native":
        frame = frame.older()
    return frame is not None

NATIVE = next(thread for thread in gdb.selected_inferior().threads() if holds(thread))
NATIVE.switch()
"""


@pytest.mark.parametrize("version", VERSIONS)
def test_native_thread_has_no_task(version: str, tmp_path: Path) -> None:
    script = tmp_path / "find_native.py"
    script.write_text(FIND_NATIVE, encoding="ascii")
    asked = ["python print(NATIVE.num)", "ompd tasks", "ompd icvs", "ompd thread 0"]
    setup = ["break truth_stop", "run", f"source {script}"]
    number, *answers = ask(setup, asked, build("roots.c", runtime=version)).answers
    text = (
        f"GDB thread {number.stdout.strip()} is not an OpenMP thread: 'ompd threads' lists those\n"
    )
    assert answers == [Answer("", text)] * 3


def test_outside_all_regions(tmp_path: Path) -> None:
    alone = "GDB thread 1 is in no parallel region"
    said = {
        "ompd thread 0": f"{alone}: its team is itself alone",
        "ompd bt -team": f"{alone}: 'ompd bt' shows its stack",
    }
    session = ask(AT_WORK, list(said), on_libomp(tmp_path))
    assert session.answers == [Answer("", f"{text}\n") for text in said.values()]
    assert session.returncode == exit_code("info line nonsense")
