# SPDX-License-Identifier: Apache-2.0
"""From code addresses to the user's source: which function, file and line.

Compilers move a construct's body into an outlined function of its own. The
user knows the function that the construct is written in, so that is looked up
by where its lines are.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Iterator, Optional

import gdb

from ..model import Location

# clang: .omp_outlined., .omp_outlined._debug__.1, main.omp_outlined, .omp_task_entry.
# GCC: main._omp_fn.0, _Z4workv._omp_cpyfn.2
OUTLINED = re.compile(r"\.omp_|\bomp_outlined|\bomp_task_entry|_omp_fn|_omp_cpyfn")
OUTLINED_OF = re.compile(r"^(?P<function>[^.\s]\S*?)(\.omp_outlined|\.omp_task|\._omp_(cpy)?fn)")
FORTRAN = re.compile(r"_MOD_|^MAIN__$|_$|\.\d+$")
TASK_BODY = re.compile(r"omp_task_entry")
# At the end: a region within a body is named after it.
DEBUG_BODY = re.compile(r"_debug__(\.\d+)?$")


@dataclass(slots=True)
class _Span:
    """The lines of a file that a function's code comes from."""

    name: str
    first: int
    last: int


class SourceMap:
    """Looks up source places; what it learns of a file holds until files change."""

    def __init__(self) -> None:
        self._functions: dict[tuple[str, str], list[_Span]] = {}

    def location_of(self, frame: gdb.Frame) -> Location:
        """Return the place of a frame."""
        pc = frame.pc()
        try:
            sal, name = frame.find_sal(), frame.name()
        except gdb.error:
            return Location(None, None, None, pc)
        if sal.symtab is None or sal.line == 0:
            return Location(self._user_name(name), None, None, pc)
        return self._located(name, sal.symtab, sal.line, pc)

    def construct_between(self, caller: gdb.Frame, body: Optional[gdb.Frame]) -> Location:
        """Return the construct that CALLER began and whose body BODY executes.

        GCC may give the call the line of a like one in another function; the
        name of the body tells.
        """
        place = self.location_of(caller)
        function = body.function() if body is not None else None
        owner = self._user_name(function.name) if function is not None else None
        if function is None or owner is None or place.function in (owner, None):
            return place
        if not OUTLINED.search(function.name):
            return place
        return self.construct_of_function(int(function.value().address))

    def construct_at_call(self, caller: int) -> Location:
        """Return the place of the call that returns to CALLER."""
        name = _function_at(caller - 1)
        return self._at(caller - 1, name)

    def construct_of_function(self, function: int) -> Location:
        """Return the construct whose outlined function begins at FUNCTION."""
        return self._at(function, _function_at(function))

    def _at(self, pc: int, name: Optional[str]) -> Location:
        sal = gdb.current_progspace().find_pc_line(pc)
        if sal.symtab is None or sal.line == 0:
            return Location(self._user_name(name), None, None, pc)
        return self._located(name, sal.symtab, sal.line, pc)

    def _located(self, name: Optional[str], symtab: gdb.Symtab, line: int, pc: int) -> Location:
        if name is not None and OUTLINED.search(name):
            name = self._user_name(name) or self._enclosing(symtab, line)
        return Location(name, symtab.filename, line, pc)

    def _user_name(self, name: Optional[str]) -> Optional[str]:
        """Return the user's function that an outlined name still tells.

        Not of Fortran: there the name before the suffix is the linker's.
        """
        if name is None or not OUTLINED.search(name):
            return name
        match = OUTLINED_OF.match(name)
        function = match.group("function") if match else ""
        if function.startswith("_Z"):
            return _demangled(function)
        return None if not function or FORTRAN.search(function) else function

    def _enclosing(self, symtab: gdb.Symtab, line: int) -> Optional[str]:
        """Return the function of the file that LINE is in: the innermost, since a
        lambda or a local class's method lies in another function."""
        around = [span for span in self._functions_of(symtab) if span.first <= line <= span.last]
        return max(around, key=lambda span: span.first).name if around else None

    def _functions_of(self, symtab: gdb.Symtab) -> list[_Span]:
        key = (symtab.objfile.filename or "", symtab.fullname())
        if key not in self._functions:
            self._functions[key] = _functions(symtab)
        return self._functions[key]


