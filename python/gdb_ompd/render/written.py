# SPDX-License-Identifier: Apache-2.0
"""What was written last: a user who steps has the same written again and again."""

from __future__ import annotations

from typing import Callable, Hashable, Iterator

# Of what each listing was made last, and its lines.
_last: dict[Hashable, tuple[tuple[object, ...], list[str]]] = {}


def once(
    listing: Hashable, made_of: tuple[object, ...], make: Callable[[], Iterator[str]]
) -> Iterator[str]:
    """Write the lines that MAKE makes of all in MADE_OF, which are those of the last time if
    the same LISTING was then made of the same."""
    last = _last.get(listing)
    if last is not None and last[0] == made_of:
        yield from last[1]
        return
    lines = []
    for line in make():
        lines.append(line)
        yield line
    _last[listing] = made_of, lines
