# SPDX-License-Identifier: Apache-2.0
"""Words that several listings share: counts, places, states, levels."""

from __future__ import annotations

import re
from operator import itemgetter
from os.path import basename
from typing import Any, Iterable, Optional, Sequence, Union

from ..explain.names import readable
from ..explain.phrases import counted, device, function_name
from ..explain.report import HELPER
from ..model import (
    ControlVariable,
    Location,
    Region,
    RegionKind,
    TargetConstruct,
    TargetKind,
    Thread,
    ThreadKind,
    WaitsFor,
)
from .folding import ranges
from .style import Role, Span, Text, after, text

UNKNOWN = "-"
ABSENT = "no such thread in this process"

# Of a thread all that is said of it besides its numbers. Most threads say what the one before
# does, which is quickly compared; enumerations take long to hash.
_SAID = ("kind", "running", "level", "active_level", "idle", "state", "waits_for", "task")
said_of = itemgetter(
    *map(Thread._fields.index, (*_SAID, "location", "error", "signal", "outside", "target"))
)

STATES = {
    "work_serial": "working (serial)",
    "work_parallel": "working",
    "work_reduction": "in a reduction",
    "wait_barrier": "at barrier",
    "wait_barrier_explicit": "at barrier",
    "wait_barrier_implicit": "at implicit barrier",
    "wait_barrier_implicit_parallel": "at end-of-region barrier",
    "wait_barrier_implicit_workshare": "at worksharing barrier",
    "wait_barrier_implementation": "at internal barrier",
    "wait_barrier_teams": "at teams barrier",
    "wait_taskwait": "at taskwait",
    "wait_taskgroup": "at end of taskgroup",
    "wait_mutex": "waiting for mutex",
    "wait_lock": "waiting for lock",
    "wait_critical": "waiting for critical",
    "wait_atomic": "waiting for atomic",
    "wait_ordered": "waiting for ordered",
    "wait_target": "waiting for target",
    "wait_target_map": "waiting for target map",
    "wait_target_update": "waiting for target update",
    "idle": "idle",
    "overhead": "in the OpenMP runtime",
}

WAITS = {
    "explicit barrier": "at barrier",
    "begin of region": "has not begun",
    "taskwait": "at taskwait",
    "taskgroup": "at end of taskgroup",
    "taskloop": "at end of taskloop",
    "copyprivate": "at copyprivate",
    "reduction": "at reduction",
    "idle": "idle",
}


def threads(team_size: Optional[int]) -> str:
    """Write the size of a team: "4 threads"."""
    return "? threads" if team_size is None else counted(team_size, "thread")


def numbered(
    noun: str, numbers: Iterable[int], prefix: str = "", limit: Optional[int] = None
) -> str:
    """Write a noun with numbers: "region 2", "regions 2-5". PREFIX is the inferior's, LIMIT how
    many characters a list may have."""
    distinct = set(numbers)
    plural = "" if len(distinct) == 1 else "s"
    return f"{noun}{plural} {prefix}{ranges(distinct, limit)}"


_OF_GDB = re.compile(r"\b(GDB (?:threads? )?)(?=\d)")


def qualified(words: Text, prefix: str) -> Text:
    """Put PREFIX, the inferior's, before GDB's numbers in WORDS that conclude from one inferior."""
    if not prefix:
        return words
    return tuple(Span(_OF_GDB.sub(rf"\g<1>{prefix}", span.text), span.role) for span in words)


def sentence(words: str) -> str:
    """Begin words with a capital letter, and end them with a full stop."""
    return f"{words[:1].upper()}{words[1:]}."


def level(nesting: Optional[int], active: Optional[int]) -> str:
    """Write a nesting level, and the active level where it is another."""
    if nesting is None:
        return UNKNOWN
    if active is None or active == nesting:
        return str(nesting)
    return f"{nesting} ({active} active)"


def place(spot: Any) -> Text:
    """Write a place as "work at heat.c:6", without source as "work from libfoo.so", without a name
    as "libfoo.so+0x1234", with its caller that has source as "libfoo.so+0x1234 (work at heat.c:6)".
    SPOT has a location's fields for it.

    Folders are left out: with them few lines would fit a terminal.
    """
    innermost = getattr(spot, "innermost", None)
    if innermost is not None:
        return text(*location(innermost), " (", *place(spot._replace(innermost=None)), ")")
    function, line = _function(spot), line_of(spot)
    if line:
        return text(*function, " at ", *line) if spot.function else line
    library = spot.code.library if spot.function and spot.code is not None else None
    where = text(*function, " from ", Span(library, Role.FILENAME)) if library else function
    called = getattr(spot, "library_call", None)
    if called is None or called == spot.function:
        return where
    return text(*where, " (in ", Span(called, Role.FUNCTION), ")")


def line_of(spot: Any) -> Text:
    """Write a place as "heat.c:6", nothing where the file is not known."""
    if not spot.file:
        return ()
    number = "" if spot.line is None else f":{spot.line}"
    return text(Span(spot.file.rstrip("/").rpartition("/")[2], Role.FILENAME), number)


def _function(spot: Any) -> Text:
    name = function_name(spot)
    return text(Span(name, Role.FUNCTION)) if name else ()


