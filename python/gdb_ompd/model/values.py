# SPDX-License-Identifier: Apache-2.0
"""One expression in several threads, as plain frozen values."""

from __future__ import annotations

from typing import NamedTuple, Optional, Union

from . import Location


class AskedThread(NamedTuple):
    """A thread that is asked. GDB_NUM is None of a member of the team that GDB does not know."""

    gdb_num: Optional[int]
    thread_num: Optional[int] = None


class ThreadValue(NamedTuple):
    """The value in one thread. TEXT is as GDB prints it, ADDRESS where it is in memory,
    ERROR why there is none; NUMBER is its value if it is a number.

    FUNCTION is the one in whose frame the expression was evaluated, where that is another
    than the selected frame's and the expression's value depends on it."""

    gdb_num: Optional[int]
    thread_num: Optional[int]
    text: Optional[str] = None
    address: Optional[int] = None
    error: Optional[str] = None
    number: Union[int, float, None] = None
    function: Optional[str] = None


class FoundName(NamedTuple):
    """Where a variable was found along the logical stack: in the frame with the number FRAME of
    a thread; a static variable is in no frame."""

    name: str
    gdb_num: Optional[int]
    frame: Optional[int] = None
    place: Optional[Location] = None
    address: Optional[int] = None


class FoundValue(NamedTuple):
    """The VALUE of an expression over variables that were looked up."""

    expression: str
    value: ThreadValue
    names: tuple[FoundName, ...]


class Part(NamedTuple):
    """A member or element that is not the same in all threads: "cell[2].t". VALUES are those
    of the threads that have the whole; their addresses are not given."""

    path: str
    values: tuple[ThreadValue, ...]


class Values(NamedTuple):
    """An expression in the threads of a team, in the order of their numbers, or, where they
    are not of ONE_TEAM, in that of GDB's numbers.

    PARTS are those of an array or struct that differ, None for another type; not ALL_PARTS,
    the first of them."""

    expression: str
    values: tuple[ThreadValue, ...]
    parts: Optional[tuple[Part, ...]] = None
    all_parts: bool = True
    one_team: bool = True
    notes: tuple[str, ...] = ()
    prefix: str = ""  # what GDB writes before a number of the inferior's threads
