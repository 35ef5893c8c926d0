# SPDX-License-Identifier: Apache-2.0
"""`ompd watch` says who wrote; with -race it stops only for writes that no lock in common
keeps apart."""

from __future__ import annotations

import re
from functools import cache

import pytest
from support.build import Build, binary
from support.gdb_session import run_gdb
from support.runtimes import VERSIONS

# In a container there may be no debug registers.
NO_HARDWARE = re.compile(
    r"cannot be watched by hardware|takes hardware watchpoints and never|Could not insert hardware watchpoint"
)
NOT_TOLD = "Not told: whether a barrier, an atomic construct, a dependence, or a lock that"


@cache
def are_hit() -> bool:
    """Tell whether this machine's debug registers stop a program, as GDB alone shows: some virtual
    machines take what they are set to, and do nothing."""
    asked = ["break writes_begin", "run", "watch in_lock", "continue"]
    done = run_gdb(asked, binary(Build("values/writes.c")), extension=False)
    return "Old value = " in done.stdout


def said(commands: list[str], what: Build) -> str:
    asked = ["set width 0", "set print thread-events off", "break writes_begin", "run", *commands]
    done = run_gdb(asked, binary(what))
    text = done.stdout + done.stderr
    if NO_HARDWARE.search(text):
        pytest.skip("this machine has no hardware watchpoints")
    assert "Traceback" not in text and "Error occurred in Python" not in text, text
    return text


def races(variable: str, what: Build) -> list[tuple[str, str]]:
    """Return the two writes of each stop."""
    if not are_hit():
        pytest.skip("hardware watchpoints are not hit on this machine")
    text = said([f"ompd watch -race {variable}", *["continue"] * 9], what)
    assert text.count("Hardware watchpoint 2: -location " + variable) >= 1
    found = re.findall(
        rf"^Threads of the team write {variable} without a lock in common:\n  (.*)\n  (.*)\n",
        text,
        flags=re.MULTILINE,
    )
    assert text.count(NOT_TOLD) == len(found)
    assert "exited normally" in text or found
    return [(str(before), str(now)) for before, now in found]


MATRIX = [
    Build("values/writes.c", compiler, opt, version)
    for compiler in ("clang", "gcc")
    for opt in ("O0", "O2")
    for version in VERSIONS
]


@pytest.mark.parametrize("what", MATRIX, ids=str)
def test_only_writes_without_a_lock_in_common_stop(what: Build) -> None:
    assert races("in_critical", what) == []
    assert races("in_lock", what) == []
    found = races("in_none", what)
    assert [now.split(" (")[0] for _, now in found] == ["thread 1 of 3", "thread 2 of 3"]
    assert all(each.endswith(", no lock that its code shows") for pair in found for each in pair)
    assert found[0][0].startswith("thread 0 of 3 (GDB thread 1), level 1, implicit task, write_all")


def test_locks_that_differ_are_named() -> None:
    found = races("in_two", Build("values/writes.c"))
    assert len(found) == 2
    assert re.search(r'holds lock "locks\[0\]"$|holds lock 0x', found[0][0])
    assert re.search(r'holds lock "locks\[1\]"$|holds lock 0x', found[0][1])


def test_what_a_region_s_end_orders_is_no_race() -> None:
    assert races("by_turns", Build("values/writes.c")) == []


def test_each_write_is_said_who_made_it() -> None:
    if not are_hit():
        pytest.skip("hardware watchpoints are not hit on this machine")
    text = said(
        ["ompd watch in_lock", *["continue"] * 3, "info watchpoints"], Build("values/writes.c")
    )
    found = re.findall(r"^Written by (.*)$", text, flags=re.MULTILINE)
    assert [each.split(",")[0] for each in found] == [
        f"thread {n} of 3 (GDB thread {n + 1})" for n in range(3)
    ]
    assert all("level 1, implicit task, write_all at writes.c:" in each for each in found)
    assert "hw watchpoint" in text and "breakpoint already hit 3 times" in text


def test_what_cannot_be_watched_is_an_error() -> None:
    what = Build("values/writes.c")
    text = said(["ompd watch", "ompd watch nothing", "ompd watch 1 + 2"], what)
    assert "An expression is wanted" in text
    assert 'No symbol "nothing" in current context.' in text
    assert "Cannot watch constant value `1 + 2'." in text
    software = ["set can-use-hw-watchpoints 0", "ompd watch in_lock", "info watchpoints"]
    done = run_gdb(["break writes_begin", "run", *software], binary(what))
    assert "hardware watchpoints are switched off, and only those tell which thread" in done.stderr
    assert "No watchpoints." in done.stdout


def test_a_machine_whose_watchpoints_stop_nothing_is_known() -> None:
    """The extension's own trial agrees with GDB's, and says so where nothing would be seen."""
    tried = "python print(gdb_ompd._native.hardware_watchpoints_stop())"
    pretended = "python gdb_ompd.control.watch.hardware_watchpoints_stop = lambda: False"
    asked = ["break writes_begin", "run", "python import gdb_ompd.control.watch", tried, pretended]
    asked += ["ompd watch -race in_none", "info watchpoints"]
    done = run_gdb(asked, binary(Build("values/writes.c")))
    assert f"\n{are_hit()}\n" in done.stdout, done.stdout
    assert "this machine takes hardware watchpoints and never stops at them" in done.stderr
    assert "No watchpoints." in done.stdout


def test_what_gdb_would_take_for_another_object_is_not_watched() -> None:
    """GCC tells a place on the stack of a static variable that a loop's body declares."""
    at = ["break values_stop", "run", "continue", "continue", "frame function values_hold", "up"]
    asked = ["ompd watch kept", "ompd whatis kept", "ompd watch everybody", "frame 0"]
    asked += ["ompd watch i"]
    done = run_gdb([*at, *asked], binary(Build("values/own_copies.c", "gcc")))
    text = done.stdout + done.stderr
    assert "not described: of the static variable kept GCC tells a place on the stack" in text
    assert "kept: unknown (its place is not described: it is static" in text
    assert "watchpoint 2: -location everybody" in text or NO_HARDWARE.search(text), text
    assert "-location kept" not in text and "-location i" not in text
