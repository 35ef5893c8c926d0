# SPDX-License-Identifier: Apache-2.0
"""The saved stops of a parallel job's processes."""

from __future__ import annotations

import os
import re
from itertools import chain
from typing import Hashable, Iterable, NamedTuple, Optional

from ..errors import BadFile, OmpdToolError
from ..explain.job import Doing, Folding, Job, Process, as_in_c, waits_for_others
from ..explain.machines import OnMachine
from ..explain.report import Verdict
from ..model import OMP_KINDS, Location, Thread, ThreadKind, place_in, place_key
from ..model.stacks import Segment
from .stop import Alike, SavedStop, load

# As C and as Fortran call it, and where a tool stands in between: the names that MPI keeps to
# itself. A function of a C program may be called mpi_exchange.
CALL = re.compile(r"P?MPI_\w+|p?mpi_[a-z_0-9]+_")
# Functions of a library to which its calls jump, so that these have no frame.
JUMPED_TO = re.compile(r"ompi_mpi_(init|finalize)\w*")
# Settings that ranks of a job have alike.
ALIKE = (
    "nthreads-var",
    "dyn-var",
    "run-sched-var",
    "thread-limit-var",
    "max-active-levels-var",
    "stacksize-var",
)


def folded(folder: str) -> Job:
    """Return the stops that are saved in a folder; OmpdToolError where there are none."""
    folding, bad = Folding(), []
    try:
        entries = sorted(entry for entry in os.listdir(folder) if entry.endswith(".json"))
    except OSError as error:
        raise BadFile(f"{folder}: {error.strerror or error}") from error
    for entry in entries:
        try:
            folding.add(process(load(os.path.join(folder, entry)), entry))
        except OmpdToolError as error:
            said = str(error)
            bad.append(said if entry in said else f"{os.path.join(folder, entry)}: {said}")
    notes = bad[:5] + ([f"And {len(bad) - 5} more files cannot be read."] if len(bad) > 5 else [])
    job = folding.job(notes)
    if not job.folds:
        raise BadFile("; ".join(notes) or f"{folder}: no saved stops")
    return job


def process(stop: SavedStop, name: str) -> Process:
    """Return what is compared of one process."""
    try:
        verdict, text = stop.brief()
    except OmpdToolError as error:
        verdict, text = None, str(error)
    alike: dict[_Key, list[Alike]] = {}
    for each in stop.alike():
        call, caller = _call(each.segments)
        outside = each.one.outside or ""
        if call is None and CALL.fullmatch(outside):
            call = as_in_c(outside)  # the code of the user's call tells it, no frame does
        thread = each.one if caller is None else each.one._replace(location=caller)
        if call is None and _is_of_library(thread):
            thread = _of_library(thread)
        spot, waits = thread.location, thread.waits_for
        key = _Key(
            call,
            place_key(spot) if spot is not None else None,
            thread.state,
            (waits.kind, waits.name) if waits is not None else None,
            (thread.running, thread.idle, thread.signal, thread.error, thread.outside),
            thread.kind if thread.kind not in OMP_KINDS else None,
        )
        alike.setdefault(key, []).append(each._replace(one=thread))
    counts = {key: sum(each.threads for each in same) for key, same in alike.items()}
    order = sorted(alike, key=lambda key: (key.kind is not None, counts[key], repr(key)))
    doing = tuple(Doing(counts[key], alike[key][0].one, key.call) for key in order)
    numbers = tuple(tuple(sorted(chain(*(a.numbers for a in alike[key])))) for key in order)
    about = stop.circumstances
    rank, size = (about.rank.number, about.rank.size) if about.rank is not None else (None, None)
    verdict, text = _waiting_for_ranks(verdict, text, doing)
    states = (verdict, tuple((counts[key], key) for key in order))
    placed = None if rank is None else _placed(stop, rank)
    return Process(rank, size, name, about.time, verdict, text, doing, numbers, states, placed)


def _is_of_library(thread: Thread) -> bool:
    """Tell whether a thread executes no code of the user's: MPI's library has such."""
    spot, odd = thread.location, thread.running or thread.signal or thread.error
    in_library = spot is None or (spot.file is None and spot.code and not spot.code.executable)
    return thread.kind is ThreadKind.NATIVE and bool(in_library) and not odd


def _of_library(thread: Thread) -> Thread:
    """Return one of them without what tells it from the others."""
    return Thread(thread.inferior, 0, 0, None, ThreadKind.NATIVE)


def _waiting_for_ranks(
    verdict: Optional[Verdict], text: str, doing: Iterable[Doing]
) -> tuple[Optional[Verdict], str]:
    """Return the verdict on a process of which all that can go on are in calls that wait for
    other ranks."""
    own = [one for one in doing if one.thread.kind in OMP_KINDS and not one.thread.idle]
    free = [one for one in own if one.call is not None or one.thread.waits_for is None]
    calls = sorted({one.call for one in free if one.call is not None})
    if verdict is not Verdict.RUNNING or not free:
        return verdict, text
    if not all(one.call is not None and waits_for_others(one.call) for one in free):
        return verdict, text
    return Verdict.WAITING, f"waiting for other ranks in {', '.join(calls)}"


def _placed(stop: SavedStop, rank: int) -> OnMachine:
    """Return what the process has of its machine."""
    try:
        places, every = stop.cpus(), stop.threads(locations=False)
        members = {thread.gdb_num for thread in every if thread.kind in OMP_KINDS}
        icvs = stop.icvs([min(members)] if members else [], [])
    except OmpdToolError:
        return OnMachine(rank, stop.circumstances.host)
    rows = [row for row in places.threads if row.gdb_num in members]
    cpus = frozenset(cpu for row in rows for cpu in row.allowed or ())
    settings = {icv.name: icv.text for icv in icvs if icv.name in ALIKE}
    settings.update(places.binding)
    if cpus:
        settings["num-procs-var"] = str(len(cpus))
    return OnMachine(rank, stop.circumstances.host, cpus, len(rows), tuple(settings.items()))


class _Key(NamedTuple):
    """What threads that do the same have in common."""

    call: Optional[str]
    place: Hashable
    state: Optional[str]
    waits_for: Hashable
    marks: Hashable
    kind: Optional[ThreadKind]


def _call(segments: Iterable[Segment]) -> tuple[Optional[str], Optional[Location]]:
    """Return the MPI call that a thread is in, as C names it, and the place in the program's
    code."""
    for segment in segments:
        named = [n for n, f in enumerate(segment.frames) if CALL.fullmatch(f.function or "")]
        jumped = [n for n, f in enumerate(segment.frames) if JUMPED_TO.fullmatch(f.function or "")]
        if jumped and not named:
            found = JUMPED_TO.fullmatch(segment.frames[jumped[-1]].function or "")
            outer = segment.frames[jumped[-1] + 1 :]
            place = next((Location(**place_in(f), pc=f.pc) for f in outer), None)
            return f"MPI_{found[1].capitalize()}" if found else None, place
        if named:
            outer = segment.frames[named[-1] + 1 :]
            caller = next((Location(**place_in(f), pc=f.pc) for f in outer), None)
            return as_in_c(segment.frames[named[-1]].function or ""), caller
    return None, None
