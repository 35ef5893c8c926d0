# SPDX-License-Identifier: Apache-2.0
"""The place that an event breakpoint is restricted to, as the user wrote it, and whether a construct
is there."""

from __future__ import annotations

import re
from typing import Iterable, NamedTuple, Optional

from .._native import FunctionName
from ..model import Code, Location

LINE = re.compile(r"^(?P<file>.+):(?P<line>\d+)$")
CODE = re.compile(r"^(?P<file>[^\s()]+)\+(?P<offset>0x[0-9a-fA-F]+)$")
FORTRAN_FILE = re.compile(r"\.(f|for|ftn|f\d\d)$", re.IGNORECASE)


class WantedPlace(NamedTuple):
    """FUNCTION, or FILE and LINE; without a name the FILE that the function was mapped from, and
    at which OFFSET in it the function begins."""

    function: Optional[str] = None
    file: Optional[str] = None
    line: Optional[int] = None
    offset: Optional[int] = None

    def matches(self, place: Optional[Location], codes: Iterable[Code] = ()) -> bool:
        """Tell whether a construct is at PLACE, in functions that have these CODES; a place that
        is not known is nowhere."""
        if place is None:
            return False
        if self.offset is not None:
            return any(map(self.is_code, codes))
        if self.function is not None:
            return _is_function(self.function, place)
        return self.line == place.line and self.is_file(place.file or "")

    def is_code(self, code: Code) -> bool:
        """Tell whether the function is the one that begins at CODE."""
        return code.offset == self.offset and self.is_file(code.module)

    def is_file(self, file: str) -> bool:
        """Tell whether a file is the one, whose leading folders the user may have left out."""
        wanted = (self.file or "").removeprefix("./")
        return file == wanted or file.endswith(f"/{wanted}")


def parse(text: str) -> WantedPlace:
    """Take a location apart. ``a::b`` is a function: only digits are a line."""
    text = text.strip()
    line, code = LINE.match(text), CODE.match(text)
    if line is not None and not line.group("file").endswith(":"):
        return WantedPlace(file=line.group("file"), line=int(line.group("line")))
    if code is not None:
        return WantedPlace(file=code.group("file"), offset=int(code.group("offset"), 16))
    # Of a long name the listings leave the arguments out, as "Solver<...>::run".
    return WantedPlace(function=FunctionName(text.replace("<...>", "")).without_parameters)


def _is_function(wanted: str, place: Location) -> bool:
    """Compare as GDB's ``break`` does: without parameters, and templates' arguments and any
    namespace or class around it unless they are named. Fortran's names have no case. Of code
    without source the name is the linker's."""
    name = place.function
    if name is None:
        return False
    if FORTRAN_FILE.search(place.file or ""):
        return _is_named(wanted.lower(), name.lower())
    if place.line is not None:
        return _is_named(wanted, name)
    name = FunctionName(name).without_clone
    of_fortran = FunctionName(name).fortran_name
    return _is_named(wanted, name) or (
        of_fortran is not None and _is_named(wanted.lower(), of_fortran)
    )


def _is_named(wanted: str, name: str) -> bool:
    wanted = wanted.removeprefix("::").replace(" ", "")
    names = (
        each.replace(" ", "") for each in (name, FunctionName(name).without_template_arguments)
    )
    return any(each == wanted or each.endswith(f"::{wanted}") for each in names)
