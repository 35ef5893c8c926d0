# SPDX-License-Identifier: Apache-2.0
"""What stops the program while ``ompd step``, ``next`` and ``finish`` let it run, and the
settings that say which threads may run."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from pathlib import Path

import pexpect  # type: ignore[import]
import pytest
from support.build import Build, binary
from support.gdb_session import EXTENSION, START, clean_environment, run_gdb
from support.refusals import compiled
from support.runtimes import GNU, runtime_folder
from support.stepping import PROGRAM, line_of, path, places

CLANG = Build(PROGRAM, "clang", "O0", "19")
BUILDS = [CLANG, Build(PROGRAM, "gcc", "O2", "14")]
both = pytest.mark.parametrize("build", BUILDS, ids=str)
PROMPT = "(gdb) "
MOST = 50
SAME_FRAME = 64  # bytes of the stack; the runtime alone takes more for a call of the body
SOON = 3000  # hundredths of a second


def at(mark: str, thread: int = 1) -> list[str]:
    """Return the commands that bring one thread to the line with MARK."""
    return [f"break {line_of(mark)} if $_thread == {thread}", "run", "delete"]


def stop_before(function: str) -> str:
    """Return the command that stops in a function before its construct: newer clang's
    code begins with a call for the construct, so that its name stands for that line."""
    return f"tbreak {line_of(f'{function}: before')}"


# Breakpoints, signals, the program's end, Ctrl-C.


@both
def test_next_stays_where_another_thread_hits_a_breakpoint_in_the_construct(build: Build) -> None:
    stop = f"break {line_of('active: last')} if $_thread == 2"
    found, said = places(build, [stop_before("active"), "run", stop, *["ompd next"] * 3])
    assert "Thread 2 " in said and "hit Breakpoint 2" in said, said
    assert {place.thread for place in found[1:]} == {1}
    assert len({place.hidden for place in found[1:]}) == 1


@both
def test_finish_stops_at_a_breakpoint_in_the_region(build: Build) -> None:
    stop = f"break {line_of('meeting: second')} if $_thread == 2"
    found, said = places(build, [*at("meeting: first"), stop, "ompd finish region"])
    assert "hit Breakpoint 2" in said, said
    assert (found[-1].thread, found[-1].mark) == (2, "meeting: second"), said
    assert "is done" not in said
    assert found[-1].hidden == found[1].hidden


@both
def test_step_stops_at_a_breakpoint_where_it_would_end(build: Build) -> None:
    stop = f"break {line_of('active: first')}"
    enter = f"repeat {line_of('active: first')} ompd step"
    found, said = places(build, [stop_before("active"), "run", stop, enter])
    assert "hit Breakpoint 2" in said, said
    assert found[-1].mark == "active: first"
    assert found[-1].hidden == found[1].hidden


@both
@pytest.mark.parametrize("kept", ["if 0", "if $_thread == 99", "ignored"])
def test_a_breakpoint_that_does_not_stop_is_passed(build: Build, kept: str) -> None:
    """At the construct's line there is code in its body, too, where marks are."""
    stop = [f"break {line_of('active: construct')} {kept if kept != 'ignored' else ''}"]
    if kept == "ignored":
        stop.append("ignore 2 1000")
    enter = f"repeat {line_of('active: first')} ompd step"
    found, said = places(build, [stop_before("active"), "run", *stop, enter])
    assert found[-1].mark == "active: first", said
    assert found[-1].thread == 1
    assert "hit Breakpoint" not in said, said


@both
def test_the_users_commands_run_at_a_breakpoint_on_the_way(build: Build, tmp_path: Path) -> None:
    script = tmp_path / "commands.gdb"
    stop = f"break {line_of('active: last')} if $_thread == 2"
    script.write_text(f"{stop}\ncommands\nsilent\necho <seen>\\n\ncontinue\nend\n", "ascii")
    after = f"repeat {line_of('active: after')} ompd next"
    found, said = places(build, [stop_before("active"), "run", f"source {script}", after])
    assert said.count("<seen>") == 1, said
    assert found[-1].hidden == found[1].hidden


@both
def test_a_signal_stops_a_step(build: Build) -> None:
    found, said = places(build, [stop_before("signalled"), "run", *["ompd next"] * 2])
    assert "received signal SIGUSR1" in said, said
    stopped = [place for place in found[2:] if place.thread == 2]
    assert stopped and stopped[0].hidden == found[1].hidden


