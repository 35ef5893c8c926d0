# SPDX-License-Identifier: Apache-2.0
"""Programs that GCC builds, on its own libgomp as it is installed: stripped, unmodified.

What is said is held against what omp_get_* said in the program. Of the truth programs one
is left out: it waits for all teams of a league, which libgomp executes one after another.
"""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from support.build import Build, binary
from support.facts import Tally
from support.gdb_session import run_gdb
from support.runtimes import EVERYTHING, GNU
from support.truth_compare import stop_facts
from support.truth_session import attached, run_live, run_remote

LIBRARY = Path(__file__).resolve().parents[2] / "python" / "gdb_ompd" / "libgompd.so"
ALL = (
    *("classes.cpp", "dynamic.c", "fortran.f90", "icvs.c", "idle.c", "nested.c", "roots.c"),
    *("oversubscribed.c", "serialized.c", "task_regions.c", "tasks.c", "uneven.c", "waiting.c"),
    "worksharing.c",
)
QUICK = {
    "O0": ("classes.cpp", "nested.c", "task_regions.c"),
    "O2": ("fortran.f90", "icvs.c", "serialized.c", "tasks.c", "roots.c"),
}
BUILDS = [
    Build(program, "gcc", opt, GNU)
    for opt, quick in QUICK.items()
    for program in (ALL if EVERYTHING else quick)
]
# For which task a thread has suspended its own is on its stack alone, unless the task was
# executed at once or made by an implicit one.
MAY_BE_UNKNOWN = frozenset({"scheduling"})


def assert_true(*stops: Any) -> None:
    """Nothing is wrong, and what libgomp does not record alone is unknown."""
    tally = Tally()
    for stop in stops:
        tally.add(stop_facts(stop))
    unknown = [fact for fact in tally.unknown if fact.name not in MAY_BE_UNKNOWN]
    assert tally.compared > 90  # dynamic.c has one thread where the machine has much to do
    assert not tally.wrong and not unknown, "\n".join(tally.lines())


@pytest.mark.parametrize("what", BUILDS, ids=str)
def test_live_and_core(what: Build, tmp_path: Path) -> None:
    program = binary(what)
    session = run_live(program, tmp_path, with_cores=True)
    assert_true(*session.stops)
    assert_true(*session.in_cores)


def test_gdbserver(tmp_path: Path) -> None:
    assert_true(*run_remote(binary(Build("nested.c", "gcc", "O2", GNU)), tmp_path).stops)


def test_attach(tmp_path: Path) -> None:
    assert_true(attached(binary(Build("nested.c", "gcc", "O0", GNU)), tmp_path, stop=2))


# Commands

PROGRAM = """
#include <omp.h>
__attribute__((noinline)) void reached(void) { __asm__ volatile(""); }
int main(void) {
    #pragma omp parallel num_threads(3)
    {
        #pragma omp single nowait
        {
            #pragma omp task
            reached();
        }
        #pragma omp critical(gate)
        {
            if (omp_get_thread_num() == 1) reached();
        }
    }
    reached();
    return 0;
}
"""


@pytest.fixture(name="program", scope="module")
def _program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("gnu")
    source = folder / "gnu.c"
    source.write_text(PROGRAM, encoding="ascii")
    argv = ["gcc", "-g", "-O1", "-fopenmp", str(source), "-o", str(folder / "gnu")]
    subprocess.run(argv, check=True)
    return folder / "gnu"


def asked(program: Path, *commands: str) -> str:
    done = run_gdb(["break reached", "run", "python print('BEGIN')", *commands], program)
    assert "BEGIN" in done.stdout and not done.stderr.count("rror"), done.stderr
    return done.stdout.partition("BEGIN\n")[2]


