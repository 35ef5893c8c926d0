# SPDX-License-Identifier: Apache-2.0
"""Commands that show something change nothing, and GDB's own stay ordinary."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from support.asking import ask
from support.build import binary, Build
from support.gdb_session import run_gdb
from support.runtimes import GNU, VERSIONS

COMMANDS = (
    "ompd status",
    "ompd init",
    "ompd threads",
    "ompd threads -all -no-location",
    "ompd threads -json",
    "ompd parallel",
    "ompd parallel -all",
    "ompd tasks",
    "ompd tasks -all -json",
    "ompd icvs",
    "ompd icvs -all",
    "ompd env",
)
STATE = """python
import gdb, json
def last_address():
    with gdb.with_parameter("language", "c"):
        return gdb.execute("output/x $_", to_string=True)
def selection():
    frame = gdb.selected_frame()
    return json.dumps([gdb.selected_inferior().num, gdb.selected_thread().num, frame.level(),
                       frame.pc(), gdb.parameter("language"), gdb.parameter("scheduler-locking"),
                       last_address(), str(gdb.convenience_variable("_exitcode")),
                       str(gdb.convenience_variable("bpnum")), gdb.parameter("pagination")])
"""
PROGRAM = Build("nested.c", "clang", "O0", "19")


@pytest.mark.parametrize("language", ["auto", "fortran", "pascal", "rust"])
def test_nothing_selected_changes(language: str, tmp_path: Path) -> None:
    script = tmp_path / "selection.py"
    script.write_text(STATE.removeprefix("python\n"), encoding="ascii")
    asked = [
        "break truth_stop",
        "run",
        "thread 2",
        "frame 1",
        "x/i $pc",
        f"set language {language}",
    ]
    asked += [f"source {script}", 'python print("STATE", selection())']
    for command in COMMANDS:
        asked += [f"python gdb.execute({command!r}, to_string=True)"]
        asked += ['python print("STATE", selection())']
    done = run_gdb(asked, binary(PROGRAM))
    states = [line for line in done.stdout.splitlines() if line.startswith("STATE ")]
    assert len(states) == len(COMMANDS) + 1, done.stdout[-2000:] + done.stderr[-2000:]
    assert json.loads(states[0].removeprefix("STATE "))[:3] == [1, 2, 1]
    for command, state in zip(COMMANDS, states[1:]):
        assert state == states[0], command


def test_a_frame_stays_selected_beside_another_program(tmp_path: Path) -> None:
    """GDB selects frame 0 where it looks for a line in the programs of two inferiors."""
    program = binary(Build("nested.c", "gcc", "O0", GNU))
    script = tmp_path / "selection.py"
    script.write_text(STATE.removeprefix("python\n"), encoding="ascii")
    asked = ["break truth_stop", "run", f"add-inferior -exec {program}", "inferior 2", "run"]
    asked += ["inferior 1", "thread 1.2", "frame 1", f"source {script}"]
    state = 'python print("STATE", selection())'
    for file in ("report stop.html", "save stop.json"):
        asked += [state, f"ompd {file.replace('stop', str(tmp_path / 'stop'))}", state]
    done = run_gdb([*asked, "kill inferiors 1 2"], program)
    states = [line for line in done.stdout.splitlines() if line.startswith("STATE ")]
    assert len(states) == 4 and len(set(states)) == 1, done.stdout[-2000:] + done.stderr[-2000:]


def test_a_callers_frame_that_is_selected_changes_no_answer(tmp_path: Path) -> None:
    """Registers of a core are asked of GDB, which keeps the frame of the selected thread."""
    program, core = binary(Build("restless.c", "gcc", "O2", GNU)), tmp_path / "core"
    run_gdb(["break GOMP_critical_name_start", "run", f"gcore {core}"], program)
    readers = ("ompd threads", "ompd why", "ompd bt -full")
    innermost, caller = (ask(setup, readers, program, core) for setup in ([], ["up"]))
    assert 'waiting for critical "gate"' in innermost.answers[0].stdout
    assert innermost.answers == caller.answers


def test_the_value_history_does_not_grow() -> None:
    asked = ["break truth_stop", "run", "print 41"]
    done = run_gdb([*asked, *COMMANDS, "print $ + 1"], binary(PROGRAM))
    assert "$1 = 41" in done.stdout
    assert "$2 = 42" in done.stdout


ORDINARY = {
    "next over the first region": ["break main", "run", "next", "next", "next", "info line"],
    "step": ["break main", "run", "step", "step", "next", "next"],
    "finish": ["break square", "run", "finish", "finish"],
    "until": ["break main", "run", "until", "until", "until"],
    "tbreak and run again": ["tbreak main", "run", "tbreak main", "run", "continue"],
    "start and kill": ["start", "next", "kill", "info threads"],
    "detach": ["break square", "run >/dev/null", "detach", "info threads"],
    "to the end": ["run", "info breakpoints", "print $_exitcode"],
}

# In a program that forks, and becomes another one.
FORKING = {
    "follow the parent": ["set detach-on-fork on", "break inner", "run", "continue", "continue"],
    "follow the child": ["set follow-fork-mode child", "break fork", "run", "delete", "continue"],
    "exec": ["set args /bin/true", "run", "info inferiors"],
    "catch exec": ["set args /bin/true", "catch exec", "run", "continue"],
    "next over a fork": ["break main", "run", "next", "next", "next", "next"],
}


def transcript(commands: list[str], program: Path, extension: bool) -> list[str]:
    """Return what gdb says, without what differs from run to run."""
    settings = ["set confirm off", "set print thread-events off", "set style enabled off"]
    done = run_gdb([*settings, *commands], program, extension=extension)
    said = done.stdout + done.stderr
    said = re.sub(r"\(LWP \d+\)|process \d+", "ID", said)
    return re.sub(r"0x[0-9a-f]+", "ADDRESS", said).splitlines()


@pytest.mark.parametrize("name", ORDINARY)
@pytest.mark.parametrize("runtime", VERSIONS)
def test_ordinary_commands_are_as_without_the_extension(name: str, runtime: str) -> None:
    program = binary(Build("steps.c", "clang", "O0", runtime))
    plain = transcript(ORDINARY[name], program, extension=False)
    assert len(plain) > 3
    assert transcript(ORDINARY[name], program, extension=True) == plain


@pytest.mark.parametrize("name", FORKING)
@pytest.mark.parametrize("runtime", VERSIONS)
def test_fork_and_exec_are_as_without_the_extension(name: str, runtime: str) -> None:
    program = binary(Build("forks.c", "clang", "O0", runtime))
    plain = transcript(FORKING[name], program, extension=False)
    assert len(plain) > 3
    assert transcript(FORKING[name], program, extension=True) == plain


def test_frames_of_other_threads_are_selected_as_the_stack_writes_them() -> None:
    program = binary(Build("inlined_stop.cpp", "clang", "O0", "19"))
    stop = ["break note if $_omp_thread_num() == 2", "run"]
    shown = run_gdb([*stop, "ompd bt"], program).stdout
    (thread, number) = re.findall(r"^GDB (\d+) #(\d+) +main ", shown, re.MULTILINE)[0]
    asked = [f"ompd frame GDB {thread} #{number}", "thread", "ompd frame 0", "ompd frame 900"]
    said = run_gdb([*stop, *asked, "thread", "frame"], program)
    after = said.stdout.split("[Switching to thread ", 1)[1]
    assert after.startswith(f"{thread} ") and f"#{number} " in after and "in main () at" in after
    assert after.count(f"[Current thread is {thread} ") == 2, after
    assert f"the stack of GDB thread {thread} has no frame 900" in said.stderr
    assert after.rstrip().splitlines()[-2].startswith("#0 "), after


@pytest.mark.parametrize(
    "words, said",
    [
        ("GDB 3", 'A frame is wanted as "ompd bt" writes it'),
        ("GDB 77 #1", 'there is no GDB thread 77: "info threads" lists them'),
        ("5.1 #1", "there is no GDB thread 1"),
    ],
)
def test_a_frame_that_is_none_is_one_line(words: str, said: str) -> None:
    program = binary(Build("inlined_stop.cpp", "clang", "O0", "19"))
    done = run_gdb(["break note", "run", f"ompd frame {words}"], program)
    assert said in done.stderr and len(done.stderr.splitlines()) == 1, done
