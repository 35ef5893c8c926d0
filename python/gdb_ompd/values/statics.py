# SPDX-License-Identifier: Apache-2.0
"""Static variables that are described as something else in the body of a construct.

To a body with a copyin clause clang hands over the primary thread's threadprivate variable, and
calls that by its name. GCC tells a place on the body's stack, which nothing writes, of a static
variable that a loop's body declares; of those of a common block that, too, or nothing.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Optional, Sequence

import gdb

from .._native import FunctionName
from ..explain.sharing import SHARED, clauses_of, implicit_in
from ..host.charset import executed, is_fortran, name_of
from ..host.directives import directive_at, directives_between, first_line
from ..host.inlined import begin_of
from ..host.locations import (
    block_of,
    blocks_in_function,
    innermost_named,
    is_bound,
    local_blocks,
    locals_named,
)
from ..host.source_text import is_known, lines_between
from .around import is_declared_elsewhere, names_around, static_around
from .fortran import is_of_language

_CONSTANT = (gdb.SYMBOL_LOC_CONST, gdb.SYMBOL_LOC_CONST_BYTES)
# At a statement's begin: "schedule(static)" and a static function's arguments are something else.
_STATIC = r"(?:^|[;{{}}])\s*(?:\w+\s+)*?static\b[^;{{}}()]*\b{0}\b"


def copied_in(name: str, frame: gdb.Frame) -> Optional[gdb.Symbol]:
    """Return the static variable that NAME is in FRAME where clang describes the primary thread's
    by it."""
    if not FunctionName(frame.name()).is_outlined:
        return None
    for block in local_blocks(frame):
        for symbol in block:
            if name_of(symbol) == name:
                return _handed_over(symbol, block, frame) if symbol.is_argument else None
    return None


def meant_of(named: Sequence[gdb.Symbol], frame: gdb.Frame) -> Sequence[gdb.Symbol]:
    """Return those of the variables of one name in a block of FRAME that the code can mean. Clang
    hands over a threadprivate variable of a namespace beside a local one, or alone."""
    if not FunctionName(frame.name()).is_clangs_body or not all(each.is_argument for each in named):
        return named
    return [each for each in named if not is_declared_elsewhere(each, frame.function())]


def beside_another(name: str, frame: gdb.Frame) -> Optional[gdb.Symbol]:
    """Return the local variable that NAME is in FRAME where GDB may take another one of that block:
    a threadprivate one that clang hands over beside it, the bound of an array or, as GDB 18 does,
    the captured variable for the copy that is made of it, which is artificial. In Fortran GDB takes
    a name for a function of the language."""
    named = innermost_named(name, frame)
    if not named:
        return None
    taken = gdb.lookup_symbol(name, frame.block())[0]
    if not named[1:]:
        is_taken = taken is not None and is_bound(taken)
        return named[0] if is_taken or is_of_language(name) else None
    copies = [symbol for symbol in named if not symbol.is_argument]
    if copies:
        return copies[-1] if taken is not None and taken.is_argument else None
    meant = meant_of(named, frame)
    return meant[0] if len(meant) == 1 else None


def _handed_over(argument: gdb.Symbol, block: gdb.Block, frame: gdb.Frame) -> Optional[gdb.Symbol]:
    """Return the threadprivate variable that an ARGUMENT of a body is. It is the one that is
    declared where that is or, as it may be declared twice, one that no local variable of the code
    around hides. What else is static and an argument is handed over to be copied."""
    name = name_of(argument)
    static = gdb.lookup_symbol(name, block.static_block)[0]
    if static is None or not _is_threadprivate(static):
        static = static_around(name, frame)
    if static is None or static.symtab is None or not _is_threadprivate(static):
        return None
    if argument.symtab is None or not argument.line:
        return None
    same_file = static.symtab.fullname() == argument.symtab.fullname()
    declared_there = same_file and static.line == argument.line
    return static if declared_there or name not in names_around(block.function) else None


def _is_threadprivate(static: gdb.Symbol) -> bool:
    """Tell whether each thread has its own one: then GDB knows no place of it in the file."""
    return bool(static.is_variable and static.addr_class == gdb.SYMBOL_LOC_COMPUTED)


def taken_for_another(name: str, frame: gdb.Frame) -> Optional[gdb.Symbol]:
    """Return the static variable that NAME is in FRAME where GDB takes another for it."""
    return of_common_block(name, frame) or in_scope_around(name, frame)


def is_said_static(symbol: gdb.Symbol, frame: gdb.Frame) -> bool:
    """Tell whether the source declares as static, in the function around the body that FRAME
    executes, what is described as a local variable. Of what is declared before that function it is
    a copy. Without the source it may be static if the linker knows such a one."""
    if not symbol.is_variable or symbol.addr_class == gdb.SYMBOL_LOC_STATIC:
        return False
    *_, body = local_blocks(frame)
    around = [each.function for each in blocks_in_function(body.superblock)]
    file, line = symbol.symtab.fullname(), symbol.line
    if around and around[-1].symtab.fullname() == file and line < around[-1].line:
        return False
    if not is_known(symbol.symtab, line):
        return FunctionName(frame.name()).is_gccs_body and _is_linkers(
            name_of(symbol), gdb.solib_name(frame.pc())
        )
    lines = lines_between(symbol.symtab, line - 1, line)
    text, begins = "".join(lines), len("".join(lines[:-1]))
    # The line before may declare another variable of that name.
    found = re.finditer(_STATIC.format(re.escape(name_of(symbol))), text, re.MULTILINE)
    return any(each.end() > begins for each in found)


@lru_cache(maxsize=None)
def _is_linkers(name: str, module: Optional[str]) -> bool:
    """Tell whether a MODULE has data that only the linker has a name for, that of a static variable
    of a function: "NAME.3", of which GDB may omit the number."""
    said = executed(f"info variables -q ^{name}")
    places = re.findall(rf"^(0x[0-9a-f]+) +{name}(?:\.\d+)?$", said, re.MULTILINE)
    return any(gdb.solib_name(int(place, 16)) == module for place in places)


def is_static_on_stack(name: str, frame: gdb.Frame) -> bool:
    """Tell whether GCC tells a place on the stack of a variable that is static, or may be."""
    own = _in_body(name, frame)
    if own is None or own.addr_class != gdb.SYMBOL_LOC_COMPUTED:
        return False
    in_common = _static_around(name, frame) is not None
    return is_said_static(own, frame) or (in_common and _is_copied(name, frame) is None)


def is_first_of_member(name: str, frame: gdb.Frame) -> bool:
    """Tell whether NAME is a static member that clang describes by the value that its class gives it,
    and not by its place. Without a place it cannot have another."""
    symbol = gdb.lookup_symbol(name, frame.block())[0]
    if symbol is None or symbol.addr_class not in _CONSTANT or "::" not in symbol.name:
        return False
    kind = symbol.type.strip_typedefs()
    is_enumerator = kind.code == gdb.TYPE_CODE_ENUM and symbol.name in kind
    if is_enumerator or symbol.type != symbol.type.unqualified() or symbol.symtab is None:
        return False
    return any(
        each.name == symbol.name != each.linkage_name for each in symbol.symtab.global_block()
    )


def in_scope_around(name: str, frame: gdb.Frame) -> Optional[gdb.Symbol]:
    """Return the static variable that NAME is in FRAME where GDB takes another for it, or none: bodies
    are described as in no namespace, and in no class."""
    block = block_of(frame)
    if block is None or not FunctionName(frame.name()).is_outlined:
        return None
    if any(locals_named(name, frame)):
        return None
    taken, is_member = gdb.lookup_symbol(name, block)
    static = None if is_member else static_around(name, frame)
    is_same = static is not None and taken is not None and taken.linkage_name == static.linkage_name
    return None if is_same else static


def of_common_block(name: str, frame: gdb.Frame) -> Optional[gdb.Symbol]:
    """Return the variable of a common block that NAME is in FRAME where GCC describes another by
    it."""
    if _in_body(name, frame) is None or _is_copied(name, frame) is not False:
        return None
    return _static_around(name, frame)


def _in_body(name: str, frame: gdb.Frame) -> Optional[gdb.Symbol]:
    """Return the variable that is described of a body of GCC's by a name, if not as static."""
    if not FunctionName(frame.name()).is_gccs_body:
        return None
    first = next(locals_named(name, frame), None)
    is_static = first is None or first.addr_class == gdb.SYMBOL_LOC_STATIC
    return None if is_static else first