def test_nothing_is_to_be_configured(program: Path) -> None:
    (row,) = json.loads(asked(program, "ompd status -json"))["runtimes"]
    assert re.fullmatch(r"/\S+/libgomp\.so\.1", row["file"])
    assert row["kind"] == "GNU libgomp"
    assert row["ompd_library"] == str(LIBRARY)
    assert row["version"].startswith("GNU libgomp of GCC ")
    assert (row["api_version"], row["initialized"], row["problem"]) == (201811, True, None)
    assert row["layout_verified"] is True


def test_what_only_llvms_runtime_has(program: Path, tmp_path: Path) -> None:
    begin = ["set environment OMP_SCHEDULE dynamic,3", "break reached", "run"]
    export = f"ompd export-symbols {tmp_path}/out"
    done = run_gdb([*begin, "ompd env OMP_SCHEDULE", export], program)
    assert "\n* OMP_SCHEDULE=dynamic,3  environment\n" in done.stdout
    said = "no OpenMP runtime of LLVM is loaded: 'ompd status' has those that are\n"
    assert done.stderr == said


# A release that is not known yet

NEWER = """
#include <omp.h>
#include <stdio.h>
__attribute__((noinline)) void reached(void) { __asm__ volatile(""); }
int main(void) {
    #pragma omp parallel num_threads(3)
    {
        #pragma omp barrier
        if (omp_get_thread_num() == 1) reached();
        #pragma omp barrier
    }
    return 0;
}
"""


def on_newer_library(folder: Path, *flags: str) -> str:
    """Return what is said of a region of three threads on a libgomp of another layout."""
    sources = Path(__file__).resolve().parents[1] / "programs"
    library = folder / "libgomp.so.1"
    shared = ["-O2", "-fPIC", "-shared", "-pthread", "-Wl,-soname,libgomp.so.1", *flags]
    made = ["gcc", *shared, str(sources / "newer_libgomp.c"), "-o", str(library)]
    subprocess.run(made, check=True)
    (folder / "p.c").write_text(NEWER, encoding="ascii")
    program = folder / "p"
    subprocess.run(["gcc", "-g", "-fopenmp", str(folder / "p.c"), "-o", str(program)], check=True)
    shown = ["break reached", "run", "ompd status", "ompd threads", "output $_omp_level()"]
    icv = 'output $_omp_icv("nthreads-var")'
    env = {"LD_LIBRARY_PATH": str(folder)}
    done = run_gdb([*shown, icv, "info sharedlibrary"], program, env=env)
    assert str(library) in done.stdout
    return done.stdout + done.stderr


def test_a_newer_layout_that_the_code_agrees_on(tmp_path: Path) -> None:
    said = on_newer_library(tmp_path)
    assert re.search(
        r"Version +GNU libgomp of an unknown release \(unverified layout\)$", said, re.M
    )
    assert re.search(r"Symbols +none needed \(unverified layout\)$", said, re.M)
    rows = re.findall(r"^[* ] +\d+ +\d+ +(\d) of 3 +1 +", said, re.M)
    assert sorted(rows) == ["0", "1", "2"]
    assert "\n17" in said  # the level and the thread's nthreads-var


def test_a_newer_layout_of_which_two_functions_differ(tmp_path: Path) -> None:
    said = on_newer_library(tmp_path, "-DDISAGREE")
    assert re.search(r"Problem: .*is not served.*not laid out.*\(omp_in_final\)", said)
    assert " of 3" not in said


def test_before_the_libraries_are_loaded(program: Path) -> None:
    done = run_gdb(["starti", "ompd threads", "break main", "continue", "ompd threads"], program)
    rows = [line for line in done.stdout.splitlines() if "working (serial)" in line]
    assert len(rows) == 1 and re.match(r"\* +1 +\d+ +0 of 1 +0 ", rows[0])


def test_a_setting_for_another_runtime_is_not_for_this(program: Path, tmp_path: Path) -> None:
    other = tmp_path / "libompd.so"
    (row,) = json.loads(asked(program, f"set ompd library {other}", "ompd status -json"))[
        "runtimes"
    ]
    assert (row["ompd_library"], row["problem"]) == (str(LIBRARY), None)


