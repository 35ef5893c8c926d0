# SPDX-License-Identifier: Apache-2.0
"""What is selected and set in GDB: asked, changed for a while and put back; and what GDB makes
of an expression there."""

from __future__ import annotations

import re
from contextlib import ExitStack, contextmanager
from typing import Callable, Iterator, Optional, TypeVar, Union

import gdb

from .found_frames import has_found

MAX_FRAMES = 10_000
# GDB 10 shows the connection in a listing only.
HAS_CONNECTION = hasattr(gdb.Inferior, "connection")
CONNECTION = re.compile(r"^\*? +\d+ .*? \d+ \((native|core|extended-remote|remote)\b", re.MULTILINE)
Result = TypeVar("Result")


@contextmanager
def setting(name: str, value: Union[str, int, bool, None]) -> Iterator[None]:
    """Have GDB's parameter NAME be VALUE inside the block.

    Unlike gdb.with_parameter also while a thread is selected whose registers GDB cannot get,
    as with "record full" of one that another holds back: GDB does what "set" says, and then
    fails for that thread's frame. A Ctrl-C that comes while the old value is set, which GDB and
    Python take at any call, waits until it is.
    """
    before = gdb.parameter(name)
    if before == value:
        yield
        return
    try:
        _set(name, value)
        yield
    finally:
        try:
            _set(name, before)
        except KeyboardInterrupt:
            _set(name, before)
            raise


def _set(name: str, value: Union[str, int, bool, None]) -> None:
    """Do it as a user does: GDB 12 and later has gdb.set_parameter."""
    typed = ("off", "on")[value] if isinstance(value, bool) else value
    try:
        gdb.execute(f"set {name} {'unlimited' if typed is None else typed}", to_string=True)
    except gdb.error as error:
        if str(error) != why_no_frame():
            raise


def why_no_frame() -> str:
    """Return why GDB has no frame of the selected thread, "" where it has one."""
    try:
        gdb.newest_frame()
    except gdb.error as error:
        return str(error)
    return ""


def selected_thread() -> Optional[gdb.InferiorThread]:
    """Return the selected thread; None where there is none, also where GDB has lost it, as
    in a core that has two threads of one number."""
    try:
        thread: Optional[gdb.InferiorThread] = gdb.selected_thread()
    except SystemError:
        return None
    return thread


@contextmanager
def kept_selection() -> Iterator[None]:
    """Put inferior, thread and frame back as they were."""
    inferior, thread = gdb.selected_inferior(), selected_thread()
    frame = _selected_frame()
    try:
        yield
    except KeyboardInterrupt:
        gdb.invalidate_cached_frames()  # else a stack may end where GDB was unwinding it
        raise
    finally:
        try:
            _put_back(inferior, thread, frame)
        except KeyboardInterrupt:
            _put_back(inferior, thread, frame)
            raise


def _put_back(
    inferior: gdb.Inferior, thread: Optional[gdb.InferiorThread], frame: Optional[gdb.Frame]
) -> None:
    if gdb.selected_inferior().num != inferior.num and thread is None:
        gdb.execute(f"inferior {inferior.num}", to_string=True)
    if thread is not None and thread.is_valid():
        if selected_thread() is not thread:
            thread.switch()
        _select(frame)


def with_whole_stacks(ask: Callable[[], Result]) -> Result:
    """Return what ASK does while stacks end where they do, whatever the user has set as the limit
    of backtraces. The selected frame stays: GDB forgets it when the limit changes. One behind the
    limit, which GDB does not survive as the selected one, is selected meanwhile only."""
    limit = gdb.parameter("backtrace limit")
    if limit is None:
        return ask()
    before = frame = _selected_frame()
    behind: Optional[int] = None
    with setting("backtrace limit", "unlimited"):
        _select(frame)
        try:
            found = ask()
        finally:
            frame = _selected_frame()
            if frame is not None and frame != before and level_of(frame) >= limit:
                behind, frame = level_of(frame), gdb.newest_frame()
                frame.select()
    _select(frame)
    if behind is not None:
        gdb.write(f"Frame {behind} is behind the 'backtrace limit' of {limit}: 0 is selected.\n")
    return found


