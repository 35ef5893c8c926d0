# SPDX-License-Identifier: Apache-2.0
"""A name looked up along the logical stack. It is looked for in the selected frame, then in those
of the thread that generated the task or began the region, up to the initial task.

What is found has the user's own type. A variable that was captured by reference is what the
reference leads to, an array of variable length has its length, a lambda's capture its name.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import Iterator, NamedTuple, Optional, Sequence

import gdb

from .._native import FunctionName
from ..errors import NotFound, OmpdToolError, ThreadRuns
from ..host.charset import name_of
from ..host.classes import members_of, static_member
from ..host.expressions import address_of, in_own_language, reason, referred, type_code
from ..host.locations import (
    block_of,
    in_clobbered,
    innermost_named,
    is_at_stack_pointer,
    is_kept_in_register,
    is_of_another_file,
    is_of_captured_this,
    is_thread_local,
    is_variable,
    local_blocks,
    locals_named,
    names_in,
)
from ..host.selection import kept_selection, level_of, selected_thread, threads_of
from ..model import Location
from ..model.stacks import Construct, Frames, LogicalStack
from ..model.values import FoundName
from ..stacks.facts import StackFacts
from ..stacks.logical import logical_stack
from ..host.sessions.session import Session
from . import fortran
from .arrays import is_lost_array, is_of_variable_length, whole, with_bounds
from .elsewhere import elsewhere, is_told_before_pushes, truth_of
from .first_values import wrong_names
from .frames import body_called_by, frames
from .loop_variables import counters
from .faults import COPY, FIRST_OF_MEMBER, NO_BODY, fault_of
from .misdescribed import (
    declared_by_body,
    directive_that_copies,
    of_code_around,
)
from .overwritten import overwritten
from .statics import (
    copied_in,
    is_first_of_member,
    meant_of,
    of_common_block,
    taken_for_another,
)
from .thread_locals import value_of

NO_CREATOR = "the task's creator is on no thread's stack"
ANOTHER_CALL = "{0} of {1} may be another one than where the task was generated, which was deferred"
STATIC_OR_ANOTHER = "{0} of {1} has the name of a static variable: either may be meant"
UNKNOWN_CALLER = "who called this through the OpenMP runtime is not known"


class FoundVariable(NamedTuple):
    """A variable and where it was found."""

    value: gdb.Value
    gdb_num: int
    address: Optional[int]  # of its memory, if it has its own
    level: Optional[int] = None  # the frame's in that thread; a static variable is in none
    place: Optional[Location] = None
    threads_own: bool = False  # each thread has its own static one
    is_on_stack: bool = False  # without an address, in a place of the function's all the same

    def named(self, name: str) -> FoundName:
        """Return where it was found, as every listing has it."""
        return FoundName(name, self.gdb_num, self.level, self.place, self.address)


class _LogicalFrame(NamedTuple):
    """A frame of the logical stack. IS_LATER tells that it is of the task that generated a
    deferred one, as it is by now: the function that generated that may have returned."""

    gdb_num: int
    level: int
    is_later: bool = False


def look_up(session: Session, name: str, beyond: bool = False) -> FoundVariable:
    """Return the variable NAME; NotFound says how far it was looked for. With BEYOND the
    construct that the selected frame is in is passed over. Keeps the selection."""
    if [each.lower() for each in names_in(name)] != [name.lower()]:
        raise NotFound(f'"{name}" is no name of a variable')
    (name,) = names_in(name)
    thread = selected_thread()
    if thread is None:
        raise OmpdToolError("no thread is selected: 'thread NUM' selects one")
    with in_own_language(), kept_selection(), in_words(name):
        try:
            selected = body_called_by(gdb.selected_frame())
        except gdb.error as error:
            # In a condition GDB counts the thread as running, which has a frame.
            raise (ThreadRuns(thread.num) if thread.is_running() else error) from error
        selected.select()
        is_asked = not beyond and session.code_map().is_user(selected.pc())
        if is_asked:
            own = copied_in(name, selected) or taken_for_another(name, selected)
            if own is not None:
                return _of_static(own, thread.num)
            value = variable(session, selected, name)
            if value is not None:
                return _found(session, name, value, thread.num, selected)
        static = _static(selected, name, thread.num)
        stack = logical_stack(StackFacts(session), thread.num)
        at, ends = _after(stack, _LogicalFrame(thread.num, level_of(selected)), beyond)
        outer = _in_frames(session, thread, at, name, is_asked and static is not None)
        if outer is not None:
            return outer
        if static is not None:
            return static
    if gdb.current_progspace().filename is None:
        raise session.files.detected().why_none()
    where = "in the selected frame or along the logical stack"
    raise NotFound(f'no variable "{name}" is {where}{_why(ends)}')


@contextmanager
def in_words(name: str) -> Iterator[None]:
    """Say as the user's error what GDB cannot read inside the block."""
    try:
        yield
    except gdb.error as error:
        said = fortran.absent(name)
        if said is not None:
            raise OmpdToolError(said) from error
        if isinstance(error, gdb.MemoryError):
            raise
        why = reason(error)
        raise OmpdToolError(why if why.startswith(name) else f"{name}: {why}") from error


