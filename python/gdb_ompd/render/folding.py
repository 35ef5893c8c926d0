# SPDX-License-Identifier: Apache-2.0
"""Saying many equal things once: number ranges and groups of equal items."""

from __future__ import annotations

from itertools import groupby
from typing import Callable, Hashable, Iterable, Optional, TypeVar

from ..explain.phrases import ranges as ranges

# What a terminal of 24 lines shows besides a header, a note and two prompts.
MANY = 20

Item = TypeVar("Item")


def wanted(fold: Optional[bool], count: int) -> bool:
    """Tell whether to fold COUNT rows; FOLD decides where it is not None."""
    return count > MANY if fold is None else fold


def groups(items: Iterable[Item], key: Callable[[Item], Hashable]) -> list[list[Item]]:
    """Group items of equal KEY, in the order in which each key first appears."""
    every = list(items)
    return keyed_groups(every, map(key, every)) if len(every) > 1 else [every] * len(every)


def keyed_groups(items: Iterable[Item], keys: Iterable[Hashable]) -> list[list[Item]]:
    """Return the same of items with these KEYS."""
    found: dict[Hashable, list[Item]] = {}
    group: list[Item] = []
    previous: Hashable = None
    for item, current in zip(items, keys):
        if not group or current != previous:  # neighbours are often alike: hashing takes longer
            group = found.setdefault(current, [])
        group.append(item)
        previous = current
    return list(found.values())


def runs(items: Iterable[Item], key: Callable[[Item], Hashable]) -> list[list[Item]]:
    """Group only neighbours of equal KEY."""
    return [list(same) for _, same in groupby(items, key)]


def counted(numbers: Iterable[int], limit: int) -> str:
    """Write numbers as ``ranges`` does; of a list that is cut short say how many there are."""
    listed = list(numbers)
    written = ranges(listed, limit)
    return f"{len(set(listed))} threads: {written}" if written.endswith("...") else written
