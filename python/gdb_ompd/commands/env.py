# SPDX-License-Identifier: Apache-2.0
"""``ompd env``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Iterable, Sequence

from ..errors import NotFound
from ..stop.registry import session_of
from .base import Arguments, FROM, OmpdCommand

if TYPE_CHECKING:
    from ..model import ControlVariable


class EnvCommand(OmpdCommand):
    """Show the control variables of the OpenMP runtime, such as OMP_SCHEDULE.

    Usage: ompd env [-json] [-from FILE] [NAME]...

    Each with its value and where that came from: the runtime's default, or the
    environment the program was started with; the latter come first, marked "*".
    NAME is such as OMP_SCHEDULE, in any case.  What the program set later, by
    calls such as omp_set_num_threads, is shown by "ompd icvs".

    Options:
      -json
        Print one JSON document.
      -from FILE
        Answer from a stop that "ompd save" has written."""

    name = "ompd env"
    lists = "control_variables"
    options = ("-json", FROM)
    valued = (FROM,)
    takes_words = True

    def run(self, arguments: Arguments) -> Iterable[str]:
        """Show the variables."""
        from ..render import env
        from . import styles

        variables = _chosen(self.stop(arguments).control_variables(), arguments.words)
        if arguments.has("-json"):
            from ..render import json_document

            return [json_document.dump(json_document.env(variables))]
        return env.lines(variables, styles.current_style(), max_width=styles.width())

    def words_to_complete(self) -> Sequence[str]:
        """Return the names of the variables."""
        try:
            return sorted({each.name for each in session_of().control_variables()})
        except Exception:  # a completion has nobody to complain to
            return ()


def _chosen(
    variables: Sequence["ControlVariable"], names: Sequence[str]
) -> Sequence["ControlVariable"]:
    wanted = {name.upper() for name in names}
    known = {each.name.upper() for each in variables}
    for name in names:
        if name.upper() not in known:
            raise NotFound(f'no control variable is called "{name}": "ompd env" lists them.')
    return [each for each in variables if not names or each.name.upper() in wanted]
