# SPDX-License-Identifier: Apache-2.0
"""Processes, connections and libraries come and go: a clear line, and right again."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from support.asking import BUGS, Answer, Session, ask
from support.build import build
from support.gdb_session import ROOT, run_gdb
from support.gdbserver import gdbserver
from support.readers import AT_STOP, PLACES, READERS, assert_one_line_each, places
from support.runtimes import runtime_folder

DYING = ROOT / "tests" / "support" / "dying_in_gdb.py"
NO_PROCESS = "no process: start one with 'run', attach, or load a core file\n"


def said(session: Session, commands: Sequence[str]) -> dict[str, Answer]:
    return dict(zip(commands, session.answers))


@pytest.mark.parametrize("end", ["kill", "detach", "exit"])
def test_after_the_process_is_gone(end: str) -> None:
    gone = {"exit": ["delete", "continue", "break truth_stop"]}.get(end, [end])
    commands = [PLACES, *gone, *READERS, "run", PLACES]
    session = ask(AT_STOP, commands, build("nested.c"))
    first, last = session.answers[0], session.answers[-1]
    readers = session.answers[1 + len(gone) : -2]
    *refused, function = readers
    assert [answer.stderr for answer in refused] == [NO_PROCESS] * len(refused)
    assert function == Answer("void", "")
    assert places(first) == places(last)


@pytest.mark.parametrize("reads", [0, 2, 4])
def test_killed_in_the_middle_of_a_command(reads: int) -> None:
    """By somebody else: gdb does not know it yet. What is shown is refused or unreadable."""
    pid = "gdb.selected_inferior().pid"
    asked = ["ompd threads -no-location", "ompd tasks", "ompd icvs -all", "ompd env"]
    commands = [PLACES]
    for command in asked:
        commands += [f"python ask_while_dying({pid}, {reads}, '{command}')", "ompd status"]
        commands += ["ompd threads", "kill", "run", PLACES]
    setup = [*AT_STOP, f"source {DYING}"]
    session = ask(setup, commands, build("nested.c"))
    truth = places(session.answers[0])
    for begin in range(1, len(commands), 6):
        dying, status, after, _, _, again = session.answers[begin : begin + 6]
        assert_one_line_each([dying, status, after])
        assert "cannot be read" in dying.stderr or "Cannot access memory" in dying.stdout
        assert "cannot be read" in after.stderr or "Cannot access memory" in after.stdout
        assert "Problem: the program's memory cannot be read" in status.stdout
        assert dying.stdout.endswith("killed\n") and "not killed" not in dying.stdout
        assert places(again) == truth


FORKS = {
    # The largest team at each stop at inner(), by inferior. With both processes kept
    # the parent waits for ever for the child that gdb holds.
    "parent": ("set detach-on-fork on", "set follow-fork-mode parent", [{1: 4}, {1: 2}]),
    "child": ("set detach-on-fork on", "set follow-fork-mode child", [{1: 4}, {2: 3}]),
    "both, parent": ("set detach-on-fork off", "set follow-fork-mode parent", [{1: 4}]),
    "both, child": ("set detach-on-fork off", "set follow-fork-mode child", [{1: 4}, {2: 3}]),
}


@pytest.mark.parametrize("way", FORKS)
def test_forks(way: str) -> None:
    detach, follow, truth = FORKS[way]
    at_fork = "ompd threads -no-location"
    commands = ["run", PLACES, "tcatch fork", "continue", at_fork]
    commands += ["continue"] if len(truth) > 1 else ["next"]
    commands += [PLACES]
    setup = ["set confirm off", detach, follow, "break inner"]
    session = ask(setup, commands, build("forks.c"))
    _, first, _, _, between, _, second = session.answers
    assert second.stderr == ""
    assert between.stderr == "" and "0 of 1" in between.stdout
    for teams, answer in zip(truth, (first, second)):
        rows = json.loads(answer.stdout)["threads"]
        for inferior, size in teams.items():
            sizes = [row["team_size"] for row in rows if row["inferior"] == inferior]
            assert max(size or 0 for size in sizes) == size


def test_a_program_that_becomes_another() -> None:
    """First one without OpenMP, then, from the start, the same once more."""
    commands = [PLACES, "tcatch exec", "continue", *READERS[:-1], "ompd status", "run", PLACES]
    setup = ["set confirm off", "set args /bin/true", "break inner", "run", "continue"]
    program = build("forks.c")
    session = ask(setup, [*commands, "output $_omp_level()"], program)
    by_command = said(session, commands)
    not_loaded = (
        "the list of the program's libraries is not in memory: it has not loaded them yet\n"
    )
    assert max(size or 0 for _, size in places(session.answers[0])) == 2
    assert by_command["ompd threads"].stderr == ""
    assert by_command["ompd threads"].stdout.endswith(f" -\n{not_loaded}")
    for command in ("ompd tasks -all", "ompd icvs -all", "ompd env"):
        assert by_command[command] == Answer(f"Nothing to show: {not_loaded}", "")
    assert not_loaded in by_command["ompd status"].stdout


@pytest.mark.parametrize("reads", [0, 3, 5, 9, 20])
def test_the_connection_is_lost(reads: int) -> None:
    """GDB tells so in the middle of a read: nothing that is being read is forgotten before."""
    program = build("nested.c")
    with gdbserver("--once", str(program)) as (pid, address):
        setup = [
            "set confirm off",
            f"target remote {address}",
            "break truth_stop",
            "continue",
            PLACES,
        ]
        dying = f"python ask_while_dying({pid}, {reads}, 'ompd threads')"
        commands = [dying, "ompd threads", "ompd status", "run", PLACES]
        session = ask([*setup, f"source {DYING}"], commands, program)
    died, after, status, _, again = session.answers
    assert "Traceback" not in died.stderr
    assert after == Answer("", NO_PROCESS)
    assert "There is no process" in status.stdout
    assert max(size or 0 for _, size in places(again)) == 2


def test_the_connection_is_lost_in_a_condition() -> None:
    program = build("nested.c")
    with gdbserver("--once", str(program)) as (pid, address):
        setup = [f"target remote {address}", "break truth_stop", "continue"]
        setup += ["ompd break parallel-begin nowhere", f"source {DYING}"]
        setup += [f"python die_in_condition({pid})", "continue"]
        after = ["echo after\\n", "ompd threads", "echo still there\\n"]
        done = run_gdb([*setup, *after], program)
    assert "killed\n" in done.stdout
    assert done.stdout.endswith("after\nstill there\n")
    assert done.stderr.endswith(NO_PROCESS)


def test_the_library_is_replaced(tmp_path: Path) -> None:
    file, commands = tmp_path / "libompd.so", [PLACES]
    real = {version: runtime_folder(version) / "libompd.so" for version in ("19", "14")}
    shutil.copy(real["19"], file)
    (tmp_path / "text").write_text("This is no library.\n" * 100, encoding="ascii")
    for new in (real["14"], tmp_path / "text", real["19"]):
        commands += [f"shell cp {new} {file}.new && mv {file}.new {file}", "stepi", PLACES]
    session = ask([*AT_STOP, f"set ompd library {file}"], commands, build("nested.c"))
    first, other, text, last = (session.answers[i] for i in (0, 3, 6, 9))
    assert places(first) == places(other) == places(last)
    assert text == Answer(
        "",
        f"no OMPD library can be loaded: {file}: not an ELF file:"
        " 'set ompd library PATH' names another\n",
    )


SHORT_LIVED = """
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int held;

