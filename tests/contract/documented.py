# SPDX-License-Identifier: Apache-2.0
"""The commands and options that docs/commands.md promises."""

from __future__ import annotations

import re


def documented(page: str) -> dict[str, set[str]]:
    """Return each command of the tables with its options.

    A command is what stands in backticks in a row's first cell: its words in
    lower case up to the first argument, then options such as -json, or [OPTION] for
    those that its help lists.
    """
    found: dict[str, set[str]] = {}
    for cell in re.findall(r"^\|((?:\\\||[^|\n])*)\|", page, flags=re.MULTILINE):
        for text in re.findall(r"`(ompd [^`]+)`", cell):
            command = re.match(r"ompd(?: [a-z][a-z-]*)+(?![\w|])", text)
            if command is not None:
                options = re.findall(r"(?<![\w-])-[a-z][a-z-]*|\[OPTION\]", text)
                found.setdefault(command.group(), set()).update(options)
    return found
