# SPDX-License-Identifier: Apache-2.0
"""`ompd print -up` and `$_omp_var` find a name along the logical stack, under its own type."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from support.build import Build, binary, can_build
from support.runtimes import VERSIONS
from support.values import answers

# By the program and the number of the stop: names that the construct's body has or has not,
# with the text of each and the function that it is found in, "" for a static one.
TRUTH = {
    ("values/sharing.c", 1): {
        "length": ("5", "attributes"),
        "sized": ("{0, 10, 20, 30, 40}", "attributes"),
        "sizeof sized": ("40", "attributes"),
        "list": ("{0.5, 1.5, 2.5, 3.5}", "attributes"),
        "mine": ("14", "attributes"),
        "shared": ("5", "attributes"),
        "argc": ("1", "main"),
        "everybody": ("11", ""),
    },
    ("values/sharing.c", 4): {"total": ("0", "tasks"), "base": ("20", "tasks")},
    ("values/sharing.c", 5): {
        "depth": ("1000", "nested"),
        "outer": ("1001", "nested"),
        "own": ("306", ""),
    },
    ("values/objects.cpp", 1): {"sum_": ("4", "relax"), "width_": ("8", "relax")},
    ("values/objects.cpp", 4): {"captured": ("50", "operator()"), "start": ("50", "operator()")},
    ("values/scopes.cpp", 1): {"inherited": ("30", "region")},
    ("values/scopes.cpp", 2): {"value": ("2", ""), "object.reference_": ("80", "in_namespace")},
    ("values/blocks.f90", 2): {"text": ("'given'", "region"), "length": ("5", "region")},
    ("values/arrays.f90", 1): {
        "list": ("(1, 3, 5, 7, 9)", "attributes"),
        "work": ("(0, 0.5, 1, 1.5, 2)", "attributes"),
        "given": ("3", "attributes"),
        "table": (
            "((1, 2, 3) (4, 5, 6) (7, 8, 9) (10, 11, 12) (13, 14, 15))",
            "attributes",
        ),
        "automatic": ("(6, 6, 6)", "attributes"),
    },
    ("values/arrays.f90", 2): {
        "counted": ("5", ""),
        "given": ("17", "described"),
        "led_to": ("60", "described"),
        "whole%id": ("4", "described"),
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
# What the optimiser may have removed; how the program was compiled must not matter otherwise.
NAME = re.compile(r"(?:^|\W)(?!sizeof|id\b|reference_)(\w+)")
UNKNOWN = re.compile(
    r"<optimized out>|was optimized out|not saved|error: no(t described:| variable)"
)


@pytest.mark.parametrize("what", MATRIX, ids=str)
def test_names_are_found(what: Build, tmp_path: Path) -> None:
    known = 0
    for (program, stop), names in TRUTH.items():
        if program != what.program:
            continue
        first = ("break values_stop", "run", *["continue"] * (stop - 1))
        at = (*first, "frame function values_hold", "up")
        said = answers([f"ompd print -up {name}" for name in names], binary(what), tmp_path, at)
        for (name, (text, function)), told in zip(names.items(), said):
            value, _, where = told.partition("\n")
            if what.opt != "O0" and UNKNOWN.search(told):
                continue
            assert value == text, (name, told)
            assert function in where and f"{NAME.findall(name)[-1]} " in where, (name, told)
            known += 1
    assert known


def test_it_is_said_where_a_name_was_found(tmp_path: Path) -> None:
    first = ("break values_stop", "run", "frame function values_hold", "up")
    asked = [
        "ompd print -up argc",
        "ompd print -up /x length",
        'print $_omp_var("sized")[3] + $_omp_var("length")',
        "print $",
        "ompd print -up nowhere",
        "ompd print -up argc + nowhere",
        "ompd print -up",
        "ompd print -up -all argc",
        'print $_omp_var("nowhere")',
        "print $_omp_var(1)",
    ]
    said = answers(asked, binary(Build("values/sharing.c")), tmp_path, first)
    assert re.fullmatch(r"1\nargc of main at sharing.c:\d+, frame \d+ of GDB thread 1\n", said[0])
    assert re.match(r"0x5\nlength of attributes at sharing.c:\d+, frame", said[1])
    assert said[2].endswith(" = 35\n") and said[3].endswith(" = 35\n")
    nowhere = 'no variable "nowhere" is in the selected frame or along the logical stack'
    assert said[4] == f"error: {nowhere}"
    assert said[5] == f"error: {nowhere}"
    assert said[6].startswith("error: An expression is wanted")
    assert re.match(r"argc of main at sharing.c:\d+\nGDB \d.*: 1\n", said[7])
    assert nowhere in said[8]
    assert "must be a string" in said[9]


def test_an_expression_has_names_of_several_frames(tmp_path: Path) -> None:
    """Each as it was found, whatever else has its name; what cannot be so is refused."""
    first = ("break values_stop", "run", "frame function values_hold", "up")
    asked = [
        "ompd print -up list[argc]@2",
        "ompd print -up sizeof(struct grid) / sizeof(int) + argc",
        "ompd print -up -argc + SIZE",
        "ompd print -up sized[1] = 15",
        'print $_omp_var("sized")[1]',
        "ompd print -up length = 7",
        "ompd print -up argc +",
        "ompd print -up 1 + 2",
        "ompd print -up 'sharing.c'::everybody + argc",
        "ompd print -up 'sharing.c'::everybody",
        "ompd print -up 'sharing.c'::nowhere",
    ]
    said = answers(asked, binary(Build("values/sharing.c", "gcc", "O2")), tmp_path, first)
    places = (
        r"list of attributes at [^\n]*\nargc of main at sharing.c:\d+, frame \d+ of GDB thread 1"
    )
    assert re.fullmatch(rf"\{{1.5, 2.5\}}\n{places}\n", said[0])
    assert [each.partition("\n")[0] for each in said[1:4]] == ["15", "2", "15"]
    assert said[4].endswith(" = 15\n")
    assert said[5] == "error: length is in no memory there: nothing is changed with it"
    assert said[6].startswith("error: argc +: A syntax error")
    assert said[7] == 'error: "1 + 2" has no name of a variable'
    static = "'sharing.c'::everybody is static, or the thread's own\n"
    assert re.match(rf"12\nargc of main at .*\n{static}", said[8]), said[8]
    assert said[9] == f"11\n{static}"
    assert said[10].startswith("error: 'sharing.c'::nowhere: No symbol \"nowhere\" in "), said[10]
    fortran = binary(Build("values/arrays.f90", "gcc"))
    (element,) = answers(["ompd print -up table(2, 3) + GIVEN"], fortran, tmp_path, first)
    assert element.startswith("17\ntable of attributes at"), element
    asked = ["ompd print missing", "ompd print missing_list(1)"]
    asked += [
        "ompd print -up missing",
        "ompd print -up missing_list(1) + given",
        "ompd whatis missing",
        "ompd print held(1)%at",
        "ompd print -up held(1)%at",
        "ompd print *(held(2)%at) + 1",
    ]
    absent = answers(asked, fortran, tmp_path, (*first[:2], "continue", *first[2:]))
    leads = "is absent, not associated or not allocated: it leads to address 0"
    assert absent[0] == f"0-2: <missing {leads}>\n"
    assert '"ompd print -up missing_list"' in absent[1], absent[1]
    assert absent[2:4] == [f"error: missing {leads}", f"error: missing_list {leads}"]
    assert absent[4].startswith("missing: unknown"), absent[4]
    assert absent[5] == f"0-2: <held(1)%at {leads}>\n"
    assert absent[6] == f"error: held(1)%at {leads}" and absent[7] == "0-2: 61\n"


@pytest.mark.parametrize("compiler", ["clang", "gcc"])
def test_a_copy_is_not_the_variable_of_the_code_around(compiler: str, tmp_path: Path) -> None:
    """Nor a function's threadprivate variable that of the thread which executes the function."""
    program = binary(Build("values/own_copies.c", compiler))
    first = ("break values_stop", "run", "continue")
    for number in (1, 2, 3):
        at = (*first, f"thread {number}", "frame function values_hold", "up")
        asked = ["ompd print -up thread", "ompd print -up functions_own", "ompd print -up argument"]
        asked += ["ompd whatis functions_own"]
        thread, own, copy, attribute = answers(asked, program, tmp_path, at)
        assert attribute.startswith("functions_own: threadprivate"), attribute
        assert int(own.split()[0]) == int(thread.split()[0]) + 90
        if compiler == "gcc":
            assert copy.startswith("error: not described: GCC tells nothing of the copy"), copy
        else:
            assert int(copy.split()[0]) % 100 == int(thread.split()[0])


def test_of_what_a_task_reduces_the_variable_around_is_not_told(tmp_path: Path) -> None:
    """Clang does not describe the task's own copy without optimisation."""
    first = ("break values_stop", "run", *["continue"] * 3, "frame function values_hold", "up")
    said, attribute = answers(
        ["ompd print -up total", "ompd whatis total"],
        binary(Build("values/orphaned.c")),
        tmp_path,
        first,
    )
    why = "error: not described: nothing is told of the copy of total that the directive in line"
    assert said.startswith(why) and attribute.startswith(why), said + attribute


def test_an_array_that_was_removed_with_its_bounds_is_said_to_be_so(tmp_path: Path) -> None:
    """GDB 13 ends when it is asked for an element of one."""
    first = ("break values_stop", "run", *["continue"] * 2, "frame function values_hold", "up")
    program = binary(Build("values/blocks.f90", "gcc", "O2"))
    asked = ["ompd print list(2)", "ompd print -up list(2)"]
    own, up = answers(asked, program, tmp_path, first)
    assert own == "0-2: <optimized out>\n" and up == "error: list was optimized out", own + up
