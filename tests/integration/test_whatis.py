# SPDX-License-Identifier: Apache-2.0
"""`ompd whatis` tells the attribute that the program's source gives each variable, or that it
does not know."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest
from support.build import PROGRAMS, Build, binary, can_build
from support.gdb_session import run_gdb
from support.runtimes import GNU, VERSIONS
from support.values import SHARING, answers
from support.waits import SPIN, Setting, built

# By the program and the number of the stop: the attributes of its source.
TRUTH = {
    ("values/sharing.c", 1): {
        "shared": "shared",
        "mine": "private",
        "given": "firstprivate",
        "grid": "firstprivate",
        "reduced": "reduction",
        "list": "shared",
        "sized": "shared",
        "own": "threadprivate",
        "everybody": "shared",
    },
    ("values/sharing.c", 2): {
        "i": "private",
        "once": "private",
        "last": "lastprivate",
        "running": "linear",
        "seen": "private",
        "steps": "shared",
    },
    ("values/sharing.c", 3): {"common": "firstprivate", "third": "private"},
    ("values/sharing.c", 4): {"taken": "firstprivate", "inside": "private", "total": "shared"},
    ("values/sharing.c", 5): {"inner": "firstprivate", "outer": "shared"},
    ("values/orphaned.c", 1): {
        "last": "lastprivate",
        "running": "linear",
        "reduced": "reduction",
        "hiding": "private",
        "i": "private",
    },
    ("values/orphaned.c", 2): {"last": "private"},
    ("values/orphaned.c", 5): {"declared_twice": "threadprivate"},
    ("values/own_copies.c", 5): {
        "kept_outside": "firstprivate",
        "pair": "firstprivate",
        "global_sum": "reduction",
        "conditional": "lastprivate",
        "everybody": "shared",
    },
    ("values/objects.cpp", 1): {"local": "private", "weight": "shared"},
    ("values/objects.cpp", 2): {"result": "firstprivate", "factor": "shared"},
    ("values/objects.cpp", 4): {"inside": "private", "thread": "private"},
    ("values/arrays.f90", 1): {
        "mine": "private",
        "copied": "firstprivate",
        "reduced": "reduction",
        "work": "shared",
    },
    ("values/blocks.f90", 1): {"hidden": "private"},
    ("values/blocks.f90", 2): {
        "copied": "firstprivate",
        "modules_own": "threadprivate",
        "commons_own": "threadprivate",
    },
}
MATRIX = [
    Build(program, compiler, opt, version)
    for program in sorted({program for program, _ in TRUTH})
    for compiler in ("clang", "gcc")
    if can_build(program, compiler)
    for opt in ("O0", "O2")
    for version in VERSIONS
]


def at_stop(number: int) -> tuple[str, ...]:
    return (
        *("break values_stop", "run"),
        *["continue"] * (number - 1),
        *("frame function values_hold", "up"),
    )


@pytest.mark.parametrize("what", MATRIX, ids=str)
def test_attributes_are_the_sources(what: Build, tmp_path: Path) -> None:
    known = 0
    for (program, stop), names in TRUTH.items():
        if program != what.program:
            continue
        asked = [f"ompd whatis -json {name}" for name in names]
        for name, said in zip(names, answers(asked, binary(what), tmp_path, at_stop(stop))):
            if said.startswith("error: ") and what.opt != "O0":
                continue
            told = json.loads(said)
            unknown = what.opt != "O0" and told["attribute"] is None
            assert told["attribute"] == names[name] or unknown, (name, told)
            known += told["attribute"] is not None
    assert known


def test_without_the_source_only_what_the_program_tells_is_said(tmp_path: Path) -> None:
    """A file that is newer than the program is not the one that was compiled."""
    asked = ["ompd whatis mine", "ompd whatis given", "ompd whatis shared", "ompd whatis length"]
    asked += ["ompd whatis nothing", "ompd whatis", "ompd whatis -json mine", "ompd print mine"]
    source = PROGRAMS / SHARING.program
    program = binary(SHARING)
    copy = tmp_path / "sharing.c"
    copy.write_text("\n" + source.read_text(encoding="utf-8"), encoding="utf-8")
    os.utime(copy, (program.stat().st_mtime + 100,) * 2)
    moved = f"set substitute-path {source.parent} {tmp_path}"
    told = answers(asked, program, tmp_path, (moved, *at_stop(1)))
    assert told[0].startswith("mine: private copy (it is a copy: nothing tells which kind of)\n")
    assert told[1].startswith("given: firstprivate (it is a copy, which the construct was given")
    assert told[2].startswith("shared: shared (it is one object in 3 threads of the team)\n")
    assert told[2].splitlines()[1] == "type = int" and "0-2: at 0x" in told[2]
    assert "\noutside: shared of attributes at " in told[2]
    assert told[3].startswith("length: unknown (the code of the construct does not describe it)\n")
    assert told[4].startswith('error: no variable "nothing"')
    assert told[5].startswith("error: A name is wanted")
    document = json.loads(told[6])
    assert [row["thread_num"] for row in document["places"]] == [0, 1, 2]
    assert document["outside"]["function"] == "attributes"
    assert told[7].startswith("warning: sharing.c is newer than the program.\n"), told[7]
    assert told[7].endswith("\n0: 0\n1: 7\n2: 14\n"), told[7]


def test_what_counts_a_loop_is_told_by_the_directive_of_a_loop(tmp_path: Path) -> None:
    """The loop that a single construct begins with is an ordinary one."""
    lines = (PROGRAMS / SHARING.program).read_text(encoding="utf-8").splitlines()
    at = 1 + next(n for n, line in enumerate(lines) if "int taken = base + i" in line)
    first = (f"break sharing.c:{at}", "run")
    (told,) = answers(["ompd whatis i"], binary(SHARING), tmp_path, first)
    assert told.startswith("i: private (it is declared in the construct)\n"), told


@pytest.mark.parametrize(("compiler", "runtime"), [("clang", "19"), ("gcc", GNU)])
def test_what_a_target_region_has_is_told(compiler: str, runtime: str, tmp_path: Path) -> None:
    """It is in no parallel region and no task, and its own code all the same."""
    program = binary(Build("values/target.c", compiler, "O0", runtime))
    own, mapped, inside = answers(
        ["ompd whatis scalar", "ompd whatis mapped", "ompd whatis inside"],
        program,
        tmp_path,
        at_stop(1),
    )
    assert own.startswith("scalar: firstprivate (")
    assert mapped.startswith(("mapped: unknown (whether it is a copy", "mapped: shared (")), mapped
    assert inside.startswith("inside: private (it is declared in the construct)")


def test_of_a_thread_that_waits_the_users_frame_is_meant() -> None:
    """As with print: a person interrupts a program and is in the runtime's frames."""
    program = built("dependence_taskwait", Setting("clang", "O0", "14", False))
    asked = ["break waits_stop", "run", "thread 1", "ompd whatis datum", "frame"]
    said = run_gdb(asked, program, env=SPIN).stdout
    assert "datum: private (it is declared in the construct)\n" in said
    assert re.search(r"^#0 ", said.split("datum: ")[1], re.MULTILINE), said
