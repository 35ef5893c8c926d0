# SPDX-License-Identifier: Apache-2.0
"""Why the program does not go on: ``ompd why``."""

from __future__ import annotations

import os
from typing import Optional, TYPE_CHECKING, Union

from ..errors import OmpdToolError
from .base import Answer, Arguments, FROM, FROM_FILE, JSON, OmpdCommand

if TYPE_CHECKING:
    from ..explain.facts import Facts
    from ..saved.facts import Kept
    from ..saved.stop import AnyStop


class WhyCommand(OmpdCommand):
    """Say why the program does not go on: who waits for whom.

    Usage: ompd why [-facts] [-json] [-from FILE]
    Example: ompd why

    The first line is the verdict: a crash and, of a stack that had ended, what sets
    its size; a deadlock and its members; the thread that the others wait for and
    where it is; "running", "all idle", or "unknown" and why.  Below it: for each
    team who has come to the barrier and who has not; for each lock and critical
    that is waited for, who waits and who holds it; and each cycle.

    A lock's holder is what the runtime recorded, or "inferred": the thread whose
    place in the code is between the calls that enter and leave.  The default
    locks record no owner.

    With -facts it shows what that is concluded from: for each thread what it waits
    for, what it holds, and who must come.  "ompd why -facts -json" prints facts
    that "-from FILE" concludes from, as it does from a stop of "ompd save"."""

    name = "ompd why"
    is_for_front_ends = True
    options = {"-facts": "Show what the verdict is concluded from.", **JSON, **FROM_FILE}

    def run(self, arguments: Arguments) -> Answer:
        from ..render import why

        stop = self._stop(arguments)
        if arguments.has("-facts"):
            return self._facts(stop.facts(), arguments, stop.prefix)
        report = stop.report()
        if arguments.has("-json"):
            from ..render import json_document

            return json_document.why(report)
        return why.lines(report, self.style, stop.prefix)

    def _stop(self, arguments: Arguments) -> "Union[AnyStop, Kept]":
        file = arguments.value(FROM)
        if file is None:
            return self.stop(arguments)
        from ..saved.facts import load

        return load(os.path.expanduser(file))

    def _facts(self, facts: "Optional[Facts]", arguments: Arguments, prefix: str) -> Answer:
        if facts is None:
            raise OmpdToolError("no facts were saved in it: gdb-ompd before 0.2 has written it")
        if arguments.has("-json"):
            from ..explain.verdict import explain
            from ..saved.facts import document

            return document(facts, explain(facts))
        from ..explain.needs import needs_of, takers_of
        from ..render.facts import lines

        return lines(facts, needs_of(facts), takers_of(facts)[0], self.style, prefix)
