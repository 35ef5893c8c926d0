# SPDX-License-Identifier: Apache-2.0
"""Layouts of runtimes that were read from builds with debug information, for runtimes
without it.

An entry holds only for a runtime whose 145 published constants are exactly those of the
build that it was read from, and that exports nothing which only later versions with the
same constants do.
"""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass
from typing import Callable, Mapping, Optional

from ...host.symbols import profiles
from .layout import Layout

# Offset and size in bytes by "record.field", in bits for a field of bits; a record by its
# name alone has offset 0.
Places = Mapping[str, tuple[int, int]]
Exports = Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class Known:
    """An entry of a table: the profile of the 145 constants that it goes with, the builds
    that it was read from, what only LATER versions with these constants export, and the
    places."""

    profile: str
    provenance: str
    later: tuple[str, ...]
    places: Places


@functools.lru_cache(maxsize=None)
def table(file: str) -> tuple[Known, ...]:
    """Return the entries of a table."""
    with open(file, encoding="utf-8") as text:
        document = json.load(text)
    return tuple(
        Known(
            each["profile"],
            each["provenance"],
            tuple(each["later"]),
            {name: (at[0], at[1]) for name, at in each["fields"].items()},
        )
        for each in document["layouts"]
    )


def known(file: str, layout: Layout, exports: Exports) -> Optional[Known]:
    """Return the table's entry for a runtime with this layout, None where it has none.
    EXPORTS tells whether the runtime exports a name."""
    profile = profiles.matching(layout.values)
    for each in table(file):
        if profile is not None and each.profile == profile.label:
            return None if any(map(exports, each.later)) else each
    return None
