# SPDX-License-Identifier: Apache-2.0
"""Names of functions for people: those of C++ can be longer than a screen."""

from __future__ import annotations

LONGEST = 120  # characters; a name of more tells nothing by them


def readable(name: str) -> str:
    """Return a function's name; without parameters, and then templates' arguments, where it is
    longer than anybody reads: "Solver<...>::run"."""
    for shorten in (without_parameters, without_template_arguments):
        name = name if len(name) <= LONGEST else shorten(name)
    return name


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
