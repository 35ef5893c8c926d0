# SPDX-License-Identifier: Apache-2.0
"""Run inside gdb: the OMPD library's own handles, as a script has them from inquiry.

Sourced after the truth driver.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import gdb
from gdb_ompd import _native, inquiry
from gdb_ompd.errors import OmpdToolError

# The driver's, which is sourced into that namespace.
from __main__ import _gdb_threads, read_truth

COMMANDS = (
    "ompd status",
    "ompd init",
    "ompd threads",
    "ompd parallel -all",
    "ompd tasks -all",
    "ompd icvs -all",
    "ompd env",
    "ompd bt",
    "ompd why",
    "ompd disable",
    "ompd enable",
    "set ompd cache off",
    "set ompd cache on",
    "print $_omp_thread_num()",
    "print $_omp_team_size(1)",
    "print $_omp_state()",
    'print $_omp_icv("nthreads-var")',
    "info threads",
    "python gdb_ompd.snapshot()",
)
Fact = tuple[str, Any, Any]  # what, said, truth


def outcome(call: Callable[..., Any], *arguments: Any) -> str:
    """Return which error a call met, or "ok"."""
    try:
        call(*arguments)
    except (_native.OmpdError, OmpdToolError) as error:
        return str(getattr(error, "code_name", type(error).__name__))
    return "ok"


def numbered() -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield what each thread in OpenMP recorded, by gdb's number."""
    numbers = {thread["lwp"]: thread["gdb_num"] for thread in _gdb_threads()}
    for slot in read_truth()["slots"]:
        if not slot["idle"] and slot["construct"] >= 0:
            yield numbers[slot["lwp"]], slot


def of_threads(slots: dict[int, dict[str, Any]]) -> Iterator[Fact]:
    icvs = {name: (i, scope) for i, name, scope in inquiry.process_handle().enumerate_icvs()}
    for gdb_num, slot in slots.items():
        thread = inquiry.handle_of_thread(gdb_num)
        said = thread.thread_id(_native.THREAD_ID_PTHREAD)
        yield "pthread", said, slot["pthread_id"]
        yield "waits", inquiry.wait_id(gdb_num) is not None, slot["state"] == "wait_lock"
        task = inquiry.handle_of_task(gdb_num)
        yield "the thread's task", task.compare(thread.curr_task()), 0
        region = inquiry.innermost_region(gdb_num)
        if region is not None:
            handle = inquiry.handle_of_region(region)
            yield "level", handle.icv(*icvs["levels-var"]), slot["level"]
            yield "the thread's region", handle.compare(thread.curr_parallel()), 0
            around = inquiry.enclosing_region(region)
            if around is not None:
                enclosing = inquiry.handle_of_region(around)
                yield "the region around", enclosing.compare(handle.enclosing_parallel()), 0
        name = inquiry.function_name(task.function()) if region else None
        entry = inquiry.task_function(gdb_num)
        yield "name", name, name if entry is None else inquiry.function_name(entry)


def handles(gdb_num: int) -> list[Any]:
    """Return a handle of each kind, each made by itself."""
    region = inquiry.innermost_region(gdb_num)
    return [
        inquiry.process_handle(),
        inquiry.handle_of_thread(gdb_num),
        inquiry.handle_of_task(gdb_num),
        *([inquiry.handle_of_region(region)] if region is not None else []),
    ]


def lasting(gdb_num: int) -> Iterator[Fact]:
    """No command ends what a script holds."""
    held = handles(gdb_num)
    before = held[1].state(), held[2].function()
    for command in COMMANDS:
        gdb.execute(command, to_string=True)
        yield f"valid after {command}", [handle.valid for handle in held], [True] * len(held)
    yield "the same answers", (held[1].state(), held[2].function()), before
    yield "the same process", inquiry.process_handle() is held[0], True
    gdb.execute("next", to_string=True)
    yield "valid after next", [handle.valid for handle in held], [False] * len(held)
    yield "asked after next", outcome(held[1].state), "ompd_rc_stale_handle"
    yield "new ones after next", [handle.valid for handle in handles(gdb_num)], [True] * len(held)


def tool_data(slots: dict[int, dict[str, Any]]) -> Iterator[Fact]:
    """Without a tool there is nothing, in as many scopes as the library has."""
    for gdb_num in slots:
        for handle in handles(gdb_num)[1:]:
            yield "tool data", inquiry.tool_data(handle) in (None, (0, 0)), True


def refused(slots: dict[int, dict[str, Any]]) -> Iterator[Fact]:
    yield "no such thread", outcome(inquiry.handle_of_thread, 99), "NotFound"
    yield "no such region", outcome(inquiry.handle_of_region, 99), "NotFound"
    yield "no task so deep", outcome(inquiry.handle_of_task, min(slots), 99), "OmpdToolError"
    yield "no function there", inquiry.function_name(16), None
    main = int(gdb.parse_and_eval("(unsigned long) &main"))
    yield "a function", inquiry.function_name(main), "main"


def tell(stop: int) -> None:
    """Run to the program's stop and tell the facts there."""
    gdb.execute("break truth_stop")
    gdb.execute("run")
    for _ in range(stop - 1):
        gdb.execute("continue")
    slots = dict(numbered())
    found = [*of_threads(slots), *tool_data(slots), *refused(slots), *lasting(min(slots))]
    print("HANDLES " + json.dumps(found))
