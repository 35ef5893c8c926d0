# SPDX-License-Identifier: Apache-2.0
"""The saved stops of a parallel job's processes."""

from __future__ import annotations

import os
import re
from itertools import chain
from typing import Hashable, Iterable, NamedTuple, Optional

from ..errors import BadFile, OmpdToolError
from ..explain.job import Doing, Folding, Job, Process, as_in_c
from ..model import OMP_KINDS, Location, ThreadKind, place_in, place_key
from ..model.stacks import Segment
from .stop import Alike, SavedStop, load

# As C and as Fortran call it, and where a tool stands in between: the names that MPI keeps to
# itself. A function of a C program may be called mpi_exchange.
CALL = re.compile(r"P?MPI_\w+|p?mpi_[a-z_0-9]+_")


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
        thread = each.one if caller is None else each.one._replace(location=caller)
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
    states = (verdict, tuple((counts[key], key) for key in order))
    return Process(rank, size, name, about.time, verdict, text, doing, numbers, states)


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
        if named:
            outer = segment.frames[named[-1] + 1 :]
            caller = next((Location(**place_in(f), pc=f.pc) for f in outer), None)
            return as_in_c(segment.frames[named[-1]].function or ""), caller
    return None, None
