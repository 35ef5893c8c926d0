# SPDX-License-Identifier: Apache-2.0
"""``ompd threads``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Sequence

from .base import Answer, Arguments, FROM_FILE, JSON, OmpdCommand

if TYPE_CHECKING:
    from ..model import Snapshot, Thread
    from ..saved.stop import AnyStop


class ThreadsCommand(OmpdCommand):
    """List all threads as OpenMP sees them.

    Usage: ompd threads [-all] [-no-location] [-team REGION] [-state STATE]
           [-json] [-from FILE] [ID]...
    Example: ompd threads -state waiting

    For each thread GDB knows: its number and LWP, its thread number and team
    size ("3 of 4 < 0 of 2": thread 3 of a team of 4, begun by thread 0 of a
    team of 2), the nesting level, its state, its task and where in your code
    it is.  The selected thread is marked "*".  ID is a number of GDB's, or a
    range such as 1-5: only these threads are listed.  On a narrow screen LWPs
    and tasks are left out before anything else."""

    name = "ompd threads"
    is_for_front_ends = True
    options = {
        "-all": "Give every thread a line of its own; else many equal ones share one.",
        "-no-location": (
            "Do not look at the stacks, which saves most of the time: leave out where\n"
            "the threads are, and take a wait for tasks for work, as the runtime does."
        ),
        "-team REGION": 'List the threads in the region with that number in "ompd parallel -all".',
        "-state STATE": (
            "List the threads that are working, waiting, idle, running, crashed,\n"
            "unreadable or other (not of OpenMP), or whose state or what they wait\n"
            "for has that word in it, such as barrier, critical or taskwait."
        ),
        **JSON,
        **FROM_FILE,
    }
    takes_words = True

    def run(self, arguments: Arguments) -> Answer:
        from ..render.threads import lines

        locations, stop = not arguments.has("-no-location"), self.stop(arguments)
        snapshot = _chosen(stop.everyone(locations), arguments, stop)
        if arguments.has("-json"):
            from ..render import json_document

            return json_document.threads(snapshot)
        style = self.style
        return lines(
            snapshot._replace(notes=stop.not_told(snapshot.notes)),
            style,
            locations=locations,
            fold=False if arguments.has("-all") else None,
            max_width=style.width,
        )

    def values_to_complete(self, option: str, begun: str) -> Sequence[str]:
        from ..explain.choosing import STATES

        return list(STATES) if option == "-state" else super().values_to_complete(option, begun)


def _chosen(snapshot: "Snapshot", arguments: Arguments, stop: "AnyStop") -> "Snapshot":
    """Leave the threads that ARGUMENTS choose."""
    team, state = arguments.value("-team"), arguments.value("-state")
    if not arguments.words and team is None and state is None:
        return snapshot

    from ..explain import choosing

    threads: Sequence[Thread] = snapshot.threads
    if arguments.words:
        threads = choosing.by_numbers(threads, arguments.words)
    if team is not None:
        regions = stop.snapshot(locations=False).regions
        threads = choosing.by_team(threads, stop.inferior, regions, team)
    if state is not None:
        threads = choosing.by_state(threads, state)
    return snapshot._replace(threads=tuple(threads))
