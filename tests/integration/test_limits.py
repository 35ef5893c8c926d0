# SPDX-License-Identifier: Apache-2.0
"""What GDB itself can hardly do: with few files or little memory, in a recording, with programs
without libraries and of other machines. Each command says it in a line, or is right."""

from __future__ import annotations

import json
import re
import struct
import subprocess
from pathlib import Path
from typing import Any

import pytest
from support.asking import ask
from support.build import build
from support.gdb_session import run_gdb
from support.readers import READERS, assert_one_line_each
from support.refusals import compiled
from support.runtimes import EVERYTHING, runtime_folder

HELPER = Path(__file__).parents[1] / "support" / "limits_in_gdb.py"
NO_MORE_FILES = "error: GDB is short of what its limits allow ('ulimit -a'): Too many open files"


def answers_within(limit: str) -> list[dict[str, Any]]:
    """Return what the helper prints of a stop, by the LIMIT that it is to set."""
    # GDB 13 dies where it cannot open a file that it unwinds by: it has read them before.
    at_stop = ["break truth_stop", "run", "thread apply all bt"]
    asked = [*at_stop, f"source {HELPER}", f"python {limit}", "kill"]
    done = run_gdb(asked, build("nested.c"))
    found = [json.loads(line) for line in re.findall("^LIMITS (.*)$", done.stdout, re.M)]
    assert found, done
    return found


@pytest.mark.parametrize("left", [0, 3])
def test_no_more_files_can_be_opened(left: int) -> None:
    (found,) = answers_within(f"short_of_files({left})")
    assert found == {"errors": [NO_MORE_FILES], "wrong": {}, "others": [], "failed": []}


def test_little_stack_and_memory() -> None:
    assert (
        answers_within("short_of_memory()")
        == [{"errors": [], "wrong": {}, "others": [], "failed": []}] * 2
    )


CROWD = """
#include <stdlib.h>
#include <unistd.h>
__attribute__((noinline)) void work(void) { __asm__ volatile(""); }
int main(void) {
    #pragma omp parallel num_threads(atoi(getenv("CROWD")))
    {
        #pragma omp barrier
        #pragma omp master
        {
            usleep(500000); // the others come to the barrier meanwhile
            work();
        }
        #pragma omp barrier
    }
    return 0;
}
"""
THREADS = 3000 if EVERYTHING else 200


def test_many_threads(tmp_path: Path) -> None:
    lib = runtime_folder("19")
    linked = ["clang", "-fopenmp", f"-L{lib}", f"-Wl,-rpath,{lib}"]
    program = compiled(CROWD, tmp_path, *linked)
    env = {"CROWD": str(THREADS), "OMP_STACKSIZE": "64k", "KMP_BLOCKTIME": "0"}
    asked = ["set print thread-events off", "break work", "run", f"source {HELPER}"]
    done = run_gdb([*asked, "python in_a_crowd()", "kill"], program, env=env, timeout=600)
    print(done.stdout)
    (found,) = [json.loads(line) for line in re.findall("^LIMITS (.*)$", done.stdout, re.M)]
    assert found == {
        "rows": THREADS,
        "why": f"Waiting for thread 0 of {THREADS} (GDB thread 1) at program.c:4.",
        "failed": [],
        "wrong": {},
        "left open": 0,
    }


RECORDED = """
int x;
__attribute__((noinline)) void work(void) { x++; }
int main(void) {
    #pragma omp parallel num_threads(3)
    {
        #pragma omp master
        { work(); work(); }
        #pragma omp barrier
    }
    return 0;
}
"""
LOST = "Couldn't get registers: No such process"


def test_a_recording_whose_other_threads_gdb_has_lost(tmp_path: Path) -> None:
    """Of "record full" with the others held back: GDB cannot read these any more."""
    program = compiled(RECORDED, tmp_path, "gcc", "-fopenmp")
    setup = ["break work", "run", "record full", "set scheduler-locking on", "continue"]
    commands = ["ompd threads", "ompd why", "ompd print x", "ompd bt -team", "reverse-continue"]
    lost = ["thread 2", "ompd threads", "ompd whatis x", "ompd step", "ompd thread 0"]
    answers = ask(setup, [*commands, *lost, "show language"], program).answers
    threads, why, values, _, _, _, of_lost, whatis, step, _, language = answers
    for listed in (threads, of_lost):
        assert len(re.findall("^[* ] +[1-3] +[0-9]+ +[0-2] of 3 ", listed.stdout, re.M)) == 3
        assert listed.stdout.count("its stack cannot be read: " + LOST + ".\n") == 2, listed
    expected = (
        "Running: GDB thread 1 can go on; whether GDB threads 2-3 can go on is not known; but "
    )
    assert why.stdout.startswith(expected), why
    assert values.stdout.splitlines()[0] == "0: 1" and f"<{LOST}>" in values.stdout, values
    for refused in (whatis, step):
        # GDB itself says the reason after each command that a thread is selected for.
        said = f"the selected thread's stack cannot be read: {LOST}.\n"
        assert refused.stderr.removeprefix(f"{LOST}.\n") == said, refused
    assert "auto; currently c" in language.stdout, language


