# SPDX-License-Identifier: Apache-2.0
"""From code addresses to the user's source: which function, file and line.

Compilers move a construct's body into an outlined function of its own. The
user knows the function that the construct is written in, so that is looked up
by where its lines are.
"""

from __future__ import annotations

import re
from typing import Callable, Collection, Optional

import gdb

from .._native import FunctionAround, FunctionName
from ..model import Code, Location
from .charset import name_of
from .directives import DIRECTIVE, MOST_OF_DIRECTIVE, first_line
from .fetch import plain
from .fortran_directives import directive_around
from .function_lines import LineSpan, functions_of, owners, user_name
from .inlined import block_of, functions_around, has_called
from .line_table import entries_of, line_entries
from .linker_symbols import symbol_at
from .source_text import is_in_fortran, is_known, line_of, lines_between

# A directive whose body the compiler outlines, as far as its first line tells.
_DIRECTIVE = re.compile(
    r"(?:#\s*pragma\s+omp\b|\[\[\s*omp|^\s*[!c*]\$omp\b)(?!.*\bcancel)"
    r".*(?:\b(?:parallel|task|taskloop|teams|target)\b|[\\&]\s*$)|_Pragma",
    re.IGNORECASE,
)
# Where compilers and distributions keep files that they include for the user.
_SYSTEM_HEADER = re.compile(
    r"^/usr/(?:local/)?include/|/include/c\+\+/|/lib(?:32|64)?/(?:gcc|clang)/"
)
STUB = 32  # bytes of a stub of the linkage table, at most
STARTERS = frozenset(
    "_start __clone __clone3 __GI___clone __GI___clone3 clone clone3 start_thread".split()
)
MOST_NESTED = 20  # constructs


def is_stub(location: Location) -> bool:
    """Tell whether a function without source is a stub of the linkage table or of the kernel's,
    which is between the user's code and what that calls."""
    function = location.function or ""
    return location.line is None and (function.endswith("@plt") or function.startswith("__vdso_"))


def is_system_header(file: Optional[str]) -> bool:
    """Tell whether a file came with the compiler or the system, such as the templates of C++'s
    library: their code is the program's, but none that the user wrote."""
    return file is not None and _SYSTEM_HEADER.search(file) is not None


