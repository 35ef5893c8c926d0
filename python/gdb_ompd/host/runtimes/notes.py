# SPDX-License-Identifier: Apache-2.0
"""The words for what a runtime does not tell, and for settings that it does not take."""

from __future__ import annotations

from typing import Callable, Container, Iterable, Iterator, Optional, Sequence

from ... import _native
from ...model import BY_USER, ControlVariable, Doubt, Icv, UNAVAILABLE

# What a runtime need not record: most of it stacks tell.
NOT_RECORDED = frozenset({"state", "frames", "scheduling"})

# Of threads, by GDB number.
Doubts = dict[int, tuple[Doubt, ...]]


def of_doubts(what: str, told: Iterable[tuple[Doubt, ...]]) -> Iterator[str]:
    """Say once of each function that failed for some WHAT which facts that leaves unknown."""
    failures: dict[tuple[str, int], tuple[dict[str, None], int]] = {}
    for every in told:
        doubts = [
            each for each in every if each.code != UNAVAILABLE or each.fact not in NOT_RECORDED
        ]
        for failed, code in {(each.failed, each.code) for each in doubts if each.failed}:
            facts, count = failures.get((failed, code), ({}, 0))
            facts.update({each.fact: None for each in doubts if each.failed == failed})
            failures[failed, code] = facts, count + 1
    for (failed, code), (facts, count) in failures.items():
        listed = ", ".join(fact.replace("_", " ") for fact in facts)
        why = _why(Doubt("", None, failed, code))
        yield f"Not known of {count} {what}{'' if count == 1 else 's'}: {listed} ({why})."


def but_kinds(doubts: Doubts, known: Container[int]) -> Iterator[tuple[Doubt, ...]]:
    """Yield DOUBTS without those of what a thread is that is KNOWN otherwise."""
    for number, each in doubts.items():
        yield tuple(d for d in each if d.fact != "kind" or number not in known)


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
