# SPDX-License-Identifier: Apache-2.0
"""Code with a line of the user's in which no step must end. Compilers make it of a construct, and
give it the construct's line, or that of something which the construct names.

What the source says counts only where it is there, and is what was compiled.
"""

from __future__ import annotations

from typing import Iterator, NamedTuple, Optional

import gdb

from ..._native import FunctionName
from ...host.directives import (
    begins_sections_part,
    directive_at,
    directives_between,
    has_statement,
    is_outlining,
    last_line,
    line_text,
)
from ...host.inlined import begin_of, block_of, functions_around, physical
from ...host.sessions.session import Session


class Entry(NamedTuple):
    """Where code of a line begins; BLOCK is of the function, perhaps an inlined one."""

    pc: int
    line: int
    block: gdb.Block


class Directive(NamedTuple):
    """A directive, and the last line of its statement."""

    line: int
    last: int
    is_outlining: bool


class ConstructCode:
    """Such code of the function in which the selected thread executes."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._entries: dict[int, list[Entry]] = {}  # by where the function begins
        self._never: dict[tuple[int, int], set[int]] = {}
        self._constructs: dict[int, list[Directive]] = {}

    def addresses(self, start: int) -> list[int]:
        """Return where the code begins in which a step that began in line START must not end."""
        entries = self._of_function()
        blocks = {entry.block.start: entry.block for entry in entries}
        lines = {begin: self._lines(block, start) for begin, block in blocks.items()}
        return [entry.pc for entry in entries if entry.line in lines[entry.block.start]]

    def of_line(self, line: int) -> list[int]:
        """Return where code of a line begins."""
        return [entry.pc for entry in self._of_function() if entry.line == line]

    def statements(self, start: int) -> list[int]:
        """Return where the code of other lines than START begins in the innermost function that
        executes, without such code."""
        block = block_of(gdb.newest_frame().pc())
        if block is None:
            return []
        own = [entry for entry in self._of_function() if entry.block.start == block.start]
        changes = [b for a, b in zip([None, *own], own) if a is None or a.line != b.line]
        without = self._lines(block, start)
        return [entry.pc for entry in changes if entry.line != start and entry.line not in without]

    def is_here(self, start: int) -> bool:
        """Tell whether the thread is in such code."""
        frame = gdb.newest_frame()
        block, line = block_of(frame.pc()), frame.find_sal().line
        return line == self.construct_line() or (
            block is not None and line in self._lines(block, start)
        )

    def construct_line(self) -> Optional[int]:
        """Return the line of the construct whose outlined body executes, None outside."""
        frame = gdb.newest_frame()
        symtab = frame.find_sal().symtab
        name = frame.name() or ""
        while frame.type() == gdb.INLINE_FRAME and not FunctionName(name).is_outlined:
            frame = frame.older()  # a function of the user's, inlined into the body
            name = frame.name() or ""
        if symtab is None or not FunctionName(name).is_outlined:
            return None
        while frame.older() is not None and FunctionName(frame.older().name() or "").is_wrapper_of(
            name
        ):
            frame = frame.older()
            name = frame.name() or ""
        function = physical(frame).function()
        if function is None or function.symtab.fullname() != symtab.fullname():
            return None
        if function.line or not FunctionName(name).is_gccs_body:
            return int(function.line) or None
        # GCC does not say. The code of a prologue has the construct's line.
        entry = int(function.value().address)
        begin = gdb.current_progspace().find_pc_line(entry)
        return (
            int(begin.line) if self._session.fresh_wait_reader().at(entry).sets_up_frame else None
        )

    def _of_function(self) -> list[Entry]:
        function = physical(gdb.newest_frame()).function()
        if function is None or gdb.newest_frame().find_sal().symtab is None:
            return []
        begin = int(function.value().address)
        if begin not in self._entries:
            self._entries[begin] = list(_entries(gdb.block_for_pc(begin), function))
        return self._entries[begin]

    def _lines(self, block: gdb.Block, start: int) -> set[int]:
        """Return the lines of a function that have such code: always, and for a step that comes
        from inside the statement of a construct, the construct's."""
        own = (self.construct_line() or 0) if FunctionName(block.function.name).is_outlined else 0
        if (block.start, own) not in self._never:
            self._never[block.start, own] = self._always(block, own)
        around = [c for c in self._constructs[block.start] if c.line < start <= c.last]
        return self._never[block.start, own] | {construct.line for construct in around}

    def _always(self, block: gdb.Block, own: int) -> set[int]:
        """Return the lines of a function that always have such code. OWN is the line of the
        construct whose body it is, 0 if it is none, or it is not known."""
        function, symtab = block.function, block.function.symtab
        lines = {entry.line for entry in self._of_function() if entry.block.start == block.start}
        constructs, found = [], set()
        for line in directives_between(symtab, min(lines, default=1) - 1, max(lines, default=0)):
            text = directive_at(symtab, line)
            if text is None:
                break
            if begins_sections_part(text):
                found.add(line)
            elif has_statement(text):
                last = last_line(symtab, line, max(lines))
                constructs.append(Directive(line, last, is_outlining(text)))
        self._constructs[block.start] = constructs
        first = gdb.current_progspace().find_pc_line(begin_of(block)).line
        begin = own if FunctionName(function.name).is_outlined else function.line or first
        if begin:
            # What a construct's body has is not executed here: it is copied for the body.
            inside = [c for c in constructs if c.is_outlining and c.line > begin]
            found |= {n for n in lines if any(c.line < n <= c.last for c in inside)}
        # GCC gives code for what a lambda has captured the line of that.
        if own and directive_at(symtab, own) is not None:
            found |= {n for n in lines if n < own}
        elif constructs and "operator()" in (function.name or ""):
            found.add(begin)
        found |= {own} - {0}
        if own or constructs:
            found |= {n for n in lines if _opens_statement(symtab, n)}
        return found


def _entries(block: gdb.Block, function: gdb.Symbol) -> Iterator[Entry]:
    """Yield where GDB may stop in the code of a function that is in the function's file."""
    # Others may be inlined at its begin.
    block = next(each for each in functions_around(block) if each.function.name == function.name)
    space, pc = gdb.current_progspace(), begin_of(block)
    while pc < block.end and _is_in(block, pc):
        sal = space.find_pc_line(pc)
        around = block_of(pc) if sal.symtab is not None and sal.line else None
        if around is not None and sal.symtab.filename == function.symtab.filename:
            yield Entry(pc, sal.line, around)
        # Of code that no line is given for GDB does not say how far it goes.
        pc = sal.last + 1 if sal.last is not None else pc + 1


def _is_in(block: gdb.Block, pc: int) -> bool:
    """Tell whether PC is in BLOCK: between its first and its last address others' may lie."""
    around = gdb.block_for_pc(pc)
    while around is not None and (around.start, around.end) != (block.start, block.end):
        around = around.superblock
    return around is not None


def _opens_statement(symtab: gdb.Symtab, line: int) -> bool:
    """Tell whether a line has nothing but the brace after a directive."""
    return line_text(symtab, line).strip() == "{" and any(
        directive_at(symtab, each) is not None
        for each in directives_between(symtab, line - 2, line)
    )
