# SPDX-License-Identifier: Apache-2.0
"""Saying many equal things once: number ranges and groups of equal items."""

from __future__ import annotations

from typing import Callable, Hashable, Iterable, Optional, TypeVar

# What a terminal of 24 lines shows besides a header, a note and two prompts.
MANY = 20

Item = TypeVar("Item")


def wanted(fold: Optional[bool], count: int) -> bool:
    """Tell whether to fold COUNT rows; FOLD decides where it is not None."""
    return count > MANY if fold is None else fold


def groups(items: Iterable[Item], key: Callable[[Item], Hashable]) -> list[list[Item]]:
    """Group items of equal KEY, in the order in which each key first appears."""
    every = list(items)
    return keyed_groups(every, map(key, every))


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
    found: list[list[Item]] = []
    previous: Hashable = None
    for item in items:
        current = key(item)
        if found and current == previous:
            found[-1].append(item)
        else:
            found.append([item])
        previous = current
    return found


def ranges(numbers: Iterable[int], limit: Optional[int] = None) -> str:
    """Write numbers in order, each once, as in "0-3,5".

    A list longer than LIMIT characters ends in ",..." after a whole number.
    """
    distinct = set(numbers)
    if len(distinct) == 1:
        return str(distinct.pop())
    pieces = _pieces(sorted(distinct))
    whole = ",".join(pieces)
    if limit is None or len(whole) <= limit:
        return whole
    while len(pieces) > 1 and len(",".join(pieces)) + len(",...") > limit:
        pieces.pop()
    return ",".join([*pieces, "..."])


def counted(numbers: Iterable[int], limit: int) -> str:
    """Write numbers as ``ranges`` does; of a list that is cut short say how many there are."""
    listed = list(numbers)
    written = ranges(listed, limit)
    return f"{len(set(listed))} threads: {written}" if written.endswith("...") else written


def _pieces(numbers: list[int]) -> list[str]:
    if len(numbers) > 1 and numbers[-1] - numbers[0] == len(numbers) - 1:
        return [f"{numbers[0]}-{numbers[-1]}"]
    pieces: list[str] = []
    first = 0
    for index, number in enumerate(numbers):
        if index + 1 < len(numbers) and numbers[index + 1] == number + 1:
            continue
        begin = numbers[first]
        pieces.append(str(number) if begin == number else f"{begin}-{number}")
        first = index + 1
    return pieces
