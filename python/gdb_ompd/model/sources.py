# SPDX-License-Identifier: Apache-2.0
"""Lines of the program's source around a place."""

from __future__ import annotations

from typing import NamedTuple, Optional


class Excerpt(NamedTuple):
    """LINES of a FILE around LINE, which is in FUNCTION; the first of them is number FIRST. Of a file
    that IS_NEWER than the program they may be other lines than those that were compiled."""

    file: str
    line: int
    function: Optional[str]
    first: int
    lines: tuple[str, ...]
    is_newer: bool
