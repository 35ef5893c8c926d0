# SPDX-License-Identifier: Apache-2.0
"""``$_omp_var``."""

from __future__ import annotations

import gdb

from ..host.moments import one_command
from .base import Answer, OmpFunction, string


class VarFunction(OmpFunction):
    """Return a variable, looked up along the logical stack.

    Usage: $_omp_var("NAME")

    As "ompd print -up NAME" finds it: in the selected frame, then in those of the
    thread that generated the task or began the region, to the program's start."""

    name = "_omp_var"
    parameters = ('"NAME"',)

    @one_command()
    def answer(self, name: gdb.Value) -> Answer:
        """Return the variable called NAME."""
        from ..stop.registry import session_of
        from ..values.lookup import look_up

        return look_up(session_of(), string(name, self)).value
