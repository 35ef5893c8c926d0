# SPDX-License-Identifier: Apache-2.0
"""The place that an event breakpoint is restricted to: a function, or a file's line."""

from __future__ import annotations

import re
from typing import NamedTuple, Optional

from ..model import Location
from ..host.outlined import without_parameters, without_template_arguments

LINE = re.compile(r"^(?P<file>.+):(?P<line>\d+)$")
FORTRAN_FILE = re.compile(r"\.(f|for|ftn|f\d\d)$", re.IGNORECASE)


class Where(NamedTuple):
    """FUNCTION or FILE and LINE, as the user wrote them."""

    function: Optional[str] = None
    file: Optional[str] = None
    line: Optional[int] = None

    def matches(self, place: Optional[Location]) -> bool:
        """Tell whether a construct is there; a place that is not known is nowhere."""
        if place is None:
            return False
        if self.function is not None:
            return _is_function(self.function, place)
        return self.line == place.line and _is_file(self.file or "", place.file or "")


def parse(text: str) -> Where:
    """Take a location apart. ``a::b`` is a function: only digits are a line."""
    text = text.strip()
    line = LINE.match(text)
    if line is not None and not line.group("file").endswith(":"):
        return Where(file=line.group("file"), line=int(line.group("line")))
    return Where(function=without_parameters(text))


def _is_function(wanted: str, place: Location) -> bool:
    """Compare as GDB's ``break`` does: without parameters, and any namespace or class
    around it unless it is named. Fortran's names have no case."""
    name = place.function
    if name is None:
        return False
    if FORTRAN_FILE.search(place.file or ""):
        wanted, name = wanted.lower(), name.lower()
    wanted = wanted.removeprefix("::")
    return any(
        each == wanted or each.endswith(f"::{wanted}")
        for each in (name, without_template_arguments(name))
    )


def _is_file(wanted: str, file: str) -> bool:
    """Tell whether FILE is WANTED, which may leave out leading folders."""
    wanted = wanted.removeprefix("./")
    return file == wanted or file.endswith(f"/{wanted}")
