# SPDX-License-Identifier: Apache-2.0
"""Names of functions for people: those of C++ can be longer than a screen."""

from __future__ import annotations

import re
from typing import Optional

LONGEST = 120  # characters; a name of more tells nothing by them
MANGLED = "_ZN"
_LENGTH = re.compile(r"\d+")
_TAG = re.compile(r"\[abi:[^\]]*\]")
# What numba writes for characters that no name in C has.
_ESCAPED = {"_3c": "<", "_3e": ">"}


def readable(name: str) -> str:
    """Return a function's name; without what compilers add, parameters, and then templates'
    arguments, where it is longer than anybody reads: "Solver<...>::run"."""
    for shorten in (_demangled, _untagged, without_parameters, without_template_arguments):
        name = name if len(name) <= LONGEST else shorten(name)
    return name


def _demangled(name: str) -> str:
    """Return a name with the parts of one that is mangled in it, and nothing of what follows those.
    GDB leaves it so where another one is before it, as "__gufunc__." of numba's is."""
    before, found, rest = name.partition(MANGLED)
    parts: list[str] = []
    while found:
        part, rest = _measured(rest)
        if part is None:
            break
        parts.append(part)
        while rest.startswith("B") and _measured(rest[1:])[0] is not None:
            rest = _measured(rest[1:])[1]
    whole = "::".join(parts)
    for escaped, char in _ESCAPED.items():
        whole = whole.replace(escaped, char)
    return before + whole if parts else name


def _measured(text: str) -> tuple[Optional[str], str]:
    """Return what a TEXT begins with behind its length, and the rest; None where it does not."""
    length = _LENGTH.match(text)
    end = length.end() + int(length[0]) if length else 0
    return (text[length.end() : end], text[end:]) if length and end <= len(text) else (None, text)


def _untagged(name: str) -> str:
    return _TAG.sub("", name)


def without_parameters(name: str) -> str:
    """Return a C++ function's name with "..." for its parameters."""
    return _folded(name, "(", ")") if not name.startswith("(") else name


def without_template_arguments(name: str) -> str:
    """Return a C++ function's name with "..." for its template arguments."""
    return name if "operator" in name else _folded(name, "<", ">")


def _folded(name: str, opens: str, closes: str) -> str:
    """Put "..." for what is between the outermost brackets, where they are in pairs."""
    made: list[str] = []
    depth = 0
    for at, char in enumerate(name):
        if char == closes and name[at - 1 : at] != "-":
            depth -= 1
            if depth < 0:
                return name
        if depth == 0:
            made.append(char)
        if char == opens:
            depth += 1
            if depth == 1 and name[at + 1 : at + 2] != closes:
                made.append("...")
    return "".join(made) if depth == 0 else name
