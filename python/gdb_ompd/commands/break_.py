# SPDX-License-Identifier: Apache-2.0
"""``ompd break`` and ``ompd tbreak``."""

from __future__ import annotations

import re
from typing import Iterable, Optional, Sequence, Union

import gdb

from ..control.event_breakpoint import EVENTS, all_names, event_named
from ..errors import UsageError
from .base import Arguments, OmpdCommand

CONDITION = re.compile(r"(?:^|\s)if(?=[\s(]|$)(?P<condition>.*)$", re.DOTALL)
THREAD = re.compile(r"(?:^|\s)thread\s+(?P<thread>\S+)\s*$")


class BreakCommand(OmpdCommand):
    """Set a breakpoint where an OpenMP region, task or thread begins or ends.

    Usage: ompd break EVENT [LOCATION] [thread NUM] [if CONDITION]

    EVENT is parallel-begin, parallel-end, task-begin, task-end, thread-begin or
    thread-end; the names of the 2014 report (parallel_pre_execute, ...) and OMPD's
    own (ompd_bp_parallel_begin, ...) are taken, too.

    LOCATION is FUNCTION or FILE:LINE: the program stops only for regions or tasks
    whose construct is written there.  NUM is GDB's number of a thread that lives.
    CONDITION is evaluated in the user's code that met the construct; of a task,
    whose body has no frame then, with global variables only.  A condition
    that "condition" gives it later is joined to these; there, locals of that code
    are written $_omp_user("NAME").

    The breakpoint is one of GDB's: "info breakpoints", "commands", "ignore",
    "disable", "delete" and "save breakpoints" work.  The program stops once for
    each region or task, on the thread where it begins or ends.  There
    $_omp_event, $_omp_event_function and $_omp_event_requested say what it is."""

    name = "ompd break"
    is_question = False
    gdb_command = "break"

    def parse(self, argument: str) -> Arguments:
        """Keep the words as they are: a condition may have quotes and dashes."""
        return Arguments(words=(argument.strip(),))

    def run(self, arguments: Arguments) -> Iterable[str]:
        """Make the breakpoint, and say what it waits for."""
        from ..control import set_event

        given = _parse(arguments.words[0], self.name)
        return set_event.lines(self.gdb_command, *given)

    def complete(self, text: str, word: Optional[str]) -> Union[Sequence[str], int]:
        """Complete an event, then a location as GDB does."""
        before, space, last = text.lstrip().rpartition(" ")
        if before or space:
            return _locations(last, word)
        skip = len(last) - len(word) if word is not None and last.endswith(word) else 0
        names = [each for each in EVENTS if each.startswith(last)]
        names = names or [each for each in all_names() if each.startswith(last)]
        return [each[skip:] for each in names]


class TbreakCommand(BreakCommand):
    """Set a temporary breakpoint where an OpenMP region, task or thread begins or ends.

    Usage: ompd tbreak EVENT [LOCATION] [thread NUM] [if CONDITION]

    As "ompd break", but it is deleted when the program has stopped there."""

    name = "ompd tbreak"
    gdb_command = "tbreak"


def _locations(last: str, word: Optional[str]) -> list[str]:
    """Return what GDB's own "break" would complete LAST to, of which GDB asks for the
    part from WORD on; without the functions that compilers make of constructs."""
    if not last:
        return []  # every function there is
    from ..host.outlined import is_outlined

    start = "break "
    found = gdb.execute(f"complete {start}{last}", to_string=True).splitlines()
    skip = len(start) + len(last) - len(word if word is not None else last)
    users = (line for line in found if not is_outlined(line.rpartition(":")[2].split(" ")[-1]))
    return [line[skip:] for line in users if line.startswith(start + last)]


def _parse(text: str, command: str) -> tuple[str, str, Optional[str], str]:
    """Return event, location, thread and condition; UsageError for anything else."""
    word, _, rest = text.partition(" ")
    if not word:
        raise UsageError(f'an event is wanted: one of {_events()}. Try "help {command}".')
    event = event_named(word)
    if event is None:
        raise UsageError(f'"{word}" is no OpenMP event: one of {_events()} is wanted.')
    condition = CONDITION.search(rest)
    if condition is not None:
        rest = rest[: condition.start()]
        if not condition.group("condition").strip():
            raise UsageError(f'"if" wants a condition. Try "help {command}".')
    thread = THREAD.search(rest)
    if thread is not None:
        rest = rest[: thread.start()]
    location = rest.strip()
    if location.isdigit():
        raise UsageError(f"{location} is not a place: write FILE:{location}, or a function.")
    if location and event.startswith("thread-"):
        raise UsageError(f"{event} has no construct: no location can be given.")
    return (
        event,
        location,
        thread.group("thread") if thread is not None else None,
        condition.group("condition").strip() if condition is not None else "",
    )


def _events() -> str:
    return ", ".join(all_names()[:6])
