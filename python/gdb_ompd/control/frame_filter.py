# SPDX-License-Identifier: Apache-2.0
"""GDB's own ``bt`` without the OpenMP runtime's frames: a frame filter.

It serves ``bt``, ``thread apply all bt`` and MI clients alike. "info frame-filter"
lists it, "bt -no-filters" goes around it.
"""

from __future__ import annotations

import traceback
from contextlib import nullcontext
from functools import partial
from itertools import chain, count, islice
from typing import (
    TYPE_CHECKING,
    Any,
    Callable,
    ContextManager,
    Iterable,
    Iterator,
    NamedTuple,
    Optional,
    Union,
)

import gdb
from gdb.FrameDecorator import FrameDecorator
from gdb.FrameIterator import FrameIterator

from .._native import FunctionName
from ..stacks.logical import logical_stack
from ..errors import OmpdToolError
from ..host.charset import any_name, decoded, sayable, spelled
from ..host.protocols import READ_ERRORS
from ..host.selection import selected_thread
from ..host.sessions.registry import session_of
from ..stacks.facts import StackFacts
from ..model.stacks import Construct, Mark, StackFrame
from ..host.sessions.stack_reader import FactsInOrder, FrameFacts, StackReader
from ..values.of_frame import FrameVariables
from .words import said

if TYPE_CHECKING:
    from ..host.sessions.session import Session

NAME = "ompd"
PRIORITY = 100
MOST_FIRST = 50  # frames of which variables are read before GDB numbers the first
IN_RUNTIME = "<OpenMP runtime>"
KINDS = {
    Construct.REGION: "parallel region",
    Construct.LEAGUE: "league of teams",
    Construct.TASK: "task",
    Construct.TARGET: "target region",
    Construct.UNKNOWN: "OpenMP construct",
}


class _ShownName(str):
    """A variable's name, for a GDB that takes it for a symbol: the debug adapter of 18 does."""

    @property
    def print_name(self) -> str:
        return str(self)


class _Shown:
    """A variable of a frame, as GDB asks for it: a value, or a word that is none."""

    def __init__(self, name: str, value: Union[gdb.Value, str]) -> None:
        self._name, self._value = _ShownName(sayable(name)), value

    def symbol(self) -> _ShownName:
        """Return the name."""
        return self._name

    def value(self) -> Union[gdb.Value, str]:
        """Return the value, or why there is none."""
        return said(self._value) if isinstance(self._value, str) else self._value


class _Frame(FrameDecorator):
    """A frame whose names GDB can print, whatever the locale's charset: one that it
    cannot ends its backtrace."""

    def function(self) -> Union[str, int, None]:
        """Return the function's name, or the address where there is none. GDB's decorator has the
        parameters' types of C++'s functions before those that it writes itself."""
        name = _sayable(spelled(super().function))
        return FunctionName(name).without_parameters if isinstance(name, str) else name

    def filename(self) -> Optional[str]:
        """Return the source file, or the library."""
        found = _sayable(spelled(super().filename))
        return None if found is None else str(found)

    def line(self) -> Any:
        return decoded(super().line)

    def frame_args(self) -> Any:
        return decoded(super().frame_args)

    def frame_locals(self) -> Any:
        return decoded(super().frame_locals)


def _sayable(name: Union[str, int, None]) -> Union[str, int, None]:
    return sayable(name) if isinstance(name, str) else name


class _UsersFrame(_Frame):
    """A frame of the user's code, whose variables are as "ompd print" has them."""

    def __init__(self, base: FrameDecorator, variables: FrameVariables) -> None:
        super().__init__(base)
        self._variables = variables

    def frame_args(self) -> Any:
        """Return the arguments as GDB has them, with what is known at the function's entry, and
        words for those that it has wrongly."""
        own, frame = super().frame_args() or (), self.inferior_frame()
        untold = decoded(lambda: self._variables.untold_arguments(frame))
        words = {sayable(each.name): _Shown(each.name, each.value) for each in untold}
        return [words.get(sayable(str(each.symbol())), each) for each in own]

    def frame_locals(self) -> list[_Shown]:
        """Return what is declared in the function, in that of a body what is in the construct."""
        return self._shown(False)

    def _shown(self, are_arguments: bool) -> list[_Shown]:
        frame = self.inferior_frame()
        found = decoded(lambda: self._variables.read(frame, are_arguments))
        return [_Shown(each.name, each.value) for each in found]


