# SPDX-License-Identifier: Apache-2.0
"""``ompd loop``."""

from __future__ import annotations

from ..host.selection import number_prefix
from ..host.sessions.registry import session_of
from .base import JSON, Answer, Arguments
from .over_threads import OverThreads


class LoopCommand(OverThreads):
    """Show which iterations of a loop each thread of the team executes.

    Usage: ompd loop [-json]
    Example: ompd loop

    Of each worksharing loop its schedule, chunks and bounds, and what no thread
    has been given yet; of each thread what it has now, as far as the code around
    its place and the runtime's records tell, and whether it waits for its turn.
    Numbers are what the compiler counts the loop with: of clang's code iterations
    from 0 on, of GCC's the loop's variable.  GCC's code shares out schedule(static)
    by itself: what that gives is inferred from the code, in iterations from 0 on,
    and of schedule(static, N) it is not known.  What a thread had before is
    recorded nowhere."""

    name = "ompd loop"
    options = {**JSON}

    def run(self, arguments: Arguments) -> Answer:
        from ..render import loops as shown
        from ..values.loops import shares

        self._refuse_words(arguments)
        session = session_of()
        asked = self.asked(arguments, session)
        found = shares(session, asked.members, asked.further_in)
        threads = {thread.gdb_num: thread for thread in session.threads()}
        if arguments.has("-json"):
            return shown.document(found, threads)
        return list(shown.lines(found, threads, self.style, number_prefix()))
