# SPDX-License-Identifier: Apache-2.0
"""The code around a construct, of whose body the compiler has made a function."""

from __future__ import annotations

import re
from typing import Iterator, Optional

import gdb

from .._native import FunctionName
from ..host.charset import name_of
from ..host.classes import members_of, static_member
from ..host.directives import MOST_OF_DIRECTIVE
from ..host.inlined import functions_around
from ..host.line_table import symtab_of_code
from ..host.locations import block_of, blocks_in_function


def names_around(body: Optional[gdb.Symbol]) -> set[str]:
    """Return the names of the local variables that are in scope where the construct with this
    BODY is: the code around has its line."""
    found: set[str] = set()
    for owner, blocks in _all_around(body):
        # What is handed over to another body is declared further out, if it is not static.
        is_body = FunctionName(owner.name).is_outlined
        symbols = (symbol for block in blocks for symbol in block)
        found.update(name_of(s) for s in symbols if not (is_body and s.is_argument))
    return found


def type_around(name: str, body: Optional[gdb.Symbol]) -> Optional[gdb.Type]:
    """Return the type of the local variable NAME that is in scope where the construct with this BODY
    is."""
    for owner, blocks in _all_around(body):
        named = (s for block in blocks for s in block if name_of(s) == name)
        found = None if FunctionName(owner.name).is_outlined else next(named, None)
        if found is not None and found.type is not None:
            return found.type
    return None


def is_declared_elsewhere(argument: gdb.Symbol, body: Optional[gdb.Symbol]) -> bool:
    """Tell whether an ARGUMENT of a BODY is another variable than the local one of its name where
    the construct is. Such is a threadprivate one of a namespace, which clang hands over. GDB
    takes for the line of a function that is inlined the one of the call."""
    name = name_of(argument)
    for owner, blocks in _all_around(body) if argument.line and name != "this" else ():
        if FunctionName(owner.name).is_outlined:
            continue
        lines = [symbol.line for block in blocks for symbol in block if name_of(symbol) == name]
        if lines:
            same_file = argument.symtab.fullname() == owner.symtab.fullname()
            is_before = argument.line not in lines and argument.line < owner.line
            return not same_file or is_before
    return False


def static_around(name: str, frame: gdb.Frame) -> Optional[gdb.Symbol]:
    """Return the static variable that NAME is in the code around the construct whose body FRAME executes,
    which may be in a namespace or a class; None where instances of a template do not agree."""
    around = [(o, blocks[0]) for o, blocks in _all_around(frame.function())]
    if FunctionName(frame.name()).is_gccs_body:  # is in the block of the function around
        around = [(block.function, block) for block in functions_around(block_of(frame))]
    owners = [(owner, block) for owner, block in around if not FunctionName(owner.name).is_outlined]
    if any("operator()" in owner.name for owner, _ in owners):
        return None  # a lambda may have captured it, by another name of the compiler's
    symbols = [
        gdb.lookup_symbol(name, block)[0] or static_member(name, block)
        for owner, block in owners
        if "::" in owner.name
    ]
    statics = [s for s in symbols if s is not None and s.is_variable and not s.needs_frame]
    is_one = len({s.linkage_name for s in statics}) == 1 and len(statics) == len(symbols)
    return statics[0] if is_one else None


def members_around(function: str) -> set[str]:
    """Return the names of the members of the classes that a lambda's FUNCTION is in, by its name."""
    found: set[str] = set()
    for scope in re.finditer("::", function):
        try:
            found.update(members_of(gdb.lookup_type(function[: scope.start()])))
        except gdb.error:
            continue  # no class
    return found


_Around = list[tuple[gdb.Symbol, list[gdb.Block]]]
_known: dict[tuple[str, int, str], _Around] = {}


def _all_around(body: Optional[gdb.Symbol]) -> _Around:
    """Return the functions that have code in the line of a BODY, and in those of the bodies among them,
    each with its blocks there. They are kept as long as GDB has the file."""
    if body is None:
        return []
    key = (*_key(body), body.symtab.fullname())
    found = _known.get(key)
    if found is None or not all(owner.is_valid() for owner, _ in found):
        found = _known[key] = list(_found_around(body))
    return found


def _found_around(body: gdb.Symbol) -> Iterator[tuple[gdb.Symbol, list[gdb.Block]]]:
    bodies = [body]
    known = {_key(each) for each in bodies}
    for function in bodies:
        for owner, blocks in _code_around(function, known):
            yield owner, blocks
            if FunctionName(owner.name).is_outlined:
                known.add(_key(owner))
                bodies.append(owner)


def _code_around(body: gdb.Symbol, known: set[tuple[str, int]]) -> _Around:
    """Return the functions, other than those KNOWN, that have code in the line of a BODY, each with
    its blocks there. Of a loop's body that is the line of its directive, which is before it."""
    table, found = symtab_of_code(body).linetable(), []
    for line in range(body.line, max(body.line - MOST_OF_DIRECTIVE, 0), -1):
        for entry in table.line(line) or ():
            blocks = list(blocks_in_function(gdb.block_for_pc(entry.pc)))
            owner = blocks[-1].function if blocks else None
            if owner is not None and _key(owner) not in known:
                found.append((owner, blocks))
        if found:
            break
    return found


def _key(function: gdb.Symbol) -> tuple[str, int]:
    return name_of(function), function.line