class SourceMap:
    """Looks up source places; what it learns of a file holds until files change. A tenth of
    ``ompd parallel`` at 16 threads would be GDB's, to look up again what it said before."""

    def __init__(
        self,
        around: Callable[[int], Optional[FunctionAround]],
        only_giver: Callable[[int], Optional[int]],
        executable: str,
        misread: Collection[str] = (),
    ) -> None:
        """AROUND returns the function around an address, ONLY_GIVER the one that takes the address
        of an outlined one, EXECUTABLE is the program's module's name. GDB has read other files for
        those MISREAD: what it says of their code is wrong."""
        self._around = around
        self._only_giver = only_giver
        self._executable = executable
        self._misread = frozenset(misread)
        self._places: dict[tuple[int, bool], Location] = {}
        self._called: dict[tuple[Location, Optional[int]], Location] = {}
        self._names: dict[tuple[int, int], Optional[list[str]]] = {}
        self._functions: dict[tuple[str, str], list[LineSpan]] = {}
        self._lines_at: dict[tuple[str, str], dict[int, list[int]]] = {}
        self._constructs: dict[int, Location] = {}
        self._written_in: dict[int, Optional[str]] = {}

    def location_of(self, frame: gdb.Frame) -> Location:
        """Return the place of a frame."""
        pc = frame.pc()
        inside = pc - 1 if has_called(frame) else pc
        code = self.code_at(inside)
        if self._is_misread(inside):
            return Location(None, None, None, pc, code)
        try:
            sal = frame.find_sal()
            own = frame.name() if frame.function() else None
            # Of an inlined function GDB has the parameters, too.
            name = FunctionName(own).without_parameters if own else self._linkers_name(inside)
        except gdb.error:
            return Location(None, None, None, pc, code)
        if sal.symtab is None or sal.line == 0:
            return Location(self._users_function(name, inside), None, None, pc, code)
        found = self._located(name, sal.symtab, sal.line, pc)._replace(code=code)
        return found if inside == pc else self.without_shared_line(found, inside)

    def starts_stack(self, location: Location) -> bool:
        """Tell whether a function is one of those that start every stack, which a program has in
        its own file: without source, or of the C library's."""
        if location.line is not None:
            file = (location.file or "").rpartition("/")[2]
            return location.function == "start_thread" and file == "pthread_create.c"
        around = self._around(location.pc)
        return location.function in STARTERS or (around is not None and around.is_entry)

    def code_at(self, pc: int) -> Optional[Code]:
        """Return the function that an instruction is in, by its file; None for code of no file."""
        found = self._around(pc)
        if found is None:
            return None
        start = pc if found.start is None else found.start
        return Code(found.module, start - found.bias, found.module == self._executable)

    def codes_of(self, construct: Location) -> list[Code]:
        """Return the functions that a construct without a name can be known by: its body, and those
        around it, innermost first."""
        starts: list[int] = []
        start: Optional[int] = construct.pc
        while start is not None and len(starts) < MOST_NESTED:
            starts.append(start)
            start = self._only_giver(start)
        return [code for code in (construct.code, *map(self.code_at, starts)) if code is not None]

    def _linkers_name(self, pc: int) -> Optional[str]:
        """Return the linker's symbol of the function around PC. GDB knows symbols that its file does
        not have; in a stripped file the nearest one before PC is mostly another function's."""
        around = self._around(pc)
        if around is not None and around.name:
            return _own_name(around.name)
        symbol = symbol_at(pc)
        if symbol is None or around is None:
            return None if symbol is None else _own_name(symbol.name)
        is_stubs = symbol.name.endswith("@plt") and symbol.offset < STUB
        if not is_stubs and not around.is_named_by(pc - symbol.offset):
            return None
        return _own_name(symbol.name)

    def _users_function(self, name: Optional[str], pc: int) -> Optional[str]:
        """Return the function without source that the code at PC, of the function NAME, is written
        in. Of Fortran's, and of others that are known to the linker only, it is the linker's
        name."""
        own = user_name(name) or FunctionName(name).made_in
        if own or not FunctionName(name).is_outlined:
            return own
        around = self._around(pc)
        return self._giver(around.start) if around is not None and around.start else None

    def _giver(self, body: int) -> Optional[str]:
        """Return the function that hands an outlined BODY to the runtime, if it has a name."""
        if body not in self._written_in:
            self._written_in[body] = None  # for a circle, which no sound code has
            giver = self._only_giver(body)
            name = self._linkers_name(giver) if giver is not None else None
            found = self._users_function(name, giver) if giver is not None else None
            self._written_in[body] = found
        return self._written_in[body]

    def location_at(self, pc: int, innermost: bool) -> Location:
        """Return the place of a frame at PC. One that is not INNERMOST has called there,
        and goes on behind the call."""
        key = pc, innermost
        if key not in self._places:
            inside = pc if innermost else pc - 1
            found = self.construct_at_call(inside + 1)._replace(pc=pc)
            self._places[key] = found if innermost else self.without_shared_line(found, inside)
        return self._places[key]

    def without_shared_line(self, location: Location, call: int) -> Location:
        """Return a LOCATION without its line where that is not the CALL's."""
        return location._replace(line=None) if self.is_without_line(call) else location

    def is_without_line(self, call: int) -> bool:
        """Tell whether a CALL is in no line. Of one that a compiler has made of several in different
        lines GDB says the line of the code before it. GCC gives each a line: its programs' debug
        information, which takes a millisecond a megabyte to open, is not read again."""
        symtab = gdb.current_progspace().find_pc_line(call).symtab
        if symtab is None or (symtab.producer or "").startswith("GNU "):
            return False
        around = self._around(call)
        return around is not None and around.is_without_line(call)

    def _is_misread(self, pc: int) -> bool:
        return bool(self._misread) and plain(gdb.solib_name(pc)) in self._misread

    def construct_called(self, call: Location, body: Optional[int]) -> Location:
        """Return the construct that is begun at CALL with the outlined function BODY.

        That one tells it. A caller that ended with a jump has left no frame, and GCC may give the
        call the line before, or that of a like one in another function.
        """
        key = call, body
        if key not in self._called:
            self._called[key] = self._construct_called(call, body)
        return self._called[key]

    def _construct_called(self, call: Location, body: Optional[int]) -> Location:
        name = self._name_of(body)
        if body is not None and name is None and call.line is None:
            return Location(call.function, None, None, call.pc, self.code_at(body))
        if body is None or not FunctionName(name).is_outlined:
            return _from_first_line(self._in_directive(call))
        call = _from_first_line(call)
        own = self.construct_of_function(body)
        if own.line is None:
            return call._replace(function=own.function or call.function)
        # Lines alone tell a function less surely than a call does that is in the same line.
        is_there = user_name(name) is None and (call.file, call.line) == (own.file, own.line)
        name = call.function or ""
        is_instance = own.function in (name, FunctionName(name).without_template_arguments)
        if is_there or own.function is None or is_instance:
            own = own._replace(function=call.function)
        return own._replace(pc=call.pc)

    def functions_at(self, pc: int, start: int) -> Optional[list[str]]:
        """Return the names of the functions whose code is at PC, which is in the one that begins at
        START: those that are inlined first. GCC has the bodies that it outlines in the function
        that they were made of. None where it is not known which of them has the frame; none of
        those without debug information."""
        key = pc, start
        if key not in self._names:
            self._names[key] = None if self._is_misread(pc) else _functions_at(pc, start)
        return self._names[key]

    def is_left_by_jump(self, called: Optional[int], inside: str) -> bool:
        """Tell whether the function that was CALLED is the body of a region, and has ended with a
        jump: the call goes on in the function INSIDE."""
        name = self._name_of(called)
        return name != inside and FunctionName(name).is_region_body

    def _name_of(self, function: Optional[int]) -> Optional[str]:
        is_known = function is not None and not self._is_misread(function)
        return self._name_of_function(function) if function is not None and is_known else None

    def construct_at_call(self, caller: int) -> Location:
        """Return the place of the call that returns to CALLER."""
        at = caller - 1
        if self._is_misread(at):
            return Location(None, None, None, at, self.code_at(at))
        return self._at(at, self._function_at(at))

    def _in_directive(self, call: Location) -> Location:
        """Return a CALL in the line of its directive, where the line table has that for the call's
        code: GDB takes the line of what GCC says a statement begins with."""
        row = gdb.current_progspace().find_pc_line(call.pc - 1) if call.pc else None
        if row is None or row.symtab is None or row.line != call.line:
            return call
        pcs = [pc for pc in self._lines_of(row.symtab) if row.pc <= pc < (call.pc or 0)]
        lines = self._directives_at(row.symtab, max(pcs, default=row.pc))
        return call._replace(line=lines[-1]) if lines else call

    def construct_of_function(self, function: int) -> Location:
        """Return the construct whose outlined function begins at FUNCTION, in the line
        where the construct itself is: the function's first code may be the body's."""
        if function not in self._constructs:
            self._constructs[function] = self._construct_of(function)
        return self._constructs[function]

    def _construct_of(self, function: int) -> Location:
        if self._is_misread(function):
            return Location(None, None, None, function, self.code_at(function))
        symbol, inlined = _function_beginning(function)
        name = self._name_of_function(function)
        place = self._at(function, FunctionName(name).without_parameters if name else None)
        if place.line is None:
            return place if place.function else place._replace(function=self._giver(function))
        if not FunctionName(name).is_outlined:
            return place
        if symbol is not None and symbol.line:
            return self._made_in(name, symbol.symtab, symbol.line, function)
        # GCC declares no line, but its entries for the function's begin have the directive's.
        at_pc = gdb.current_progspace().find_pc_line(function).symtab
        symtab = inlined.symtab if inlined is not None else at_pc
        line = _fortran_directive(symbol) or self._directive_of(symtab, function)
        line = line or self._directive_above(symtab, function, place.line)
        if line is None and symbol is not None and symbol.symtab.fullname() != at_pc.fullname():
            # The first code is inlined from another file.
            own = min(_own_lines(symbol), default=None)
            symtab, line = (symbol.symtab, own) if own is not None else (symtab, None)
        line = line or (inlined.line if inlined is not None else place.line)
        return self._made_in(name, symtab, line, function)

    def _made_in(self, name: Optional[str], symtab: gdb.Symtab, line: int, pc: int) -> Location:
        """Return the place of the directive that is in LINE, or continued there."""
        return self._located(name, symtab, first_line(symtab, line), pc)

    def _directive_of(self, symtab: gdb.Symtab, function: int) -> Optional[int]:
        """Return the line of the directive that FUNCTION was made of. The first of the lines at its
        beginning may be the end of the function before. Where several are directives', the last is
        this function's, or that around it which has nothing else in its body. The last line of all
        is a directive's, too: it is taken without the source."""
        lines = self._lines_of(symtab).get(function, [])
        if lines and not is_known(symtab, lines[-1]):
            return lines[-1]
        found = self._directives_at(symtab, function)
        own = found.pop() if found else None
        while found and own is not None and _is_around(symtab, found[-1], own):
            own = found.pop()
        return own

    def _directive_above(self, symtab: gdb.Symtab, function: int, first: int) -> Optional[int]:
        """Return the line of the directive above the FIRST statement of FUNCTION, if the function
        that hands this to the runtime has code of that line. Of a combined construct g++ has the
        inner one begin in the statement's line."""
        giver = self._only_giver(function)
        block = None if giver is None else block_of(giver)
        lines = range(first - 1, max(first - MOST_OF_DIRECTIVE, 0), -1)
        above = next((line for line in lines if DIRECTIVE.match(line_of(symtab, line))), None)
        if block is None or above is None or not _DIRECTIVE.search(line_of(symtab, above)):
            return None
        begin = first_line(symtab, above)
        rows = (row for row in line_entries(symtab) if block.start <= row.pc < block.end)
        return begin if any(begin <= row.line <= above for row in rows) else None

    def _directives_at(self, symtab: gdb.Symtab, pc: int) -> list[int]:
        """Return the lines of directives with a body that a file's line table has for the code
        at PC; none where there is no source."""
        lines = self._lines_of(symtab).get(pc, [])
        return [line for line in lines if _DIRECTIVE.search(line_of(symtab, line))]

    def _lines_of(self, symtab: gdb.Symtab) -> dict[int, list[int]]:
        """Return the lines that a file's line table has for each address."""
        key = _key(symtab)
        if key not in self._lines_at:
            lines: dict[int, list[int]] = {}
            for entry in line_entries(symtab):
                if entry.line:
                    lines.setdefault(entry.pc, []).append(entry.line)
            self._lines_at[key] = lines
        return self._lines_at[key]

    def _at(self, pc: int, name: Optional[str]) -> Location:
        sal, code = gdb.current_progspace().find_pc_line(pc), self.code_at(pc)
        if sal.symtab is None or sal.line == 0:
            return Location(self._users_function(name, pc), None, None, pc, code)
        return self._located(name, sal.symtab, sal.line, pc)._replace(code=code)

    def _name_of_function(self, address: int) -> Optional[str]:
        """Return the name of the function that begins at ADDRESS."""
        symbol, _ = _function_beginning(address)
        if symbol is not None:
            return name_of(symbol)
        around = self._around(address)
        if around is not None and around.name:
            return around.name if around.start == address else None
        # Of a body GDB may know no other name, where GCC has inlined the function that it is
        # written in, or removed its block.
        linkers = symbol_at(address)
        return linkers.name if linkers is not None and linkers.offset == 0 else None

    def _function_at(self, pc: int) -> Optional[str]:
        """Return the name of the function at PC, an inlined one if it is in one."""
        block = block_of(pc)
        return (
            self._linkers_name(pc)
            if block is None
            else FunctionName(name_of(block.function)).without_parameters
        )

    def _located(self, name: Optional[str], symtab: gdb.Symtab, line: int, pc: int) -> Location:
        if FunctionName(name).made_in is None:
            return Location(name, symtab.filename, line, pc)
        own = self._written_elsewhere(symtab, pc)
        if own is not None:
            name = user_name(name) or self._enclosing(own.symtab, own.line)
            return Location(name, None, None, pc)
        return Location(user_name(name) or self._enclosing(symtab, line), symtab.filename, line, pc)

    @staticmethod
    def _written_elsewhere(symtab: gdb.Symtab, pc: int) -> Optional[gdb.Symbol]:
        """Return the function of the body at PC if the file of its line is a system's header where
        that is not written: what was inlined before that code has the line, or what it is of."""
        block = block_of(pc) if is_system_header(symtab.filename) else None
        is_other = block is not None and block.function.symtab.filename != symtab.filename
        return block.function if block is not None and is_other else None

    def _enclosing(self, symtab: gdb.Symtab, line: int) -> Optional[str]:
        """Return the function of the file that LINE is in: the innermost, since a
        lambda or a local class's method lies in another function. Of a template's
        instances the line does not tell which: the template's own name."""
        around = [span for span in self._functions_of(symtab) if span.first <= line <= span.last]
        first = max((span.first for span in around), default=0)
        names = {span.name for span in around if span.first == first}
        if len(names) > 1:
            names = {FunctionName(name).without_template_arguments for name in names}
        return names.pop() if len(names) == 1 else None

    def _functions_of(self, symtab: gdb.Symtab) -> list[LineSpan]:
        key = _key(symtab)
        if key not in self._functions:
            self._functions[key] = functions_of(symtab)
        return self._functions[key]


