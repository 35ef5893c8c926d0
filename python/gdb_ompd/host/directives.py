# SPDX-License-Identifier: Apache-2.0
"""The directives in a source file, as far as it is there and no newer than the program."""

from __future__ import annotations

import linecache
import os
import re
from typing import Optional

import gdb

DIRECTIVE = re.compile(r"^\s*(?:#\s*pragma\s+omp\b|[!c*]\$omp\b)", re.IGNORECASE)
_CONTINUED = re.compile(r"(\\|&)\s*$")
MOST_LINES = 50


def directive_at(symtab: gdb.Symtab, line: int) -> Optional[str]:
    """Return the directive that begins in a line, joined with those that continue it; None if
    there is none, or the file is not the one that was compiled."""
    file = symtab.fullname()
    if not _is_that(symtab, file) or DIRECTIVE.match(linecache.getline(file, line)) is None:
        return None
    text = ""
    for number in range(line, line + MOST_LINES):
        own = linecache.getline(file, number).rstrip("\n")
        text += " " + _CONTINUED.sub("", own)
        if _CONTINUED.search(own) is None:
            break
    return text


def directive_before(symtab: gdb.Symtab, line: int, first: int) -> Optional[int]:
    """Return the line of the last directive before LINE and after FIRST."""
    file = symtab.fullname()
    for number in range(line - 1, first, -1):
        if DIRECTIVE.match(linecache.getline(file, number)) is not None:
            return number
    return None


def counts_loop(symtab: gdb.Symtab, line: int, name: str) -> bool:
    """Tell whether the loop that follows the directive in LINE counts with NAME."""
    file = symtab.fullname()
    counted = re.compile(
        rf"\bfor\s*\([^;]*\b{re.escape(name)}\s*=|^\s*do\s+{re.escape(name)}\s*=", re.IGNORECASE
    )
    for number in range(line + 1, line + MOST_LINES):
        text = linecache.getline(file, number)
        if re.search(r"\bfor\s*\(|^\s*do\s", text, re.IGNORECASE):
            return counted.search(text) is not None
        if not text or "{" in text or ";" in text:
            return False
    return False


def _is_that(symtab: gdb.Symtab, file: str) -> bool:
    try:
        return os.path.getmtime(file) <= os.path.getmtime(symtab.objfile.filename)
    except (OSError, TypeError):
        return False