__attribute__((noinline)) static void reached(int round) {
    __asm__ volatile("" : : "r"(round));
}

static void *root(void *nothing) {
#pragma omp parallel num_threads(2)
    {
#pragma omp barrier
    }
    while (held) sched_yield();
    return nothing;
}

int main(void) {
    for (int round = 0; round < 1500; round++) {
        pthread_t threads[2];
        held = round % 300 == 299;
        for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, root, 0);
        if (held) reached(round);
        held = 0;
        for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
    }
    return 0;
}
"""


def test_thousands_of_threads_come_and_go(tmp_path: Path) -> None:
    source, program = tmp_path / "short.c", tmp_path / "short"
    source.write_text(SHORT_LIVED, encoding="ascii")
    library = runtime_folder("19")
    link = [f"-L{library}", "-lomp", f"-Wl,-rpath,{library}", "-lpthread"]
    flags = ["-g", "-fopenmp", "-Wall", "-Werror"]
    subprocess.run(["clang", *flags, str(source), *link, "-o", str(program)], check=True)
    listed = "python print(len(gdb.selected_inferior().threads()))"
    each = [PLACES, listed, "ompd why -json", "continue"]
    setup = ["set print thread-events off", "break reached", "run"]
    session = ask(setup, each * 5, program, env={"KMP_BLOCKTIME": "0"})
    for begin in range(0, 5 * len(each), len(each)):
        threads, count, why, _ = session.answers[begin : begin + len(each)]
        assert threads.stderr == why.stderr == ""
        assert len(places(threads)) == int(count.stdout)
    highest = max(row["gdb_num"] for row in json.loads(session.answers[-4].stdout)["threads"])
    assert highest > 2000


PRINTER = """
import gdb

