# SPDX-License-Identifier: Apache-2.0
"""Words that GDB shows where there is no value. Text would be an array of characters, which GDB has
in quotes, and among a frame's arguments as "..."."""

from __future__ import annotations

from typing import Optional

import gdb

_said: dict[str, int] = {}  # and how many bytes each has


class _Words:
    """Prints words as they are."""

    def __init__(self, words: str) -> None:
        self._words = words

    def to_string(self) -> str:
        return self._words


def ompd_words(value: gdb.Value) -> Optional[_Words]:
    """Return a printer of words that have been said. GDB lists it by this name. The address of VALUE
    is not asked: GDB would put text into the program's memory for that."""
    if value.type.code != gdb.TYPE_CODE_ARRAY or value.type.sizeof not in _said.values():
        return None
    try:
        words = value.string()
    except (gdb.error, UnicodeError):
        return None
    return _Words(words) if words in _said else None


def said(words: str) -> str:
    """Return WORDS, which GDB is to show as they are."""
    if ompd_words not in gdb.pretty_printers:
        gdb.pretty_printers.append(ompd_words)
    of_end = gdb.Value("-").type.sizeof - 1  # newer GDBs have a zero at a text's end
    _said[words] = len(words.encode("utf-8", "replace")) + of_end
    return words