@both
def test_a_signal_that_does_not_stop_is_passed(build: Build) -> None:
    handle = "handle SIGUSR1 nostop noprint pass"
    after = f"repeat {line_of('signalled: after')} ompd next"
    found, said = places(build, [stop_before("signalled"), "run", handle, after])
    assert found[-1].mark == "signalled: after", said
    assert found[-1].thread == 1


@both
@pytest.mark.parametrize("command", ["ompd step 9", "ompd next 9", "ompd finish region"])
def test_the_program_may_end_on_the_way(build: Build, command: str) -> None:
    """Alone: where other threads run then, GDB 13's own commands may lose track of it."""
    start = [f"break {line_of('ending: first')}", "run"]
    found, said = places(build, ["set args be brief", *start, command])
    assert "exited with code 03" in said, said
    assert found[-1].thread is None
    assert len(found[-1].hidden) == 1  # the extension's own, for the runtime's start
    assert "Python" not in said, said


@pytest.fixture(name="terminal")
def fixture_terminal() -> Iterator[pexpect.spawn]:
    """A gdb that a user sits at, with the program at its first construct."""
    argv = [*START, "-q", "-ex", f"source {EXTENSION}"]
    settings = ("set confirm off", "set pagination off", "set style enabled off", "set width 0")
    for command in settings:
        argv += ["-ex", command]
    child = pexpect.spawn(
        "gdb",
        [*argv, "--args", str(binary(CLANG)), "endlessly"],
        env=clean_environment({"TERM": "dumb", "INPUTRC": "/dev/null"}),
        encoding="utf-8",
        timeout=60,
    )
    child.expect_exact(PROMPT)
    yield child
    child.close(force=True)


def say(terminal: pexpect.spawn, command: str) -> str:
    """Give a command; return what gdb answers."""
    terminal.sendline(command)
    terminal.expect_exact(PROMPT)
    return str(terminal.before)


def interrupted(terminal: pexpect.spawn, command: str) -> str:
    """Give a command, type Ctrl-C when the program runs, and return what gdb shows. While
    gdb steps over a breakpoint Ctrl-C is a plain "Quit": then once more."""
    pid = int(say(terminal, "python print(gdb.selected_inferior().pid)").splitlines()[-1])
    shown = ""
    for _ in range(MOST):
        terminal.sendline(command)
        terminal.expect(r"\n")
        for _ in range(SOON):
            if state(pid) not in "tT":
                break
            time.sleep(0.01)
        terminal.sendcontrol("c")
        terminal.expect_exact(PROMPT)
        shown = str(terminal.before)
        if "Quit" not in shown:
            break
    return shown


def state(pid: int) -> str:
    """Return the state of a process's first thread in the kernel's letter: t is traced."""
    text = Path(f"/proc/{pid}/task/{pid}/stat").read_text(encoding="utf-8")
    return text.rpartition(") ")[2][0]


def hidden(terminal: pexpect.spawn) -> list[str]:
    """Return the lines of the breakpoints that gdb does not list."""
    listed = say(terminal, "maint info breakpoints")
    return re.findall(r"^(?:-\d+|0) +breakpoint.*?$", listed, re.MULTILINE)


@pytest.mark.parametrize("command", ["ompd next", "ompd finish"])
def test_interrupt_stops_a_construct_that_does_not_end(
    terminal: pexpect.spawn, command: str
) -> None:
    say(terminal, "handle SIGUSR1 nostop noprint pass")
    say(terminal, stop_before("endless"))
    assert "endless: before" in say(terminal, "run")
    before = hidden(terminal)
    assert "endless: construct" in say(terminal, "ompd next")
    if command == "ompd finish":
        say(terminal, "ompd step")
    shown = interrupted(terminal, command)
    assert "received signal SIGINT" in shown
    assert "Traceback" not in shown
    assert hidden(terminal) == before
    say(terminal, "set var sink = 1")
    assert "endless: after" in say(terminal, f"tbreak {PROGRAM}:{line_of('endless: after')}") + say(
        terminal, "continue"
    )


# A Ctrl-C at the worst moment: while GDB tells the extension that the program runs on.
INTERRUPTED_LISTENER = (
    "python import signal, gdb_ompd.control.events as events; sessions = events.all_sessions; left = []",
    "python events.all_sessions = lambda: (left.pop() if left else sessions)()",
)


