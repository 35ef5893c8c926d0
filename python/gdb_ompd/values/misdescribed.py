# SPDX-License-Identifier: Apache-2.0
"""Names that GDB would take for another variable than the code means, and variables whose place the
debug information does not tell, or tells wrongly: ``faults`` has a table of these."""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import Callable, Mapping, Optional

import gdb

from .._native import FunctionName, RuntimeFunction, WaitReader
from ..host.charset import is_fortran, name_of
from ..explain.sharing import SHARED, clauses_of
from ..host.directives import (
    MOST_OF_DIRECTIVE,
    directive_at,
    directives_between,
    end_of_block,
    first_line,
    is_around,
    is_outlining,
)
from ..host.inlined import begin_of
from ..host.line_table import entries_of
from ..host.linker_symbols import symbol_at
from ..host.locations import (
    REFERENCES,
    block_of,
    blocks_in_function,
    executed_by,
    innermost_named,
    is_of_another_file,
    is_of_captured_this,
    local_blocks,
    local_symbols,
    locals_named,
    names_in,
    renamed,
)
from ..host.source_text import is_known, lines_between
from . import fortran
from .around import members_around, names_around
from .arrays import CONVENIENCE, instead_of, is_of_variable_length
from .statics import (
    beside_another,
    copied_in,
    meant_of,
    taken_for_another,
)

_UNTIED = re.compile(r"\buntied\b")
_MAY_DECLARE = r"[\w>,][\s*&]+{0}\s*(?:[=;,:({{]|\[)"
_OPTIMISES = re.compile(r"GNU .* -O(?!0)")
_SECTIONS = re.compile(r"\s*(?:#\s*pragma\s+|[!c*]\$)omp\s+sections\b", re.IGNORECASE)
MOST_LINES = 2000  # between a construct and what is in it
_OF_TASKS = ("task_reduction",)  # it is the tasks inside that have copies


def of_code_around(expression: str, frame: gdb.Frame) -> Optional[str]:
    """Return the name in the expression that is a variable of the function around the construct
    whose body FRAME executes. GDB would take it from the innermost frame of that function, which
    need not be the one that the construct was met in. Of a clang body, which has neither those that
    it does not use nor those that a task shares, GDB would take static variables."""
    block = block_of(frame)
    if block is None or not FunctionName(frame.name()).is_outlined:
        return None
    own = set(map(name_of, local_symbols(frame)))
    around: Optional[set[str]] = None
    for name in names_in(expression):
        if name in own and not meant_of(innermost_named(name, frame), frame):
            return name
        symbol = gdb.lookup_symbol(name, block)[0] if name not in own else None
        if symbol is None:
            continue
        if symbol.needs_frame or is_of_another_file(symbol, block):
            return name
        if FunctionName(frame.name()).is_clangs_body:
            around = names_around(frame.function()) if around is None else around
            if name in around:
                return name
    return None


def of_library(expression: str, frame: gdb.Frame, is_user: Callable[[int], bool]) -> Optional[str]:
    """Return the name in the expression that GDB would take for a static variable, or a constant of
    an enumeration, of a library's file, which no other can name. FRAME must be selected."""
    block = block_of(frame)
    for name in names_in(expression):
        symbol = gdb.lookup_symbol(name, block)[0] if block else gdb.lookup_symbol(name)[0]
        if symbol is None or symbol.symtab is None or symbol.needs_frame:
            continue
        if not (symbol.is_variable or symbol.is_constant):
            continue
        if is_user(symbol.symtab.static_block().start):
            continue
        is_global = block is None and gdb.lookup_global_symbol(symbol.linkage_name) is not None
        if not is_global and (block is None or is_of_another_file(symbol, block)):
            return name
    return None


# What is not described


def may_be_captured(name: str, frame: gdb.Frame) -> bool:
    """Return whether a lambda that FRAME executes may have captured NAME. Clang describes no
    members of one that is inlined, and GDB takes a static variable, be it the C library's."""
    own = {name_of(symbol): symbol for symbol in local_symbols(frame)}
    block, this = block_of(frame), own.get("this")
    if block is None or this is None or this.type.code != gdb.TYPE_CODE_PTR:
        return False
    kind = this.type.target().strip_typedefs().unqualified()
    if kind.code != gdb.TYPE_CODE_STRUCT or kind.tag or kind.fields():
        return False
    if name == "this":
        return True
    if name in own:
        return False
    around, outer = names_around(frame.function()) | members_around(frame.name()), block
    while not outer.is_static:  # of one that is inlined the code around has no lines of its own
        around.update(name_of(symbol) for symbol in outer)
        outer = outer.superblock
    static = gdb.lookup_symbol(name, block)[0]
    return name in around or (static is not None and is_of_another_file(static, block))


