# SPDX-License-Identifier: Apache-2.0
"""Variables of optimised code that are in memory as they were before a store was removed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from support.gdb_session import run_gdb
from support.refusals import compiled

USED = """\
__attribute__((noinline)) static void use(int n) { __asm__ volatile("" : : "r"(n)); }
"""
# Of a number that is overwritten by a call no store is left, as GCC knows the function.
OVERWRITTEN = """\
__attribute__((noinline)) static void poke(int *p, int n) { *p = n; }
__attribute__((noinline)) static int peek(const int *p) { return *p + 1; }
int main(int argc, char **argv) {
#pragma omp parallel num_threads(1)
    {
        int x = argc + 20;
        use(peek(&x));
        x = argc + 2;
        use(x);
        poke(&x, argc + 3);
        use(x);
        x = argc + 4;
        use(x);
        use(8);
    }
}
"""
# In each iteration it has its first value anew.
FIRST = """\
__attribute__((noinline)) static int more(long *p) { *p += 5; return *p; }
int main(int argc, char **argv) {
#pragma omp parallel num_threads(1)
    for (int i = 0; i < argc + 1; i++) {
        long seed = 2;
        use(2);
        seed = seed * 3 + i;
        use(more(&seed));
    }
}
"""
# A register still points into the array, but nobody is given that.
POINTED_TO = """\
__attribute__((noinline)) static int sum(const int *given, int count) {
    int numbers[4] = {given[0], given[1], given[2], given[3]}, all = 0;
    for (int i = 0; i < count; i++) {
        all += numbers[i];
        use(7);
    }
    numbers[1] += all;
    use(3);
    return all;
}
int main(int argc, char **argv) {
    int given[4] = {argc, 2, 3, 4};
#pragma omp parallel num_threads(1)
    use(sum(given, argc + 2));
}
"""


def told(source: str, name: str, value: int, level: str, folder: Path) -> list[str]:
    """Return what is said of NAME in the caller of each use of a VALUE, and what GDB has."""
    program = compiled(USED + source, folder, "gcc", level, "-fopenmp")
    asked = ["up", f"ompd print {name}", f"print {name}", "continue"]
    stops = [f"break use if n == {value}", "run", *asked, *asked, "kill"]
    said = run_gdb(stops, program).stdout
    return re.findall(r"^(?:0: |\$\d+ = )(.*)$", said, re.MULTILINE)


@pytest.mark.parametrize("level", ["-O1", "-O2"])
def test_a_number_is_not_told_where_its_store_was_removed(level: str, tmp_path: Path) -> None:
    why = "<not described: a store to x in line {} was optimized out>"
    said, described = told(OVERWRITTEN, "x", 3, level, tmp_path)
    assert described != "3", "GCC stores it"
    assert said in (why.format(7), why.format(9)), said
    assert told(OVERWRITTEN, "x", 4, level, tmp_path) == ["4", "4"]
    assert told(OVERWRITTEN, "x", 5, level, tmp_path) == [why.format(13), "4"]


@pytest.mark.parametrize("level", ["-O1", "-O2"])
def test_a_first_value_is_not_that_of_the_iteration_before(level: str, tmp_path: Path) -> None:
    *_, said, described = told(FIRST, "seed", 2, level, tmp_path)
    assert described == "11", "GCC stores it"
    assert said == "<not described: a store to seed in line 6 was optimized out>"


def test_a_register_that_points_to_it_reads_nothing(tmp_path: Path) -> None:
    said, described = told(POINTED_TO, "numbers", 3, "-O2", tmp_path)
    assert described == "{1, 2, 3, 4}", "GCC stores it"
    assert said == "<not described: a store to numbers in line 8 was optimized out>"
