# SPDX-License-Identifier: Apache-2.0
"""``ompd step`` and ``ompd next``."""

from __future__ import annotations

from typing import Iterable

import gdb

from ..errors import UsageError
from .base import Arguments, OmpdCommand
from .resume import resumable_session


class _Stepping(OmpdCommand):
    """What both commands share: the count, and what must be there to step."""

    how = ""
    takes_words = True

    def run(self, arguments: Arguments) -> Iterable[str]:
        """Step, and say what kept it from ending at a statement."""
        from ..control.stepping.walk import Walk

        count = self._count(arguments.words)
        note = Walk(resumable_session(), self.how).run(count)
        return () if note is None else (note,)

    def _count(self, words: tuple[str, ...]) -> int:
        """Return how often to step: a number or an expression, as GDB's own take."""
        if not words:
            return 1
        try:
            return int(gdb.parse_and_eval(" ".join(words)))
        except (gdb.error, ValueError, TypeError) as error:
            raise UsageError(f"a number of steps is wanted: {error}") from error


class StepCommand(_Stepping):
    """Step into constructs: to the next source line of the user's code.

    Usage: ompd step [N]

    As GDB's "step", with OpenMP's constructs taken for what they are.  At a
    construct it enters the body of the region, the task or the taskloop, if
    this thread executes it now.  A task that is deferred is stepped over: it is
    executed later, maybe by another thread; "ompd break task-begin" waits for it.
    From the end of a body it comes out after the construct; a worker thread has
    nothing there, so the thread that began the region is selected then.  Where
    the program is stopped at a region's begin ("ompd break parallel-begin"), it
    goes to the region's first statement.

    N steps N times, or until the program stops for another reason."""

    name = "ompd step"
    is_question = False
    how = "step"


class NextCommand(_Stepping):
    """Step over constructs and calls: to the next source line of this function.

    Usage: ompd next [N]

    As GDB's "next": a parallel region, a task that is executed at once or a
    taskloop runs as a whole.  From the end of a body it comes out after the
    construct, as "ompd step" does.

    N steps N times, or until the program stops for another reason."""

    name = "ompd next"
    is_question = False
    how = "next"
