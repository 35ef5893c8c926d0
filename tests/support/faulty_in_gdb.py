# SPDX-License-Identifier: Apache-2.0
"""Sourced into gdb at a stop: every command, with every fault in every function it calls."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gdb

COMMANDS = (
    "ompd threads -all",
    "ompd parallel -all",
    "ompd tasks -all",
    "ompd icvs -all",
    "ompd env",
    "ompd status",
    "ompd why",
    'output $_omp_icv("nthreads-var")',
    "output $_omp_state()",
)
CODES = tuple(f"rc:{code}" for code in (*range(1, 14), 77, 4294967295))
# What ends a call from outside.
FATAL = ("segv", "bus", "fpe", "ill", "stack", "throw", "throw_number", "restless")
FATAL += ("overrun", "underrun", "leak")
FAULTS = (*CODES, "nothing", "lie", "double_free", "print", *FATAL)
# Called once, when the library is loaded, and for what it has given out.
NO_ANSWER = ("ompd_initialize", "ompd_finalize", "ompd_rel_")


def ask(command: str) -> tuple[str, str]:
    """Return what COMMAND says, and with what error it ends."""
    try:
        return gdb.execute(command, to_string=True), ""
    except gdb.error as error:
        return "", str(error)
    except KeyboardInterrupt:
        return "", "interrupted"


QUESTIONS: dict[str, tuple[int, ...]] = {
    "threads": (),
    "innermost_task": (1,),
    "implicit_tasks": (1,),
    "state": (1,),
    "thread_limit": (1,),
    "version_string": (),
    "version_compatibility": (),
    "display_control_vars": (),
    "enable": (True,),
}
# One of each kind: refused, crashed, thrown, what it was lent broken.
FAULTS_OF_QUESTIONS = ("rc:2", "segv", "throw", "overrun")


def ask_inquiry(name: str) -> dict[str, Any]:
    """Return what a function of the Python API answers, or the error, its kind and its
    bases' names."""
    from gdb_ompd import inquiry

    try:
        return {"answer": repr(getattr(inquiry, name)(*QUESTIONS[name]))}
    except Exception as error:  # the test judges which error is right
        bases = [base.__name__ for base in type(error).__mro__]
        return {"error": str(error), "bases": bases}


def set_fault(function: str, fault: str) -> None:
    """Have the library misbehave, or behave for empty words."""
    os.environ["SHIM_FUNCTION"], os.environ["SHIM_FAULT"] = function, fault


def fresh() -> None:
    """Have the next command ask the library anew, as at a new stop."""
    from gdb_ompd.host.sessions.registry import all_sessions

    for session in all_sessions():
        session.end_stop()


def lines(trace: Path) -> list[str]:
    """Return the functions that were called since the trace began, and end it."""
    os.environ["SHIM_TRACE"] = ""
    called = trace.read_text().split() if trace.exists() else []
    trace.unlink(missing_ok=True)
    return called


def reload_library(path: str) -> None:
    """Have the library loaded anew by the next command."""
    os.utime(path)
    fresh()


def called_by(command: str, library: str, trace: Path) -> list[str]:
    """Return the functions that COMMAND calls, with the library not loaded yet."""
    os.environ["SHIM_TRACE"] = str(trace)
    reload_library(library)
    ask(command)
    return sorted(set(lines(trace)))


def faulty_answers(name: str, library: str, trace: Path) -> Iterator[dict[str, Any]]:
    """Yield what a question of the Python API answers with each fault in each function
    that it calls, and what it answers next, with no command between."""
    reload_library(library)
    os.environ["SHIM_TRACE"] = str(trace)
    right = ask_inquiry(name)
    for function in sorted(set(lines(trace))):
        for fault in FAULTS_OF_QUESTIONS:
            reload_library(library)
            set_fault(function, fault)
            said = ask_inquiry(name)
            set_fault("", "")
            if fault == "rc:2":
                fresh()  # a fact that alone is not known stays so until the next stop
            row = {"command": name, "function": function, "fault": fault, "right": right}
            yield row | {"said": said, "after": ask_inquiry(name)}


