# SPDX-License-Identifier: Apache-2.0
"""An expression over static variables, which mean in each thread what they mean where it is asked.
In a thread that is in another file's code, or in a library's, GDB would take that one's of their
names."""

from __future__ import annotations

from typing import Mapping, Optional

import gdb

from ..host.expressions import Evaluator
from ..host.locations import block_of, names_in, renamed
from .statics import copied_in, taken_for_another
from .thread_locals import value_of

_VARIABLE = "_omp_static_{0}"
_OF_TYPES = ("sizeof", "struct", "union", "enum", "class", "const", "unsigned", "signed", "long")


class StaticNames:
    """SYMBOLS are the variables and constants that an expression names."""

    def __init__(self, expression: str, symbols: Mapping[str, gdb.Symbol]) -> None:
        self._symbols = symbols
        for name, symbol in symbols.items():
            own = "$" + _VARIABLE.format(name)
            expression = renamed(expression, name, f"(*{own})" if symbol.is_variable else own)
        self.evaluator = Evaluator(expression)

    def by_convenience(self) -> dict[str, gdb.Value]:
        """Return what GDB is to know for the evaluator: those of the selected thread."""
        return {
            _VARIABLE.format(name): value_of(symbol).address
            if symbol.is_variable
            else symbol.value()
            for name, symbol in self._symbols.items()
        }


def static_names(expression: str, frame: gdb.Frame) -> Optional[StaticNames]:
    """Return the static variables that the names in an expression are in FRAME, None where they are
    not these alone."""
    block = block_of(frame)
    found: dict[str, gdb.Symbol] = {}
    for name in names_in(expression) if block is not None else ():
        symbol = copied_in(name, frame) or taken_for_another(name, frame)
        symbol = symbol or gdb.lookup_symbol(name, block)[0]
        if symbol is None and _is_of_type(name):
            continue
        if symbol is None or symbol.needs_frame:
            return None
        if symbol.is_variable and symbol.addr_class != gdb.SYMBOL_LOC_OPTIMIZED_OUT:
            found[name] = symbol
        elif symbol.is_constant:
            found[name] = symbol
        elif symbol.addr_class != gdb.SYMBOL_LOC_TYPEDEF:
            return None
    return StaticNames(expression, found) if found else None


def _is_of_type(name: str) -> bool:
    """Tell whether a name that is no variable's is that of a type, or part of one."""
    for spelled in (name, f"struct {name}", f"union {name}", f"enum {name}"):
        try:
            return name in _OF_TYPES or gdb.lookup_type(spelled) is not None
        except gdb.error:
            continue
    return False