def test_a_task_in_a_region(program: Path) -> None:
    said = asked(program, "ompd bt", "output $_omp_level()", "output $_omp_num_threads()")
    lines = said.splitlines()
    assert re.match(r"#0 +reached \(\) at gnu\.c:3", lines[1])
    assert any(re.match(r"--  parallel region 1, level 1", line) for line in lines), said
    assert lines[-1].endswith("13")


def test_linked_into_the_program(tmp_path: Path) -> None:
    archive = subprocess.run(
        ["gcc", "-print-file-name=libgomp.a"], stdout=subprocess.PIPE, text=True, check=True
    )
    static = tmp_path / "static"
    flags = ["-g", "-O1", "-fopenmp", "-Wl,--as-needed", "-ldl"]
    source = tmp_path / "static.c"
    source.write_text(PROGRAM)
    argv = ["gcc", str(source), archive.stdout.strip(), *flags, "-o", str(static)]
    subprocess.run(argv, check=True)
    said = asked(static, "ompd threads", "ompd status", "ompd tasks -all", "info sharedlibrary")
    rows = re.findall(r"^[* ] +\d+ +\d+ +(\d) of 3 +1 +", said, re.M)
    assert sorted(rows) == ["0", "1", "2"]
    assert re.search(f"^OpenMP runtime {static}$", said, re.M) and "libgomp.so" not in said
    assert "not known for this runtime" not in said


def test_stacks_of_a_static_program(tmp_path: Path) -> None:
    """What the C library starts a thread with is in the program's own file."""
    source, static = tmp_path / "static.c", tmp_path / "static"
    source.write_text(
        """
        #include <omp.h>
        void reached(void) {}
        int main(void) {
            #pragma omp parallel num_threads(3)
            {
                if (omp_get_thread_num() == 1) reached();
                #pragma omp barrier
            }
        }
        """
    )
    subprocess.run(["gcc", "-g", "-fopenmp", "-static", str(source), "-o", str(static)], check=True)
    said = asked(static, "ompd bt", "ompd bt -all")
    assert "parallel region 1, level 1, thread 1 of 3: main" in said
    assert "do not agree" not in said and "clone" not in said


def test_what_is_waited_for(tmp_path: Path) -> None:
    source = tmp_path / "gates.c"
    source.write_text(
        """
        #include <omp.h>
        #include <unistd.h>
        __attribute__((noinline)) void reached(void) { __asm__ volatile(""); }
        int main(void) {
            #pragma omp parallel num_threads(2)
            {
                if (omp_get_thread_num() == 0) {
                    #pragma omp critical(gate)
                    { usleep(300000); reached(); }
                } else {
                    usleep(50000);
                    #pragma omp critical(gate)
                    { }
                }
            }
        }
        """,
        encoding="ascii",
    )
    program = tmp_path / "gates"
    subprocess.run(["gcc", "-g", "-fopenmp", str(source), "-o", str(program)], check=True)
    said = asked(program, "ompd threads -json")
    holder, waiter = json.loads(said)["threads"]
    assert (holder["state"], holder["waits_for"]) == ("work_parallel", None)
    assert waiter["state"] == "wait_critical"
    assert (waiter["waits_for"]["kind"], waiter["waits_for"]["name"]) == ("critical", "gate")


MANY = """
#include <omp.h>
#include <stdlib.h>
__attribute__((noinline)) void here(void) { __asm__ volatile(""); }
int main(int argc, char **argv) {
    #pragma omp parallel num_threads(argc > 1 ? atoi(argv[1]) : 1)
    {
        #pragma omp barrier
        #pragma omp master
        here();
        #pragma omp barrier
    }
    return 0;
}
"""
READS = """python
from gdb_ompd.host.sessions.registry import all_sessions
files = next(iter(all_sessions())).files
print("READS", sum(one.space.target_reads for one in files._instances.values()))"""


