# SPDX-License-Identifier: Apache-2.0
"""Bytes of code are decoded in C++ alone, and Python reads memory in few places."""

from __future__ import annotations

import ast
import re
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[2] / "python" / "gdb_ompd"

READS = frozenset({"read_memory", "read_uint", "read_pointer"})
# What still reads records in Python; everything else asks native code.
READERS = frozenset({"control/stepping/walk.py"})


def called(source: str) -> set[str]:
    """Return the names of all functions and methods that SOURCE calls."""
    return {
        node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call)
    }


def reads_memory(source: str) -> bool:
    """Tell whether SOURCE reads the program's memory itself."""
    is_reader = re.search(r"host\.target import ([^\n]*|\([^)]*)\breader\b", source)
    return bool(called(source) & READS or is_reader) or "space.read(" in source


def test_no_python_decodes_instructions() -> None:
    wrong = []
    for path in sorted(PACKAGE.rglob("*.py")):
        source = path.read_text(encoding="utf-8")
        if "disassemble" in called(source) or "disassembly-flavor" in source:
            wrong.append(path.name)
    assert not wrong


def test_memory_is_read_where_it_was_and_nowhere_else() -> None:
    found = {
        str(path.relative_to(PACKAGE))
        for path in PACKAGE.rglob("*.py")
        if reads_memory(path.read_text(encoding="utf-8"))
    }
    outside = {name for name in found if not name.startswith("host/")}
    assert not outside - READERS, "memory is read in Python in more places"
    assert not READERS - outside, "these read no memory any more: take them from the list"


def test_what_reads_memory_is_seen() -> None:
    assert reads_memory("value = space.read_uint(address, 8)")
    assert reads_memory("words = unpack(form, space.read(begin, size))")
    assert reads_memory("from ..host.target import reader")
    assert not reads_memory("value = native.read(frames)")
    assert called("gdb.Architecture.disassemble(at, end)") == {"disassemble"}