def twice_in_one_command(library: str, trace: Path) -> dict[str, Any]:
    """Let a library fail in a command that asks it twice, healed in between, and note
    what is called the second time; then ask once more."""
    from gdb_ompd.host.moments import one_command

    reload_library(library)
    with one_command:
        set_fault("ompd_get_version_string", "segv")
        first = ask_inquiry("version_string")
        set_fault("", "")
        os.environ["SHIM_TRACE"] = str(trace)
        second = ask_inquiry("version_string")
    called = lines(trace)
    return {
        "first": first,
        "second": second,
        "called": called,
        "next": ask_inquiry("version_string"),
    }


def collect(library: str, out: str) -> None:
    """Try all, and write to OUT what was said: right, and with each fault."""
    trace = Path(out).with_suffix(".trace")
    right = {command: ask(command) for command in COMMANDS}
    asked = {command: called_by(command, library, trace) for command in COMMANDS}
    wrong: list[dict[str, Any]] = []
    for command in COMMANDS:
        for function in asked[command]:
            for fault in FAULTS:
                if fault == "lie" and function.startswith(NO_ANSWER):
                    continue
                reload_library(library)
                set_fault(function, fault)
                said, error = ask(command)
                set_fault("", "")
                row = {"command": command, "function": function, "fault": fault}
                wrong.append(row | {"said": said, "error": error})
                if fault in FATAL:
                    wrong[-1]["after"] = ask(command)
    loops = [one_loop(command, function) for command, function in LOOPS]
    document = {"right": right, "asked": asked, "wrong": wrong, "loops": loops}
    document["interrupted"] = interrupted_loop()
    document["questions"] = [
        row for name in QUESTIONS for row in faulty_answers(name, library, trace)
    ]
    document["in_one_command"] = twice_in_one_command(library, trace)
    gdb.execute("set ompd timeout 10")
    document["after"] = {command: ask(command) for command in COMMANDS}
    open_now = (file.readlink() for file in Path("/proc/self/fd").iterdir() if file.is_symlink())
    document["copies left open"] = [str(each) for each in open_now if "memfd" in str(each)]
    Path(out).write_text(json.dumps(document))


LISTINGS = (
    "ompd threads -all -no-location",
    "ompd parallel -all",
    "ompd tasks -all",
    "ompd icvs -all",
    "ompd env",
    "ompd thread 1",
)


def by_handles(library: str, out: str) -> None:
    """Write to OUT what each listing says from the library's handles alone, which functions
    it calls for that, and what it says while one of them fails."""
    trace = Path(out).with_suffix(".trace")
    gdb.execute("set ompd corrections off")
    told: list[dict[str, Any]] = []
    for command in LISTINGS:
        reload_library(library)
        row = {"command": command, "right": ask(command), "failing": {}}
        row["called"] = called_by(command, library, trace)
        for function in row["called"]:
            reload_library(library)
            gdb.execute("thread 1", to_string=True)
            set_fault(function, "rc:4")
            row["failing"][function] = ask(command)
            set_fault("", "")
        told.append(row)
    Path(out).write_text(json.dumps(told))


LOOPS = (
    ("ompd icvs -all", "ompd_process_initialize"),
    ("ompd icvs -all", "ompd_get_icv_from_scope"),
    ("ompd env", "ompd_get_display_control_vars"),
)


def one_loop(command: str, function: str) -> dict[str, Any]:
    """Let a call not return, with a short time-out."""
    gdb.execute("set ompd timeout 1")
    fresh()
    set_fault(function, "loop")
    said, error = ask(command)
    set_fault("", "")
    return {"function": function, "said": said, "error": error, "after": ask(command)}


def interrupted_loop() -> dict[str, Any]:
    """Let a call not return, and have another process press Ctrl-C."""
    gdb.execute("set ompd timeout unlimited")
    fresh()
    command = "ompd icvs -all"
    set_fault("ompd_get_icv_from_scope", "loop")
    user = subprocess.Popen(["sh", "-c", f"sleep 1; kill -INT {os.getpid()}"])
    said, error = ask(command)
    user.wait()
    set_fault("", "")
    return {"said": said, "error": error, "after": ask(command)}
