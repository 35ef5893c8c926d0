# SPDX-License-Identifier: Apache-2.0
"""The releases of LLVM's runtime that are known, a file each: ``scripts/fields-of-libomp.sh``
writes it. Nothing else is to be done for a new one."""

from __future__ import annotations

import functools
import json
import os
from typing import Callable, Mapping, NamedTuple, Optional

from ..._native import PrivateFields

FOLDER = os.path.join(os.path.dirname(__file__), "releases")


class Release(NamedTuple):
    """LABEL is short, such as "LLVM 19"; PROVENANCE names the build that it was read from.

    CONSTANTS are the 145 that ``ompd_init()`` stores: a recovered table that has exactly these
    has its names right, as a header with entries in another order would give other constants.
    FIELDS are the places of what OMPD does not publish, as ``PrivateFields`` has them. LATER are
    names that only later releases export.
    """

    label: str
    provenance: str
    later: tuple[str, ...]
    constants: Mapping[str, int]
    fields: Mapping[str, tuple[int, int]]


@functools.lru_cache(maxsize=1)
def known_releases() -> tuple[Release, ...]:
    """Return the known releases, oldest first."""
    found = [_read(os.path.join(FOLDER, name)) for name in sorted(os.listdir(FOLDER))]
    return tuple(sorted(found, key=lambda release: int(release.label.split()[-1])))


def _read(path: str) -> Release:
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    fields = {name: (place[0], place[1]) for name, place in document["fields"].items()}
    return Release(
        document["label"],
        document["provenance"],
        tuple(document["later"]),
        document["constants"],
        fields,
    )


def release_of(constants: Mapping[str, int]) -> Optional[Release]:
    """Return the oldest release that has exactly these constants, None if none has."""
    return next((release for release in known_releases() if release.constants == constants), None)


def private_fields(
    constants: Mapping[str, int], exports: Callable[[str], bool]
) -> Optional[PrivateFields]:
    """Return where a runtime keeps what OMPD does not publish, by its CONSTANTS and by what it
    EXPORTS. None where it is of no known release."""
    for release in known_releases():
        if release.constants == constants and not any(map(exports, release.later)):
            return PrivateFields(release.fields) if release.fields else None
    return None
