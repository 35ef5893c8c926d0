# SPDX-License-Identifier: Apache-2.0
"""Static members of classes, and a local variable whose name a static one has, too."""

from __future__ import annotations

import re

import pytest
from support.build import PROGRAMS, Build, binary
from support.gdb_session import run_gdb
from support.runtimes import GNU

PROGRAM = "values/static_members.cpp"
BUILDS = [Build(PROGRAM), Build(PROGRAM, "gcc", "O0", GNU)]
SOURCE = (PROGRAMS / PROGRAM).read_text(encoding="utf-8").splitlines()
IN_CLASS, SHADOWED = (
    1 + next(n for n, text in enumerate(SOURCE) if text.endswith(end))
    for end in ("// in the class", "// below the static one")
)


def said(what: Build, line: int, *asked: str) -> list[str]:
    """Return what is said of GDB's thread 1 at a line."""
    each = [command for one in asked for command in ("echo @@\\n", one)]
    stop = f"break static_members.cpp:{line} if $_thread == 1"
    done = run_gdb([stop, "run", *each, "echo @@\\n", "kill"], binary(what))
    return [part.strip().splitlines()[0] for part in done.stdout.split("@@\n")[1:-1]]


@pytest.mark.parametrize("what", BUILDS, ids=str)
def test_a_static_member_is_not_its_first_value(what: Build) -> None:
    names = ("Box<double>::total", "1 + Box<double>::total", "Plain::old", "Plain::second")
    found = said(what, IN_CLASS, *(f"ompd print {name}" for name in names))
    values = [re.sub(r"^[\d,-]+: ", "", one) for one in found]
    assert values[2:] == ["13", "Plain::second"], found
    if what.compiler == "clang":
        of_member = "not described: of the static member Box<double>::total clang tells only"
        assert all(of_member in one for one in values[:2]), found
    else:
        assert values[:2] == ["4", "5"], found


@pytest.mark.parametrize("what", BUILDS, ids=str)
def test_a_local_variable_below_a_static_one_is_the_local_one(what: Build) -> None:
    value, attribute = said(what, SHADOWED, "ompd print level", "ompd whatis level")
    assert re.match(r"0(-1)?: 8$", value), value
    assert attribute.startswith("level: shared") and "static variable" not in attribute, attribute