def test_gdb_reads_no_record_for_each_thread(tmp_path: Path) -> None:
    """The kernel gives all of them at once."""
    source, script = tmp_path / "many.c", tmp_path / "reads.gdb"
    source.write_text(MANY, encoding="ascii")
    script.write_text(READS, encoding="ascii")
    subprocess.run(["gcc", "-fopenmp", str(source), "-o", str(tmp_path / "many")], check=True)
    counts = []
    for threads in (4, 40):
        asked = ["break here", f"run {threads}", "ompd threads -no-location", f"source {script}"]
        said = run_gdb(asked, tmp_path / "many").stdout
        assert f"of {threads} " in said
        counts.append(int(said.partition("READS ")[2].split()[0]))
    few, many = counts
    assert 0 < many < few + 18, counts


def test_a_task_that_ends_with_a_jump(tmp_path: Path) -> None:
    """Its body has no frame left, and the frame around it is another's."""
    source = tmp_path / "jumps.c"
    source.write_text(
        """
        #include <unistd.h>
        static int ends[2];
        static __attribute__((noinline)) void outer(char *byte) {
            #pragma omp task if (0) firstprivate(byte)
            { usleep(1); read(ends[0], byte, 1); }
            usleep(2);
        }
        int main(void) {
            char byte = 0;
            if (pipe(ends)) return 1;
            #pragma omp task if (0) shared(byte)
            { outer(&byte); usleep(1); }
            return byte;
        }
        """,
        encoding="ascii",
    )
    program = tmp_path / "jumps"
    subprocess.run(["gcc", "-g", "-O2", "-fopenmp", "-w", source, "-o", program], check=True)
    shown = ["break outer", "run", "catch syscall read", "continue", "ompd tasks", "ompd bt"]
    said = run_gdb(shown, program).stdout
    assert re.search(r"^ +0 explicit .* outer at jumps\.c:5\n +1 explicit .* main at ", said, re.M)
    stack = re.findall(r"^(?:--  task:|#\d+) +(\S+ .*at jumps\.c:\d+)$", said, re.M)
    assert [line.split()[0] for line in stack] == ["outer", "outer", "main", "main", "main"], said


def test_a_task_whose_creator_has_ended(tmp_path: Path) -> None:
    """libgomp forgets who made it; the implicit task of its thread is below it all the same."""
    source = tmp_path / "orphan.c"
    source.write_text(
        """
        #include <omp.h>
        #include <unistd.h>
        static volatile int over;
        static void hold(void) { over = 1; }
        int main(void) {
            #pragma omp parallel num_threads(2)
            if (omp_get_thread_num() == 1)
                while (!over) usleep(1000);
            else {
                #pragma omp task
                {
                    #pragma omp task
                    hold();
                }
            }
            return 0;
        }
        """,
        encoding="ascii",
    )
    program = tmp_path / "orphan"
    subprocess.run(["gcc", "-g", "-fopenmp", source, "-o", program], check=True)
    said = run_gdb(["break hold", "run", "ompd tasks"], program).stdout
    rows = re.findall(r"^ *(\d \w+) +([-\d]+) +([-\d]+)", said, re.MULTILINE)
    assert rows == [("0 explicit", "-", "1"), ("1 implicit", "2", "-"), ("2 initial", "-", "-")]


def test_a_stop_before_the_c_library_has_started_is_saved(tmp_path: Path) -> None:
    """There is no environment yet that the runtime could have read settings from."""
    program = binary(Build("steps.c", "gcc", "O0", GNU))
    file = tmp_path / "stop.json"
    shown = ["catch load libgomp", "run", "ompd env", f"ompd save {file}", f"ompd env -from {file}"]
    said = run_gdb(shown, program, merged=True).stdout
    assert "refused" not in said
    assert file.exists()
