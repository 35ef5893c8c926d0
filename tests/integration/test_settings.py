# SPDX-License-Identifier: Apache-2.0
"""Whatever is set in GDB, commands say what they say without it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from support.build import Build, binary
from support.gdb_session import GdbResult, run_gdb
from support.runtimes import GNU, library_folder

HELPER = Path(__file__).parents[1] / "support" / "settings_in_gdb.py"

# What changes neither facts nor how they look.
NOT_FELT = """
backtrace limit 1
backtrace limit 3
print address off
print symbol off
print symbol-filename on
print demangle off
print object on
print vtbl on
print static-members off
print pretty on
print union off
print array on
print null-stop on
print sevenbit-strings on
print max-depth 0
print frame-info short-location
print entry-values both
print raw-frame-arguments on
print max-symbolic-offset 1
print inferior-events off
print thread-events off
print finish off
language ada
language asm
language c++
language d
language go
language minimal
language objective-c
language opencl
case-sensitive off
check range on
check type off
confirm off
height 5
annotate 1
style enabled on
host-charset ASCII
target-charset EBCDIC-US
target-wide-charset UTF-16
multiple-symbols ask
multiple-symbols cancel
opaque-type-resolution off
overload-resolution off
unwindonsignal on
unwind-on-terminating-exception off
schedule-multiple on
step-mode on
stack-cache off
code-cache off
max-value-size 16
max-user-call-depth 1
python print-stack full
python print-stack none
auto-solib-add off
stop-on-solib-events 1
solib-search-path /nonexistent
disassembly-flavor intel
trust-readonly-sections on
may-call-functions off
may-write-memory off
startup-with-shell off
disable-randomization off
follow-fork-mode child
detach-on-fork off
demangle-style none
write on
basenames-may-differ on
breakpoint always-inserted on
can-use-hw-watchpoints 0
exec-done-display on
libthread-db-search-path /nonexistent
listsize 1
source open off
auto-load safe-path /nonexistent
""".strip().splitlines()
# What only the frames' arguments, addresses or GDB's own values show.
STACKS = {"ompd bt", "ompd bt 2", "ompd bt -full", "ompd bt -json"}
FELT = {
    "backtrace past-main on": STACKS - {"ompd bt 2"},
    "print frame-arguments none": STACKS,
    "print elements 1": {"output $_omp_state()"},
    "print repeats 1": {"output $_omp_state()"},
    "output-radix 16": {
        *STACKS,
        "output $_omp_thread_num()",
        "output $_omp_level()",
        'output $_omp_icv("nthreads-var")',
    },
    # They say so.
    "scheduler-locking on": {"ompd why", "ompd why -json", "ompd compare", "ompd compare -json"},
    "verbose on": {"ompd why"},  # GDB tells of the language that is set for a moment
}

WALKED = [
    "continue: thread 1 in one_round at 11",
    "ompd step: thread 1 in outlined at 13",
    "ompd step: thread 1 in outlined at 14",
    "ompd step: thread 1 in work at 6",
    "ompd next: thread 1 in work at 7",
    "ompd finish region: thread 1 in one_round at 17",
]
OUTLINED = re.compile(r"\S*\.omp_outlined\S*")  # compilers name it in different ways
WALKS_FELT = {
    # The frame that began the region is behind the limit.
    "backtrace limit 1": ["continue: thread 1 in ompd_bp_parallel_begin"],
    "backtrace limit 3": ["continue: thread 1 in ompd_bp_parallel_begin"],
    "scheduler-locking on": [
        "error: the region of 2 threads cannot end while others are held back:"
        " 'set scheduler-locking off'"
    ],
}
NO_BREAKPOINTS = "may-write-memory off"  # GDB leaves those in libraries out without a word


@pytest.mark.parametrize("symbols", ["symbols", "stripped"])
def test_commands_say_the_same_whatever_is_set(symbols: str, runtime: str, tmp_path: Path) -> None:
    lib = library_folder(runtime, symbols, tmp_path)
    settings = [line.rsplit(" ", 1) for line in (*NOT_FELT, *FELT)]
    asked = ["break truth_stop", "run", "continue", "up 3", f"source {HELPER}"]
    asked += [f"python compare({settings}, {str(tmp_path)!r})"]
    program = binary(Build("nested.c", "clang", "O0", runtime))
    done = run_gdb(asked, program, env={"LD_LIBRARY_PATH": str(lib)})
    found = _found(done)
    assert len(found) == len(settings) + 1
    commands = {name: {row.partition(" /")[0] for row in rows} for name, rows in found.items()}
    wrong = {name: rows for name, rows in commands.items() if rows - FELT.get(name, set())}
    assert not wrong


def test_commands_lead_to_the_same_places_whatever_is_set(runtime: str) -> None:
    lines = [line for line in (*NOT_FELT, *FELT) if line != NO_BREAKPOINTS]
    asked = ["break one_round", "run", "delete", f"source {HELPER}"]
    asked += [f"python compare_walks({[line.rsplit(' ', 1) for line in lines]})"]
    found = _found(run_gdb(asked, binary(Build("rounds.c", "clang", "O0", runtime))))
    assert [OUTLINED.sub("outlined", row) for row in found.pop("")] == WALKED
    assert len(found) == len(lines)
    felt = {name: [r.split(" at ")[0] for r in rows] for name, rows in found.items() if rows}
    assert felt == WALKS_FELT


def test_no_frame_behind_the_limit_stays_selected() -> None:
    """With one that is, GDB ends itself where it reads an inlined function's arguments."""
    asked = ["break truth_stop", "run", "continue", "set backtrace limit 2", "ompd frame 3"]
    done = run_gdb([*asked, "frame"], binary(Build("nested.c", "gcc", "O0", GNU)))
    _, _, after = done.stdout.partition(
        "Frame 3 is behind the 'backtrace limit' of 2: 0 is selected."
    )
    assert "#0  truth_stop" in after, done.stdout + done.stderr


