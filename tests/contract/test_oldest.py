# SPDX-License-Identifier: Apache-2.0
"""The Python code is of the oldest Python that it is promised for, and asks for what GDB 10 lacks.

Names of the standard library are mypy's to judge, which is told the same version.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCES = sorted([*(ROOT / "python").rglob("*.py"), *(ROOT / "gdb-scripts").rglob("*.py")])
OLDEST = (3, 9)
VERSION = ".".join(map(str, OLDEST))


def too_new(source: str) -> list[str]:
    """Return what of SOURCE the oldest Python refuses: its syntax, or "X | Y" between types
    that it would evaluate."""
    try:
        tree = ast.parse(source, feature_version=OLDEST)
    except SyntaxError as error:
        return [str(error)]
    late = any(isinstance(n, ast.ImportFrom) and n.module == "__future__" for n in tree.body)
    written = [
        note
        for node in ast.walk(tree)
        for note in (getattr(node, "annotation", None), getattr(node, "returns", None))
        if note is not None and not late
    ]
    calls = [n for n in ast.walk(tree) if isinstance(n, ast.Call)]
    asked = [
        n for n in calls if getattr(n.func, "id", None) in ("isinstance", "issubclass", "cast")
    ]
    return [
        f"line {part.lineno}: {ast.unparse(part)}"
        for node in [*written, *asked]
        for part in ast.walk(node)
        if isinstance(part, ast.BinOp) and isinstance(part.op, ast.BitOr)
    ]


@pytest.mark.parametrize(
    "source",
    [
        "match x:\n    case 1: pass",
        "def f(x: int | None): pass",
        "isinstance(x, int | str)",
    ],
)
def test_what_is_too_new_is_found(source: str) -> None:
    assert too_new(source)


def test_all_sources_are_of_the_oldest_python() -> None:
    found = {str(path.relative_to(ROOT)): too_new(path.read_text("utf-8")) for path in SOURCES}
    assert len(found) > 100
    assert {path: lines for path, lines in found.items() if lines} == {}


def test_the_oldest_python_is_told_everywhere() -> None:
    project = (ROOT / "pyproject.toml").read_text("utf-8")
    assert f'requires-python = ">={VERSION}"' in project
    assert f'python_version = "{VERSION}"' in project
    assert re.search(
        rf"Python {re.escape(VERSION)} or later", (ROOT / "README.md").read_text("utf-8")
    )


# What GDB has from 11 to 13 on, with the one file that has another way where it is missing.
PROBED = {
    "level": "host/selection.py",
    "connection": "host/selection.py",
    "integer_type": "host/selection.py",
    "free_objfile": "control/events.py",
    "set_parameter": "",
    "with_parameter": "",
}


def test_what_the_oldest_gdb_lacks_is_asked_for_in_one_place() -> None:
    package = ROOT / "python" / "gdb_ompd"
    for path in sorted(package.rglob("*.py")):
        place = str(path.relative_to(package))
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            called = getattr(node, "func", None) if isinstance(node, ast.Call) else None
            name = getattr(called, "attr", None)
            if (
                name is None
                and isinstance(node, ast.Attribute)
                and node.attr
                in (
                    "connection",
                    "free_objfile",
                )
            ):
                name = node.attr
            if name in PROBED and ast.unparse(node) != "pending.level()":
                assert PROBED[name] == place, f"{place}:{node.lineno}: {ast.unparse(node)}"
