# SPDX-License-Identifier: Apache-2.0
"""The words for what a runtime does not tell, and for settings that it does not take."""

from __future__ import annotations

from collections import Counter
from typing import Callable, Iterable, Iterator, Optional, Sequence

from ... import _native
from ...model import BY_USER, ControlVariable, Doubt, Icv, Thread, UNAVAILABLE

# What a runtime need not record: most of it stacks tell.
NOT_RECORDED = frozenset({"state", "frames", "scheduling"})

STATES_OFF = (
    "States are not tracked: the program was started without OMPD events"
    " ('ompd enable' switches them on while it runs)."
)
NEEDS_STATE_TRACKING = 6  # ompd_rc_needs_state_tracking


def of_threads(threads: Iterable[Thread]) -> Iterator[str]:
    """Say what runtimes do not tell of THREADS."""
    told = [thread.doubts for thread in threads if thread.doubts]
    if any([doubt.code == NEEDS_STATE_TRACKING for every in told for doubt in every]):
        yield STATES_OFF
    yield from of_doubts("thread", told)


def of_doubts(what: str, told: Iterable[tuple[Doubt, ...]]) -> Iterator[str]:
    """Say once of each function that failed for some WHAT which facts that leaves unknown."""
    failures: dict[tuple[str, int], tuple[dict[str, None], int]] = {}
    for every, count in Counter(told).items():
        doubts = [(each.failed, each) for each in every if not _is_no_loss(each)]
        for failed, code in {(failed, each.code): None for failed, each in doubts if failed}:
            facts, before = failures.get((failed, code), ({}, 0))
            facts.update({each.fact: None for other, each in doubts if other == failed})
            failures[failed, code] = facts, before + count
    for (failed, code), (facts, count) in failures.items():
        listed = ", ".join(fact.replace("_", " ") for fact in facts)
        why = _why(Doubt("", None, failed, code))
        yield f"Not known of {count} {what}{'' if count == 1 else 's'}: {listed} ({why})."


def _is_no_loss(doubt: Doubt) -> bool:
    """Tell whether stacks tell what a runtime does not, or another note says that it does not."""
    is_unrecorded = doubt.code == UNAVAILABLE and doubt.fact in NOT_RECORDED
    return is_unrecorded or doubt.code == NEEDS_STATE_TRACKING


def _why(doubt: Doubt) -> str:
    return f"{doubt.failed}: {_native.error_string(doubt.code)}"


def marked(
    variables: Iterable[ControlVariable], icvs: Callable[[], Sequence[Icv]]
) -> tuple[ControlVariable, ...]:
    """Return VARIABLES, marked those whose values from the environment no runtime takes, with what
    ICVS say is in force."""
    every = tuple(variables)
    rejected = _native.rejected_settings(
        {v.name: v.value or "" for v in every if v.source == BY_USER}
    )
    return tuple(
        each._replace(rejected=True, in_force=_in_force(each.name, icvs()))
        if each.name in rejected and each.source == BY_USER
        else each
        for each in every
    )


def _in_force(variable: str, icvs: Iterable[Icv]) -> Optional[str]:
    name = _native.icv_of(variable)
    return next((f"{name} is {icv.text}" for icv in icvs if icv.name == name), None)
