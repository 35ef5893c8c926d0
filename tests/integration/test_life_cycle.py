# SPDX-License-Identifier: Apache-2.0
"""Processes, cores, connections and libraries come and go: a clear line, and right again."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from support.asking import BUGS, Answer, Session, ask
from support.build import build
from support.gdb_session import ROOT, clean_environment, run_gdb
from support.runtimes import runtime_folder

DYING = ROOT / "tests" / "support" / "dying_in_gdb.py"
NO_PROCESS = "no process: start one with 'run', attach, or load a core file\n"
# The third stop of nested.c is in a region of two in a region of two.
AT_STOP = ("set confirm off", "break truth_stop", "run")
PLACES = "ompd threads -no-location -json"
READERS = (
    "ompd threads",
    "ompd threads -json",
    "ompd parallel -all",
    "ompd tasks -all",
    "ompd icvs -all",
    "ompd env",
    "ompd bt",
    "ompd why",
    "output $_omp_level()",
)
Place = tuple[object, object]


def places(answer: Answer) -> list[Place]:
    """Return each thread's number and team size, as `ompd threads -json` says."""
    rows = json.loads(answer.stdout)["threads"]
    return [(row["thread_num"], row["team_size"]) for row in rows]


def said(session: Session, commands: Sequence[str]) -> dict[str, Answer]:
    return dict(zip(commands, session.answers))


def assert_one_line_each(answers: Sequence[Answer]) -> None:
    for answer in answers:
        assert answer.stderr.count("\n") <= 1, answer.stderr
        assert answer.stdout or answer.stderr


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


@pytest.mark.parametrize("reads", [0, 3, 6])
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
        "the list of the program's libraries is not in memory: it has not loaded them yet,"
        " or the core file is incomplete\n"
    )
    assert max(size or 0 for _, size in places(session.answers[0])) == 2
    for command in ("ompd threads", "ompd tasks -all", "ompd icvs -all", "ompd env"):
        assert by_command[command] == Answer("", not_loaded)
    assert not_loaded in by_command["ompd status"].stdout