def is_handed_over(name: str, frame: gdb.Frame) -> bool:
    """Return whether NAME is only the bits of a variable: in a function of clang's that is there to
    call a construct's body."""
    own, function = next(locals_named(name, frame), None), FunctionName(frame.name())
    if own is None or not own.is_argument or own.type.code != gdb.TYPE_CODE_INT:
        return False
    bodies = ".omp_outlined._debug__", f"{function.without_parameters}_debug__"
    return any(map(function.is_wrapper_of, bodies))


def declared_later(name: str, frame: gdb.Frame) -> Optional[int]:
    """Return the line of the local variable that GDB takes for NAME, if it is behind FRAME's own
    and there is another of that name."""
    found = list(locals_named(name, frame))
    at = frame.find_sal()
    if not found or not found[0].is_variable or at.symtab is None:
        return None
    if found[0].symtab.filename != at.symtab.filename:
        return None
    line = found[0].line
    hides = any(each.line != line for each in found) or is_a_variable(name)
    return line if hides and line > at.line > 0 else None


def declared_in_ended(name: str, frame: gdb.Frame) -> Optional[int]:
    """Return the line of the variable NAME of a construct's body unless its block goes on where
    FRAME is: GCC describes what the blocks of a constructor's body declare as the whole body's, and
    what Fortran's blocks in a body declare as that of one block of the body. Without the source it
    is taken, if nothing else has its name."""
    if not FunctionName(frame.name()).is_gccs_body or not (
        is_fortran() or _is_of_constructor(frame.name())
    ):
        return None
    own = declared_by_body(name, frame) or next(locals_named(name, frame), None)
    at = frame.find_sal()
    if own is None or at.symtab is None or own.symtab.filename != at.symtab.filename:
        return None
    end = end_of_block(at.symtab, own.line, at.line)
    if end is None:
        return own.line if _is_another(name, own, frame) else None
    return own.line if end < at.line else None


def _is_of_constructor(body: str) -> bool:
    """Tell whether a BODY of GCC's is of a construct in a constructor, by its name."""
    function = FunctionName(
        FunctionName(FunctionName(body).made_in or "").demangled
    ).without_parameters
    *scope, name = FunctionName(function).without_template_arguments.split("::")
    return bool(scope) and name == scope[-1]


def _is_another(name: str, own: gdb.Symbol, frame: gdb.Frame) -> bool:
    """Tell whether something else than OWN that the code which FRAME executes may mean has a NAME."""
    block = block_of(frame)
    while block is not None and not block.is_static:
        if any(name_of(each) == name and each.line != own.line for each in block):
            return True
        block = block.superblock
    return is_a_variable(name)


def declared_by_body(name: str, frame: gdb.Frame) -> Optional[gdb.Symbol]:
    """Return the variable NAME that is described as that of the whole body of the construct that
    FRAME executes, and is declared in it; None of what the code around has, or a clause names."""
    if block_of(frame) is None or not FunctionName(frame.name()).is_outlined:
        return None
    outermost = list(local_blocks(frame))[-1]
    first = gdb.find_pc_line(outermost.start).line
    return next((s for s in outermost if name_of(s) == name and s.line > first), None)


