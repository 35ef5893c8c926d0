# SPDX-License-Identifier: Apache-2.0
"""The layouts of LLVM's runtime that are known, by what ``ompd_init()`` stores.

A recovered table whose 145 constants are those of a known layout has its names
right: a header with entries in another order would give other constants.
"""

from __future__ import annotations

import functools
import json
import os
from typing import Mapping, NamedTuple, Optional

FILE = os.path.join(os.path.dirname(__file__), "profiles.json")


class Profile(NamedTuple):
    """One known layout. LABEL is short, such as "LLVM 19"; PROVENANCE names the
    builds that its values were read from."""

    label: str
    provenance: str
    constants: Mapping[str, int]


@functools.lru_cache(maxsize=1)
def known() -> tuple[Profile, ...]:
    """Return the known layouts, oldest version first."""
    with open(FILE, encoding="utf-8") as file:
        document = json.load(file)
    names = document["names"]
    return tuple(
        Profile(each["label"], each["provenance"], dict(zip(names, each["values"])))
        for each in document["profiles"]
    )


def matching(constants: Mapping[str, int]) -> Optional[Profile]:
    """Return the known layout that has exactly these constants, None if none has."""
    return next((profile for profile in known() if profile.constants == constants), None)
