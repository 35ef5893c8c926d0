# SPDX-License-Identifier: Apache-2.0
"""``ompd thread``."""

from __future__ import annotations

import re
from typing import Iterable

import gdb

from ..errors import NotFound, UsageError
from ..stop.registry import session_of
from .base import Arguments, OmpdCommand


class ThreadCommand(OmpdCommand):
    """Select a thread of the current team by its OpenMP thread number.

    Usage: ompd thread NUM

    NUM is what omp_get_thread_num() returns in that thread, 0 for the primary
    thread, in the innermost parallel region of the selected thread."""

    name = "ompd thread"
    takes_words = True

    def run(self, arguments: Arguments) -> Iterable[str]:
        """Select the thread, as GDB's "thread" does."""
        from .gather import current_omp_thread

        if len(arguments.words) != 1:
            raise UsageError('one thread number is wanted. Try "help ompd thread".')
        number = _number(arguments.words[0])
        snapshot = session_of().snapshot(locations=False)
        current = current_omp_thread(snapshot.threads)
        if current.region is None:
            raise NotFound(
                f"thread {current.gdb_num} is in no parallel region: its team is itself alone"
            )
        team = snapshot.region(current.region).threads
        if not 0 <= number < len(team):
            raise NotFound(f"the current team has threads 0 to {len(team) - 1}, not {number}")
        gdb_num = team[number]
        if gdb_num is None:
            raise NotFound(f"thread {number} of the team is not known to GDB")
        gdb.execute(f"thread {gdb.selected_inferior().num}.{gdb_num}")
        return ()

    def words_to_complete(self) -> list[str]:
        """Return the numbers of the current team."""
        from .gather import current_omp_thread

        try:
            snapshot = session_of().snapshot(locations=False)
            region = current_omp_thread(snapshot.threads).region
        except Exception:  # a completion has nobody to complain to
            return []
        return [str(n) for n in range(snapshot.region(region).team_size)] if region else []


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