def _found(done: GdbResult) -> dict[str, list[str]]:
    assert "SETTINGS " in done.stdout, done.stderr
    found: dict[str, list[str]] = json.loads(done.stdout.split("SETTINGS ", 1)[1].split("\n", 1)[0])
    return found


SYSROOT = ["set sysroot /nonexistent", "break truth_stop", "run", "ompd threads"]
NO_SYSTEM = ["set osabi none", "break truth_stop", "run", "ompd threads"]
NOT_ADDED = ["set auto-solib-add off", "break truth_stop", "run", "ompd threads"]


def test_what_gdb_has_not_read_is_read_or_said(runtime: str, tmp_path: Path) -> None:
    lib = library_folder(runtime, "stripped", tmp_path)
    program = binary(Build("nested.c", "clang", "O0", runtime))
    env = {"LD_LIBRARY_PATH": str(lib)}
    for unread in (SYSROOT, NOT_ADDED):
        assert "1 of 2 < 1 of 2" in run_gdb(unread, program, env=env).stdout, unread
    assert (
        "GDB does not look for libraries: 'set osabi auto'"
        in run_gdb(NO_SYSTEM, program, env=env).stderr
    )


OTHER_ORDER = ["break truth_stop", "run", "set endian big", "ompd threads", "ompd why"]
OWN_ORDER = ["set endian auto", "ompd threads"]


def test_another_byte_order_is_refused_while_it_is_set(runtime: str) -> None:
    program = binary(Build("nested.c", "clang", "O0", runtime))
    done = run_gdb([*OTHER_ORDER, *OWN_ORDER], program)
    refused = "GDB reads the program's numbers as big-endian ones, by 'set endian big':"
    assert done.stderr.count(f"{refused} 'set endian auto' first") == 2, done.stderr
    assert "1 of 2 < 1 of 2" in done.stdout
