# SPDX-License-Identifier: Apache-2.0
"""Whatever is set in GDB, commands say what they say without it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.build import Build, binary
from support.gdb_session import run_gdb
from support.runtimes import library_folder

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
scheduler-locking on
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
FELT = {
    "backtrace past-main on": {"ompd bt"},
    "print frame-arguments none": {"ompd bt"},
    "print elements 1": {"output $_omp_state()"},
    "print repeats 1": {"output $_omp_state()"},
    "output-radix 16": {
        "ompd bt",
        "output $_omp_thread_num()",
        "output $_omp_level()",
        'output $_omp_icv("nthreads-var")',
    },
    "verbose on": {"ompd why"},  # GDB tells of the language that is set for a moment
}


@pytest.mark.parametrize("symbols", ["symbols", "stripped"])
def test_commands_say_the_same_whatever_is_set(symbols: str, runtime: str, tmp_path: Path) -> None:
    lib = library_folder(runtime, symbols, tmp_path)
    settings = [line.rsplit(" ", 1) for line in (*NOT_FELT, *FELT)]
    asked = ["break truth_stop", "run", "continue", "up", f"source {HELPER}"]
    asked += [f"python compare({settings})"]
    program = binary(Build("nested.c", "clang", "O0", runtime))
    done = run_gdb(asked, program, env={"LD_LIBRARY_PATH": str(lib)})
    assert "SETTINGS " in done.stdout, done.stderr
    found = json.loads(done.stdout.split("SETTINGS ", 1)[1].split("\n", 1)[0])
    assert len(found) == len(settings) + 1
    wrong = {name: rows for name, rows in found.items() if set(rows) - FELT.get(name, set())}
    assert not wrong


SYSROOT = ["set sysroot /nonexistent", "break truth_stop", "run", "ompd threads"]
NOT_ADDED = ["set auto-solib-add off", "break truth_stop", "run", "ompd threads"]


def test_what_gdb_has_not_read_is_said(runtime: str, tmp_path: Path) -> None:
    lib = library_folder(runtime, "stripped", tmp_path)
    program = binary(Build("nested.c", "clang", "O0", runtime))
    env = {"LD_LIBRARY_PATH": str(lib)}
    said = run_gdb(SYSROOT, program, env=env).stderr
    assert "it is not below /nonexistent ('show sysroot')" in said
    done = run_gdb([*NOT_ADDED, "sharedlibrary", "ompd threads"], program, env=env)
    assert "load those of all libraries with 'sharedlibrary'" in done.stderr
    assert "0 of 2" in done.stdout