def _functions(symtab: gdb.Symtab) -> list[_Span]:
    """Return the user's functions of a file, each as far as its constructs reach.

    Functions that were inlined everywhere are found where they went. The lines
    of a construct's body belong to the function that the construct is in.
    """
    spans = _code_spans(symtab)
    outlined = sorted((s for s in spans if OUTLINED.search(s.name)), key=lambda s: s.first)
    functions = [span for span in spans if not OUTLINED.search(span.name)]
    for function in functions:
        for body in outlined:
            if function.first <= body.first <= function.last:
                function.last = max(function.last, body.last)
    return functions


def _code_spans(symtab: gdb.Symtab) -> list[_Span]:
    """Return from which to which line each function of the file has code.

    A function with code of its own begins where it is declared. Of one that was
    inlined GDB gives the caller's line: it begins with its first code.
    """
    declared = {
        symbol.name: symbol.line
        for block in (symtab.global_block(), symtab.static_block())
        for symbol in block
        if symbol.is_function
    }
    found: dict[str, _Span] = {}
    file = symtab.fullname()
    for entry in symtab.linetable():
        for function in _owners(entry.pc) if entry.line else ():
            if function.symtab.fullname() != file:
                break
            first = declared.get(function.name) or entry.line
            name = without_parameters(function.name)
            span = found.setdefault(function.name, _Span(name, first, entry.line))
            span.first, span.last = min(span.first, first), max(span.last, entry.line)
    return list(found.values())


def _owners(pc: int) -> Iterator[gdb.Symbol]:
    """Yield the function whose code is at PC; of an outlined body that was inlined
    into its outlined wrapper, the wrapper too."""
    block = gdb.block_for_pc(pc)
    while block is not None:
        if block.function is not None:
            yield block.function
            if not OUTLINED.search(block.function.name):
                return
        block = block.superblock


def is_region_body(name: str) -> bool:
    """Tell whether NAME is an outlined body, other than a task's."""
    return OUTLINED.search(name) is not None and TASK_BODY.search(name) is None


def is_wrapper_of(caller: str, callee: str) -> bool:
    """Tell whether one outlined function is there only to call the other: a task's
    entry its body, or clang's wrapper the body that it makes for debuggers."""
    if TASK_BODY.search(caller):
        return True
    outlined = OUTLINED.search(caller) is not None and DEBUG_BODY.search(caller) is None
    return outlined and DEBUG_BODY.search(callee) is not None


def _function_at(pc: int) -> Optional[str]:
    """Return the name of the function at PC, an inlined one if it is in one."""
    function = _function_symbol(pc)
    return None if function is None else without_parameters(function.name)


def _function_symbol(pc: int) -> Optional[gdb.Symbol]:
    block = gdb.block_for_pc(pc)
    while block is not None and block.function is None:
        block = block.superblock
    return None if block is None else block.function


def _demangled(name: str) -> Optional[str]:
    said = gdb.execute(f"demangle -l c++ -- {name}", to_string=True).strip()
    return _without_type(without_parameters(said)) if not said.startswith("Can't") else None


def _without_type(name: str) -> str:
    """Drop the return type that a function template's demangled name begins with."""
    if "operator" in name:
        return name
    depth, start = 0, 0
    for position, character in enumerate(name):
        depth += {"<": 1, "(": 1, ">": -1, ")": -1}.get(character, 0)
        if character == " " and depth == 0:
            start = position + 1
    return name[start:]


def without_parameters(name: str) -> str:
    """Drop a C++ function's parameter list, as GDB's frame lines do."""
    if not name.endswith(")") and not name.endswith(") const"):
        return name
    depth = 0
    for position in range(name.rindex(")"), -1, -1):
        depth += {")": 1, "(": -1}.get(name[position], 0)
        if depth == 0:
            # The parentheses of "operator()" are its name.
            return name if name[:position].endswith("operator") else name[:position]
    return name
