# SPDX-License-Identifier: Apache-2.0
"""Gathers what tells the data-sharing attribute of a variable in the selected frame."""

from __future__ import annotations

from typing import NamedTuple, Optional, Sequence

import gdb

from .._native import FunctionName
from ..errors import OmpdToolError, ThreadRuns
from ..explain.sharing import Evidence, Sharing, SharingVerdict, clauses_of, implicit_in, judge
from ..host.directives import counts_loop, directive_at, directives_between, is_around
from ..host.expressions import Format, address_of, in_own_language, type_text
from ..host.locations import (
    REFERENCES,
    innermost_named,
    is_kept_in_register,
    is_of_another_file,
    is_thread_local,
)
from ..host.selection import kept_selection, level_of, selected_thread
from ..model import Region
from ..model.stacks import Construct
from ..model.values import AskedThread, ThreadValue
from ..stacks.facts import StackFacts
from ..host.sessions.session import Session
from .frames import FrameChooser
from .lookup import FoundVariable, declared_as_threads_own, look_up, variable
from .faults import fault_of
from .misdescribed import (
    MOST_LINES,
    line_of_body,
)
from .reading import ValueReader
from .statics import copied_in, is_said_static, of_common_block

EITHER = (
    "a local variable that was optimized out has this name, and a static one: either may be meant"
)
SAID_STATIC = "its place is not described: it is static, and shared if it is not threadprivate"
LOST = "it was optimized out, and may be the thread's own"
_TWO = "a captured variable has this name, and one of a block that was optimized out: either may be meant"


class _Place(NamedTuple):
    """The construct that the selected frame is in: its directive's LINE."""

    construct: Optional[str]
    region: Optional[Region]
    line: Optional[int]


def sharing(session: Session, name: str) -> Sharing:
    """Return what is known of NAME in the selected frame or, of a thread that waits in the
    runtime or the system, in the innermost one of the user's code. Keeps the selection."""
    thread = selected_thread()
    if thread is not None and thread.is_running():
        raise ThreadRuns(thread.num)
    frames = FrameChooser(session)
    with in_own_language(), kept_selection():
        frames.start()
        if frames.own is not None:
            frames.own.select()
        return _in_selected(session, name, thread)


def _in_selected(session: Session, name: str, thread: Optional[gdb.InferiorThread]) -> Sharing:
    named = innermost_named(name, gdb.selected_frame()) if thread is not None else []
    if thread is None or not named:
        return _not_local(session, name)
    frame = gdb.selected_frame()
    why_not = fault_of(name, frame, session.wait_reader(), another=True)
    if why_not is not None:
        return Sharing(name, SharingVerdict(None, why_not), type_text(named[0].type))
    threads_own = copied_in(name, frame) or declared_as_threads_own(name, frame)
    if threads_own is not None:
        return Sharing(name, judge(Evidence("thread")), type_text(threads_own.type))
    if of_common_block(name, frame) is not None:
        return Sharing(name, judge(Evidence("static")), type_text(named[0].type))
    if FunctionName(frame.name()).is_outlined and is_said_static(named[0], frame):
        return Sharing(name, SharingVerdict(None, SAID_STATIC), type_text(named[0].type))
    if all(each.addr_class == gdb.SYMBOL_LOC_OPTIMIZED_OUT for each in named):
        if _has_static(frame, name):
            return Sharing(name, SharingVerdict(None, EITHER), type_text(named[-1].type))
    place = _place(session, thread.num, level_of(frame))
    if place.construct is None and FunctionName(frame.name()).made_in is not None:
        place = _Place("target", None, line_of_body(frame))
    if _is_of_lost_block(named, place.line):
        kinds = (each.type for each in named)
        meant = (kind.target() if kind.code in REFERENCES else kind for kind in kinds)
        return Sharing(
            name, SharingVerdict(None, _TWO), " or ".join(dict.fromkeys(map(str, meant)))
        )
    original = _original(session, name) if place.construct is not None else None
    rows = _rows(session, name, place.region) if place.construct == "region" else ()
    with kept_selection():
        facts = _evidence(session, frame, name, place)._replace(
            addresses=tuple(row.address for row in rows),
            original=original.address if original is not None else None,
        )
    copies = [symbol for symbol in named if not symbol.is_argument]
    kind = (copies or named)[-1].type
    kind = kind.target() if kind.code in REFERENCES else kind
    if original is not None and facts.own is not None and facts.own == facts.original:
        kind = original.value.type  # which has an array's length
    outside = original.named(name) if original is not None else None
    return Sharing(name, judge(facts), type_text(kind), rows, outside)


