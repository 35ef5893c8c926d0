# SPDX-License-Identifier: Apache-2.0
"""Commands with which the program goes on: ``ompd break``, ``tbreak``, ``watch``, ``step``,
``next`` and ``finish``."""

from __future__ import annotations

import re
from typing import Iterable, Optional, Sequence, TYPE_CHECKING, Union

import gdb

from .._native import FunctionName
from ..control.event_breakpoint import EVENTS, all_names, event_named
from ..errors import NoProcess, OmpdToolError, ThreadRuns, UsageError
from ..host.selection import connection_type, selected_thread, threads_of
from ..host.sessions.registry import session_of
from .base import Arguments, OmpdCommand
from .over_threads import OverThreads

if TYPE_CHECKING:
    from ..host.sessions.session import Session

CONDITION = re.compile(r"(?:^|\s)if(?=[\s(]|$)(?P<condition>.*)$", re.DOTALL)
THREAD = re.compile(r"(?:^|\s)thread\s+(?P<thread>\S+)\s*$")
WHAT = ("region", "task")


def resumable_session() -> "Session":
    """Return the selected inferior's session, if its selected thread can be resumed."""
    inferior, thread = gdb.selected_inferior(), selected_thread()
    if not threads_of(inferior):
        raise NoProcess()
    if connection_type(inferior) == "core":
        raise OmpdToolError("a core file cannot be resumed: run the program to step through it")
    if thread is None or not thread.is_valid():
        raise OmpdToolError("no thread is selected: 'thread NUM' selects one")
    if thread.is_running():
        raise ThreadRuns(thread.num)
    return session_of(inferior)


class BreakCommand(OmpdCommand):
    """Stop where an OpenMP region, task or thread begins or ends.

    Usage: ompd break EVENT [LOCATION] [thread NUM] [if CONDITION]
    Example: ompd break parallel-begin solve if n > 1000

    EVENT is parallel-begin, parallel-end, task-begin, task-end, thread-begin,
    thread-end, teams-begin, teams-end, target-begin or target-end; the names of the
    2014 report (parallel_pre_execute, ...) and OMPD's own (ompd_bp_parallel_begin,
    ...) are taken, too.

    LOCATION is FUNCTION or FILE:LINE: the program stops only for regions or tasks
    whose construct is written there.  A function without a name is MODULE+0xOFFSET,
    as the listings write it.  NUM is GDB's number of a thread that lives.
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
    """Stop once where an OpenMP region, task or thread begins or ends.

    Usage: ompd tbreak EVENT [LOCATION] [thread NUM] [if CONDITION]
    Example: ompd tbreak task-begin heat.c:31

    As "ompd break", but it is deleted when the program has stopped there."""

    name = "ompd tbreak"
    gdb_command = "tbreak"


def _locations(last: str, word: Optional[str]) -> list[str]:
    """Return what GDB's own "break" would complete LAST to, of which GDB asks for the
    part from WORD on; without the functions that compilers make of constructs."""
    if not last:
        return []  # every function there is
    start = "break "
    found = gdb.execute(f"complete {start}{last}", to_string=True).splitlines()
    skip = len(start) + len(last) - len(word if word is not None else last)
    users = (
        line
        for line in found
        if not FunctionName(line.rpartition(":")[2].split(" ")[-1]).is_outlined
    )
    return [line[skip:] for line in users if line.startswith(start + last)]


def _parse(text: str, command: str) -> tuple[str, str, Optional[str], str]:
    """Return event, location, thread and condition; UsageError for anything else."""
    word, _, rest = text.partition(" ")
    if not word:
        raise UsageError(f'An event is wanted: one of {_events()}. Try "help {command}".')
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
    return ", ".join(EVENTS)


class WatchCommand(OverThreads):
    """Stop where an object is written, and say which thread wrote.

    Usage: ompd watch [-race] EXPR
    Example: ompd watch -race total

    The object that EXPR is in the selected frame is watched, in all threads, by
    one of GDB's hardware watchpoints: "info watchpoints" lists it, "delete" ends
    it.
    A write that leaves the value as it is stops nothing."""

    name = "ompd watch"
    options = {
        "-race": (
            "Stop only where a second thread of the team writes, and no lock or critical\n"
            "is held at all of the writes in the region so far.  A lock is known where\n"
            "the code that leads to the write enters it.  Whether a barrier, an atomic\n"
            "construct or a dependence orders the writes is not known."
        )
    }

    def run(self, arguments: Arguments) -> Iterable[str]:
        from ..control.watch import set_watch

        set_watch(self._rest(arguments, "An expression"), arguments.has("-race"))
        return ()

    def completed_as(self) -> str:
        return "watch"


class _Stepping(OmpdCommand):
    """What both commands share: the count, and what must be there to step."""

    how = ""
    is_question = False
    takes_words = True

    def run(self, arguments: Arguments) -> Iterable[str]:
        from ..control.stepping.walk import Walk

        count = self._count(arguments.words)
        note = Walk(resumable_session(), self.how).run(count)
        return () if note is None else (note,)

    def _count(self, words: tuple[str, ...]) -> int:
        """Return how often to step: a number or an expression, as GDB's own take."""
        if not words:
            return 1
        if len(words) == 1 and words[0].isdecimal():
            return int(words[0])  # with "set language unknown" GDB evaluates nothing
        try:
            return int(gdb.parse_and_eval(" ".join(words)))
        except (gdb.error, ValueError, TypeError) as error:
            raise UsageError(f"A number of steps is wanted: {error}") from error


