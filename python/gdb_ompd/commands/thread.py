# SPDX-License-Identifier: Apache-2.0
"""``ompd thread`` and ``ompd frame``: what is selected, by the numbers that listings have."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Iterable, Optional

import gdb

from ..control.shown_frame import select_and_show
from ..errors import NoProcess, NotFound, ThreadRuns, UsageError
from ..host.selection import (
    frames_from,
    kept_selection,
    level_of,
    number_prefix,
    selected_thread,
    setting,
    threads_of,
)
from ..host.sessions.registry import session_of
from .base import Arguments, OmpdCommand

if TYPE_CHECKING:
    from ..model import Location

# A frame as "ompd bt" writes it: "7", "#7", of another thread "GDB 3 #7".
_FRAME = re.compile(r"(?:(?:GDB +)?(?:(?P<inferior>\d+)\.)?(?P<thread>\d+) +)?#?(?P<frame>\d+)")


class ThreadCommand(OmpdCommand):
    """Select a thread of the current team by its OpenMP thread number.

    Usage: ompd thread [NUM]
    Example: ompd thread 2

    NUM is what omp_get_thread_num() returns in that thread, 0 for the primary
    thread, in the innermost parallel region of the selected thread.  The frame of
    your code that "ompd threads" names is selected, not the system's or the
    runtime's within it.  Without NUM say which thread is selected, and where it is."""

    name = "ompd thread"
    is_question = False
    takes_words = True

    def run(self, arguments: Arguments) -> Iterable[str]:
        from ..host.runtimes.notes import of_doubts
        from .live import current_omp_thread, unknown

        if not arguments.words:
            return self._where()
        if len(arguments.words) != 1:
            raise UsageError('One thread number is wanted. Try "help ompd thread".')
        number = _number(arguments.words[0])
        snapshot = session_of().snapshot(locations=False)
        current = current_omp_thread(snapshot.threads)
        if current.region is None and current.level is None:
            raise NotFound(" ".join(unknown([current])))
        if current.region is None:
            raise NotFound(
                f"GDB thread {current.gdb_num} is in no parallel region: its team is itself alone"
            )
        region = snapshot.region(current.region)
        team, missing = region.threads, " ".join(of_doubts("region", [region.doubts]))
        if region.team_size is None:
            raise NotFound(missing)
        if not 0 <= number < len(team):
            raise NotFound(f"the current team has threads 0 to {len(team) - 1}, not {number}")
        gdb_num = team[number]
        if any(thread.thread_num == number for thread in region.absent):
            raise NotFound(f"thread {number} of the team is no thread of this process")
        if gdb_num is None and region.starting:
            raise NotFound(f"thread {number} of the team has not begun")
        if gdb_num is None:
            raise NotFound(
                f"thread {number} of the team is not known to GDB. {missing}".rstrip(". ")
            )
        place = next(t.location for t in session_of().threads() if t.gdb_num == gdb_num)
        _select(gdb_num, place)
        return ()

    def _where(self) -> Iterable[str]:
        from ..render import threads
        from .live import current_thread

        snapshot = session_of().snapshot()
        thread = current_thread(snapshot.threads)
        style = self.style
        return threads.current(snapshot, thread, style, number_prefix(), style.width)

    def words_to_complete(self) -> list[str]:
        from .live import current_omp_thread

        try:
            snapshot = session_of().snapshot(locations=False)
            region = current_omp_thread(snapshot.threads).region
        except Exception:  # a completion has nobody to complain to
            return []
        return [str(n) for n in range(len(snapshot.region(region).threads))] if region else []


class FrameCommand(OmpdCommand):
    """Select a frame of any thread, by the numbers that "ompd bt" shows.

    Usage: ompd frame [[GDB THREAD] NUMBER]
    Example: ompd frame GDB 3 #7

    NUMBER is a frame's in its own thread, which is the selected one unless another
    is named: "ompd frame 7", or "ompd frame GDB 3 #7" as "ompd bt" writes it.
    Without NUMBER show the selected frame."""

    name = "ompd frame"
    is_question = False
    takes_words = True

    def run(self, arguments: Arguments) -> Iterable[str]:
        current = selected_thread()
        if current is None:
            raise NoProcess()
        if not arguments.words:
            select_and_show(gdb.selected_frame())
            return ()
        wanted = _FRAME.fullmatch(" ".join(arguments.words))
        if wanted is None:
            raise UsageError('A frame is wanted as "ompd bt" writes it: 7, or GDB 3 #7.')
        thread = current if wanted["thread"] is None else _thread(wanted)
        if thread.is_running():
            raise ThreadRuns(thread.num)
        level = int(wanted["frame"])
        with kept_selection():
            thread.switch()
            found = next((f for f in frames_from(gdb.newest_frame()) if level_of(f) == level), None)
        if found is None:
            raise NotFound(f"the stack of GDB thread {thread.num} has no frame {level}")
        if thread is not current:
            _switch(thread)
        select_and_show(found)
        return ()


def _thread(wanted: "re.Match[str]") -> gdb.InferiorThread:
    inferior = int(wanted["inferior"] or gdb.selected_inferior().num)
    threads = (
        thread for one in gdb.inferiors() if one.num == inferior for thread in threads_of(one)
    )
    found = next((thread for thread in threads if thread.num == int(wanted["thread"])), None)
    if found is None:
        raise NotFound(f"there is no GDB thread {wanted['thread']}: \"info threads\" lists them")
    return found


def _select(gdb_num: int, place: Optional["Location"]) -> None:
    """Select the thread with GDB's number and the frame that is at PLACE, and show it as
    GDB's "thread" does."""
    thread = next(t for t in threads_of(gdb.selected_inferior()) if t.num == gdb_num)
    _switch(thread)
    select_and_show(_frame_at(place) or gdb.newest_frame())


def _switch(thread: gdb.InferiorThread) -> None:
    thread.switch()
    with setting("trace-commands", False):
        shown = str(gdb.execute("thread", to_string=True))
    gdb.write(shown.replace("[Current thread is ", "[Switching to thread ", 1))


def _frame_at(place: Optional["Location"]) -> Optional[gdb.Frame]:
    """Return the selected thread's innermost frame at PLACE, of those with its program counter
    that in whose line it is: others may be inlined there."""
    if place is None:
        return None
    found: Optional[gdb.Frame] = None
    for frame in frames_from(gdb.newest_frame()):
        if frame.pc() == place.pc:
            found = found or frame
            if frame.find_sal().line == place.line:
                return frame
        elif found is not None:
            break
    return found


def _number(word: str) -> int:
    """Read a number, or a convenience variable that holds one: GDB's "thread" takes
    both. Nothing of the program is evaluated."""
    if word.isdecimal():
        return int(word)
    if re.fullmatch(r"\$[A-Za-z_]\w*", word):
        value = gdb.convenience_variable(word[1:])
        if value is not None and value.type.strip_typedefs().code == gdb.TYPE_CODE_INT:
            return int(value)
    raise UsageError(f'"{word}" is not a thread number.')