def is_of_two_blocks(name: str, frame: gdb.Frame, code: WaitReader) -> bool:
    """Return whether NAME is another variable in a block whose code goes on in that of the block
    that FRAME is in. Of what both end with GCC keeps one, as the one block's. That is not where a
    block begins, but for one that jumps there itself, to what is left of it. Of a loop behind
    another one the code is entered from that alone."""
    at = frame.find_sal()
    if at.symtab is None or not optimised_by_gcc(at.symtab):
        return False
    pc = executed_by(frame)
    block = _declaring(name, gdb.block_for_pc(pc))
    if block is None or block.function is not None:
        return False
    ways, begin = code.at(pc).ways_inside, int(block.start)
    own = {way for way in ways if _is_in(block, gdb.block_for_pc(way[0]))}
    others = [way for way in ways if way not in own]
    entering = [way for way in others if _is_in(block, gdb.block_for_pc(way[1]))]

    def another(way: tuple[int, int]) -> Optional[gdb.Block]:
        other = _declaring(name, gdb.block_for_pc(way[0]))
        return other if other is not None and not _is_in(other, block) else None

    def is_from_beside(way: tuple[int, int]) -> bool:
        other = another(way)
        return way[1] == begin and other is not None and not _is_in(other, block)

    if entering and all(map(is_from_beside, entering)):
        return False
    goes_back = any(to == begin for _, to in own)
    first = begin if goes_back else begin + 1
    return any(first <= way[1] <= pc and another(way) is not None for way in others)


def optimised_by_gcc(file: gdb.Symtab) -> bool:
    return _OPTIMISES.match(file.producer or "") is not None


def _declaring(name: str, block: Optional[gdb.Block]) -> Optional[gdb.Block]:
    """Return which of BLOCK and those around it in its function declares a name."""
    blocks = blocks_in_function(block)
    return next((each for each in blocks if any(name_of(s) == name for s in each)), None)


def _is_in(outer: gdb.Block, block: Optional[gdb.Block]) -> bool:
    """Tell whether BLOCK is in an OUTER one, be it of a function that is inlined there."""
    while block is not None and not (block.is_static or block.is_global):
        if (block.start, block.end, block.function) == (outer.start, outer.end, outer.function):
            return True
        block = block.superblock
    return False


def of_sections(name: str, frame: gdb.Frame) -> Optional[int]:
    """Return the line of the sections construct around the code that FRAME executes that has a NAME
    of its own. GCC describes nothing of such a one, and GDB takes the variable of the code around.
    None if there is none, and where what a section itself declares has that name."""
    at = frame.find_sal()
    if at.symtab is None or not (at.symtab.producer or "").startswith("GNU "):
        return None
    first = max(0, at.line - MOST_LINES)
    if not any("sections" in line.lower() for line in lines_between(at.symtab, first, at.line)):
        return None
    declared = max((symbol.line for symbol in locals_named(name, frame)), default=0)
    for line in directives_between(at.symtab, max(first, declared), at.line):
        directive = directive_at(at.symtab, line) or ""
        if _SECTIONS.match(directive) and is_around(at.symtab, line, at.line):
            own = {each.lower() for each in clauses_of(directive)}
            return line if name.lower() in own else None
    return None


def of_unread_sections(name: str, frame: gdb.Frame, code: WaitReader) -> Optional[int]:
    """Return the line of the sections construct around the code that FRAME executes which may have
    a copy of NAME, where there is no source to tell."""
    at, pc = frame.find_sal(), executed_by(frame)
    if at.symtab is None or is_known(at.symtab, at.line):
        return None
    own = next(locals_named(name, frame), None)
    if own is None or not (at.symtab.producer or "").startswith("GNU "):
        return None
    begun = None
    for call in code.at(pc).calls_made:
        called = symbol_at(call.target) if call.address <= pc else None
        role = RuntimeFunction(called.name).role if called is not None else ""
        begun = call if role == "starts sections" else None if role == "ends sections" else begun
    if begun is None:
        return None
    line = int(gdb.find_pc_line(begun.address).line)
    return line if own.line <= line else None


def is_of_untied(name: str, frame: gdb.Frame) -> bool:
    """Return whether the body of an untied task, which FRAME executes, may declare NAME. Clang
    describes nothing of that without optimisation, and two places with it, of which the first may
    never be written."""
    body = frame.function()
    if body is None or not FunctionName(frame.name()).is_clangs_body:
        return False
    if _UNTIED.search(directive_at(body.symtab, body.line) or "") is None:
        return False
    own = [each.line for each in local_symbols(frame) if name_of(each) == name]
    if own:
        return len(own) > len(set(own))
    whole = list(local_blocks(frame))[-1]
    lines = (e.line for e in entries_of(body) if whole.start <= e.pc < whole.end)
    text = "".join(lines_between(body.symtab, body.line + 1, max(lines, default=0)))
    return re.search(_MAY_DECLARE.format(re.escape(name)), text) is not None