def test_an_interrupt_while_a_listener_runs_is_not_lost(terminal: pexpect.spawn) -> None:
    say(terminal, "handle SIGUSR1 nostop noprint pass")
    say(terminal, stop_before("endless"))
    say(terminal, "run")
    say(terminal, "ompd next")
    assert "while (sink < 0)" in say(terminal, "ompd step")
    for command in INTERRUPTED_LISTENER:
        say(terminal, command)
    for command in ("continue", "ompd finish", "ompd next 100000"):
        say(terminal, "thread 1")  # any thread may be the one that is given the signal
        say(
            terminal, "python left.append(lambda: signal.raise_signal(signal.SIGINT) or sessions())"
        )
        shown = say(terminal, command)
        assert "received signal SIGINT" in shown, shown
        assert "Python" not in shown, shown
        assert say(terminal, "python print(left)").splitlines()[-1] == "[]"


def test_enter_repeats_the_step(terminal: pexpect.spawn) -> None:
    say(terminal, stop_before("active"))
    say(terminal, "run")
    assert "active: construct" in say(terminal, "ompd step")
    assert "active: first" in say(terminal, "")
    assert "active: last" in say(terminal, "")


def test_a_count_steps_so_often() -> None:
    found, said = places(CLANG, [stop_before("active"), "run", "ompd step 3", "ompd next 1+1"])
    assert [place.mark for place in found[2:]] == ["active: last", "active: after"], said


@both
def test_a_recursive_call_is_not_taken_for_the_callers(build: Build) -> None:
    begin = f"break {line_of('descend: first')} if n == 2"
    found, said = places(build, [begin, "run", "delete", "ompd finish region", "print n"])
    assert found[3].function == "descend", said
    assert "$1 = 2\n" in said, said


@both
def test_next_over_a_call_that_executes_the_same_body_stays_in_its_own(build: Build) -> None:
    begin = f"break {line_of('descend: again')} if n == 2"
    last = f"repeat {line_of('descend: last')} ompd next"
    found, said = places(build, [begin, "run", "delete", "print $sp", last, "print $sp"])
    assert path(found[4:]) == ["last"], said
    before, after = re.findall(r"^\$\d = .*(0x.*)$", said, flags=re.MULTILINE)
    assert abs(int(before, 16) - int(after, 16)) < SAME_FRAME, said


RETURNS_INTO_A_CALL = """
#include <stdio.h>
static int twice(int n) {
    return 2 * n;
}
int main(void) {
    printf("%d\\n", twice(21));
    return 0;
}
"""


def test_a_step_out_does_not_end_in_a_function_of_the_system(tmp_path: Path) -> None:
    """The C library has debug information here, and the caller's line goes on with a call of it."""
    program = compiled(RETURNS_INTO_A_CALL, tmp_path, "gcc", "-O0", "-fopenmp")
    asked = ["break twice", "run", "ompd step", "ompd step", "bt"]
    said = run_gdb(asked, program).stdout
    assert re.search(r"^#0 +main \(\) at .*program.c:8$", said, re.M), said


REDUCES = """
int main(void) {
    int total = 0;
#pragma omp parallel num_threads(2) reduction(+ : total)
    {
        total += 1;
    }
    return total;
}
"""


JUMPING = """#include <stdio.h>
#include <unistd.h>
__asm__(".text\\n.globl quiet\\n.type quiet, @function\\nquiet:\\n"
        ".cfi_startproc\\nret\\n.cfi_endproc\\n.size quiet, .-quiet");
void quiet(int);
int main(void)
{
    int n = 3;
    #pragma omp parallel num_threads(THREADS) shared(n)
    {
        usleep(10);
        LAST;
    }
    return n; // behind
}
"""


@pytest.mark.parametrize("last", ['puts("")', "quiet(n)"])
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
@pytest.mark.parametrize("command", ["ompd step", "ompd next"])
@pytest.mark.parametrize(("threads", "thread"), [(2, 1), (2, 2), (1, 1)])
def test_a_body_that_ends_with_a_jump_to_code_without_lines_is_come_out_of(
    last: str, compiler: str, command: str, threads: int, thread: int, tmp_path: Path
) -> None:
    source = JUMPING.replace("LAST", last).replace("THREADS", f"{threads}) if({threads} > 1")
    program = compiled(source, tmp_path, compiler, "-O2", "-fopenmp")
    stop = ["break main", "run", f"tbreak 11 if $_thread == {thread}", "continue"]
    asked = [*stop, command, "echo AT LAST\\n", command, "echo OUT\\n", command]
    said = run_gdb(asked, program).stdout
    shown = said.split("AT LAST")[1]
    assert re.search(r"^(9|14)\t", shown.split("OUT")[0], re.M), said
    assert "return n; // behind" in shown and "puts" not in shown and "quiet" not in shown, said