def _is_of_lost_block(named: Sequence[gdb.Symbol], construct: Optional[int]) -> bool:
    """Tell whether the optimiser has kept a variable that a block inside of the CONSTRUCT declares
    beside the captured one of the same name. Where the block ends is not described then."""
    return any(symbol.is_argument for symbol in named) and any(
        symbol.addr_class == gdb.SYMBOL_LOC_OPTIMIZED_OUT and symbol.line > (construct or 0) > 0
        for symbol in named
        if not symbol.is_argument
    )


def _has_static(frame: gdb.Frame, name: str) -> bool:
    """Tell whether FRAME's file has a static variable of that name, or the program a global one."""
    block = frame.block().static_block
    symbol = gdb.lookup_symbol(name, block)[0] if block is not None else None
    return symbol is not None and not is_of_another_file(symbol, block)


def _not_local(session: Session, name: str) -> Sharing:
    """Return what is known of what the selected frame has no local variable for."""
    found = look_up(session, name)  # its error where there is no such variable
    kind, thread = type_text(found.value.type), selected_thread()
    if found.level is None and found.value.is_optimized_out:
        return Sharing(name, SharingVerdict(None, LOST), kind)
    if found.level is None:
        storage = "thread" if found.threads_own or is_thread_local(name) else "static"
        return Sharing(name, judge(Evidence(storage)), kind)
    if thread is not None and (found.gdb_num, found.level) == (
        thread.num,
        level_of(gdb.selected_frame()),
    ):
        return Sharing(name, judge(Evidence("member")), kind)
    return Sharing(name, judge(_of_the_rest(session, name)), kind, original=found.named(name))


def _of_the_rest(session: Session, name: str) -> Evidence:
    """Return what the directives say of a variable that the code of the construct does not have."""
    facts, thread, frame = Evidence("none"), selected_thread(), gdb.selected_frame()
    place = _place(session, thread.num, level_of(frame)) if thread is not None else None
    sal = frame.find_sal()
    if place is None or place.line is None or sal.symtab is None:
        return facts
    return _as_directives_say(facts, sal, place.line, name, 0)._replace(implicit=None)


def _place(session: Session, gdb_num: int, level: int) -> _Place:
    facts = StackFacts(session)
    placed = facts.placed(gdb_num)
    for index, segment in enumerate(placed.segments if placed is not None else ()):
        if placed is None or all(frame.number != level for frame in segment.frames):
            continue
        boundary, region = segment.boundary, placed.regions[index]
        if boundary is None or boundary.kind in (Construct.UNKNOWN, Construct.TARGET):
            return _Place(None, None, None)
        if boundary.kind in (Construct.REGION, Construct.LEAGUE):
            line = region.line if region is not None else None
            begun = boundary.place.line if boundary.place is not None else None
            return _Place("region", region, line or begun)
        chain = facts.chain_of(gdb_num) if index == 0 else ()
        return _Place("task", region, chain[0].line if chain else None)
    return _Place(None, None, None)


def _original(session: Session, name: str) -> Optional[FoundVariable]:
    try:
        return look_up(session, name, beyond=True)
    except OmpdToolError:
        return None


def _rows(session: Session, name: str, region: Optional[Region]) -> tuple[ThreadValue, ...]:
    if region is None:
        return ()
    members = [AskedThread(gdb_num, number) for number, gdb_num in enumerate(region.threads)]
    read = ValueReader(session, name, Format(), lambda gdb_num: None).read(members, history=False)
    return tuple(row for row in read.values if row.error is None and row.function is None)


