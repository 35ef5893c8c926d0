# SPDX-License-Identifier: Apache-2.0
"""Where a program is stopped for its target constructs.

GCC's runtime has places for them, with the names of OMPD's functions. LLVM's has none: a breakpoint
is set for each function that clang has made of a region, and for each that calls a device.
"""

from __future__ import annotations

from typing import Iterator, NamedTuple

import gdb

from .. import _native
from .._native import TargetFunction
from ..errors import NoSymbols
from ..host.fetch import local_file
from ..host.runtimes.event_functions import TARGET_FUNCTIONS
from .event_breakpoint import is_known
from .wanted_place import parse

NO_CONSTRUCT = (
    "no loaded file has code of a target construct{place}, so that the program cannot be stopped"
    " at {event}: with optimisation clang makes plain code of one that only the host can execute"
)
NO_END = (
    "Where a device's part ends is known once the library for devices is loaded: set target-end"
    " again when the program has started."
)
OPTIMISED = (
    "Clang has made the region's code a part of its caller's: where no device executes it,"
    " the end is not seen."
)


class Found(NamedTuple):
    """What the loaded files have: REGIONS that the host executes, the functions that are CALLED
    for devices as far as their code is known, and the names of those that are WANTED. Of GCC's
    code it is known whether there IS_ANY."""

    regions: list[TargetFunction]
    called: dict[str, TargetFunction]
    wanted: list[str]
    is_any_of_gcc: bool


def loaded() -> Found:
    """Look into the loaded files."""
    found: list[_native.TargetFunctions] = []
    for objfile in gdb.current_progspace().objfiles():
        if objfile.owner is not None or not objfile.filename:
            continue
        try:
            found.append(_native.target_functions(local_file(objfile)))
        except (OSError, ValueError):
            continue  # no file, such as the vDSO
    return Found(
        [region for each in found for region in each.regions],
        {function.name: function for each in found for function in each.calls},
        sorted({name for each in found for name in each.wanted}),
        any(each.is_of_gcc for each in found),
    )


def specs(event: str, location: str, is_announced: bool) -> tuple[list[str], list[str]]:
    """Return where GDB is to stop for EVENT, and what that does not see; it may be that a runtime
    has announced it. Raises NoSymbols where the loaded files have no target construct there."""
    found = loaded()
    place = f" at {location}" if location else ""
    wanted, notes = _in_clangs_code(found, event, location)
    own = TARGET_FUNCTIONS[event]
    if found.is_any_of_gcc or (is_announced and is_known(own)):
        wanted.append(own)
    if not wanted and not notes:
        raise NoSymbols(NO_CONSTRUCT.format(event=event, place=place))
    return wanted, notes


def _in_clangs_code(found: Found, event: str, location: str) -> tuple[list[str], list[str]]:
    """Return where GDB is to stop in clang's code, and what that leaves out."""
    regions = _wanted(found.regions, location)
    if event == "target-begin":
        return [f"*&{each.name}" for each in regions] + found.wanted, []
    ends = [spec for each in regions for spec in _ends(each)]
    called = [found.called[each] for each in found.wanted if each in found.called]
    if not all(each.returns for each in called):  # it ends with a jump to another
        called = list(found.called.values())
    ends += [spec for each in called for spec in _ends(each)]
    notes = [NO_END] if found.wanted and not called else []
    if found.wanted and not found.regions:
        notes.append(OPTIMISED)
    return ends, notes


def _ends(function: TargetFunction) -> Iterator[str]:
    for distance in function.returns:
        yield f"*((char *) &{function.name} + {distance})"


def _wanted(regions: list[TargetFunction], location: str) -> list[TargetFunction]:
    """Return those of REGIONS that can be at LOCATION, by their names; where they are is asked
    again when the program comes there."""
    wanted = parse(location)
    if wanted.line is not None:
        return [each for each in regions if each.line == wanted.line]
    if not location or wanted.function is None:
        return regions
    name = wanted.function.rpartition("::")[2].partition("<")[0]
    return [each for each in regions if name in each.made_in] or regions
