# SPDX-License-Identifier: Apache-2.0
"""Variables of which each thread has its own, where GDB does not find them. It needs libthread_db
for that, which is not there for each C library, and not loaded from everywhere.

The offset in the file's block is in the debug information; where a thread has that block, native
code reads as the C library does.
"""

from __future__ import annotations

import re
from typing import Iterator, Optional

import gdb

from ..host.charset import executed, name_of
from ..host.expressions import lacks_thread_db
from ..host.fetch import local_file
from ..host.locations import names_in
from ..host.sessions.registry import session_of

_OFFSET = re.compile(r"offset (0x[0-9a-f]+) in the thread-local storage")


def value_of(symbol: gdb.Symbol) -> gdb.Value:
    """Return the value of a static variable, or of the selected thread's own one."""
    try:
        return symbol.value()
    except gdb.error as error:
        address = _address(symbol) if lacks_thread_db(error) else None
        if address is None:
            raise
    return gdb.Value(address).cast(symbol.type.pointer()).dereference()


def threads_own(expression: str) -> Iterator[tuple[str, gdb.Symbol]]:
    """Yield the names in an expression that are static variables in the selected frame of which
    each thread has its own, as far as GDB tells."""
    for name in names_in(expression):
        symbol = gdb.lookup_symbol(name)[0]
        is_static = symbol is not None and symbol.is_variable and not symbol.needs_frame
        if symbol is not None and is_static and _offset(symbol) is not None:
            yield name, symbol


def _address(symbol: gdb.Symbol) -> Optional[int]:
    offset = _offset(symbol)
    if offset is None or symbol.symtab is None:
        return None
    return session_of().thread_local(local_file(symbol.symtab.objfile), offset)


def _offset(symbol: gdb.Symbol) -> Optional[int]:
    """Return where a variable is in its file's block. GDB tells it of the one that has the name in
    the selected frame."""
    name = name_of(symbol)
    seen = gdb.lookup_symbol(name)[0]
    if seen is None or symbol.symtab is None or _declared(seen) != _declared(symbol):
        return None
    found = _OFFSET.search(executed(f"info address {name}"))
    return int(found.group(1), 16) if found is not None else None


def _declared(symbol: gdb.Symbol) -> tuple[str, int]:
    return symbol.symtab.fullname() if symbol.symtab is not None else "", symbol.line
