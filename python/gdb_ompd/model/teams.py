# SPDX-License-Identifier: Apache-2.0
"""Why a region's team has the size that it has."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple, Optional


NUM_THREADS = "OMP_NUM_THREADS"


class SizeRule(str, Enum):
    """The rule of OpenMP 5.0, section 2.6.1, that has decided."""

    UNKNOWN = "unknown"
    IF = "if"  # the clause is false
    NUM_THREADS = "num_threads"  # the clause
    IF_OR_NUM_THREADS = "if or num_threads"  # which of them is not known
    ACTIVE_LEVELS = "max-active-levels-var"
    THREAD_LIMIT = "thread-limit-var"
    TEAMS = "teams"  # the threads that a league may have are divided among its teams
    DYNAMIC = "dyn-var"
    ENVIRONMENT = "environment"  # OMP_NUM_THREADS
    REJECTED = "rejected"  # OMP_NUM_THREADS has a value that no runtime takes
    PROCESSORS = "num-procs-var"
    CALL = "call"  # such as omp_set_num_threads


class TeamSize(NamedTuple):
    """Why the team of the REGION with that id has its SIZE. ASKED are the threads that the
    construct or nthreads-var asked for, NTHREADS is that ICV of the task that began the region,
    LIMIT the one that the rule is of. SETTING is the value of the environment's VARIABLE by which
    it is so or, where none is known, of OMP_NUM_THREADS. OTHERS are threads of other teams that the
    limit is for, too, besides those that began these. NOTABLE tells that the team is smaller than
    was asked for, or has one thread for want of CPUs."""

    region: int
    rule: SizeRule
    certain: bool
    notable: bool
    size: Optional[int] = None
    asked: Optional[int] = None
    nthreads: Optional[int] = None
    limit: Optional[int] = None
    setting: Optional[str] = None
    variable: Optional[str] = None
    others: int = 0