@pytest.mark.parametrize("command", ["ompd step", "ompd next"])
def test_a_line_that_goes_on_behind_the_constructs_code_is_shown_once(
    command: str, tmp_path: Path
) -> None:
    """clang puts a reduction between two parts of the body's last line."""
    lib = runtime_folder("19")
    flags = ("-O0", "-fopenmp", f"-L{lib}", f"-Wl,-rpath,{lib}")
    program = compiled(REDUCES, tmp_path, "clang", *flags)
    said = run_gdb(["break 6 if $_thread == 1", "run", "delete", *[command] * 2], program).stdout
    assert re.search(r"^7\t    }\n#0 +main \(\) at .*program.c:8\n8\t", said, re.M), said


# Which threads may run.


@both
@pytest.mark.parametrize("locking", ["off", "step", "replay", "on"])
def test_step_enters_with_any_scheduler_locking(build: Build, locking: str) -> None:
    enter = f"repeat {line_of('meeting: first')} ompd step"
    found, said = places(
        build, [stop_before("meeting"), "run", f"set scheduler-locking {locking}", enter]
    )
    assert found[-1].mark == "meeting: first", said
    assert found[-1].thread == 1
    assert {place.locking for place in found[2:]} == {locking}


@both
@pytest.mark.parametrize("command", ["ompd step", "ompd next"])
def test_locking_step_lets_the_others_run_where_they_are_waited_for(
    build: Build, command: str
) -> None:
    """GDB's own "next" hangs at the barrier then: it holds the other threads back."""
    after = f"repeat {line_of('meeting: after')} {command}"
    lock = "set scheduler-locking step"
    found, said = places(build, [*at("meeting: first"), lock, after])
    assert path(found[4:]) == ["second", "after"], said
    assert {(place.thread, place.locking) for place in found[4:]} == {(1, "step")}


@both
def test_locking_step_lets_a_construct_run_as_a_whole(build: Build) -> None:
    after = f"repeat {line_of('meeting: after')} ompd next"
    found, said = places(
        build, [stop_before("meeting"), "run", "set scheduler-locking step", after]
    )
    assert path(found[3:]) == ["after"], said


@both
def test_locking_on_is_respected_and_explained(build: Build) -> None:
    lock = "set scheduler-locking on"
    commands = [*at("active: last"), lock, "ompd next", "ompd next", "ompd finish region"]
    found, said = places(build, [*commands, "set scheduler-locking off", "ompd next"])
    assert "the region cannot end: 'set scheduler-locking off', then 'ompd next'" in said, said
    assert "cannot end while others are held back: 'set scheduler-locking off'" in said, said
    assert found[6].locking == "on"
    assert found[-1].mark == "active: after", said


@both
@pytest.mark.parametrize("command", ["ompd step", "ompd next"])
def test_a_barrier_is_not_waited_at_with_locking_on(build: Build, command: str) -> None:
    enter = f"repeat {line_of('meeting: first')} ompd step"
    asked = [stop_before("meeting"), "run", "set scheduler-locking on", enter]
    second = f"repeat {line_of('meeting: second')} {command}"
    found, said = places(build, [*asked, command, command, "set scheduler-locking off", second])
    assert "is at a barrier, and the others of its team are held back" in said, said
    assert (found[-1].mark, found[-1].thread) == ("meeting: second", 1), said


@both
def test_a_construct_is_not_begun_as_a_whole_with_locking_on(build: Build) -> None:
    lock = "set scheduler-locking on"
    found, said = places(build, [stop_before("active"), "run", lock, *["ompd next"] * 2])
    assert "the construct cannot be run as a whole" in said, said
    assert "active: first" in [place.mark for place in found], said


@both
def test_non_stop(build: Build) -> None:
    after = f"repeat {line_of('active: after')} ompd step"
    found, said = places(build, ["set non-stop on", stop_before("active"), "run", after])
    assert path(found[3:]) == ["first", "last", "after"], said
    assert {place.thread for place in found[3:]} == {1}
    assert len({place.hidden for place in found[3:]}) == 1


@pytest.mark.parametrize("command", ["step", "next"])
def test_a_step_runs_through_an_instruction_that_repeats_itself(command: str) -> None:
    build = Build("repeated.c", "gcc", "O0", GNU)
    shown = ["tbreak repeated", "run", f"ompd {command}", "ompd next"]
    said = run_gdb(shown, binary(build), timeout=60).stdout
    assert "\n11\t" in said, said