def _why(ends: Optional[str]) -> str:
    return "" if ends is None else f": {ends}"


def _after(
    stack: LogicalStack, own: _LogicalFrame, beyond: bool
) -> tuple[list[_LogicalFrame], Optional[str]]:
    """Return the user's frames from the selected one outwards, BEYOND its construct only, and
    why they do not go on. Frames in which a task is only executed are not its creator's."""
    found: list[_LogicalFrame] = []
    passed, is_later = not beyond, False
    last: Optional[_LogicalFrame] = None
    for part in stack.parts:
        if not isinstance(part, Frames):
            is_later = part.kind is Construct.TASK
            started = passed or bool(found)
            if part.kind is Construct.UNKNOWN and started:
                return found, UNKNOWN_CALLER
            if part.kind is Construct.TASK and not part.creator:
                return found, NO_CREATOR
            if beyond and _has(stack, own, part):
                passed, found = True, []
            continue
        if is_later and part.frames and not part.frames[0].hidden:
            is_later = last != _LogicalFrame(
                part.gdb_num, part.frames[0].number - 1
            )  # else it called it
        for frame in part.frames:
            last = last if frame.hidden else _LogicalFrame(part.gdb_num, frame.number)
            is_inner = part.gdb_num == own.gdb_num and frame.number < own.level and not found
            if not frame.hidden and not is_inner and passed:
                found.append(_LogicalFrame(part.gdb_num, frame.number, is_later))
    return found, stack.ends


def _has(stack: LogicalStack, own: _LogicalFrame, mark: object) -> bool:
    """Tell whether MARK is the first construct outside the selected frame."""
    seen = False
    for part in stack.parts:
        if isinstance(part, Frames):
            mine = part.gdb_num == own.gdb_num
            seen = seen or (mine and any(frame.number >= own.level for frame in part.frames))
        elif seen:
            return part is mark
    return False


