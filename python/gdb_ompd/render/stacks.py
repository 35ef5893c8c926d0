# SPDX-License-Identifier: Apache-2.0
"""`ompd bt`: the logical stack of a thread, with its constructs marked."""

from __future__ import annotations

from typing import Iterator, Optional

from ..model import Thread
from ..model.stacks import Construct, Frames, LogicalStack, Mark, StackFrame
from .style import PLAIN, Role, Span, Style, Text, text
from .words import place, state

MARGIN = "    "  # as wide as a frame's number


def lines(
    stack: LogicalStack,
    thread: Optional[Thread],
    style: Style = PLAIN,
    *,
    full: bool = False,
    prefix: str = "",
) -> Iterator[str]:
    """Show STACK. FULL shows the frames of the runtime and those that only call
    another one. PREFIX is what GDB writes before a thread's number.

    Frames have GDB's numbers in their thread, which is named where it is another one:
    "GDB 3 #7". THREAD tells what a thread does that
    is in the runtime.
    """
    own = stack.gdb_num
    yield style.paint(text(Span(f"GDB thread {prefix}{own}", Role.TITLE)))
    doing = _doing(stack, thread)
    if doing:
        yield style.paint(text(MARGIN, *doing))
    for part in stack.parts:
        if isinstance(part, Mark):
            yield style.paint(_mark(part, prefix))
            continue
        for frame in part.frames:
            if full or not frame.hidden:
                thread_of = "" if part.gdb_num == own else f"GDB {prefix}{part.gdb_num} "
                yield style.paint(_frame(frame, full, thread_of))
    if stack.ends is not None:
        yield f"({stack.ends})"
    yield from stack.notes


def _doing(stack: LogicalStack, thread: Optional[Thread]) -> Text:
    """Say what the thread does, where its innermost frame is the runtime's."""
    first = stack.parts[0] if stack.parts else None
    if not isinstance(first, Frames) or not all(frame.hidden for frame in first.frames):
        return ()
    words = state(thread) if thread is not None and (thread.state or thread.idle) else ()
    return text(*(words or text("in the OpenMP runtime")))


def _frame(frame: StackFrame, full: bool, thread_of: str) -> Text:
    """Write a frame as GDB does: its number, function, arguments and line. THREAD_OF names
    the thread where it is another one than that whose stack is shown."""
    number = f"{thread_of}#{frame.number}".ljust(len(MARGIN) - 1) + " "
    arguments = ", ".join(f"{name}={value}" for name, value in frame.arguments)
    shown = "" if frame.outlined or (full and frame.hidden) else f" ({arguments})"
    name = Span(frame.function or "??", Role.FUNCTION)
    where = place(None, frame.file, frame.line)
    if frame.function is None or not where:
        at: Text = text(Span(hex(frame.pc), Role.ADDRESS), " in ")
    else:
        at = ()
    return text(number, *at, name, shown, *((Span(" at "), *where) if where else ()))


def _mark(mark: Mark, prefix: str) -> Text:
    where = place(mark.function, mark.file, mark.line)
    words = [_title(mark), *((Span(": "), *where) if where else ())]
    if mark.continued is not None:
        words.append(Span(f"; {_relation(mark)} GDB thread {prefix}{mark.continued}"))
    elif mark.kind is Construct.TASK and not mark.creator:
        words.append(Span("; creator unknown, executed in"))
    return text("--  ", *words)


def _relation(mark: Mark) -> str:
    return "created by" if mark.kind is Construct.TASK else "begun by"


def _title(mark: Mark) -> Span:
    if mark.kind is Construct.TASK:
        return Span("task", Role.TITLE)
    if mark.kind is Construct.UNKNOWN:
        return Span("called by the OpenMP runtime", Role.TITLE)
    if mark.kind is Construct.LEAGUE:
        return Span("league of teams", Role.TITLE)
    facts = ["parallel region" if mark.region is None else f"parallel region {mark.region}"]
    if mark.level is not None:
        facts.append(f"level {mark.level}")
    if mark.team_size is not None:
        who = "?" if mark.thread_num is None else str(mark.thread_num)
        facts.append("serialized" if mark.serialized else f"thread {who} of {mark.team_size}")
    return Span(", ".join(facts), Role.TITLE)
