# SPDX-License-Identifier: Apache-2.0
"""The entries of a file's line table.

Link-time optimisation has a function's description in one unit and its lines in another. GDB has
no line table for the first, and ends itself when Python walks through that.
"""

from __future__ import annotations

from typing import Iterator

import gdb


def line_entries(symtab: gdb.Symtab) -> Iterator[gdb.LineTableEntry]:
    """Return the entries of a file's line table; none where GDB has no table."""
    return iter(symtab.linetable() if _has_lines(symtab) else ())


def _has_lines(symtab: gdb.Symtab) -> bool:
    try:
        symtab.linetable().has_line(1)
    except RuntimeError:  # what GDB says where it has no table
        return False
    return True


def symtab_of_code(function: gdb.Symbol) -> gdb.Symtab:
    """Return what has the lines of a function's code in its file, or describes the function."""
    described = function.symtab
    if _has_lines(described):
        return described
    code = gdb.current_progspace().find_pc_line(int(function.value().address)).symtab
    is_same = code is not None and code.filename == described.filename
    return code if is_same else described


def entries_of(function: gdb.Symbol) -> Iterator[gdb.LineTableEntry]:
    """Return the entries that have the lines of a function's code."""
    return line_entries(symtab_of_code(function))