def _in_frames(
    session: Session,
    asking: gdb.InferiorThread,
    wanted: Sequence[_LogicalFrame],
    name: str,
    has_static: bool,
) -> Optional[FoundVariable]:
    """Return the first local variable NAME in the frames WANTED, innermost first. Where the code
    of the first HAS_STATIC, sees a static variable of that name, callers' locals are not meant: the
    function that generated a deferred task may have returned. A threadprivate variable is the
    ASKING thread's."""
    threads = {thread.num: thread for thread in threads_of(gdb.selected_inferior())}
    known: dict[int, dict[int, gdb.Frame]] = {}
    functions: set[Optional[str]] = set()
    is_hidden = False  # by what a body may have that is not described
    for at in wanted:
        thread = threads.get(at.gdb_num)
        if thread is None or thread.is_running():
            continue
        if selected_thread() is not thread:
            thread.switch()
        if at.gdb_num not in known:
            known[at.gdb_num] = {level_of(frame): frame for frame, _ in frames()}
        frame = known[at.gdb_num].get(at.level)
        if frame is None:
            continue
        frame.select()
        if has_static:
            functions.add(_place_of(session, frame).function)
        common = of_common_block(name, frame)
        if common is not None:
            return _without_frame(common.value(), at.gdb_num)
        own = copied_in(name, frame) or declared_as_threads_own(name, frame)
        if own is not None:
            asking.switch()
            return _without_frame(own.value(), asking.num)._replace(threads_own=True)
        found = variable(session, frame, name)
        is_hidden = is_hidden or (
            FunctionName(frame.name()).is_outlined and block_of(frame) is None
        )
        if found is not None:
            if is_hidden:
                raise OmpdToolError(NO_BODY.format(name))
            if len(functions) > 1 or (at.is_later and has_static):
                raise OmpdToolError(
                    STATIC_OR_ANOTHER.format(name, _place_of(session, frame).function)
                )
            if at.is_later and not _is_of_whole_body(frame, name):
                raise OmpdToolError(ANOTHER_CALL.format(name, _place_of(session, frame).function))
            return _found(session, name, found, at.gdb_num, frame)
        line = directive_that_copies(name, frame)
        if line is not None:
            raise OmpdToolError(COPY.format(name, line))
        if has_static and not FunctionName(frame.name()).is_outlined:
            return None
    return None


def declared_as_threads_own(name: str, frame: gdb.Frame) -> Optional[gdb.Symbol]:
    """Return the threadprivate variable that the function of FRAME, which is selected, declares, or
    the class that it is of."""
    own, block = next(locals_named(name, frame), None), block_of(frame)
    if own is None and block is not None:
        own = static_member(name, block)
    if own is None or not own.is_variable or own.needs_frame:
        return None
    return own if is_thread_local(name_of(own)) else None


def _is_of_whole_body(frame: gdb.Frame, name: str) -> bool:
    """Tell whether the variable NAME is there as long as a construct's body is executed, which
    FRAME is of."""
    *inner, outermost = [{name_of(symbol) for symbol in block} for block in local_blocks(frame)]
    if not FunctionName(frame.name()).is_outlined or any(name in each for each in inner):
        return False
    return name in outermost and declared_by_body(name, frame) is None


def _without_frame(value: gdb.Value, gdb_num: int) -> FoundVariable:
    return FoundVariable(value, gdb_num, address_of(value))


def _found(
    session: Session, name: str, value: gdb.Value, gdb_num: int, frame: gdb.Frame
) -> FoundVariable:
    place = _place_of(session, frame)
    if is_of_variable_length(name, frame):
        array = whole(name, frame, lambda: outside(session, name))
        if array is None:
            raise OmpdToolError(f"{name} was optimized out")
        value = array
    if is_lost_array(name, frame):
        raise OmpdToolError(f"{name} was optimized out")
    value.fetch_lazy()
    value = with_bounds(value)
    address = None if is_kept_in_register(name, frame) else address_of(value)
    is_on_stack = address is None and (
        is_at_stack_pointer(name, frame)
        or is_told_before_pushes(name, frame, session.wait_reader())
    )
    return FoundVariable(value, gdb_num, address, level_of(frame), place, is_on_stack=is_on_stack)


def _place_of(session: Session, frame: gdb.Frame) -> Location:
    return session.places()[1].location_of(frame)


def further_out(found: FoundVariable, asking: int) -> str:
    """Say where a variable was found for the thread ASKING, and how to get there."""
    if found.level is None or found.place is None:
        return 'a static variable: "ompd print -up" finds it'
    frame = f"#{found.level}" if found.gdb_num == asking else f"GDB {found.gdb_num} #{found.level}"
    where = function_at(found.place)
    return f'a variable of {where}: "ompd frame {frame}", or "ompd print -up"'


def function_at(place: Location) -> str:
    """Write a place as "FUNCTION at FILE:LINE", as far as it is known."""
    code = place.code.name if place.code is not None else "an unknown function"
    line = f" at {os.path.basename(place.file)}:{place.line}" if place.file and place.line else ""
    return f"{place.function or code}{line}"


