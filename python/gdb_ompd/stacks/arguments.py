# SPDX-License-Identifier: Apache-2.0
"""The arguments of a frame's function, as GDB's backtraces show them."""

from __future__ import annotations

import gdb

from ..host.inlined import function_around

# GDB 12 writes no value as "print frame-arguments scalars" asks; what does came with these options.
HAS_SUMMARY = hasattr(gdb, "print_options")
AGGREGATES = (gdb.TYPE_CODE_ARRAY, gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION)


def arguments_of(frame: gdb.Frame) -> tuple[tuple[str, str], ...]:
    """Return a function's arguments with their values, as ``print frame-arguments`` asks."""
    how = gdb.parameter("print frame-arguments")
    try:
        block = function_around(frame.block())
    except RuntimeError:
        return ()
    if block is None or how == "presence":
        return ()
    named = (symbol for symbol in block if symbol.is_argument and symbol.name)
    return tuple((symbol.name, _value(frame, symbol, how)) for symbol in named)


def _value(frame: gdb.Frame, symbol: gdb.Symbol, how: object) -> str:
    if how == "none":
        return "..."
    try:
        value = frame.read_var(symbol)
        if how == "all":
            return str(value.format_string(max_elements=20))
        if HAS_SUMMARY:
            return str(value.format_string(summary=True, max_elements=20))
        whole = value.type.strip_typedefs().code in AGGREGATES
        return "..." if whole else str(value.format_string(max_elements=20))
    except gdb.error:
        return "?"