class Broken:
    def __init__(self, value, where):
        self.where = where
        if where == "init":
            raise ValueError("the printer is broken")
    def to_string(self):
        if self.where == "string":
            raise ValueError("the printer is broken")
        return "fine"
    def children(self):
        if self.where == "children":
            raise ValueError("the printer is broken")
        return iter(())

def look_up(value):
    return Broken(value, WHERE) if value.type.code == gdb.TYPE_CODE_INT else None

gdb.pretty_printers.append(look_up)
"""


@pytest.mark.parametrize("where", ["init", "string", "children"])
def test_broken_pretty_printers(where: str, tmp_path: Path) -> None:
    """gdb tells of them in its own way; all that does not depend on them is there."""
    script = tmp_path / "printer.py"
    script.write_text(PRINTER, encoding="ascii")
    commands = ["ompd bt", "ompd bt -full", "ompd bt on", "backtrace", "ompd threads", PLACES]
    setup = [*AT_STOP, f"python WHERE = '{where}'", f"source {script}"]
    script_lines = [*setup, *commands]
    done = run_gdb(script_lines, build("nested.c"))
    assert "Traceback" not in done.stdout + done.stderr
    assert "gdb_ompd" not in done.stderr and "Error occurred in Python" not in done.stderr
    assert done.stdout.count("truth_lead (") >= 3
    assert '"threads"' in done.stdout


def test_with_llvms_plugin_loaded_too() -> None:
    plugin = runtime_folder("19").parent / "share" / "gdb" / "python" / "ompd" / "__init__.py"
    if not plugin.is_file():
        pytest.skip("LLVM's plugin was not built with libomp 19")
    if "could not be loaded" in run_gdb([f"source {plugin}"], extension=False).stdout:
        pytest.skip("LLVM's plugin was built for another Python than this gdb's")
    plain = ask(AT_STOP, [PLACES], build("nested.c")).answers[0]
    # What is sourced last has the commands' names; ours has been sourced first here.
    ours = f"source {ROOT / 'gdb-scripts' / 'ompd.py'}"
    setup = [ours, f"source {plugin}", *AT_STOP, "ompd status"]
    session = ask(setup, [ours, PLACES, *READERS, "ompd status"], build("nested.c"))
    assert places(session.answers[1]) == places(plain)
    assert [answer.stderr for answer in session.answers] == [""] * (3 + len(READERS))
    setup = [f"source {plugin}", ours, *AT_STOP, PLACES]
    done = run_gdb(setup, build("nested.c"), extension=False)
    assert (done.stderr, places(Answer(done.stdout[done.stdout.index("{") :], ""))) == (
        "",
        places(plain),
    )


def test_gdb_ends_well_with_all_kinds_of_handles() -> None:
    done = run_gdb([*AT_STOP, *READERS, "ompd status"], build("nested.c"))
    assert (done.returncode, done.stderr) == (0, "")
    assert not any(bug in done.stdout for bug in BUGS)