def referred_outside(session: Session, name: str) -> Optional[gdb.Value]:
    """Return the same if it is where a construct's body may refer to."""
    try:
        found = look_up(session, name, beyond=True)
    except OmpdToolError:
        return None
    return found.value if found.address is not None or found.is_on_stack else None


def outside(session: Session, name: str) -> Optional[gdb.Value]:
    """Return the variable NAME outside of the construct that the selected frame is in, if it is
    found. Keeps the selection."""
    try:
        return look_up(session, name, beyond=True).value
    except OmpdToolError:
        return None


# In one frame


def variable(session: Session, frame: gdb.Frame, name: str) -> Optional[gdb.Value]:
    """Return the local variable NAME of FRAME, which must be selected, under its own type; None
    if it has none. OmpdToolError where what the frame has is not its value."""
    reason = fault_of(name, frame, session.wait_reader())
    if reason is not None:
        raise OmpdToolError(reason)
    named = meant_of(innermost_named(name, frame, is_variable), frame)
    if not named or (name == "this" and is_of_captured_this(name, frame.block())):
        return _captured(session, frame, name)
    code = session.wait_reader()
    if wrong_names(name, frame):
        counted = counters(frame, code)
        if name in counted:
            return counted[name]
    if not is_of_variable_length(name, frame) and (at := elsewhere(name, frame, code)) is not None:
        return at
    _check(session, frame, name)
    # Of a captured variable and the copy that is made of it GDB takes the copy, too.
    copies = [symbol for symbol in named if not symbol.is_argument]
    truth = truth_of(name, frame)
    return fortran.meant(referred((copies or named)[-1].value(frame)) if truth is None else truth)


def _check(session: Session, frame: gdb.Frame, name: str) -> None:
    register = overwritten(in_clobbered(name, frame), frame, session.wait_reader())
    if register is not None:
        raise OmpdToolError(f"{name} is not saved: a call may have overwritten ${register}")
    if wrong_names(name, frame):
        raise OmpdToolError(f"of {name} clang's debug information tells only the first value")


def _captured(session: Session, frame: gdb.Frame, name: str) -> Optional[gdb.Value]:
    """Return the member NAME of the object that a method's frame is of; a lambda's captures
    are members, which GCC gives two underscores."""
    this = next(locals_named("this", frame), None)
    pointer = referred(this.value(frame)) if this is not None else None
    if pointer is None or type_code(pointer) != gdb.TYPE_CODE_PTR:
        return None
    fields = members_of(pointer.type.target())
    spelled = next((each for each in (name, f"__{name}") if each in fields), None)
    block = block_of(frame)
    if spelled is None and (block is None or not is_of_captured_this(name, block)):
        return None
    _check(session, frame, "this")
    own = f"{pointer.type.target().strip_typedefs().unqualified()}::{name}"
    if is_first_of_member(own, frame):
        raise OmpdToolError(FIRST_OF_MEMBER.format(own))
    if spelled is None:
        return referred(pointer.dereference()["this"].dereference()[name])
    return referred(pointer.dereference()[spelled])


def _static(frame: gdb.Frame, name: str, gdb_num: int) -> Optional[FoundVariable]:
    """Return a static variable that the code of FRAME, a thread's that is selected, has by that name,
    or a global one."""
    if of_code_around(name, frame) is not None:
        return None
    block = block_of(frame)
    symbol = gdb.lookup_symbol(name, block)[0] if block is not None else None
    if symbol is not None and is_of_another_file(symbol, block):
        return None
    symbol = symbol or gdb.lookup_global_symbol(name) or fortran.module_variable(name, frame)
    if symbol is None or not is_variable(symbol) or symbol.needs_frame:
        return None
    return _of_static(symbol, gdb_num)


def _of_static(symbol: gdb.Symbol, gdb_num: int) -> FoundVariable:
    """Return a static variable as it is in the selected thread."""
    is_own = is_thread_local(name_of(symbol))
    return _without_frame(value_of(symbol), gdb_num)._replace(threads_own=is_own)
