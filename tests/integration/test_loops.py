# SPDX-License-Identifier: Apache-2.0
"""What counts a loop, and its iteration, against what each iteration tells itself."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from support.build import Build, binary
from support.counted_loops import rows_of
from support.gdb_session import run_gdb
from support.refusals import compiled
from support.runtimes import GNU, ROOT

IN_GDB = ROOT / "tests" / "support" / "loops_in_gdb.py"
KINDS = "values/loop_kinds.c"
BUILDS = [Build(KINDS), Build(KINDS, "clang", "O2", "14"), Build(KINDS, "gcc", "O0", GNU)]

COUNTED = [
    Build("values/counted_loops.cpp"),
    Build("values/counted_loops.cpp", "gcc", "O0", GNU),
    *(
        Build("values/counted_loops.cpp", compiler, opt, runtime)
        for compiler, runtime in (("clang", "14"), ("gcc", GNU))
        for opt in ("O2", "Og")
    ),
]
# Of 12 kinds of loops, what the optimiser has not left to tell.
MOST_UNKNOWN = {
    ("clang", "O0"): 0,
    ("gcc", "O0"): 0,
    ("gcc", "Og"): 1,
    ("gcc", "O2"): 3,
}
# GCC does not keep how many iterations an iterator makes.
MOST_UNCOUNTED = {"clang": 0, "gcc": 1}


@pytest.mark.parametrize("what", BUILDS, ids=str)
def test_each_iteration_has_its_own_value(what: Build) -> None:
    done = run_gdb([f"source {IN_GDB}"], binary(what))
    rows = [json.loads(row) for row in re.findall(r"^LOOP (.*)$", done.stdout, re.MULTILINE)]
    assert len(rows) > 120, done.stdout + done.stderr
    wrong = [row for row in rows if row[4] not in (None, row[1]) or row[5] not in (None, row[1])]
    assert not wrong, wrong[:5]
    counted = [row for row in rows if row[6] not in (None, row[2])]
    assert not counted, counted[:5]
    if what.opt == "O0":
        unknown = {(row[0], row[3]) for row in rows if row[4] is None}
        assert not unknown, unknown
        assert all(row[5] == row[1] for row in rows if row[0] == "i")
    if what.compiler == "clang" and what.opt == "O0":
        assert all(row[6] == row[2] for row in rows), [r for r in rows if r[6] is None][:5]


@pytest.mark.parametrize("what", COUNTED, ids=str)
def test_no_kind_of_loop_has_a_wrong_value(what: Build) -> None:
    rows = rows_of(binary(what), 8)
    assert len(rows) == 12 * 8
    wrong = [each for each in rows if "wrong" in each.answers.values()]
    assert not wrong, wrong[:5]
    never = {each.line for each in rows if each.answers["ompd print"] == "not known"}
    assert len(never) <= MOST_UNKNOWN.get((what.compiler, what.opt), 10), never
    uncounted = {each.line for each in rows if each.answers["$_omp_iteration()"] != "right"}
    assert len(uncounted) <= MOST_UNCOUNTED[what.compiler], uncounted


@pytest.mark.parametrize("opt", ["O0", "Og", "O2"])
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_the_width_of_what_counts_a_loop(compiler: str, opt: str) -> None:
    runtime = GNU if compiler == "gcc" else "14"
    rows = rows_of(binary(Build("values/narrow_loops.cpp", compiler, opt, runtime)), 0)
    assert len(rows) == 8 * (9 + 3) + 5 * 5 + 9 + 3
    wrong = [each for each in rows if "wrong" in each.answers.values()]
    assert not wrong, wrong[:5]
    # What counts a loop that GCC's code shares out by itself is not always told.
    uncounted = {each.line for each in rows if each.answers["$_omp_iteration()"] != "right"}
    assert uncounted <= ({20} if compiler == "gcc" else set()), uncounted


@pytest.mark.parametrize("has_source", [True, False], ids=["source", "no source"])
@pytest.mark.parametrize("options", ["-O2", "-O2 -funroll-loops", "-Og -funroll-loops"])
def test_the_copies_of_an_unrolled_loop(options: str, has_source: bool, tmp_path: Path) -> None:
    source = tmp_path / "unrolled_loops.c"
    shutil.copy(ROOT / "tests" / "programs" / "values" / source.name, source)
    program = tmp_path / "loops"
    command = ["gcc", "-g", "-fopenmp", *options.split(), str(source), "-o", str(program)]
    subprocess.run(command, check=True)
    if not has_source:
        source.unlink()
    rows = rows_of(program, 1)
    assert len(rows) == 2 * (10 + 9 + 16 + 13 + 3 * 7) + 3 * 13
    wrong = [each for each in rows if "wrong" in each.answers.values()]
    # GDB knows no pragma without the source. Newer compilers have the call in its own line.
    assert {each.line for each in wrong} <= (set() if has_source else {23, 24}), wrong[:5]
    right = {each.line for each in rows if each.answers["ompd print"] == "right"}
    assert len(right) >= (3 if has_source else 1), right
    assert options != "-O2" or 35 in right, right


def test_a_condition_stops_in_the_iteration_that_is_meant() -> None:
    source = (ROOT / "tests" / "programs" / KINDS).read_text(encoding="utf-8").splitlines()
    line = 1 + next(n for n, text in enumerate(source) if "(i - 5) / 3" in text)
    stop = f'break loop_kinds.c:{line} if $_omp_var("i") == 17'
    asked = [stop, "run", "ompd print -- i", "print $_omp_iteration()", "ompd print -- list[i]"]
    done = run_gdb([*asked, "kill"], binary(BUILDS[0]))
    assert re.search(r"^\d: 17$", done.stdout, re.MULTILINE), done.stdout + done.stderr
    assert "\n$1 = 4\n" in done.stdout or "\n$2 = 4\n" in done.stdout, done.stdout


# What GCC makes with -O3 of a loop whose first iteration is apart: it goes on inside of the loop.
FIRST_APART = """\
void GOMP_parallel(void (*)(void *), void *, unsigned, unsigned);
__attribute__((noipa)) void begin(int i) { (void)i; }
__attribute__((noipa)) void go_on(int i) { (void)i; }
void body(void *) __asm__("main._omp_fn.0");
__asm__(".type main._omp_fn.0, @function\\n"
        "main._omp_fn.0:\\n"
        ".cfi_startproc\\n"
        "push %rbp\\n .cfi_def_cfa_offset 16\\n .cfi_offset 6, -16\\n"
        "push %rbx\\n .cfi_def_cfa_offset 24\\n .cfi_offset 3, -24\\n"
        "sub $8, %rsp\\n .cfi_def_cfa_offset 32\\n"
        "call omp_get_num_threads\\n mov %eax, %ebp\\n"
        "call omp_get_thread_num\\n mov %eax, %ecx\\n"
        "mov $6, %eax\\n cltd\\n idiv %ebp\\n cmp %edx, %ecx\\n jl 2f\\n"
        "1: imul %eax, %ecx\\n add %ecx, %edx\\n lea (%rax,%rdx,1), %ebp\\n cmp %ebp, %edx\\n jge 5f\\n"
        "mov %edx, %ebx\\n mov %ebx, %edi\\n call begin\\n jmp 4f\\n"
        "3: mov %ebx, %edi\\n call begin\\n"
        "4: mov %ebx, %edi\\n add $1, %ebx\\n call go_on\\n cmp %ebp, %ebx\\n jl 3b\\n"
        "5: .cfi_remember_state\\n add $8, %rsp\\n .cfi_def_cfa_offset 24\\n pop %rbx\\n .cfi_def_cfa_offset 16\\n"
        "pop %rbp\\n .cfi_def_cfa_offset 8\\n ret\\n"
        ".cfi_restore_state\\n"
        "2: add $1, %eax\\n xor %edx, %edx\\n jmp 1b\\n"
        ".cfi_endproc\\n .size main._omp_fn.0, .-main._omp_fn.0\\n");
int main(void) { GOMP_parallel(body, 0, 2, 0); }
"""
ITERATIONS = """
for _ in range(12):
    gdb.execute("continue", to_string=True)
    gdb.newest_frame().older().select()
    print("begun", gdb.newest_frame().read_register("edi"), gdb.parse_and_eval("$_omp_iteration()"))
"""


def test_a_loop_whose_first_iteration_is_apart(tmp_path: Path) -> None:
    program = compiled(FIRST_APART, tmp_path, "gcc", "-O1", "-fopenmp")
    script = tmp_path / "ask.py"
    script.write_text(ITERATIONS)
    stops = ["break main", "run", "break *begin", "break *go_on", f"source {script}"]
    done = run_gdb([*stops, "kill"], program)
    rows = re.findall(r"^begun (\d) (\d|void)$", done.stdout, re.MULTILINE)
    assert len(rows) == 12, done.stdout + done.stderr
    assert all(said in (own, "void") for own, said in rows), rows
    assert [said for _, said in rows].count("void") == 2, rows  # before the loop