def _evidence(session: Session, frame: gdb.Frame, name: str, place: _Place) -> Evidence:
    """Return what the frame itself tells."""
    try:
        value = variable(session, frame, name)
        own = address_of(value) if value is not None else None
        if own is not None and is_kept_in_register(name, frame):
            own = None
    except (gdb.error, OmpdToolError):
        own = None
    function = frame.name()
    facts = Evidence(
        "local",
        place.construct,
        FunctionName(function).made_in is not None,
        function,
        own,
        on_stack=own is not None and _is_in(frame, own),
        copies_shared=FunctionName(function).is_gccs_body,
    )
    sal, named = frame.find_sal(), innermost_named(name, frame)
    if sal.symtab is None or place.line is None:
        return facts
    copies = [symbol for symbol in named if not symbol.is_argument]
    if not facts.body:
        return _as_called_function_says(facts, sal, name, (copies or named)[-1].line)
    facts = facts._replace(by_value=not copies and named[-1].type.code not in REFERENCES)
    declared = copies[-1].line if copies else 0
    return _as_directives_say(facts, sal, place.line, name, declared)


def _as_directives_say(
    facts: Evidence, sal: gdb.Symtab_and_line, outer: int, name: str, declared: int
) -> Evidence:
    """Add what the directives tell that lead to where the thread is. That is the innermost one
    around it, such as a loop's, that names the variable, else the construct's own in the line
    OUTER."""
    line, said = _said_innermost(sal, outer, name)
    if said is not None:
        inside = declared > line and not said.loop
        return facts._replace(inside=True) if inside else _add(facts, said, False)
    said = _said(sal, outer, name)
    inside = declared > outer and not (said is not None and said.loop)
    return _add(facts, said, inside)


def _as_called_function_says(
    facts: Evidence, sal: gdb.Symtab_and_line, name: str, declared: int
) -> Evidence:
    """Add what the innermost directive around the code tells that names the variable, of those in a
    function that the construct's code calls. Add nothing of what is declared inside of that."""
    # Of a function that is inlined GDB tells the line of the call.
    line, said = _said_innermost(sal, max(sal.line - MOST_LINES, 0), name)
    if said is None or (declared > line and not said.loop):
        return facts
    return _add(facts, said, False)


class _Said(NamedTuple):
    """What one directive says of a variable."""

    directive: str
    clauses: tuple[str, ...]
    loop: bool
    implicit: Optional[str]


def _said_innermost(at: gdb.Symtab_and_line, first: int, name: str) -> tuple[int, Optional[_Said]]:
    """Return the line of the innermost directive behind the line FIRST that is around AT and names
    the variable, and what it says; None where there is none."""
    for line in directives_between(at.symtab, first, at.line):
        said = _said(at, line, name)
        if said is not None and (said.clauses or said.loop):
            if is_around(at.symtab, line, at.line):
                return line, said
    return 0, None


def _said(at: gdb.Symtab_and_line, line: int, name: str) -> Optional[_Said]:
    symtab = at.symtab
    text = directive_at(symtab, line)
    if text is None:
        return None
    file = symtab.filename.rpartition("/")[2]
    clauses = tuple(clauses_of(text).get(name, ()))
    loop = counts_loop(symtab, line, name, at.line)
    return _Said(f"{file}:{line}", clauses, loop, implicit_in(text))


def _add(facts: Evidence, said: Optional[_Said], inside: bool) -> Evidence:
    facts = facts._replace(inside=inside)
    return facts if said is None else facts._replace(**said._asdict())


def _is_in(frame: gdb.Frame, address: int) -> bool:
    """Tell whether an address is in the part of the stack that a frame has."""
    try:
        older = frame.older()
        low = int(frame.read_register("sp"))
        return older is not None and low <= address < int(older.read_register("sp"))
    except gdb.error:
        return False