def at(spot: Optional[Location]) -> Text:
    """Write a place as " at heat.c:41 in solve", " in libfoo.so+0x1234", nothing for None."""
    if spot is None:
        return ()
    line, function = line_of(spot), _function(spot)
    if not (line or function):
        return text(" at ", *address(spot.pc))
    return text(*after(" at ", line), *after(" in ", function if spot.function or not line else ()))


def region_heading(region: Region, others: Sequence[Region] = ()) -> Text:
    """Write "Region 2  level 1, 4 threads: work at heat.c:6" of a region, and of OTHERS that differ
    in their numbers alone."""
    each = " each" if others else ""
    if region.kind is RegionKind.TEAMS:
        size = "? teams" if region.team_size is None else counted(region.team_size, "team")
        size += "" if region.thread_limit is None else f", thread limit {region.thread_limit}"
        return text(Span("League", Role.TITLE), f" of {size}{each}", *after(": ", place(region)))
    if region.kind is RegionKind.HELPERS:
        return text(
            Span("Hidden helpers of the runtime", Role.TITLE), f"  {threads(region.team_size)}"
        )
    nesting = level(region.level, region.active_level)
    serialized = ", serialized" if region.serialized else ""
    serialized += of_runtime(region)
    return text(
        Span(numbered("Region", (one.id for one in (region, *others))), Role.TITLE),
        f"  level {nesting}, {threads(region.team_size)}{each}{serialized}",
        *after(": ", place(region)),
    )


def of_runtime(one: Union[Region, ControlVariable]) -> str:
    """Say whose this is, where the process has several runtimes: ", libgomp.so.1"."""
    return f", {basename(one.runtime)}" if one.runtime else ""


def location(spot: Optional[Location]) -> Text:
    """Write where a thread is; its address where nothing better is known."""
    if spot is None:
        return ()
    return place(spot) or address(spot.pc)


def address(value: Optional[int]) -> Text:
    """Write an address in hex, nothing for None."""
    return () if value is None else text(Span(hex(value), Role.ADDRESS))


def state(thread: Thread) -> Text:
    """Say in words what THREAD is doing, what it waits for, and in which target region."""
    target = thread.target
    if target is None or thread.running or thread.idle:
        return _own_state(thread)
    if target.executes:
        return text(*_own_state(thread), *in_target(target))
    return awaiting(target)


PURPOSES = {
    TargetKind.REGION: "",
    TargetKind.MAP: " to map data",
    TargetKind.UPDATE: " to update data",
}


def awaiting(target: TargetConstruct) -> Text:
    """Say for which device a thread waits, and for what."""
    return text("waiting for ", device(target), PURPOSES[target.kind])


def in_target(target: TargetConstruct) -> Text:
    """Say in which target region: ", in target at x.c:20 (device 0)"."""
    where = line_of(target)
    if not where and target.function:
        line = "" if target.line is None else f", line {target.line}"
        where = text(Span(readable(target.function), Role.FUNCTION), line)
    at = "the host" if target.on_host else device(target)
    return text(", in target", *after(" at ", where), f" ({at})")


def _own_state(thread: Thread) -> Text:
    if thread.running:
        return text("(running)")
    if thread.signal is not None:
        return text("crashed: ", Span(thread.signal, Role.HIGHLIGHT))
    if thread.kind is ThreadKind.NATIVE and thread.waits_for is None:
        return text("not an OpenMP thread")
    if thread.kind is ThreadKind.HELPER:
        return text(HELPER)
    if thread.idle:
        return text("idle")
    if thread.waits_for is not None:
        return waiting(thread.waits_for, thread.state)
    if thread.outside is not None:
        return inside(thread.outside)
    if thread.state is None:
        return text(Span("unreadable", Role.HIGHLIGHT)) if thread.error else text(UNKNOWN)
    return text(_state_name(thread.state))


def doing(thread: Thread, joint: str = ", ") -> Text:
    """Say what a thread is doing and, behind the JOINT, where."""
    return (*state(thread), *after(joint, location(thread.location)))


def inside(function: str) -> Text:
    """Say which function, not of the user's code, a thread is in."""
    return text("in ", Span(function, Role.FUNCTION))


def _state_name(name: str) -> str:
    return STATES.get(name, name.replace("_", " "))


def waiting(wait: WaitsFor, name: Optional[str] = None) -> Text:
    """Say what is waited for.

    WAIT comes from the stack, and is right where the runtime's state, NAME, is not (a
    thread in taskwait counts as working). Only of a plain "barrier" does the
    state say more: which kind it is.
    """
    if wait.kind == "barrier" and name is not None and name.startswith("wait_barrier"):
        return text(_state_name(name))
    if wait.kind in WAITS or wait.kind.endswith("barrier"):
        return text(WAITS.get(wait.kind, f"at {wait.kind}"))
    return text(f"waiting for {wait.kind}", *which(wait.kind, wait.name, wait.address))


def which(kind: str, name: Optional[str], at: Optional[int]) -> Text:
    """Say which object of its KIND it is, by its name, or where it is."""
    if name:
        return text(' "', Span(name, Role.VARIABLE), '"')
    if name == "" and kind == "critical":
        return text(" (unnamed)")
    return text(" ", *address(at)) if at is not None else ()
