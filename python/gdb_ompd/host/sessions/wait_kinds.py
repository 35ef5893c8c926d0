# SPDX-License-Identifier: Apache-2.0
"""What is waited for in a function that the runtime has for several constructs: the source's lines
tell them apart."""

from __future__ import annotations

import linecache
import re
from typing import Sequence

from ..._native import CallPlace
from ...model.waits import Kind
from ..source import line_at

# GCC's code for reductions calls what atomics do, at some line of the construct.
_REDUCTION = re.compile(r"\bomp\b.*\breduction\s*\(", re.IGNORECASE)
_ATOMIC_PRAGMA = re.compile(r"\bomp\s+atomic\b", re.IGNORECASE)
_BARRIER_PRAGMA = re.compile(r"\bomp\s+barrier\b", re.IGNORECASE)
MAX_LINES = 2000  # of a construct


def kind_by_lines(kind: Kind, places: Sequence[CallPlace]) -> Kind:
    """Return what is waited for in a function that the runtime has for several kinds, of
    which KIND is one. PLACES are the calls that may have been made."""
    if not places:
        return kind
    if kind is Kind.ATOMIC:
        return Kind.REDUCTION if all(map(_is_of_reduction, places)) else kind
    begun = all(map(_is_begun_on_its_line, places))
    if kind is Kind.TASKGROUP:
        return Kind.TASKLOOP if begun else kind
    if begun:
        return Kind.SINGLE_BARRIER
    return Kind.EXPLICIT_BARRIER if all(map(_is_at_barrier, places)) else kind


def _is_begun_on_its_line(place: CallPlace) -> bool:
    line = line_at(place.address)
    return line is not None and any(line_at(start) == line for start in place.starts)


def _is_at_barrier(place: CallPlace) -> bool:
    line = line_at(place.address)
    return line is not None and bool(_BARRIER_PRAGMA.search(linecache.getline(*line)))


def _is_of_reduction(place: CallPlace) -> bool:
    """Tell whether a call for an atomic update is made by a reduction: no atomic construct
    is written there, and a reduction clause between it and the function's beginning."""
    line, begin = line_at(place.address), line_at(place.function)
    if line is None or begin is None or line[0] != begin[0]:
        return False
    file, number = line
    if any(_ATOMIC_PRAGMA.search(linecache.getline(file, n)) for n in (number - 1, number)):
        return False
    lines = range(max(begin[1], number - MAX_LINES), number + 1)
    return any(_REDUCTION.search(linecache.getline(file, n)) for n in lines)