def of_original_alone(name: str, frame: gdb.Frame) -> Optional[int]:
    """Return the line of the directive that makes a copy of NAME where clang describes only what is
    copied: as for lastprivate(conditional: NAME), and where the optimiser has removed the copy."""
    named = list(locals_named(name, frame)) if FunctionName(frame.name()).is_clangs_body else []
    by_reference = (s.is_argument and s.type.code in REFERENCES for s in named)
    if named and all(by_reference):
        return directive_that_copies(name, frame)
    own, at = innermost_named(name, frame), frame.find_sal()
    if at.symtab is None or "clang" not in (at.symtab.producer or ""):
        return None
    if not own or not all(symbol.line for symbol in own):  # a copy has no line
        return None
    for line in directives_between(at.symtab, own[0].line, at.line):
        directive = directive_at(at.symtab, line) or ""
        if _copies(directive, name) and not is_outlining(directive):
            if is_around(at.symtab, line, at.line):
                return line
    return None


def _copies(directive: str, name: str) -> bool:
    """Tell whether a directive has a clause that makes a copy of NAME."""
    named = clauses_of(directive)
    kinds = next((named[each] for each in named if each.lower() == name.lower()), (SHARED,))
    return not {SHARED, *_OF_TASKS}.issuperset(kinds)


def directive_that_copies(name: str, frame: gdb.Frame) -> Optional[int]:
    """Return the line of the directive, of the construct whose body FRAME executes or of one in that,
    which makes a copy of NAME."""
    at = frame.find_sal()
    if at.symtab is None or block_of(frame) is None or not FunctionName(frame.name()).is_outlined:
        return None
    for line in directives_between(at.symtab, line_of_body(frame) - 1, at.line):
        directive = directive_at(at.symtab, line) or ""
        if _copies(directive, name) and is_around(at.symtab, line, at.line):
            return first_line(at.symtab, line)
    return None


def line_of_body(frame: gdb.Frame) -> int:
    """Return the line of the directive whose body FRAME executes."""
    *_, body = local_blocks(frame)
    begin = gdb.find_pc_line(begin_of(body))
    line = int(begin.line if FunctionName(frame.name()).is_gccs_body else body.function.line)
    if begin.symtab is None:
        return line
    for number in directives_between(begin.symtab, line - MOST_OF_DIRECTIVE, line + 1):
        if is_outlining(directive_at(begin.symtab, number) or ""):
            return number
    return line


def is_a_variable(name: str) -> bool:
    """Tell whether GDB finds a static variable NAME."""
    found = gdb.lookup_global_symbol(name) or gdb.lookup_static_symbol(name)
    return found is not None and bool(found.is_variable or found.is_constant)


# As it is meant


def as_meant(
    expression: str, frame: gdb.Frame, known: Mapping[str, str] = MappingProxyType({})
) -> str:
    """Return the expression with such names as GDB takes for the static variables, with those of
    arrays of variable length, and of what is taken for another. It has what KNOWN has instead of
    names that ``known_to_gdb`` knows, and what GDB calls Fortran's variables."""
    for name in sorted(names_in(expression), key=lambda name: name != "this"):
        static = copied_in(name, frame)
        if name in known:
            expression = renamed(expression, name, known[name])
        elif static is not None:
            of_file = f"'{static.symtab.filename}'::{name}"
            expression = renamed(expression, name, static.name if "::" in static.name else of_file)
        elif is_of_variable_length(name, frame) or taken_for_another(name, frame) is not None:
            expression = renamed(expression, name, CONVENIENCE.format(name))
        elif (meant := beside_another(name, frame)) is not None:
            by = instead_of(name, meant.value(frame))
            spelled = fortran.spelled(expression, name, frame)
            by = by if spelled is None else renamed(spelled, name, by)
            expression = renamed(expression, name, by)
        elif (block := block_of(frame)) is not None and is_of_captured_this(name, block):
            member = "" if name == "this" else f"->{name}"
            expression = renamed(expression, name, f"this->this{member}")
        else:
            other = fortran.spelled(expression, name, frame)
            expression = expression if other is None else renamed(expression, name, other)
    return expression
