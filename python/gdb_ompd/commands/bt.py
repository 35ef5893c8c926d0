# SPDX-License-Identifier: Apache-2.0
"""``ompd bt``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Iterable, Optional, Sequence

import gdb

from ..host.selection import selected_thread
from ..errors import OmpdToolError, UsageError
from ..stop.registry import session_of
from .base import Arguments, OmpdCommand

if TYPE_CHECKING:
    from ..stacks.facts import StackFacts


class BtCommand(OmpdCommand):
    """Show the stack of the selected thread as the program's source has it.

    Usage: ompd bt [-full] [-team] [-all] [-json] [COUNT]
           ompd bt on|off|on continued

    The frames of the OpenMP runtime are left out, the regions and tasks are
    marked, and the stack goes on in the thread that began the region or created
    the task, to main.  Frames have the numbers they have in their own thread:
    "frame NUMBER" selects one.  Those of another thread are written "GDB 3 #7":
    "thread 3" goes there.  With COUNT only so many of the innermost frames
    are shown, with -COUNT so many of the outermost.

    "ompd bt on" makes GDB's own "bt" leave out the runtime's frames, "on
    continued" has it go on in the thread that began the region as well, "off"
    shows everything again.

    Options:
      -full
        Show the runtime's frames too.
      -team
        Show the stacks of the selected thread's team as one tree.
      -all
        Show the stacks of all threads, as one tree for each team.
      -json
        Print one JSON document."""

    name = "ompd bt"
    options = ("-full", "-team", "-all", "-json")
    takes_words = True
    takes_counts = True

    def run(self, arguments: Arguments) -> Iterable[str]:
        """Show a stack, or switch the frame filter."""
        count = _count(arguments.words)
        if arguments.words and count is None:
            return self._switch(arguments)
        from ..stacks.facts import StackFacts

        if count is not None and (arguments.has("-team") or arguments.has("-all")):
            raise UsageError(f"COUNT is for one thread's stack. {self._see_help()}")

        if arguments.has("-team") or arguments.has("-all"):
            return self._trees(arguments, StackFacts(session_of()))
        return self._logical(arguments, StackFacts(session_of(), arguments=True), count)

    def words_to_complete(self) -> Sequence[str]:
        """Return what follows ``ompd bt``."""
        return ("on", "off", "continued")

    def _switch(self, arguments: Arguments) -> Iterable[str]:
        known = {
            ("on",): (True, False),
            ("off",): (False, False),
            ("on", "continued"): (True, True),
        }
        if arguments.words not in known or arguments.options:
            raise UsageError(
                f'It is a number of frames, "on", "off" or "on continued". {self._see_help()}'
            )
        from ..control import frame_filter

        frame_filter.switch(*known[arguments.words])
        done = "Disabled" if arguments.words == ("off",) else "Enabled"
        return [f'{done} filter for "bt" output successfully.']  # as LLVM's plugin has it

    def _logical(
        self, arguments: Arguments, read: "StackFacts", count: Optional[int]
    ) -> Iterable[str]:
        from ..stacks.logical import logical_stack
        from ..stacks.some import some_frames
        from ..render import json_stacks, stacks
        from ..render.json_document import dump
        from . import styles
        from .gather import number_prefix

        thread = selected_thread()
        if thread is None:
            raise OmpdToolError("no thread is selected: 'thread NUM' selects one")
        if thread.is_running():
            raise OmpdToolError(f"thread {thread.num} is running: 'interrupt' stops it")
        facts = read.facts()
        stack = logical_stack(facts, thread.num)
        if count is not None:
            stack = some_frames(stack, count, arguments.has("-full"))
        why = read.notes()
        if arguments.has("-json"):
            return [dump(json_stacks.stack(stack, why, arguments.has("-full")))]
        lines = stacks.lines(
            stack,
            facts.thread(thread.num),
            styles.current_style(),
            full=arguments.has("-full"),
            prefix=number_prefix(),
        )
        return [*lines, *why]

    def _trees(self, arguments: Arguments, read: "StackFacts") -> Iterable[str]:
        from ..stacks.merge import plain_tree, trees
        from ..render import json_stacks, stack_trees
        from ..render.json_document import dump
        from . import styles
        from .gather import current_omp_thread, number_prefix

        selected = selected_thread()
        chosen = None
        if not arguments.has("-all"):
            chosen = current_omp_thread(read.readable().threads)
            if chosen.region is None:
                raise OmpdToolError(
                    f"thread {chosen.gdb_num} is in no parallel region: 'ompd bt' shows its stack"
                )
        every = sorted(thread.num for thread in gdb.selected_inferior().threads())
        read.read_all(every)
        facts = read.facts()
        if read.snapshot is None:
            found, notes = plain_tree(facts, every), read.notes()
        else:
            found = trees(facts, chosen.region if chosen is not None else None)
            notes = read.snapshot.notes
        if arguments.has("-json"):
            return [dump(json_stacks.trees(found, notes))]
        shown = stack_trees.lines(
            found,
            styles.current_style(),
            prefix=number_prefix(),
            selected=selected.num if selected is not None else None,
        )
        return [*shown, *session_of().not_told(notes)]


def _count(words: Sequence[str]) -> Optional[int]:
    """Return how many frames are wanted, None if WORDS do not say that."""
    if len(words) != 1 or not words[0].removeprefix("-").isdecimal():
        return None
    return int(words[0])