class StepCommand(_Stepping):
    """Step into constructs: to the next source line of the user's code.

    Usage: ompd step [N]
    Example: ompd step

    As GDB's "step", with OpenMP's constructs taken for what they are.  At a
    construct it enters the body of the region, the task or the taskloop, if
    this thread executes it now.  A task that is deferred is stepped over: it is
    executed later, maybe by another thread; "ompd break task-begin" waits for it.
    From the end of a body it comes out after the construct; a worker thread has
    nothing there, so the thread that began the region is selected then.  Where
    the program is stopped at a region's begin ("ompd break parallel-begin"), it
    goes to the region's first statement.

    In code without line information a step is a construct that makes a region or
    tasks: to the first instruction of its body, or behind it; else to the caller.

    N steps N times, or until the program stops for another reason."""

    name = "ompd step"
    how = "step"


class NextCommand(_Stepping):
    """Step over constructs and calls, to the next line of this function.

    Usage: ompd next [N]
    Example: ompd next

    As GDB's "next": a parallel region, a task that is executed at once or a
    taskloop runs as a whole.  From the end of a body it comes out after the
    construct, as "ompd step" does.  In code without line information it runs
    behind the next such construct, or to the caller.

    N steps N times, or until the program stops for another reason."""

    name = "ompd next"
    how = "next"


class FinishCommand(OmpdCommand):
    """Run until the current parallel region or explicit task is done.

    Usage: ompd finish [region|task]
    Example: ompd finish region

    Without an argument it is the explicit task that the selected thread
    executes or, outside one, the innermost parallel region.  After a region the
    thread that began it is selected, which goes on behind it; after a task the
    thread that executed it.  Of an untied task it is the part that executes now.
    Breakpoints on the way stop as always."""

    name = "ompd finish"
    is_question = False
    takes_words = True

    def run(self, arguments: Arguments) -> Iterable[str]:
        from ..control.stepping.finish import Finish

        if len(arguments.words) > 1 or not set(arguments.words) <= set(WHAT):
            raise UsageError('"region" or "task" is wanted. Try "help ompd finish".')
        finish = Finish(resumable_session())
        what = arguments.words[0] if arguments.words else "innermost"
        ways = {"region": finish.region, "task": finish.task, "innermost": finish.innermost}
        said = ways[what]()
        return () if said is None else (said,)

    def words_to_complete(self) -> Sequence[str]:
        return WHAT
