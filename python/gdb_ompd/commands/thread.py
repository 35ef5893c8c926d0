# SPDX-License-Identifier: Apache-2.0
"""``ompd thread``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Iterable, Optional

import gdb

from ..errors import NotFound, UsageError
from ..host.selection import frames_from, setting
from ..stop.registry import session_of
from .base import Arguments, OmpdCommand

if TYPE_CHECKING:
    from ..model import Location


class ThreadCommand(OmpdCommand):
    """Select a thread of the current team by its OpenMP thread number.

    Usage: ompd thread [NUM]

    NUM is what omp_get_thread_num() returns in that thread, 0 for the primary
    thread, in the innermost parallel region of the selected thread.  The frame of
    your code that "ompd threads" names is selected, not the system's or the
    runtime's within it.  Without NUM say which thread is selected, and where it is."""

    name = "ompd thread"
    is_question = False
    takes_words = True

    def run(self, arguments: Arguments) -> Iterable[str]:
        """Select the thread, as GDB's "thread" does."""
        from ..providers.facts import notes
        from .live import current_omp_thread, unknown

        if not arguments.words:
            return self._where()
        if len(arguments.words) != 1:
            raise UsageError('one thread number is wanted. Try "help ompd thread".')
        number = _number(arguments.words[0])
        snapshot = session_of().snapshot(locations=False)
        current = current_omp_thread(snapshot.threads)
        if current.region is None and current.level is None:
            raise NotFound(" ".join(unknown([current])))
        if current.region is None:
            raise NotFound(
                f"thread {current.gdb_num} is in no parallel region: its team is itself alone"
            )
        region = snapshot.region(current.region)
        team, missing = region.threads, " ".join(notes("region", [region.doubts]))
        if region.team_size is None:
            raise NotFound(missing)
        if not 0 <= number < len(team):
            raise NotFound(f"the current team has threads 0 to {len(team) - 1}, not {number}")
        gdb_num = team[number]
        if gdb_num is None:
            raise NotFound(
                f"thread {number} of the team is not known to GDB. {missing}".rstrip(". ")
            )
        place = next(t.location for t in session_of().threads() if t.gdb_num == gdb_num)
        _select(gdb_num, place)
        return ()

    def _where(self) -> Iterable[str]:
        from ..render import threads
        from .live import current_thread, number_prefix

        snapshot = session_of().snapshot()
        thread = current_thread(snapshot.threads)
        return threads.current(snapshot, thread, self.style, number_prefix(), self.width)

    def words_to_complete(self) -> list[str]:
        """Return the numbers of the current team."""
        from .live import current_omp_thread

        try:
            snapshot = session_of().snapshot(locations=False)
            region = current_omp_thread(snapshot.threads).region
        except Exception:  # a completion has nobody to complain to
            return []
        return [str(n) for n in range(len(snapshot.region(region).threads))] if region else []


def _select(gdb_num: int, place: Optional["Location"]) -> None:
    """Select the thread with GDB's number and the frame that is at PLACE, and show it as
    GDB's "thread" does."""
    thread = next(t for t in gdb.selected_inferior().threads() if t.num == gdb_num)
    thread.switch()
    frame = _frame_at(place)
    if frame is not None:
        frame.select()
    # What GDB does for this command is no command of the user's.
    with setting("trace-commands", False):
        shown = str(gdb.execute("thread", to_string=True))
        gdb.write(shown.replace("[Current thread is ", "[Switching to thread ", 1))
        gdb.execute("frame")


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
