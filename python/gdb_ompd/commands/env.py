# SPDX-License-Identifier: Apache-2.0
"""``ompd env``."""

from __future__ import annotations

from typing import Iterable

from ..stop.registry import session_of
from .base import Arguments, OmpdCommand


class EnvCommand(OmpdCommand):
    """Show the control variables of the OpenMP runtime, such as OMP_SCHEDULE.

    Usage: ompd env [-json]

    Each with its value and where that came from: the runtime's default, or the
    environment the program was started with.  What the program set later, by
    calls such as omp_set_num_threads, is shown by "ompd icvs".

    Options:
      -json
        Print one JSON document."""

    name = "ompd env"
    options = ("-json",)

    def run(self, arguments: Arguments) -> Iterable[str]:
        """Show the variables."""
        from ..render import env
        from . import styles

        variables = session_of().control_variables()
        if arguments.has("-json"):
            from ..render import json_document

            return [json_document.dump(json_document.env(variables))]
        return env.lines(variables, styles.current_style())
