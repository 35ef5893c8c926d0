# SPDX-License-Identifier: Apache-2.0
"""What a saved stop holds, and its text."""

from __future__ import annotations

import json
from typing import Any, Callable, Mapping, NamedTuple, Optional

from ..errors import BadFile
from ..explain.facts import Facts
from ..explain.report import Report
from ..model import (
    ControlVariable,
    Icv,
    IcvOwner,
    Region,
    Status,
    Task,
    Thread,
    WaitingTasks,
    WaitsFor,
)
from ..model.stacks import Stack
from ..model.cpus import Places
from ..model.devices import Devices
from ..model.teams import TeamSize
from .codec import Field, TABLES, Writer, fields_of

SCHEMA = 1
WHAT = "saved stop of gdb-ompd"


class Rank(NamedTuple):
    """The process's number among SIZE of a parallel job, and the VARIABLE that tells it."""

    number: int
    size: Optional[int]
    variable: str


class Failure(NamedTuple):
    """A question that had no answer, such as "tasks", and the error. Of a question on threads
    GDB_NUM is the one, None for all together. EARLY tells that the runtime had not started."""

    question: str
    text: str
    gdb_num: Optional[int] = None
    early: bool = False


class Bare(NamedTuple):
    """A thread as the runtime alone has it, where its stack tells another state."""

    inferior: int
    gdb_num: int
    state: Optional[str]
    waits_for: Optional[WaitsFor]


class Ran(NamedTuple):
    """A thread, and how many milliseconds it has run."""

    gdb_num: int
    milliseconds: int


class IcvsOf(NamedTuple):
    """The ICVs of one owner, each without it."""

    owner: Optional[IcvOwner]
    icvs: tuple[Icv, ...]


class TasksOf(NamedTuple):
    """A region's implicit tasks."""

    region: int
    tasks: tuple[Task, ...]


class Circumstances(NamedTuple):
    """When and of what a stop was saved. TIME is in milliseconds since 1970; HOST the machine
    on which the debugger ran, MOMENT the same for what was saved without the program going on."""

    time: int
    host: str
    program: Optional[str]
    pid: int
    rank: Optional[Rank]
    debugger: str
    version: str
    moment: str


class Contents(NamedTuple):
    """All of a stop. THREADS are those of all inferiors, with what is said below their
    listing; the rest is of INFERIOR. PREFIX is what GDB writes before a number of its threads,
    NUMBERS are all of these. BARE are the threads whose stacks tell another state than the
    runtime does. SAID_ONCE are notes that a listing says only once of a process. REPORT is what was
    concluded from FACTS when it was saved. BEGINS_NONE is the selected thread's file, if
    that begins no region."""

    circumstances: Circumstances
    inferior: int
    prefix: str
    qualified: bool
    selected: Optional[int]
    numbers: tuple[int, ...]
    status: Status
    report: Optional[Report]
    threads: tuple[Thread, ...]
    listing_notes: tuple[str, ...]
    notes: tuple[str, ...]
    bare: tuple[Bare, ...]
    regions: tuple[Region, ...]
    tasks: tuple[Task, ...]
    waiting_tasks: Optional[WaitingTasks]
    implicit_tasks: tuple[TasksOf, ...]
    icvs: tuple[IcvsOf, ...]
    control_variables: tuple[ControlVariable, ...]
    stacks: tuple[Stack, ...]
    ran: tuple[Ran, ...] = ()
    said_once: tuple[str, ...] = ()
    facts: Optional[Facts] = None
    failures: tuple[Failure, ...] = ()
    team_sizes: tuple[TeamSize, ...] = ()
    begins_none: Optional[str] = None
    cpus: Optional[Places] = None
    devices: Optional[Devices] = None


PARTS: dict[str, Field] = {field.name: field for field in fields_of(Contents)}


def text(contents: Contents) -> str:
    """Return the JSON document: each item of a list on its own line, the tables last."""
    writer = Writer()
    document: dict[str, Any] = {"schema": SCHEMA, "what": WHAT}
    document.update({name: writer.value(getattr(contents, name)) for name in PARTS})
    members = [f"{json.dumps(name)}: {_lines(part)}" for name, part in document.items()]
    tables = [
        f"{json.dumps(kind.__name__)}: {_lines(writer.tables[kind.__name__])}" for kind in TABLES
    ]
    members.append('"tables": {\n' + ",\n".join(tables) + "}")
    return "{\n" + ",\n".join(members) + "}\n"


def _lines(part: Any) -> str:
    if isinstance(part, list) and part and isinstance(part[0], dict):
        return "[\n" + ",\n".join(map(_COMPACT.encode, part)) + "]"
    return _COMPACT.encode(part)


class Members:
    """The members of a document's text, and of its tables, by their names. Of a text that is laid
    out as ``text`` does it each is read when it is asked for: a job's ranks are many, and little
    of each is asked. BadFile for what is not JSON."""

    def __init__(self, document: str) -> None:
        self._text = document
        self._starts: dict[str, int] = {}
        count, at = 0, document.find('\n"')
        while at >= 0:
            end = document.find('": ', at)
            self._starts[document[at + 2 : end]] = end + 3
            count, at = count + 1, document.find('\n"', end)
        ends = document.startswith('{\n"') and document.endswith("}}\n")
        tables = document.startswith("{\n", self._starts.get("tables", 0))
        laid_out = ends and tables and count == len(self._starts)
        self._read = {} if laid_out else _all_of(_read(json.loads, document))
        if not laid_out:
            self._starts = {}

    def get(self, name: str) -> Any:
        """Return the member of that name, None if there is none."""
        if name not in self._read and name in self._starts:
            self._read[name], end = _read(_JSON.raw_decode, self._text, self._starts[name])
            if self._text[end] not in ",}":
                raise BadFile("not JSON")
        return self._read.get(name)


def _read(read: Callable[..., Any], *what: object) -> Any:
    try:
        return read(*what)
    except (ValueError, RecursionError, MemoryError):
        raise BadFile("not JSON") from None


def _all_of(document: Any) -> dict[str, Any]:
    own = document if isinstance(document, dict) else {}
    tables = own.get("tables")
    return {**(tables if isinstance(tables, dict) else {}), **own}


_JSON = json.JSONDecoder()
_COMPACT = json.JSONEncoder(separators=(",", ":"))


# The launcher's own variables come before those of the batch system around it.
VARIABLES = (
    ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
    ("MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"),
    ("PMI_RANK", "PMI_SIZE"),
    ("PMIX_RANK", "PMIX_SIZE"),
    ("PALS_RANKID", "PALS_SIZE"),
    ("SLURM_PROCID", "SLURM_NTASKS"),
)


def rank_in(environment: Mapping[str, str]) -> Optional[Rank]:
    """Return the rank, None for a process that no launcher has started."""
    for number, size in VARIABLES:
        rank = _number(environment.get(number))
        if rank is not None:
            return Rank(rank, _number(environment.get(size)), number)
    return None


def _number(text: Optional[str]) -> Optional[int]:
    plain = text is not None and text.isascii() and text.isdecimal() and len(text) < 10
    return int(text) if plain and text is not None else None