class _OutlinedFrame(_UsersFrame):
    """The body of a construct, under the name of the function it is written in. Its
    arguments are the variables that it has from there, not the compiler's."""

    def __init__(self, base: FrameDecorator, variables: FrameVariables, name: str) -> None:
        super().__init__(base, variables)
        self._name = name

    def function(self) -> str:
        return sayable(self._name)

    def frame_args(self) -> list[_Shown]:
        """Return what is declared outside of the construct."""
        return self._shown(True)


class _OtherFrame(_OutlinedFrame):
    """A frame of the thread that began the region; without one, what stands for a stack that
    has none but the runtime's. ANCHOR is a frame of this thread: GDB needs one, and prints its
    number once only."""

    def __init__(
        self,
        anchor: FrameDecorator,
        variables: FrameVariables,
        name: str,
        place: Optional[StackFrame] = None,
    ) -> None:
        super().__init__(anchor, variables, name)
        self._place = place

    def address(self) -> Optional[int]:
        return None if self._place is None else self._place.pc

    def filename(self) -> Optional[str]:
        file = None if self._place is None else self._place.file
        return None if file is None else sayable(file)

    def line(self) -> Optional[int]:
        return None if self._place is None else self._place.line

    def _shown(self, are_arguments: bool) -> list[_Shown]:
        """Return nothing: it is not this thread's."""
        return []


class OmpdFilter:
    """What GDB calls for each backtrace."""

    def __init__(self) -> None:
        self.name = NAME
        self.priority = PRIORITY
        self.enabled = True
        self.continued = False

    def filter(self, frames: Iterable[FrameDecorator]) -> Iterable[FrameDecorator]:
        """Return the frames to show; all of them where no OpenMP runtime is mapped."""
        session = session_of()
        framed = map(_Frame, frames)
        try:
            if not decoded(session.files.detected).providers:
                return framed
        except OmpdToolError:
            return framed
        return self._in_any_case(session, framed)

    def _in_any_case(
        self, session: "Session", frames: Iterable[FrameDecorator]
    ) -> Iterator[FrameDecorator]:
        """Yield what is shown; once more for any name after one that GDB cannot decode; and
        the frames as they are after whatever else is thrown."""
        taken: list[FrameDecorator] = []
        variables = FrameVariables(session)
        rest = iter(frames)
        shown: list[FrameDecorator] = []
        tries: tuple[Callable[[], ContextManager[None]], ...] = nullcontext, any_name
        for names in tries:
            steps = self._shown(session, variables, _noted(taken, rest))
            try:
                for position in count():
                    with names():
                        step = next(steps, None)
                    if step is None:
                        return
                    if position == len(shown):
                        shown.append(step)
                        yield step
            except UnicodeError:
                continue
            except Exception as error:
                if not isinstance(error, (OmpdToolError, *READ_ERRORS)):
                    gdb.write(traceback.format_exc(), gdb.STDERR)
                break
        last = shown[-1].inferior_frame() if shown else None
        numbers = [number for number, each in enumerate(taken) if each.inferior_frame() == last]
        yield from taken[numbers[-1] + 1 if numbers else 0 :]
        yield from rest

    def _shown(
        self, session: "Session", variables: FrameVariables, frames: Iterator[FrameDecorator]
    ) -> Iterator[FrameDecorator]:
        own = _OwnFrames(session.files.stack_reader(), variables)
        begin = list(islice(frames, MOST_FIRST))
        for each in begin:
            decoded(partial(variables.read_first, each.inferior_frame()))
        frames = chain(begin, frames)
        if not self.continued:
            yield from own.shown(frames)
            return
        last: Optional[FrameDecorator] = None
        for each in own.shown(frames):
            if last is not None:
                yield last
            last = each
        # Reading another stack makes GDB take the anchor for a frame that it has not
        # numbered yet: first read, then show it.
        others = list(_continued(session, variables, last)) if last and own.at_bottom else []
        yield from [last] if last is not None else []
        yield from others


def _noted(taken: list[FrameDecorator], rest: Iterator[FrameDecorator]) -> Iterator[FrameDecorator]:
    """Yield what was TAKEN before, and then the REST, of which what is taken is noted."""
    yield from tuple(taken)
    for each in rest:
        taken.append(each)
        yield each


