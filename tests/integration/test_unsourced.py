# SPDX-License-Identifier: Apache-2.0
"""Events and steps in code without debug information: its functions are known by their symbols or,
stripped, by where they begin in the file."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest
from support.build import PROGRAMS
from support.gdb_session import run_gdb
from support.runtimes import GNU, runtime_folder

BUILDS = [
    ("gcc", "-O0", GNU),
    ("gcc", "-O2", GNU),
    ("gcc", "-O2", "19"),
    ("clang", "-O0", "19"),
    ("clang", "-O2", "19"),
    ("gcc", "-O2 -flto", GNU),
]
EVENTS = {
    ("parallel-begin", "twice"): 6,
    ("parallel-begin", "jump"): 3,
    ("parallel-begin", "share"): 3,
    ("parallel-end", "jump"): 3,
    ("task-begin", "share"): 15,
    ("task-end", "share"): 15,
    ("task-begin", "twice"): 0,
}
OF_FORTRAN = {
    ("parallel-begin", "relax"): 3,
    ("parallel-begin", "HEAT::Relax"): 3,
    ("parallel-begin", "outer"): 3,
    ("parallel-begin", "inner"): 3,
    ("task-begin", "relax"): 3,
}
IGNORED = "100000"
BEGIN = 0x555555554000  # of a program that GDB starts


@dataclass(frozen=True)
class Unsourced:
    """A program without debug information, and what its functions are called in it."""

    program: Path
    stripped: bool
    offsets: dict[str, int]

    def name(self, function: str) -> str:
        """Return how the user names a function."""
        if not self.stripped:
            return function
        return f"{self.program.name}+{self.offsets[function]:#x}"

    def hits(self, events: dict[tuple[str, str], int]) -> list[int]:
        """Return how often each event is met in a run."""
        asked = []
        for number, (event, function) in enumerate(events, 1):
            asked += [f"ompd break {event} {self.name(function)}", f"ignore {number} {IGNORED}"]
        said = run_gdb([*asked, "run", "info breakpoints"], self.program).stdout
        parts = re.split(r"stop only if \$_omp_event_at", said)[1:]
        counts = (re.search(r"already hit (\d+) time", part) for part in parts)
        return [int(count[1]) if count is not None else 0 for count in counts]

    def places(self, setup: list[str], *commands: str) -> list[tuple[str, int]]:
        """Return after each command the function of the innermost frame, a body's by its own
        symbol, and how far in the function it is."""
        where = 'printf "AT %lu\\n", $pc'
        asked = [part for command in commands for part in (command, where)]
        done = run_gdb([*setup, *asked, "kill"], self.program, merged=True, timeout=30)
        assert "Traceback" not in done.stdout, done.stdout
        return [self._function(int(pc)) for pc in re.findall(r"^AT (\d+)$", done.stdout, re.M)]

    def _function(self, pc: int) -> tuple[str, int]:
        offset = pc - BEGIN
        begins = ((begin, name) for name, begin in self.offsets.items() if begin <= offset)
        begin, name = max(begins)
        return name, offset - begin


def compiled(source: str, build: tuple[str, str, str], stripped: bool, folder: Path) -> Unsourced:
    """Make a program without debug information, and take its symbols."""
    (compiler, options, runtime), file, program = build, folder / "o.o", folder / "unsourced"
    flags = [*options.split(), "-fopenmp", "-fPIE"]
    modules = [f"-J{folder}"] if source.endswith(".f90") else []
    command = [compiler, *flags, *modules, "-c", str(PROGRAMS / source), "-o", str(file)]
    subprocess.run(command, check=True)
    link = flags
    if runtime != GNU:
        library = runtime_folder(runtime)
        link = [f"-L{library}", "-lomp", f"-Wl,-rpath,{library}"]
    subprocess.run([compiler, str(file), *link, "-pie", "-o", str(program)], check=True)
    said = subprocess.run(["nm", str(program)], stdout=subprocess.PIPE, text=True, check=True)
    found = re.findall(r"^([0-9a-f]+) [tT] (\S+)$", said.stdout, re.M)
    offsets = {name.replace(".constprop.0", ""): int(value, 16) for value, name in found}
    if stripped:
        subprocess.run(["strip", str(program)], check=True)
    return Unsourced(program, stripped, offsets)


@pytest.fixture(name="stripped", params=(False, True), ids=("symbols", "stripped"))
def fixture_stripped(request: pytest.FixtureRequest) -> bool:
    """Whether the program has no symbols."""
    return bool(request.param)


@pytest.mark.parametrize("build", BUILDS, ids=" ".join)
def test_events_in_a_function(build: tuple[str, str, str], stripped: bool, tmp_path: Path) -> None:
    program = compiled("unsourced.c", build, stripped, tmp_path)
    assert program.hits(EVENTS) == list(EVENTS.values())


@pytest.mark.parametrize("opt", ("O0", "O2"))
def test_events_in_a_procedure_of_fortrans(opt: str, tmp_path: Path) -> None:
    program = compiled("unsourced.f90", ("gfortran", f"-{opt}", GNU), False, tmp_path)
    assert program.hits(OF_FORTRAN) == list(OF_FORTRAN.values())


def test_no_function_begins_there(tmp_path: Path) -> None:
    program = compiled("unsourced.c", BUILDS[0], True, tmp_path)
    inside = f"unsourced+{program.offsets['share'] + 5:#x}"
    done = run_gdb(["run", f"ompd break task-begin {inside}"], program.program)
    assert done.stderr == ""
    started = ["break GOMP_parallel", "set breakpoint pending on", "run"]
    done = run_gdb([*started, f"ompd break task-begin {inside}"], program.program)
    assert done.stderr == f"No function begins there, but at {program.name('share')}.\n"


@pytest.mark.parametrize("build", BUILDS, ids=" ".join)
def test_steps_are_constructs(build: tuple[str, str, str], stripped: bool, tmp_path: Path) -> None:
    program = compiled("unsourced.c", build, stripped, tmp_path)
    setup = ["starti", f"break *{BEGIN + program.offsets['twice']}", "continue"]
    steps = ("ompd step", "ompd step", "ompd next", "ompd next")
    body, behind, second, main = program.places(setup, *steps)
    assert body[0] != "twice" and body[1] == 0
    assert behind[0] == second[0] == "twice" and behind[1] < second[1]
    assert main[0] == "main"


@pytest.mark.parametrize("build", BUILDS, ids=" ".join)
def test_a_body_is_not_stepped_through(
    build: tuple[str, str, str], stripped: bool, tmp_path: Path
) -> None:
    program = compiled("unsourced.c", build, stripped, tmp_path)
    event = f"ompd tbreak parallel-begin {program.name('endure')}"
    for last in ("ompd next", "ompd step", "ompd finish region"):
        body, behind = program.places([event, "run"], "ompd step", last)
        assert body[0] != "endure" and body[1] == 0
        assert behind[0] in ("endure", "main") and behind[1] > 0  # a call, or a jump


OF_TEMPLATES = """\
#include <cstdlib>
template <int N> __attribute__((noipa)) void work(int i) { i == N ? std::abort() : (void)i; }
template <typename T> __attribute__((noipa)) T region(T number) {
#pragma omp parallel num_threads(1)
    work<3>(static_cast<int>(number));
    return number;
}
long thunk(long number) __asm__("_ZThn8_N7Derived4callEl");
__attribute__((noipa)) long thunk(long number) { return region<long>(number) + 1; }
int main() { return thunk(3) == 3; }
"""


def test_a_templates_function_has_no_type_before_its_name(tmp_path: Path) -> None:
    """Its symbol has one, which debug information has not."""
    source, program = tmp_path / "templates.cpp", tmp_path / "templates"
    source.write_text(OF_TEMPLATES, encoding="ascii")
    subprocess.run(["g++", "-O1", "-fopenmp", str(source), "-o", str(program)], check=True)
    said = run_gdb(["run", "ompd bt", "ompd threads", "ompd parallel"], program).stdout
    assert len(re.findall(r" work<3>(?: \(\))?$", said, re.MULTILINE)) == 3, said
    assert " in non-virtual thunk to Derived::call ()\n" in said, said
    assert "serialized: region<long>\n" in said and "void work" not in said, said
