# SPDX-License-Identifier: Apache-2.0
"""What the commands do to a program: it ends as it does without them, and so does gdb."""

from __future__ import annotations

import re
import signal
import subprocess
from pathlib import Path

import pytest
from support.build import Build, binary
from support.gdb_session import run_gdb
from support.runtimes import GNU

STEPS = "break stepped_over if n == -1"  # GDB steps over it, again and again
AT_MAIN = ["set print thread-events off", "tbreak main"]
END = ["set var go_on = 0", "continue"]
PROGRAM = Build("sampled.c", "gcc", "O0", GNU)


def sampled(kind: str, commands: list[str], what: Build = PROGRAM, end: list[str] = END) -> str:
    """Return what a session said in which COMMANDS are given in main, when it is right that the
    program ends as it does by itself."""
    asked = [STEPS, *AT_MAIN, f"run {kind}", *commands, *end]
    done = run_gdb(asked, binary(what), merged=True, timeout=60)
    assert done.returncode == 0, done.stdout
    assert "all is right" in done.stdout and "exited normally" in done.stdout, done.stdout
    assert "Traceback" not in done.stdout and "Exception <" not in done.stdout, done.stdout
    return done.stdout


@pytest.mark.parametrize("kind", ["libraries", "children", "threads", "steps", "all"])
def test_samples_leave_no_trace(kind: str) -> None:
    said = sampled(kind, ["ompd sample -every 0.01 20"])
    assert "20 samples in " in said and "SIG" not in said, said


def test_samples_while_the_program_executes_others() -> None:
    said = sampled("programs 200", ["ompd sample -every 0.01 5"], end=["continue"])
    assert "5 samples in " in said


def test_samples_with_llvm_s_runtime() -> None:
    said = sampled("all", ["ompd sample -every 0.01 20"], Build("sampled.c", "clang", "O2", "19"))
    assert "20 samples in " in said


def test_samples_whatever_the_user_has_signals_handled_as() -> None:
    said = sampled("threads", ["handle SIGSTOP nostop noprint pass", "ompd sample -every 0.01 5"])
    assert "5 samples in " in said


def test_samples_of_one_thread_in_non_stop_mode() -> None:
    asked = ["set non-stop on", *AT_MAIN, "run steps", "ompd sample -every 0.01 5", *END]
    done = run_gdb(asked, binary(PROGRAM), merged=True, timeout=60)
    assert "5 samples in " in done.stdout and "all is right" in done.stdout, done.stdout


@pytest.mark.parametrize("whose", ["another", "own"])
def test_a_signal_that_comes_too_late_is_taken_back(whose: str, tmp_path: Path) -> None:
    """The program has stopped at a breakpoint when a thread is asked to stop: GDB would tell of the
    signal when it goes on. A thread may have one of GDB's own, of which it tells nobody."""
    script = tmp_path / "late.py"
    script.write_text(
        f"""
from gdb_ompd.control import timed_run

ends = timed_run.TimedRun._end

def late(self, over):
    lwps = [t.ptid[1] for t in gdb.selected_inferior().threads()]
    own = gdb.selected_thread().ptid[1]
    lwp = own if {whose!r} == "own" else next(each for each in lwps if each != own)
    timed_run.send_stop(gdb.selected_inferior().pid, lwp)
    self._asked.append((gdb.selected_inferior().pid, lwp))
    ends(self, over)

timed_run.TimedRun._end = late
"""
    )
    commands = [f"source {script}", "tbreak stepped_over", "ompd sample -every 30", "frame"]
    said = sampled("all", commands)
    assert "Ended at breakpoint 3" in said and "SIG" not in said, said
    assert re.search(r"^#0  stepped_over", said, flags=re.MULTILINE), said


def test_a_program_that_waits_for_ctrl_c_is_not_sampled_through_gdbserver() -> None:
    program = binary(PROGRAM)
    asked = [f"target remote | gdbserver --once - {program} steps", "tbreak stepped_over"]
    asked += ["continue", "ompd sample 1", *END]
    done = run_gdb(asked, program, merged=True, timeout=60)
    assert f"the program blocks {signal.SIGINT.name}" in done.stdout
    assert "all is right" in done.stdout, done.stdout


@pytest.mark.parametrize("leads", [False, True])
def test_what_ctrl_c_does_not_reach_is_not_sampled_through_gdbserver(leads: bool) -> None:
    """It is sent to the process group: GDB would wait for ever."""
    with subprocess.Popen(["sleep", "600"], start_new_session=leads) as process:
        try:
            attach = f"target remote | exec gdbserver --once --attach - {process.pid}"
            done = run_gdb([attach, "ompd sample 1", "detach"], timeout=60)
        finally:
            process.kill()
    refused = "gdbserver stops only a process that leads its process group" in done.stderr
    assert refused is not leads, done.stdout + done.stderr


WATCH = ["break writes_begin", "run", "ompd watch -race in_none"]
DELETE_ALL = "python [each.delete() for each in gdb.breakpoints()]"
ENDS = {
    "watchpoint deleted": [*WATCH, "delete"],
    "watchpoint out of its scope": [*WATCH, "continue", "kill"],
    "breakpoints deleted by a script": ["break writes_begin", "run", DELETE_ALL],
    "killed": [*WATCH, "kill"],
    "detached": [*WATCH, "delete", "detach"],
    "quit": [*WATCH, "delete", "quit"],
    "sampled": ["break writes_begin", "run", "ompd sample -every 0.01 2"],
    "sampled until a breakpoint": ["tbreak main", "run", "tbreak writes_begin", "ompd sample 1"],
}


@pytest.mark.parametrize("commands", ENDS.values(), ids=ENDS)
@pytest.mark.parametrize("runtime", [GNU, "19"])
def test_gdb_ends_as_it_should(commands: list[str], runtime: str) -> None:
    done = run_gdb(commands, binary(Build("values/writes.c", "gcc", "O0", runtime)), merged=True)
    assert done.returncode in (0, 1), done.stdout  # 1 where the last command was an error
    assert "Traceback" not in done.stdout and "Error occurred" not in done.stdout, done.stdout


def test_gdb_ends_as_soon_as_it_has_attached() -> None:
    program = binary(Build("sampled.c", "gcc", "O0", "19"))
    with subprocess.Popen([program, "steps"]) as process:
        try:
            done = run_gdb([f"attach {process.pid}"], program, merged=True)
        finally:
            process.kill()
    assert done.returncode == 0, done.stdout


def test_a_step_stays_with_its_thread_where_others_hit_a_breakpoint() -> None:
    what = Build("stepped_by_one.c", "gcc", "O0", GNU)
    shown = 'python print("at", gdb.selected_thread().num, gdb.selected_frame().find_sal().line)'
    asked = ["break 8", "run", shown, "ompd next", shown, "ompd next", shown, "ompd step", shown]
    done = run_gdb(asked, binary(what), merged=True)
    found = [line.split()[1:] for line in done.stdout.splitlines() if line.startswith("at ")]
    assert {thread for thread, _ in found} == {found[0][0]}, done.stdout
    assert [int(line) for _, line in found] == [8, 9, 10, 12], done.stdout
