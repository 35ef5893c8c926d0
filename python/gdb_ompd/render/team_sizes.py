# SPDX-License-Identifier: Apache-2.0
"""Why a team has its size, in a sentence."""

from __future__ import annotations

from typing import Iterator, Optional, Sequence

from ..model.teams import SizeRule, TeamSize
from .style import Role, Span, Style, Text, text, wrap
from ..explain.phrases import counted, named

INFERRED = " (inferred)"
_NUMBERS = ("OMP_THREAD_LIMIT", "OMP_TEAMS_THREAD_LIMIT", "OMP_MAX_ACTIVE_LEVELS")


def sentence_of(size: TeamSize) -> Text:
    """Write why a team has its size: "1 thread: its if clause is false."."""
    threads = "? threads" if size.size is None else counted(size.size, "thread")
    known = size.certain or size.rule is SizeRule.UNKNOWN
    return text(f"{threads}: ", *_why(size), "." if known else f"{INFERRED}.")


def no_region(file: str, workers: Sequence[int], style: Style) -> Iterator[str]:
    """Say that no region can begin in a FILE, and that the WORKERS, by their GDB numbers, are those
    of another one's regions."""
    were = "was" if len(workers) == 1 else "were"
    others = f" {named(workers)} {were} made for regions of another file." if workers else ""
    words = text(
        Span(file, Role.FILENAME),
        " begins no region and has no outlined function: it was compiled without OpenMP "
        f"(gcc and clang need -fopenmp).{others}",
    )
    yield from map(style.paint, wrap(words, style.width))


def _why(size: TeamSize) -> Text:
    if size.rule is SizeRule.IF:
        return text("the construct's if clause is false")
    if size.rule is SizeRule.IF_OR_NUM_THREADS:
        return text("the construct asks for 1, by an if clause that is false or by num_threads(1)")
    if size.rule is SizeRule.NUM_THREADS:
        return _num_threads(size)
    if size.rule is SizeRule.ACTIVE_LEVELS:
        return _active_levels(size)
    if size.rule is SizeRule.THREAD_LIMIT:
        return _thread_limit(size)
    if size.rule is SizeRule.TEAMS:
        by = text(f"{size.limit} CPUs; ", Span(size.variable or "", Role.VARIABLE), " is not set")
        if size.setting is not None and size.variable is not None:
            by = setting(size.variable, size.setting)
        return text(f"{_asked(size)}all teams of the league have no more threads (", *by, ")")
    if size.rule is SizeRule.DYNAMIC:
        return text(
            f"{_asked(size)}dyn-var is true",
            *_by(size, " (omp_set_dynamic)"),
            ", so that the runtime gives fewer where the machine is busy; OMP_DYNAMIC=false "
            "forbids that",
        )
    return _of_icv(size)


def _asked(size: TeamSize) -> str:
    return "" if size.asked is None else f"{size.asked} were asked for, but "


def _by(size: TeamSize, otherwise: str) -> Text:
    """Say which variable has set the ICV, OTHERWISE what else can have."""
    if size.variable is None:
        return text(otherwise)
    rejected = size.variable in _NUMBERS and not _is_number(size.setting, size.limit)
    by = ", since the runtime rejected " if rejected else ", by "
    return text(by, *setting(size.variable, size.setting))


def _is_number(value: Optional[str], number: Optional[int]) -> bool:
    try:
        return int(value or "") == number
    except ValueError:
        return False


def _thread_limit(size: TeamSize) -> Text:
    if size.variable is not None and not size.variable.startswith("OMP_"):  # it sets no ICV
        name = setting(size.variable, size.setting)
        return text(_asked(size), *name, " lets the process have no more threads")
    otherwise = " (OMP_THREAD_LIMIT or a thread_limit clause sets it)"
    used = f", and other teams have {size.others + 1} of these" if size.others else ""
    return text(f"{_asked(size)}thread-limit-var is {size.limit}", *_by(size, otherwise), used)


def _num_threads(size: TeamSize) -> Text:
    number = "…" if size.asked is None else str(size.asked)
    other = size.nthreads is not None and size.nthreads != size.size
    instead = f" instead of the {size.nthreads} of nthreads-var" if other else ""
    return text(f"the construct's num_threads({number}) asks for that{instead}")


def _active_levels(size: TeamSize) -> Text:
    limit = size.limit or 0
    around = ("", " and the region around it is active")
    levels = around[limit] if limit < 2 else f" and {limit} regions around it are active"
    return text(
        f"{_asked(size)}max-active-levels-var is {limit}",
        *_by(size, ""),
        f"{levels}; OMP_MAX_ACTIVE_LEVELS={limit + 1} lets it have more",
    )


def _of_icv(size: TeamSize) -> Text:
    icv = f"nthreads-var is {size.asked}"
    if size.rule is SizeRule.REJECTED:
        return text("the runtime rejected ", *setting("OMP_NUM_THREADS", size.setting), f"; {icv}")
    if size.rule is SizeRule.ENVIRONMENT:
        return text(f"{icv}, by ", *setting("OMP_NUM_THREADS", size.setting))
    if size.rule is SizeRule.PROCESSORS:
        return text(
            f"{icv}, the number of CPUs that the process may use (num-procs-var); "
            "OMP_NUM_THREADS is not set"
        )
    if size.rule is SizeRule.CALL:
        by = text("OMP_NUM_THREADS is not set")
        if size.setting is not None:
            by = text("not ", *setting("OMP_NUM_THREADS", size.setting))
        return text(f"{icv}, as a call such as omp_set_num_threads sets it; ", *by)
    asked = "" if size.asked is None else f"{size.asked} were asked for; "
    return text(f"{asked}why is not known")


def setting(variable: str, value: Optional[str]) -> Text:
    """Write what the environment has: OMP_NUM_THREADS="8c"."""
    return text(Span(variable, Role.VARIABLE), f'="{value}"')
