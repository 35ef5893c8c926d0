# SPDX-License-Identifier: Apache-2.0
"""``$_omp_state``."""

from __future__ import annotations

from ..host.moments import one_command
from .base import Answer, OmpFunction


class StateFunction(OmpFunction):
    """Return what the selected thread does, as one of OMPT's states.

    Usage: $_omp_state()

    A string such as "work_parallel", "wait_barrier_explicit" or "idle", the
    same as in "ompd threads -json"; void outside OpenMP, and where neither the
    runtime nor the stack tells it.  Compare it with $_streq."""

    name = "_omp_state"

    @one_command()
    def answer(self) -> Answer:
        """Return the state, corrected by the stack."""
        from ..model.waits import Kind
        from ..stop import states
        from . import current

        found = current.current()
        if found is not None and found.place is None:
            return "idle"
        if found is not None:
            current.read_anew()
            wait, in_runtime, _ = current.stack_place(found)
        if found is None or wait.location is None or wait.kind is Kind.REGION_BARRIER:
            row = current.listed(locations=True)
            if row is not None:
                return row.state
        if found is None or found.place is None:
            return None
        state = found.provider.state_of(found.thread)
        return states.state_of(state, wait, in_runtime, found.place.level)