def _static_around(name: str, frame: gdb.Frame) -> Optional[gdb.Symbol]:
    """Return the static variable of that name that the Fortran code around a body has."""
    *_, body = local_blocks(frame)
    if not is_fortran():
        return None
    around = (s for block in blocks_in_function(body.superblock) for s in block)
    symbol = next((s for s in around if name_of(s) == name), None)
    return symbol if symbol is not None and symbol.addr_class == gdb.SYMBOL_LOC_STATIC else None


def _is_copied(name: str, frame: gdb.Frame) -> Optional[bool]:
    """Tell whether the directive of the body that FRAME executes makes each thread a variable of
    its own; None where that is not known, and where another one inside the body does."""
    *_, body = local_blocks(frame)
    begin, at = gdb.find_pc_line(begin_of(body)), frame.find_sal()
    if begin.symtab is None:
        return None
    first = first_line(begin.symtab, begin.line)
    directive = directive_at(begin.symtab, first)
    if directive is None or _copies(directive, name):
        return None if directive is None else True
    inside = (
        directive_at(begin.symtab, n) for n in directives_between(begin.symtab, first, at.line)
    )
    return None if any(_copies(each or "", name) for each in inside) else False


def _copies(directive: str, name: str) -> bool:
    """Tell whether a Fortran directive makes a copy of a variable."""
    named = {each.lower(): clauses for each, clauses in clauses_of(directive).items()}
    if name in named:
        return list(named[name]) != [SHARED]
    return implicit_in(directive) not in (None, SHARED)