@pytest.fixture(scope="module")
def full_core(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A core at the third stop, with small stacks."""
    folder = tmp_path_factory.mktemp("cores")
    small = {"OMP_STACKSIZE": "256k", "MALLOC_ARENA_MAX": "1"}
    filter_file = "open('/proc/%d/coredump_filter' % gdb.selected_inferior().pid, 'w')"
    commands = [*AT_STOP, "continue", "continue", f"gcore {folder / 'full'}"]
    for name, kept in (("no-private", 0), ("no-heap", 4)):
        commands.append(f"python {filter_file}.write('{kept}')")
        commands.append(f"gcore {folder / name}")
    run_gdb([*commands, "kill"], build("nested.c"), env=small)
    return folder / "full"


@pytest.mark.parametrize("name", ["no-private", "no-heap"])
def test_a_core_without_some_memory(full_core: Path, name: str) -> None:
    session = ask([], READERS[:-1], build("nested.c"), full_core.with_name(name))
    assert_one_line_each(session.answers)
    refusal = Answer(
        "",
        "the list of the program's libraries is not in memory: it has not loaded them yet,"
        " or the core file is incomplete\n",
    )
    assert session.answers[0] == refusal
    assert session.answers[READERS.index("ompd why")] == refusal  # not "running"


def test_a_core_that_is_cut_off(full_core: Path, tmp_path: Path) -> None:
    """As the kernel writes it, notes first: gdb reads what is there."""
    sound = ask([], READERS, build("nested.c"), full_core)
    whole = _kernels_way(full_core.read_bytes())
    cores = []
    for percent in (10, 30, 50, 70, 90, 99, 100):
        core = tmp_path / f"cut-{percent}"
        core.write_bytes(whole[: len(whole) * percent // 100])
        cores.append(core)
    commands = [c for core in cores for c in (f"core-file {core}", *READERS)]
    session = ask([], commands, build("nested.c"))
    size = 1 + len(READERS)
    parts = [session.answers[i + 1 : i + size] for i in range(0, len(commands), size)]
    for part in parts:
        assert_one_line_each(part)
    refused = [sum(bool(answer.stderr) for answer in part) for part in parts]
    # A stack can be shown without OpenMP, and the function is void.
    assert refused[0] == len(READERS) - 2 and refused[-1] == 0
    assert parts[-1] == sound.answers


def _kernels_way(core: bytes) -> bytes:
    """Return gdb's core with the notes before the memory, and without section headers."""
    word = int.from_bytes
    table, count = word(core[32:40], "little"), word(core[56:58], "little")
    headers = [bytearray(core[table + 56 * i : table + 56 * (i + 1)]) for i in range(count)]
    headers.sort(key=lambda header: word(header[:4], "little") != 4)  # PT_NOTE
    contents, place = [], 64 + 56 * count
    for header in headers:
        offset, size = word(header[8:16], "little"), word(header[32:40], "little")
        contents.append(core[offset : offset + size])
        header[8:16] = place.to_bytes(8, "little")
        place += size
    first = bytearray(core[:64])
    first[32:40] = (64).to_bytes(8, "little")
    first[40:48] = bytes(8)  # no section headers
    first[58:64] = bytes(6)
    return b"".join([bytes(first), *map(bytes, headers), *contents])


def test_a_core_of_another_machine(full_core: Path, tmp_path: Path) -> None:
    """Its libraries are below a folder of their own, and not where they were."""
    machine, away = tmp_path / "machine", tmp_path / "away"
    library = away / "lib"
    shutil.copytree(runtime_folder("19"), library)
    env = {"LD_LIBRARY_PATH": str(library), "OMP_STACKSIZE": "256k", "MALLOC_ARENA_MAX": "1"}
    core, program = tmp_path / "core", build("nested.c")
    commands = [*AT_STOP, "continue", "continue", PLACES, f"gcore {core}", "info sharedlibrary"]
    there = ask(commands[:-3], commands[-3:], program, env=env)
    for path in re.findall(r"(/\S+)$", there.answers[-1].stdout, flags=re.MULTILINE):
        copy = machine / path.lstrip("/")
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, copy)
    for path in library.glob("libompd*"):
        shutil.copy(path, machine / str(library).lstrip("/"))
    shutil.rmtree(away)
    setup = [f"set sysroot {machine}", f"file {program}", f"core-file {core}"]
    here = ask(setup, [PLACES, "ompd status"], None)
    assert places(here.answers[0]) == places(there.answers[0])
    assert str(machine) in here.answers[1].stdout
    lost = ask([f"file {program}", f"core-file {core}"], ["ompd threads"], None)
    assert_one_line_each(lost.answers)
    assert "libomp.so" in lost.answers[0].stderr


@contextmanager
def served(program: Path) -> Iterator[tuple[int, str]]:
    """Start PROGRAM under a gdbserver; yield the server's process and gdb's command for it."""
    with subprocess.Popen(
        ["gdbserver", "--once", "127.0.0.1:0", str(program)],
        env=clean_environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as server:
        try:
            said = map(re.compile(r"Listening on port (\d+)").search, server.stderr or ())
            listening = next(filter(None, said), None)
            assert listening is not None, "gdbserver has ended"
            yield server.pid, f"target remote 127.0.0.1:{listening.group(1)}"
        finally:
            os.killpg(server.pid, signal.SIGKILL)


def test_the_connection_is_lost() -> None:
    program = build("nested.c")
    with served(program) as (pid, target):
        setup = ["set confirm off", target, "break truth_stop", "continue", PLACES]
        dying = f"python ask_while_dying({pid}, 5, 'ompd threads')"
        commands = [dying, "ompd threads", "ompd status", "run", PLACES]
        session = ask([*setup, f"source {DYING}"], commands, program)
    died, after, status, _, again = session.answers
    assert "Traceback" not in died.stderr
    assert after == Answer("", NO_PROCESS)
    assert "There is no process" in status.stdout
    assert max(size or 0 for _, size in places(again)) == 2


def test_the_connection_is_lost_in_a_condition() -> None:
    program = build("nested.c")
    with served(program) as (pid, target):
        setup = [target, "break truth_stop", "continue", "ompd break parallel-begin nowhere"]
        dying = [f"source {DYING}", f"python die_in_condition({pid})", "continue"]
        after = ["echo after\\n", "ompd threads", "echo still there\\n"]
        done = run_gdb([*setup, *dying, *after], program)
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