class KeptSelection(ExitStack):
    """Puts inferior, thread and frame back as they were, if they were changed."""

    _changes = False

    def will_change(self) -> None:
        """Note what is selected, before it is changed."""
        if not self._changes:
            self._changes = True
            self.enter_context(kept_selection())


def threads_of(inferior: gdb.Inferior) -> tuple[gdb.InferiorThread, ...]:
    """Return an inferior's threads, and keep the selected frame. GDB asks the targets of all
    inferiors for theirs, after which, where one is a core, frame 0 would be selected."""
    frame = _selected_frame() if len(gdb.inferiors()) > 1 else None
    found: tuple[gdb.InferiorThread, ...] = inferior.threads()
    _select(frame)
    return found


def decode_line(place: str) -> list[gdb.Symtab_and_line]:
    """Return what GDB finds at a place, and keep the selected frame: GDB selects frame 0 where it
    has looked in the programs of several inferiors."""
    with kept_selection():
        return list(gdb.decode_line(place)[1] or ())


def _select(frame: Optional[gdb.Frame]) -> None:
    if frame is not None and frame.is_valid() and frame != _selected_frame():
        frame.select()


def _selected_frame() -> Optional[gdb.Frame]:
    try:
        return gdb.selected_frame()
    except gdb.error:
        return None  # no thread, or one that runs


@contextmanager
def selected_inferior(inferior: gdb.Inferior) -> Iterator[None]:
    """Select INFERIOR inside the block, without a word to the user."""
    if gdb.selected_inferior().num == inferior.num:
        yield
        return
    with kept_selection():
        threads = threads_of(inferior)
        if threads:
            threads[0].switch()
        else:
            gdb.execute(f"inferior {inferior.num}", to_string=True)
        yield


def frames_from(frame: Optional[gdb.Frame]) -> Iterator[gdb.Frame]:
    """Yield FRAME and what called it; ends where unwinding does, as in a corrupt stack, or where
    GDB can only guess."""
    for _ in range(MAX_FRAMES):
        if frame is None:
            return
        yield frame
        try:
            older = frame.older()
            if has_found(frame) is False or (older is not None and older.pc() == 0):
                return
            frame = older
        except gdb.error:
            return


def level_of(frame: gdb.Frame) -> int:
    """Return the number of a FRAME in its thread's stack."""
    if hasattr(frame, "level"):
        level: int = frame.level()
        return level
    newer, count = frame.newer(), 0
    while newer is not None:
        newer, count = newer.newer(), count + 1
    return count


def numbers_are_qualified() -> bool:
    """Tell whether GDB writes thread numbers as INFERIOR.NUM."""
    inferiors = gdb.inferiors()
    return len(inferiors) > 1 or inferiors[0].num != 1


def number_prefix() -> str:
    """Return what GDB writes before a number of the selected inferior's threads."""
    return f"{gdb.selected_inferior().num}." if numbers_are_qualified() else ""


def thread_number(thread: gdb.InferiorThread) -> str:
    """Return the number of a thread of the selected inferior as GDB writes it."""
    return f"{number_prefix()}{thread.num}"


def evaluate(expression: str) -> gdb.Value:
    """Evaluate an expression as C, whatever language the user has selected."""
    with setting("language", "c"):
        return gdb.parse_and_eval(expression)


def connection_type(inferior: gdb.Inferior) -> Optional[str]:
    """Return "native", "remote", "extended-remote", "core" or None."""
    if HAS_CONNECTION:
        connection = inferior.connection
        return connection.type if connection is not None else None
    listed = gdb.execute(f"info inferiors {inferior.num}", to_string=True)
    found = CONNECTION.search(listed)
    return found[1] if found is not None else None


def integer_type(bits: int, signed: bool = True) -> gdb.Type:
    """Return the integer type of 8, 16 or 32 BITS of the selected inferior."""
    architecture = gdb.selected_inferior().architecture()
    if hasattr(architecture, "integer_type"):
        return architecture.integer_type(bits, signed)
    name = {8: "char", 16: "short", 32: "int"}[bits]
    with setting("language", "c"):  # other languages have other names
        return gdb.lookup_type(name if signed else f"unsigned {name}")
