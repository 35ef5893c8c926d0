# SPDX-License-Identifier: Apache-2.0
"""``$_omp_icv``."""

from __future__ import annotations

import gdb

from ..host.moments import one_command
from .base import Answer, OmpFunction, string


class IcvFunction(OmpFunction):
    """Return one of OpenMP's internal control variables.

    Usage: $_omp_icv("NAME")

    NAME is one that "ompd icvs" lists, such as "nthreads-var".  The value is
    that of the selected thread, its task, its innermost region or the process:
    a number or a string; void outside OpenMP and for a variable that is not set."""

    name = "_omp_icv"
    parameters = ('"NAME"',)

    @one_command()
    def answer(self, name: gdb.Value) -> Answer:
        """Return the value of the ICV called NAME."""
        from . import current

        wanted = string(name, self)
        found = current.current()
        if found is None or found.place is None:
            return None
        current.read_anew()
        return found.provider.icv_of(found.thread, wanted)
