# SPDX-License-Identifier: Apache-2.0
"""Variables where a construct's body begins: it first copies what it has from the code around."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from support.build import Build, binary
from support.gdb_session import run_gdb
from support.refusals import compiled


@pytest.mark.parametrize(
    "compiler, body", [("gcc", "main._omp_fn.0"), ("clang", ".omp_outlined._debug__")]
)
def test_where_a_body_begins_it_has_not_copied_what_it_has(compiler: str, body: str) -> None:
    program = binary(Build("values/handed_over.c", compiler, "O0"))
    stops = [f"break *&'{body}'", "run", "ompd locals", "echo @@", "break handed_over_stop"]
    done = run_gdb([*stops, "delete 1", "continue", "up", "ompd locals", "kill"], program)
    begun, later = done.stdout.split("@@")
    for name in ("real", "narrow", "is_one", "small", "below"):
        why = f"<not set yet: the construct's body has only begun, and has not copied {name}>"
        assert f"{name} = {why}\n" in begun, begun + done.stderr
    assert "not set yet" not in later and "real = -5\n" in later, later


COPIES = """\
struct part { long first, second; };
__attribute__((noinline)) static void use(long n) { __asm__ volatile("" : : "r"(n)); }
int main(int argc, char **argv) {
    int numbers[3] = {argc + 10, argc + 11, argc + 12}, count = argc + 1;
    struct part part = {argc * 5, argc * 6};
    double sized[count];
    sized[0] = sized[1] = argc * 2.5;
#pragma omp parallel num_threads(1) firstprivate(numbers, part, sized)
    {
        use(numbers[1] + part.first + sized[1]);
    }
    return 0;
}
"""
OF_TASK = """\
__attribute__((noinline)) static void use(int n) { __asm__ volatile("" : : "r"(n)); }
int main(int argc, char **argv) {
    int given = argc + 5;
#pragma omp parallel num_threads(1)
#pragma omp single
#pragma omp task firstprivate(given)
    {
        use(given);
    }
}
"""
# Asks at each instruction of the body.
EACH = """
while gdb.newest_frame().name() != "use":
    if re.search("[.]omp_outlined|[.]omp_task_entry|_omp_fn", gdb.newest_frame().name() or ""):
        for name in NAMES:
            said = gdb.execute(f"ompd print {name}", to_string=True).splitlines()[0]
            print("told", name, said.split(": ", 1)[1])
    gdb.execute("stepi", to_string=True)
"""


def told(program: Path, body: str, names: list[str], folder: Path) -> dict[str, list[str]]:
    """Return what is said of each of the variables NAMES on the way to their use."""
    script = folder / "ask.py"
    script.write_text(f"import re\nNAMES = {names}\n{EACH}", encoding="ascii")
    done = run_gdb([f"break *&'{body}'", "run", f"source {script}", "kill"], program)
    found: dict[str, list[str]] = {name: [] for name in names}
    for name, said in re.findall(r"^told (\w+) (.*)$", done.stdout, re.MULTILINE):
        found[name].append(said)
    assert all(found.values()), done.stdout + done.stderr
    return found


@pytest.mark.parametrize(
    "compiler, body", [("gcc", "main._omp_fn.0"), ("clang", ".omp_outlined._debug__")]
)
def test_no_array_is_told_before_it_is_copied(compiler: str, body: str, tmp_path: Path) -> None:
    program = compiled(COPIES, tmp_path, compiler, "-O0", "-fopenmp")
    right = {"numbers": "{11, 12, 13}", "part": "{first = 5, second = 6}", "sized": "{2.5, 2.5}"}
    for name, said in told(program, body, [*right], tmp_path).items():
        assert said[-1] == right[name], (name, said)
        assert {s for s in said if not s.startswith("<")} == {right[name]}, (name, said)


def test_what_a_task_has_is_not_told_before_it_knows_where_that_is(tmp_path: Path) -> None:
    program = compiled(OF_TASK, tmp_path, "clang", "-O0", "-fopenmp")
    said = told(program, ".omp_task_entry.", ["given"], tmp_path)["given"]
    why = "<not set yet: the construct's body has only begun, and has not copied given>"
    begun = said[[s.startswith("<No symbol") for s in said].index(False) :]
    assert set(begun) == {why, "6"} and begun[-1] == "6", said


AFTER_ANOTHER = """\
__attribute__((noinline)) static void use(int n) { __asm__ volatile("" : : "r"(n) : "memory"); }
int main(int argc, char **argv) {
    int other = argc + 4, flag = argc + 70;
#pragma omp parallel num_threads(1)
    {
        int own[5000];
        own[1] = other++;
        use(own[1]);
    }
    double big[2] = {1, 2};
#pragma omp parallel num_threads(1)
    {
        int own[5000];
        own[1] = flag++;
        use(own[1] + (int)big[1]);
    }
}
"""


def test_what_is_shared_is_not_told_by_what_the_body_before_left(tmp_path: Path) -> None:
    program = compiled(AFTER_ANOTHER, tmp_path, "gcc", "-O0", "-fopenmp")
    for name, said in told(program, "main._omp_fn.1", ["flag", "big"], tmp_path).items():
        right = {"71", "72"} if name == "flag" else {"{1, 2}"}
        assert {s for s in said if not s.startswith("<not set yet")} == right, (name, said)


ALIGNED = """\
__attribute__((noinline)) static void use(int n) { __asm__ volatile("" : : "r"(n) : "memory"); }
int main(int argc, char **argv) {
    int other = argc + 4, flag = argc + 70;
    double kept = argc * 2.5;
#pragma omp parallel num_threads(1) firstprivate(flag, kept)
    {
        int own[16] __attribute__((aligned(64)));
        own[1] = flag + other;
        use(own[1] + (int)kept);
    }
}
"""


def test_in_an_aligned_frame_nothing_is_told_before_it_is_copied(tmp_path: Path) -> None:
    program = compiled(ALIGNED, tmp_path, "clang", "-O0", "-fopenmp")
    right = {"flag": "71", "other": "5", "kept": "2.5"}
    for name, said in told(program, ".omp_outlined._debug__", [*right], tmp_path).items():
        assert {s for s in said if not s.startswith("<not set yet")} == {right[name]}, (name, said)