def test_a_static_program_waits_in_its_own_runtime(tmp_path: Path) -> None:
    source = "#include <omp.h>\n" + RECORDED.replace("return 0", "return !omp_get_max_threads()")
    program = compiled(source, tmp_path, "gcc", "-static", "-fopenmp")
    setup = ["break gomp_team_barrier_wait_end", "run"]
    threads, why = ask(setup, ["ompd threads", "ompd why"], program).answers
    assert re.search(r"^\* .* at barrier +implicit  main at program\.c:10$", threads.stdout, re.M)
    assert re.search(r"at barrier, main at program\.c:10", why.stdout), why


BLOCKED = """#include <omp.h>
#include <stdio.h>
#include <unistd.h>
int main(void) {
    int ends[2];
    if (pipe(ends)) return 1;
#pragma omp parallel num_threads(3)
    switch (omp_get_thread_num()) {
    case 0: sleep(1); fflush(stdout); __builtin_trap(); break;
    case 1: (void)!read(ends[0], ends, 1); break;
    default: sleep(1000);
    }
    return 0;
}
"""


def test_a_static_program_waits_in_its_own_c_library(tmp_path: Path) -> None:
    for how in ("-static", "-static-libgcc"):
        program = compiled(BLOCKED, tmp_path, "gcc", how, "-fopenmp", "-O2")
        threads, why = ask(["run"], ["ompd threads", "ompd why"], program).answers
        for number, function, line in ((1, "read", 10), (2, "sleep", 11)):
            row = rf"{number} of 3 +1 +in {function} +implicit +main at program\.c:{line}$"
            assert re.search(row, threads.stdout, re.M), (how, threads)
            said = rf"{number} \(GDB thread \d\): in {function}, main at program\.c:{line}"
            assert re.search(said, why.stdout), (how, why)


def test_a_program_on_musl_is_refused_by_name(tmp_path: Path) -> None:
    """Here one that has what a static program of musl is known by."""
    source = "void __init_libc(void) {}\nint main(void) { __builtin_trap(); }"
    program = compiled(source, tmp_path, "gcc", "-static")
    for answer in ask(["run"], ["ompd threads", "ompd why"], program).answers:
        assert "the program's C library is musl" in answer.stdout + answer.stderr, answer


# ELF's numbers of machines: i386, ARM, AArch64, RISC-V, S/390.
MACHINES = (3, 40, 183, 243, 22)
LOOP = "void _start(void) { for (;;); }"


def test_programs_and_cores_of_other_machines(tmp_path: Path) -> None:
    program = compiled("int main(void) { return 0; }", tmp_path, "gcc", "-static")
    core, small = tmp_path / "core", tmp_path / "small"
    run_gdb(["break main", "run", f"gcore {core}", "kill"], program, extension=False)
    image = bytearray(core.read_bytes())
    sessions = [ask([], READERS, program, core)]
    for machine in MACHINES:
        struct.pack_into("<H", image, 18, machine)
        core.write_bytes(image)
        sessions.append(ask([], READERS, program, core))
    argv = ["clang", "-m32", "-xc", "-", "-nostdlib", "-static", "-o", str(small)]
    subprocess.run(argv, input=LOOP, text=True, check=True)
    sessions.append(ask(["starti"], READERS, small))
    run_gdb(["starti", f"gcore {core}", "kill"], small, extension=False)
    sessions += [ask([], READERS, small, core), ask([], READERS, program, core)]
    for session in sessions:
        assert_one_line_each(session.answers)
        assert session.answers[0].stderr, session  # nothing is listed
    assert sessions[0].answers[0].stderr.startswith("no OpenMP runtime is mapped"), sessions[0]


def test_a_program_of_32_bits_is_refused_by_name(tmp_path: Path) -> None:
    program = tmp_path / "small"
    argv = ["gcc", "-m32", "-g", "-fopenmp", "-xc", "-", "-o", str(program)]
    source = "int main(void) {\n#pragma omp parallel num_threads(2)\n__builtin_trap();\n}"
    if subprocess.run(argv, input=source, text=True, capture_output=True).returncode:
        pytest.skip("this compiler makes no OpenMP programs of 32 bits")
    session = ask(["run"], ["ompd threads", "ompd why"], program)
    refusal = "this program is for i386: gdb-ompd reads OpenMP programs for x86-64 and aarch64 only"
    assert session.answers[0].stderr.strip() == refusal
    assert f"Teams and tasks are not known: {refusal}" in session.answers[1].stdout