def _own_name(symbol: str) -> str:
    """Return a function's name as debug information has it: a template's symbol has its type, too."""
    name = FunctionName(symbol).without_parameters
    return FunctionName(name).without_type if name.endswith(">") else name


def _from_first_line(call: Location) -> Location:
    """Return a CALL in the line in which its directive begins, if it is in a continued one's."""
    row = gdb.current_progspace().find_pc_line(call.pc - 1) if call.pc else None
    if call.line is None or row is None or row.symtab is None or row.symtab.filename != call.file:
        return call
    return call._replace(line=first_line(row.symtab, call.line))


def _is_around(symtab: gdb.Symtab, outer: int, inner: int) -> bool:
    """Tell whether a directive is in the line OUTER, and the construct in the line INNER is the
    first in its body."""
    between = lines_between(symtab, outer + 1, inner - 1)
    return outer < inner and all(line.strip() in ("", "{") for line in between)


def _key(symtab: gdb.Symtab) -> tuple[str, str]:
    return symtab.objfile.filename or "", symtab.fullname()


def line_at(pc: int) -> Optional[tuple[str, int]]:
    """Return the source file, with its folder, and line of an instruction."""
    sal = gdb.current_progspace().find_pc_line(pc)
    if sal.symtab is None or sal.line == 0:
        return None
    return sal.symtab.fullname(), sal.line


