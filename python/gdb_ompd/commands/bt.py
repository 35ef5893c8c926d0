# SPDX-License-Identifier: Apache-2.0
"""``ompd bt``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Iterable, Optional, Sequence

from ..errors import OmpdToolError, ThreadRuns, UsageError
from .base import Answer, Arguments, FROM_FILE, JSON, OmpdCommand

if TYPE_CHECKING:
    from ..saved.stop import AnyStop
    from ..stacks.facts import StackFacts


class BtCommand(OmpdCommand):
    """Show the stack of the selected thread as the program's source has it.

    Usage: ompd bt [-full] [-team] [-all] [-json] [-from FILE] [COUNT]
           ompd bt on|off|on continued
    Example: ompd bt -team

    The frames of the OpenMP runtime are left out, the regions and tasks are
    marked, and the stack goes on in the thread that began the region or created
    the task, to main.  Frames have the numbers they have in their own thread:
    "frame NUMBER" selects one.  Those of another thread are written "GDB 3 #7":
    "ompd frame GDB 3 #7" goes there.  With COUNT only so many of the innermost
    frames are shown, with -COUNT so many of the outermost.

    "ompd bt on" makes GDB's own "bt" leave out the runtime's frames, "on
    continued" has it go on in the thread that began the region as well, "off"
    shows everything again."""

    name = "ompd bt"
    options = {
        "-full": "Show the runtime's frames too.",
        "-team": "Show the stacks of the selected thread's team as one tree.",
        "-all": "Show the stacks of all threads, as one tree for each team.",
        **JSON,
        **FROM_FILE,
    }
    takes_words = True
    takes_counts = True

    def run(self, arguments: Arguments) -> Answer:
        count = _count(arguments.words)
        if arguments.words and count is None:
            return self._switch(arguments)
        if count is not None and (arguments.has("-team") or arguments.has("-all")):
            raise UsageError(f"COUNT is for one thread's stack. {self._see_help()}")

        from ..stacks.facts import StackFacts

        stop = self.stop(arguments)
        if arguments.has("-team") or arguments.has("-all"):
            return self._trees(arguments, stop, StackFacts(stop))
        return self._logical(arguments, stop, StackFacts(stop, arguments=True), count)

    def words_after(self, given: Sequence[str]) -> Sequence[str]:
        """Return what follows ``ompd bt``, and ``on``."""
        return ("continued",) if given[-1:] == ["on"] else () if given else ("on", "off")

    def _switch(self, arguments: Arguments) -> Iterable[str]:
        known = {
            ("on",): (True, False),
            ("off",): (False, False),
            ("on", "continued"): (True, True),
        }
        if arguments.words in known and arguments.options:
            raise UsageError(f'"{" ".join(arguments.words)}" has no options. {self._see_help()}')
        if arguments.words not in known:
            raise UsageError(
                f'"{" ".join(arguments.words)}" is no number of frames, nor "on", "off" or'
                f' "on continued". {self._see_help()}'
            )
        from ..control import frame_filter

        frame_filter.switch(*known[arguments.words])
        done = "Disabled" if arguments.words == ("off",) else "Enabled"
        return [f'{done} filter for "bt" output successfully.']  # as LLVM's plugin has it

    def _logical(
        self, arguments: Arguments, stop: "AnyStop", facts: "StackFacts", count: Optional[int]
    ) -> Answer:
        from ..stacks.logical import logical_stack, some_frames
        from ..render import json_document, stacks

        number = stop.selected
        if number is None:
            raise OmpdToolError("no thread is selected: 'thread NUM' selects one")
        if facts.placed(number) is None:
            raise ThreadRuns(number)
        stack = logical_stack(facts, number)
        if count is not None:
            stack = some_frames(stack, count, arguments.has("-full"))
        why = facts.notes()
        if arguments.has("-json"):
            return json_document.stack(stack, why, arguments.has("-full"))
        stack = stack._replace(notes=stop.not_told(stack.notes))
        lines = stacks.lines(
            stack, facts.thread(number), self.style, full=arguments.has("-full"), prefix=stop.prefix
        )
        return [*lines, *why]

    def _trees(self, arguments: Arguments, stop: "AnyStop", facts: "StackFacts") -> Answer:
        from ..stacks.merge import plain_tree, trees
        from ..render import json_document, stacks
        from .live import current_omp_thread

        chosen = None
        if not arguments.has("-all"):
            chosen = current_omp_thread(facts.readable().threads)
            if chosen.region is None:
                raise OmpdToolError(
                    f"GDB thread {chosen.gdb_num} is in no parallel region: 'ompd bt' shows its stack"
                )
        facts.read_all(stop.numbers)
        if facts.snapshot is None:
            found, notes = plain_tree(facts, stop.numbers), facts.notes()
        else:
            found = trees(facts, chosen.region if chosen is not None else None)
            notes = facts.snapshot.notes
        if arguments.has("-json"):
            return json_document.trees(found, notes)
        shown = stacks.tree_lines(found, self.style, prefix=stop.prefix, selected=stop.selected)
        return [*shown, *stop.not_told(notes)]


def _count(words: Sequence[str]) -> Optional[int]:
    """Return how many frames are wanted, None if WORDS do not say that."""
    if len(words) != 1 or not words[0].removeprefix("-").isdecimal():
        return None
    return int(words[0])
