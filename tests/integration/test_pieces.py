# SPDX-License-Identifier: Apache-2.0
"""Variables that are in several places, and pointers to what is in none."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from support.build import Build, binary
from support.gdb_session import run_gdb
from support.runtimes import GNU


@pytest.mark.parametrize("compiler, level", [("clang", "O2"), ("gcc", "O2"), ("gcc", "Og")])
def test_parts_that_have_no_place(compiler: str, level: str) -> None:
    """GDB 13 ends itself where it computes with a part, or follows one; it takes 0 for a pointer."""
    parts = ["both->x + 1", "both->y*2", "both == 0", "all.weight*2", "all.link->y*3", "*sum + 1"]
    asked = [step for part in parts for step in (f"echo @{part}=\\n", f"ompd print {part}")]
    build = Build("in_pieces.c", compiler, level, GNU if compiler == "gcc" else "14")
    commands = ["break stop_here", "run", "up", *asked[:6]]
    done = run_gdb(
        [*commands, *["continue", "up", *asked[6:]] * 3, "echo @end", "kill"], binary(build)
    )
    said = done.stdout + done.stderr
    assert "@end" in said and "internal-error" not in said, said
    numbers = dict(re.findall(r"^@([^=\n]+(?: == 0)?)=\n[^\n]*: (-?\d+)$", said, re.MULTILINE))
    assert numbers or compiler == "clang", said
    assert (
        numbers.get("both->x + 1", "42") == "42" and numbers.get("both->y*2", "102") == "102"
    ), said
    assert numbers.get("both == 0", "0") == "0", said
    assert numbers.get("all.link->y*3", "153") == "153", said


VECTOR = """\
#include <vector>
__attribute__((noinline)) void stop_here(int n) { asm volatile("" ::"r"(n)); }
int main(int argc, char **argv) {
#pragma omp parallel num_threads(2)
    {
        std::vector<int> numbers(argc + 1);
        numbers[0] = 42;
        stop_here(numbers[0]);
    }
}
"""


def test_no_pretty_printer_has_what_has_no_place(tmp_path: Path) -> None:
    """GDB gives 0 to it for an object's part that was optimized out."""
    source, program = tmp_path / "vector.cpp", tmp_path / "vector"
    source.write_text(VECTOR)
    command = ["clang++", "-g", "-O1", "-fopenmp", str(source), "-o", str(program)]
    subprocess.run(command, check=True)
    asked = ["print numbers", "ompd print numbers", "ompd bt on", "bt -full 2", "kill"]
    done = run_gdb(["break stop_here", "run", "up", *asked], program)
    assert "$1 = std::vector of length -" in done.stdout, done.stdout + done.stderr
    why = "<not described: parts of numbers were optimized out>"
    assert done.stdout.count(why) == 2, done.stdout


COMPLEX = """\
#include <complex.h>
__attribute__((noinline)) void stop_here(double part) { __asm__ volatile("" ::"r"(part)); }
int main(int argc, char **argv) {
#pragma omp parallel num_threads(2)
    {
        double _Complex number = argc * 1.5 + argc * 2.5 * I;
        stop_here(cimag(number));
        stop_here(creal(number));
        stop_here(creal(number));
    }
}
"""


def test_no_half_of_a_complex_number_has_no_place(tmp_path: Path) -> None:
    """GDB writes 0 for the half."""
    source, program = tmp_path / "complex.c", tmp_path / "complex"
    source.write_text(COMPLEX)
    command = ["clang", "-g", "-O1", "-fopenmp", str(source), "-o", str(program)]
    subprocess.run(command, check=True)
    asked = [
        "print number",
        "ompd print number",
        "ompd print number + 0",
        "ompd bt on",
        "bt -full 2",
    ]
    done = run_gdb(["break stop_here if part == 1.5", "run", "up", *asked, "kill"], program)
    assert "$1 = 1.5 + 0i" in done.stdout, done.stdout + done.stderr
    assert done.stdout.count("<not described: parts of number were optimized out>") == 3
