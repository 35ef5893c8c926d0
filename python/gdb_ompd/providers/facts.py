# SPDX-License-Identifier: Apache-2.0
"""What a provider tells of threads, regions and tasks before the stacks complete it, and the words
for it."""

from __future__ import annotations

from typing import Callable, Iterable, Iterator, NamedTuple, Optional, Sequence, Union

from .. import _native
from .._native import RegionConstruct, WaitingView
from ..model import (
    BY_USER,
    ControlVariable,
    LIBRARY,
    Doubt,
    Icv,
    Region,
    Thread,
    UNAVAILABLE,
)

# What a runtime need not record: most of it stacks tell.
NOT_RECORDED = frozenset({"state", "frames", "scheduling"})


class View(NamedTuple):
    """Threads and regions at one stop, before the stacks have been looked at."""

    threads: tuple[Thread, ...]
    regions: tuple[Region, ...]
    constructs: dict[int, RegionConstruct]  # by region id
    notes: tuple[str, ...] = ()


class WaitingViews(NamedTuple):
    """What a runtime knows of tasks that no thread executes; see WaitingTasks."""

    tasks: tuple[WaitingView, ...] = ()
    notes: tuple[str, ...] = ()
    known: bool = True


def waiting_views(found: Optional[_native.WaitingRecords], why: str) -> WaitingViews:
    """Return the tasks that no thread executes and were FOUND, or WHY they are not known."""
    if found is None:
        return WaitingViews((), (why,), False)
    return WaitingViews(tuple(found.tasks), tuple(found.notes))


def icv(given: _native.IcvValue) -> Icv:
    """Return one ICV; of one without a value the text says why."""
    text, number = given.text, given.number
    source = next((each.source for each in given.doubts if each.source), LIBRARY)
    value: Union[int, str, None] = text if number is None else number
    # A text in place of a number is a whole answer; a number alone may be a list's first.
    failed = [d for d in given.doubts if d.failed and (text is None or d.fact == "text")]
    why = "; ".join(map(_why, failed))
    if value is None:
        words = f"not available ({why})" if why else "not available"
        return Icv(given.name, given.scope, given.owner, None, words, source)
    words = f"{given.words} ({why})" if why else given.words
    return Icv(given.name, given.scope, given.owner, value, words, source)


def notes(what: str, told: Iterable[tuple[Doubt, ...]]) -> Iterator[str]:
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
