# SPDX-License-Identifier: Apache-2.0
"""``ompd sample``."""

from __future__ import annotations

import os
import time
from contextlib import contextmanager, nullcontext
from typing import Any, Iterator, Optional

import gdb

from ..errors import OmpdToolError, UsageError
from ..host.front_end import is_machine_interface
from .base import Answer, Arguments, JSON, OmpdCommand

EVERY = "-every"
SAMPLES, SECONDS = 10, 0.5
MOST = 100_000


class SampleCommand(OmpdCommand):
    """Stop the program several times, and show where its threads were.

    Usage: ompd sample [-every SECONDS] [-json] [N]
    Example: ompd sample 20

    The program runs for half a second, or for so many SECONDS, then it is stopped:
    10 times, or N.  The stacks of all stops are shown merged, as a tree for each
    construct, with how often each place was seen and which part of the processor
    time its threads used.  Below them is what waits for what in how many of the
    stops, what makes the program slow, and in one sentence where the threads' time
    goes and what to look at.  Ctrl-C ends it and shows what there is; so do a
    breakpoint, a signal and the program's end."""

    name = "ompd sample"
    options = {"-every SECONDS": "Let the program run for so long between two stops.", **JSON}
    takes_words = True
    is_question = False
    resumes = True

    def run(self, arguments: Arguments) -> Answer:
        from ..explain.sampled import Samples
        from ..render import sampled as shown
        from ..control.styles import is_terminal
        from ..control.timed_run import CTRL_C, TimedRun
        from .running import resumable_session

        number = _whole(arguments.words)
        seconds = _seconds(arguments.value(EVERY))
        resumable_session().ran()  # the first sample's time is since now
        samples, begin, thread = Samples(), time.monotonic(), gdb.selected_thread()
        is_document = arguments.has("-json")
        shows_progress = is_terminal() and not is_document and not _in_tui()
        ended: Optional[str] = None
        try:
            with _unsaid_stops() if is_document else nullcontext(), TimedRun() as timed:
                while samples.count < number and ended is None:
                    since = time.monotonic()
                    ended = timed.run(seconds)
                    if gdb.selected_thread() is None:
                        break
                    _add(samples, time.monotonic() - since)
                    if shows_progress:
                        gdb.write(f"\r{samples.count} of {number}\r")
                        gdb.flush()
        except KeyboardInterrupt:  # the terminal was GDB's at that moment, not the program's
            ended = CTRL_C
        if ended is None and thread.is_valid():
            thread.switch()
        if not samples.count:
            raise OmpdToolError(ended or "there was no sample")
        found = samples.sampled(time.monotonic() - begin, ended)
        if arguments.has("-json"):
            return shown.document(found)
        return shown.lines(found, self.style)


def _in_tui() -> bool:
    """Tell whether GDB's text interface has the terminal, which cannot write a line anew."""
    try:
        return "not active" not in gdb.execute("info win", to_string=True)
    except gdb.error:  # a GDB without it
        return False


def _add(samples: Any, ran: float) -> None:
    """Add the stop that the program is at, and RAN for so many seconds before."""
    from ..saved.taking import trees_and_report
    from .live import LiveStop

    stop = LiveStop()
    trees, report = trees_and_report(stop)
    samples.add(trees, report, None if report is None else stop.facts(), ran)


@contextmanager
def _unsaid_stops() -> Iterator[None]:
    """Have GDB not say that the program has stopped, which it says past a command's output; a
    front end is told. The program has an output of its own."""
    if is_machine_interface():
        yield
        return
    gdb.flush()
    kept, null = os.dup(1), os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.close(null)
    try:
        yield
    finally:
        try:
            gdb.flush()  # a Ctrl-C here must not lose the terminal
        finally:
            os.dup2(kept, 1)
            os.close(kept)


def _whole(words: tuple[str, ...]) -> int:
    if not words:
        return SAMPLES
    if len(words) == 1 and words[0].isdecimal() and 0 < int(words[0][:9]) <= MOST:
        return int(words[0][:9])
    raise UsageError('A number of samples is wanted. Try "help ompd sample".')


def _seconds(word: Optional[str]) -> float:
    try:
        seconds = SECONDS if word is None else float(word)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= 3600:
        raise UsageError(f"{EVERY} wants seconds, such as 0.2.")
    return seconds
