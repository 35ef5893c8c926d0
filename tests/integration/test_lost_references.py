# SPDX-License-Identifier: Apache-2.0
"""What a construct's body of clang's has by reference is told where that is lost in the body."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from support.gdb_session import run_gdb
from support.refusals import compiled

# The fourth and fifth are pushed for the call that begins the region.
SHARED = """\
int omp_get_thread_num(void);
static int own;
#pragma omp threadprivate(own)
__attribute__((noinline)) static void stop(int n) {
    __asm__ volatile("" : : "r"(n) : "memory");
}
int main(int argc, char **argv) {
    int first = argc, second = argc + 1, third = argc + 2, fourth = argc + 3, fifth = argc + 4;
    own = 5;
#pragma omp parallel num_threads(2) copyin(own)
    {
        own += omp_get_thread_num() * 2;
        int sum = first + second * third + fourth * fifth;
#pragma omp atomic
        fifth++;
#pragma omp barrier
        stop(sum);
#pragma omp barrier
        stop(sum - 30);
#pragma omp barrier
    }
    stop(first + second + third + fourth + fifth + own);
    return 0;
}
"""
TRUTH = {"first": "1", "second": "2", "third": "3", "fourth": "4", "fifth": "7", "own": "7"}


@pytest.mark.parametrize("level", ["-O1", "-O2"])
def test_what_is_shared_is_told_where_the_reference_is_lost(level: str, tmp_path: Path) -> None:
    program = compiled(SHARED, tmp_path, "clang", level, "-fopenmp")
    asked = [step for name in TRUTH for step in (f"echo @{name} =\\n", f"ompd print {name}")]
    before = ["break stop if n < 10", "run", "thread 2", "frame function .omp_outlined._debug__"]
    done = run_gdb([*before, *asked, "ompd bt on", "bt -full 3", "kill"], program)
    said = done.stdout + done.stderr
    assert " third=<optimized out>" in said, "clang tells it: " + said
    for name, value in TRUTH.items():
        assert re.search(rf"^@{name} =\n(?:.*\n)?(?:0-)?1: {value}$", said, re.MULTILINE), said
        assert f"{name}={value}" in said, said


IN_INLINED = """\
__attribute__((noinline)) static void use(int n) { __asm__ volatile("" : : "r"(n)); }
struct twice {
    int kept;
    void get(int n) {
        int base = n * 2;
#pragma omp parallel num_threads(1)
        {
            use(base);
            use(base + kept);
        }
    }
};
int main(int argc, char **argv) {
    twice both = {argc + 2};
    both.get(argc);
}
"""


def test_what_an_inlined_function_shares_is_its_own_variable(tmp_path: Path) -> None:
    """GDB takes the line of the call for the function's."""
    program = compiled(IN_INLINED, tmp_path, "clang++", "-O1", "-fopenmp")
    done = run_gdb(["break use", "run", "up", "ompd print base", "ompd locals", "kill"], program)
    assert "0: 2\n" in done.stdout and "base = 2\nthis = 0x" in done.stdout, done.stdout
