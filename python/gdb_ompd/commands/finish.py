# SPDX-License-Identifier: Apache-2.0
"""``ompd finish``."""

from __future__ import annotations

from typing import Iterable, Sequence

from ..errors import UsageError
from .base import Arguments, OmpdCommand
from .resume import resumable_session

WHAT = ("region", "task")


class FinishCommand(OmpdCommand):
    """Run until the current parallel region or explicit task is done.

    Usage: ompd finish [region|task]

    Without an argument it is the explicit task that the selected thread
    executes or, outside one, the innermost parallel region.  After a region the
    thread that began it is selected, which goes on behind it; after a task the
    thread that executed it.  Of an untied task it is the part that executes now.
    Breakpoints on the way stop as always."""

    name = "ompd finish"
    is_question = False
    takes_words = True

    def run(self, arguments: Arguments) -> Iterable[str]:
        """Run, and report what is done."""
        from ..control.stepping.finish import Finish

        if len(arguments.words) > 1 or not set(arguments.words) <= set(WHAT):
            raise UsageError('"region" or "task" is wanted. Try "help ompd finish".')
        finish = Finish(resumable_session())
        what = arguments.words[0] if arguments.words else "innermost"
        ways = {"region": finish.region, "task": finish.task, "innermost": finish.innermost}
        said = ways[what]()
        return () if said is None else (said,)

    def words_to_complete(self) -> Sequence[str]:
        """Return what can be finished."""
        return WHAT