def _functions_at(pc: int, start: int) -> Optional[list[str]]:
    names: list[str] = []
    known = 0
    for block in functions_around(gdb.block_for_pc(pc)):
        names.append(name_of(block.function))
        if int(block.function.value().address) == start:
            known = len(names)
    return names[:known] if known or not names else None


def _function_beginning(address: int) -> tuple[Optional[gdb.Symbol], Optional[gdb.Symbol]]:
    """Return the function that begins at ADDRESS, and the one inlined directly into it
    whose code comes first, if one does; its line is that of its call."""
    around = [block.function for block in functions_around(gdb.block_for_pc(address))]
    begin = [n for n, symbol in enumerate(around) if int(symbol.value().address) == address]
    if not begin:
        return None, None
    return around[begin[-1]], around[begin[-1] - 1] if begin[-1] else None


def _own_lines(function: gdb.Symbol) -> list[int]:
    """Return the lines in its own file of a function's code, without what is inlined: one is the
    directive's, with which GCC's functions for bodies end."""
    name, found = name_of(function), []
    for entry in entries_of(function):
        owner = next(owners(entry.pc), None) if entry.line else None
        if owner is not None and name_of(owner[1]) == name:
            found.append(entry.line)
    return found


def _fortran_directive(body: Optional[gdb.Symbol]) -> Optional[int]:
    """Return the line of the directive that a function of Fortran was made of."""
    lines = _own_lines(body) if body is not None and is_in_fortran(body.symtab) else []
    return directive_around(body.symtab, min(lines), max(lines)) if body and lines else None
