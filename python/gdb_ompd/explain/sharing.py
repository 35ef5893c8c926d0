# SPDX-License-Identifier: Apache-2.0
"""The data-sharing attribute of a variable, from where it is, how it is described and what
the directive says of it. What these do not tell is unknown."""

from __future__ import annotations

import re
from typing import Mapping, NamedTuple, Optional, Sequence

from ..model.values import FoundName, ThreadValue

SHARED, PRIVATE, FIRSTPRIVATE, THREADPRIVATE = "shared", "private", "firstprivate", "threadprivate"
COPY = "private copy"  # of which it is not known whether it is private, firstprivate or another

_CLAUSE = re.compile(
    r"\b(private|firstprivate|lastprivate|shared|linear|reduction|in_reduction|task_reduction)"
    r"\s*\(((?:[^()]|\([^()]*\))*)\)",
    re.IGNORECASE,
)


class Evidence(NamedTuple):
    """What is known of a variable in the selected frame."""

    storage: str  # "local", "static", "thread", "member" or, where the code has no word of it, "none"
    construct: Optional[str] = None  # that the frame is in: "region", "task" or "target"
    body: bool = False  # the frame is the construct's own, not that of a function which it calls
    function: Optional[str] = None  # the frame's
    own: Optional[int] = None  # the variable's address in the selected thread
    addresses: tuple[Optional[int], ...] = ()  # those in the threads of the team
    on_stack: Optional[bool] = None  # OWN is in the selected frame
    original: Optional[int] = None  # the address of the variable outside of the construct
    by_value: bool = False  # the body has it as an argument
    copies_shared: bool = False  # the compiler may copy what is shared and not changed
    inside: bool = False  # it is declared in the construct
    loop: bool = False  # it counts the iterations of the construct's loop
    clauses: tuple[str, ...] = ()  # those of DIRECTIVE that name it
    directive: Optional[str] = None  # such as "heat.c:36"
    implicit: Optional[str] = None  # what it is by the directive where no clause names it


class SharingVerdict(NamedTuple):
    """The attribute, None if it is not known, and why."""

    attribute: Optional[str]
    why: str


class Sharing(NamedTuple):
    """What is known of a variable. ROWS are its places in the threads of the team, ORIGINAL is
    the variable of that name outside of the construct."""

    name: str
    verdict: SharingVerdict
    type: str
    rows: tuple[ThreadValue, ...] = ()
    original: Optional[FoundName] = None


def judge(facts: Evidence) -> SharingVerdict:
    """Return the attribute that the evidence leaves."""
    if facts.storage == "thread":
        return SharingVerdict(THREADPRIVATE, "each thread has its own static object")
    if facts.storage == "static":
        return SharingVerdict(SHARED, "it is a static variable")
    if facts.storage == "none":
        return _by_words(facts, "the code of the construct does not describe it")
    if facts.storage == "member":
        return SharingVerdict(
            None, "it is a member of the object of the function, which is as shared as that"
        )
    if facts.construct is None:
        return SharingVerdict(
            PRIVATE, f"it is a local variable of {facts.function}, in no region or task"
        )
    known = [address for address in facts.addresses if address is not None]
    # Where others are in code that does not describe it, a static one of its name has an address.
    one = len(known) > 1 and set(known) == {facts.own}
    if not facts.body and (one or not (facts.clauses or facts.loop)):
        return _of_called(facts, one)
    if one and facts.construct == "region":
        return _unless_denied(facts, f"it is one object in {len(known)} threads of the team")
    if facts.inside:
        return SharingVerdict(PRIVATE, "it is declared in the construct")
    if facts.own is not None and facts.own == facts.original:
        return _unless_denied(facts, "it is the object that is outside of the construct")
    if facts.own is None:
        return _by_words(facts, "no address of it is known")
    if facts.construct == "region" and len(known) < 2 and not facts.on_stack:
        return SharingVerdict(None, "only one thread has it, and not on its own stack")
    if facts.construct in ("task", "target") and facts.original is None:
        return _by_words(facts._replace(own=None), "whether it is a copy is not known")
    return _by_words(facts, "it is a copy")


def _of_called(facts: Evidence, one: bool) -> SharingVerdict:
    if one:
        return SharingVerdict(SHARED, "it refers to one object in all threads of the team")
    if facts.on_stack or facts.own is None:
        return SharingVerdict(
            PRIVATE, f"it is a local variable of {facts.function}, which the construct's code calls"
        )
    return SharingVerdict(None, f"{facts.function} has it by reference")


def _unless_denied(facts: Evidence, why: str) -> SharingVerdict:
    """Say that it is shared, unless the directive says that each thread has its own."""
    if facts.clauses and facts.clauses != (SHARED,):
        return SharingVerdict(None, f"{why}, but the directive at {facts.directive} says otherwise")
    return SharingVerdict(SHARED, why)


def _by_words(facts: Evidence, why: str) -> SharingVerdict:
    """Tell of which kind a copy is, or what has no known address."""
    if facts.loop and facts.clauses in ((), (SHARED,)):
        return SharingVerdict(PRIVATE, f"{why}, and counts the loop's iterations")
    if facts.clauses == (SHARED,):
        return SharingVerdict(SHARED, f"the directive at {facts.directive} says so; {why}")
    if facts.clauses:
        said = f"the directive at {facts.directive} says so"
        return SharingVerdict(" and ".join(facts.clauses), f"{why}, and {said}")
    if facts.by_value:
        return SharingVerdict(FIRSTPRIVATE, f"{why}, which the construct was given the value of")
    if facts.implicit is not None:  # what is shared and not changed, compilers may copy
        said = f"no clause of the directive at {facts.directive} names it"
        return SharingVerdict(facts.implicit, f"{said}; {why}")
    if facts.own is None:
        return SharingVerdict(None, why)
    if facts.copies_shared and facts.construct == "task":
        return SharingVerdict(None, f"{why}: of what is shared and not changed, or firstprivate")
    return SharingVerdict(COPY, f"{why}: nothing tells which kind of")


def implicit_in(directive: str) -> Optional[str]:
    """Return what a variable from outside is that no clause of a directive names. In a task that
    depends on the constructs around."""
    default = re.search(r"\bdefault\s*\(\s*(\w+)\s*\)", directive, re.IGNORECASE)
    if default is not None:
        return None if default.group(1).lower() == "none" else default.group(1).lower()
    return SHARED if re.search(r"\bparallel\b", directive, re.IGNORECASE) else None


def clauses_of(directive: str) -> Mapping[str, Sequence[str]]:
    """Return for each variable that a directive names its data-sharing clauses."""
    found: dict[str, list[str]] = {}
    for clause, arguments in _CLAUSE.findall(directive):
        kind, arguments = clause.lower(), re.sub(r"\[[^\]]*\]", "", arguments)
        if kind.endswith("reduction") or "conditional" in arguments:
            arguments = arguments.rpartition(":")[2]
        elif kind == "linear":
            arguments = re.sub(r"\w+\s*\(|\)", " ", arguments.partition(":")[0])
        for name in re.findall(r"[A-Za-z_]\w*", arguments):
            kinds = found.setdefault(name, [])
            kind = "reduction" if kind.endswith("reduction") else kind
            if kind not in kinds:
                kinds.append(kind)
    return found
