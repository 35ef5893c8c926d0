# SPDX-License-Identifier: Apache-2.0
"""The linker's symbols as GDB knows them: code and data that has no debug information has no
other name. GDB writes the symbol beside a pointer, and has no other way to ask for it."""

from __future__ import annotations

import re
from functools import partial
from typing import NamedTuple, Optional

import gdb

from .charset import decoded
from .selection import integer_type, setting

_SYMBOL = re.compile(r"<(?P<name>.+?)(\+(?P<offset>\d+))?>$")


class LinkerSymbol(NamedTuple):
    """A symbol's NAME, and how many bytes behind its begin an address is."""

    name: str
    offset: int


def symbol_at(address: int, demangled: bool = True) -> Optional[LinkerSymbol]:
    """Return the symbol that ADDRESS is in, None where there is none before it. GDB appends "@plt"
    to the name of what a stub of the linkage table leads to."""
    # Beside a pointer to characters GDB may write those.
    pointer = gdb.Value(address).cast(integer_type(16).const().pointer())
    # Other languages than C write no symbol with a pointer.
    with setting("language", "c"), setting("print demangle", demangled):
        with setting("print symbol-filename", False):
            text = decoded(partial(pointer.format_string, symbols=True, raw=True))
    match = _SYMBOL.search(text)
    return LinkerSymbol(match["name"], int(match["offset"] or 0)) if match else None