class _Held(NamedTuple):
    """A user's frame that is shown when it is known what called it: FACTS are its
    own, BODY those of the outermost function that is there only to call it."""

    decorator: FrameDecorator
    facts: FrameFacts
    body: FrameFacts


Row = list[tuple[FrameDecorator, FrameFacts]]


class _OwnFrames:
    """Filters one thread's frames while GDB asks for them. LAST is the outermost that
    is shown; AT_BOTTOM tells that the runtime's frames are around it."""

    def __init__(self, reader: StackReader, variables: FrameVariables) -> None:
        self._reader, self._variables = reader, variables
        self.last: Optional[FrameDecorator] = None
        self.at_bottom = False

    def shown(self, frames: Iterable[FrameDecorator]) -> Iterator[FrameDecorator]:
        """Yield what is shown of a thread's frames."""
        facts_of = FactsInOrder(self._reader)
        first: Optional[FrameDecorator] = None
        held: Optional[_Held] = None
        row: Row = []
        for each in frames:
            first = first or each
            facts = facts_of.next(each.inferior_frame())
            if facts.code != "user":
                row.append((each, facts))
            elif (
                held is not None
                and not row
                and FunctionName(facts.name).is_wrapper_of(held.body.name)
            ):
                held = held._replace(body=facts)
            else:
                yield from self._closed(held, row, facts)
                held, row = _Held(each, facts, facts), []
        yield from self._closed(held, row, None)
        self.at_bottom = _has_runtime(row)
        if self.last is None and first is not None:
            self.last = _OtherFrame(first, self._variables, IN_RUNTIME)
            yield self.last

    def _closed(
        self, held: Optional[_Held], row: Row, caller: Optional[FrameFacts]
    ) -> Iterator[FrameDecorator]:
        """Yield the frame that was held, and the ROW that called it unless that is the
        runtime's."""
        between = [facts for _, facts in row] if _has_runtime(row) else []
        if held is not None:
            self.last = self._decorated(held, between, caller)
            yield self.last
        for each, _ in () if between else row:
            self.last = each
            yield each

    def _decorated(
        self, held: _Held, between: list[FrameFacts], caller: Optional[FrameFacts]
    ) -> FrameDecorator:
        if not FunctionName(held.body.name).is_outlined:
            return _UsersFrame(held.decorator, self._variables)
        if between:
            kind = self._reader.kind(held.body, between, caller)
        else:
            kind = (
                Construct.TASK if FunctionName(held.body.name).is_task_entry else Construct.REGION
            )
        name = held.facts.location.function or "??"
        return _OutlinedFrame(held.decorator, self._variables, f"{name} [{KINDS[kind]}]")


def _has_runtime(row: Row) -> bool:
    return any(facts.code == "runtime" for _, facts in row)


def _continued(
    session: "Session", variables: FrameVariables, anchor: FrameDecorator
) -> Iterator[FrameDecorator]:
    """Yield the frames of the threads in which the selected one's stack goes on."""
    thread = selected_thread()
    if thread is None:
        return
    stack = logical_stack(StackFacts(session, locations=False), thread.num)
    elsewhere = False
    for part in stack.parts:
        if isinstance(part, Mark):
            elsewhere = elsewhere or part.continued is not None
        elif elsewhere:
            for frame in part.frames:
                if not frame.hidden:
                    name = f"{frame.function or '??'} [thread {part.gdb_num}]"
                    yield _OtherFrame(anchor, variables, name, frame)


def body_name(session: "Session", frame: gdb.Frame) -> Optional[str]:
    """Return what the filter calls FRAME, one of the selected thread's, if that is a
    construct's body, such as "work [parallel region]"; None for other frames."""
    if not FunctionName(frame.name()).is_outlined or FunctionName(frame.name()).is_task_entry:
        return None
    own = _OwnFrames(session.files.stack_reader(), FrameVariables(session))
    shown = own.shown(map(FrameDecorator, FrameIterator(frame)))
    first = next(shown, None)
    return first.function() if isinstance(first, _OutlinedFrame) else None


_filter = OmpdFilter()


def switch(on: bool, continued: bool) -> None:
    """Put the filter into GDB's list and switch it on, or off."""
    gdb.frame_filters[NAME] = _filter
    _filter.enabled, _filter.continued = on, continued
