# SPDX-License-Identifier: Apache-2.0
"""The values of ICVs in words."""

from __future__ import annotations

import re
from typing import Optional

BOOLEANS = frozenset(
    {
        "dyn-var",
        "cancel-var",
        "display-affinity-var",
        "final-task-var",
        "implicit-task-var",
    }
)
SWITCHES = frozenset({"debug-var", "tool-var"})
# omp_proc_bind_t (OpenMP 5.0, section 3.2.23) and LLVM's own kmp_proc_bind_t.
BIND_WORDS = {0: "false", 1: "true", 2: "primary", 3: "close", 4: "spread", 5: "intel"}
NUMBERS = re.compile(r"-?\d+(,-?\d+)*")


def value_in_words(name: str, number: Optional[int], text: Optional[str]) -> str:
    """Write an ICV's value, of which the library gives a NUMBER, a TEXT, or both for a list
    of numbers by nesting level."""
    if name == "run-sched-var" and text is not None:
        return text.removesuffix(",0")  # LLVM's word for a schedule without a chunk
    if text is None:
        return "" if number is None else number_in_words(name, number)
    if number is None or NUMBERS.fullmatch(text) is None:
        return text
    return ",".join(number_in_words(name, int(part)) for part in text.split(","))


def number_in_words(name: str, value: int) -> str:
    """Write the number that is the value of the ICV called NAME."""
    if name in BOOLEANS:
        return "true" if value else "false"
    if name in SWITCHES:
        return "enabled" if value else "disabled"
    if name == "bind-var":
        return BIND_WORDS.get(value, f"{value} (unknown)")
    if name == "stacksize-var":
        return _size(value)
    return str(value)


def _size(value: int) -> str:
    for unit, name in ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")):
        if value >= unit and value % unit == 0:
            return f"{value // unit} {name}"
    return f"{value} bytes"
