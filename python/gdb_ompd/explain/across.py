# SPDX-License-Identifier: Apache-2.0
"""What the stops of a job's processes say together: who is in a collective MPI call and who is
not. Communicators and messages are MPI's own, so that who waits for whom is not concluded."""

from __future__ import annotations

import re
from typing import NamedTuple, Optional

from .job import Fold, Job

# Every rank of a communicator (or window, or file) is to call them.
COLLECTIVE = re.compile(
    "MPI_(?:barrier|bcast|gatherv?|scatterv?|allgatherv?|alltoall[vw]?|reduce|allreduce"
    "|reduce_scatter(?:_block)?|scan|exscan|neighbor_all(?:gatherv?|toall[vw]?)"
    "|comm_(?:create|dup(?:_with_info)?|split(?:_type)?|free|accept|connect|spawn|disconnect)"
    "|(?:cart|graph|dist_graph|intercomm)_create|intercomm_merge"
    "|win_(?:create|allocate|allocate_shared|fence|free)"
    "|file_(?:open|close|set_view|\\w+_all|sync|set_size)|init(?:_thread)?|finalize)",
    re.IGNORECASE,
)
ONE_SIDED = {
    "receive": re.compile("MPI_M?(?:recv|probe)", re.IGNORECASE),
    "send": re.compile("MPI_[BSR]?send", re.IGNORECASE),
}


class Across(NamedTuple):
    """The folds that are in collective calls, by the call; those in none; and, where all
    processes are in calls that "receive", or all in such that "send", which."""

    collective: tuple[tuple[str, tuple[Fold, ...]], ...]
    outside: tuple[Fold, ...]
    all_in: Optional[str]


def across(job: Job) -> Across:
    """Conclude what the processes' stops say together."""
    collective: dict[str, list[Fold]] = {}
    outside = []
    for fold in job.folds:
        own = list(filter(COLLECTIVE.fullmatch, sorted(calls_of(fold))))
        for call in own:
            collective.setdefault(call, []).append(fold)
        if not own:
            outside.append(fold)
    calls = [calls_of(fold) for fold in job.folds]
    all_in = None
    if job.processes > 1 and not job.missing:
        for what, kind in ONE_SIDED.items():
            if all(own and all(map(kind.fullmatch, own)) for own in calls):
                all_in = what
    return Across(
        tuple((call, tuple(folds)) for call, folds in collective.items()),
        tuple(outside),
        all_in,
    )


def calls_of(fold: Fold) -> set[str]:
    """Return the MPI calls that the threads of a process are in."""
    return {doing.call for doing in fold.one.doing if doing.call is not None}
