# SPDX-License-Identifier: Apache-2.0
"""A class has its name to itself: who reads one, or looks for it, must not have to ask which."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[2] / "python" / "gdb_ompd"


def test_no_class_name_is_in_two_modules() -> None:
    found: dict[str, list[str]] = defaultdict(list)
    for path in sorted([*PACKAGE.rglob("*.py"), *PACKAGE.rglob("*.pyi")]):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ClassDef):
                found[node.name].append(str(path.relative_to(PACKAGE)))
    assert len(found) > 300
    assert {name: where for name, where in found.items() if len(where) > 1} == {}
