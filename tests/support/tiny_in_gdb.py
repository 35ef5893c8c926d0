# SPDX-License-Identifier: Apache-2.0
"""Run inside gdb: what the tiny runtime's OMPD library says by its handles.

Imported after the truth driver was sourced. TINY_LIBRARY names the library.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from typing import Any, Optional

import gdb
from gdb_ompd import _native
from gdb_ompd.host.sessions.registry import session_of

# The driver's, which is sourced into that namespace.
from __main__ import read_truth

THREAD, PARALLEL = _native.SCOPE_THREAD, _native.SCOPE_PARALLEL
IMPLICIT_TASK, TASK = _native.SCOPE_IMPLICIT_TASK, _native.SCOPE_TASK
SPACE = _native.SCOPE_ADDRESS_SPACE
Fact = tuple[str, Any, Any]  # what, said, truth
OLD_NAMES = {
    "num-procs-var": "ompd-num-procs-var",
    "thread-num-var": "ompd-thread-num-var",
    "team-size-var": "ompd-team-size-var",
    "final-task-var": "ompd-final-var",
    "implicit-task-var": "ompd-implicit-var",
}


def code_of(call: Any, *arguments: Any) -> str:
    """Return the code that a call of the library's met, "ok" if none."""
    try:
        call(*arguments)
    except _native.OmpdError as error:
        return str(error.code_name)
    return "ok"


class Walk:
    """The library on the process, by every handle it gives."""

    def __init__(self) -> None:
        # The session's way to a process, as a runtime that is known has it.
        files = session_of().files
        self.space = files.space()
        modules = files.readable()
        self.space.set_modules(modules, None)
        self.library = _native.Library(os.environ["TINY_LIBRARY"])
        self.process = self.library.process_initialize(self.space)
        self.states = self.process.enumerate_states()
        self.icvs = {name: (i, scope) for i, name, scope in self.process.enumerate_icvs()}

    def icv(self, handle: Any, name: str) -> Any:
        """Return an ICV's number, whose name was another one before OpenMP 5.1."""
        known = name if name in self.icvs else OLD_NAMES[name]
        return handle.icv_or_incomplete(*self.icvs[known])[0]

    def is_explicit(self, task: Any) -> bool:
        """Tell by the ICV that the version has; 5.2's means the opposite of the older ones."""
        if "explicit-task-var" in self.icvs:
            return bool(self.icv(task, "explicit-task-var"))
        return not self.icv(task, "implicit-task-var")

    def text(self, handle: Any, name: str) -> str:
        return str(handle.icv_string(*self.icvs[name]))

    def up(self, handle: Any, step: str) -> Iterator[Any]:
        """Yield HANDLE and what is reached by STEP from it, until it is unavailable."""
        for _ in range(20):
            yield handle
            try:
                handle = getattr(handle, step)()
            except _native.OmpdError as error:
                assert error.code_name == "ompd_rc_unavailable", error
                return
        raise AssertionError(f"{step} has no end")


def of_thread(walk: Walk, slot: dict[str, Any], truth: dict[str, Any]) -> Iterator[Fact]:
    """Compare what is said of one thread with what it recorded."""
    thread = walk.process.thread(_native.THREAD_ID_PTHREAD, slot["pthread_id"])
    by_lwp = walk.process.thread(_native.THREAD_ID_LWP, slot["lwp"], 4)
    yield "the same by either id", thread.compare(by_lwp), 0
    yield "pthread", thread.thread_id(_native.THREAD_ID_PTHREAD), slot["pthread_id"]
    yield "lwp", thread.thread_id(_native.THREAD_ID_LWP, 4), slot["lwp"]
    yield "state", walk.states[thread.state()[0]], f"ompt_state_{slot['state']}"
    if slot["idle"]:
        yield "no region while idle", code_of(thread.curr_parallel), "ompd_rc_unavailable"
        yield "no task while idle", code_of(thread.curr_task), "ompd_rc_unavailable"
        return
    yield from of_regions(walk, slot, thread)
    yield from of_tasks(walk, slot, truth, thread)


def of_regions(walk: Walk, slot: dict[str, Any], thread: Any) -> Iterator[Fact]:
    regions = list(walk.up(thread.curr_parallel(), "enclosing_parallel"))
    levels = range(slot["level"], -1, -1)
    yield "levels", [walk.icv(r, "levels-var") for r in regions], list(levels)
    sizes = [slot["team_size"][level] for level in levels]
    yield "team sizes", [walk.icv(r, "team-size-var") for r in regions], sizes
    yield "active level", walk.icv(regions[0], "active-levels-var"), slot["active_level"]
    yield "thread number", walk.icv(thread, "thread-num-var"), slot["thread_num"]
    member = regions[0].thread_in_parallel(slot["thread_num"])
    yield "member of its team", member.compare(thread), 0
    size = slot["num_threads"]
    yield "beyond the team", code_of(regions[0].thread_in_parallel, size), "ompd_rc_bad_input"
    value, pointer = regions[0].tool_data(PARALLEL)
    yield "tool data of the region", value > 0 and pointer != 0, True


def of_tasks(
    walk: Walk, slot: dict[str, Any], truth: dict[str, Any], thread: Any
) -> Iterator[Fact]:
    chain = list(walk.up(thread.curr_task(), "generating_task"))
    constructs, number = [], slot["construct"]
    while number >= 0:
        constructs.append(truth["constructs"][number])
        number = constructs[-1]["parent"]
    explicit = [construct["kind"] == 2 for construct in constructs]
    said = [walk.is_explicit(task) for task in chain]
    yield "explicit tasks in the chain", said, explicit
    yield "final", walk.icv(chain[0], "final-task-var"), slot["in_final"]
    for name, key in {
        "nthreads-var": "max_threads",
        "dyn-var": "dynamic",
        "max-active-levels-var": "max_active_levels",
        "thread-limit-var": "thread_limit",
        "bind-var": "proc_bind",
        "default-device-var": "default_device",
    }.items():
        yield name, walk.icv(chain[0], name), slot[key]
    kind = ["", "static", "dynamic", "guided", "auto"][slot["schedule_kind"]]
    chunk = slot["schedule_chunk"]
    schedule = f"{kind},{chunk}" if chunk else kind
    yield "run-sched-var", walk.text(chain[0], "run-sched-var"), schedule
    number_only = code_of(chain[0].icv, *walk.icvs["run-sched-var"])
    yield "a schedule is no number", number_only, "ompd_rc_incompatible"
    region = chain[0].task_parallel()
    yield "the task's region", region.compare(thread.curr_parallel()), 0
    yield from of_suspended(slot, chain, explicit, thread)
    for task, construct in zip(chain, constructs):
        if construct["kind"] == 0:
            yield "no function of the initial task", code_of(task.function), "ompd_rc_unavailable"
        else:
            found = gdb.block_for_pc(task.function())
            yield "a function of the program", found is not None and bool(found.function), True


def of_suspended(
    slot: dict[str, Any], chain: list[Any], explicit: list[bool], thread: Any
) -> Iterator[Fact]:
    own = thread.curr_parallel().task_in_parallel(slot["thread_num"])
    if not explicit[0]:
        code = code_of(chain[0].scheduling_task)
        yield "nothing was suspended for an implicit task", code, "ompd_rc_unavailable"
        yield "the implicit task", chain[0].compare(own), 0
    elif not explicit[1]:
        yield "the thread's implicit task was suspended", chain[0].scheduling_task().compare(own), 0
    exit_frame, enter_frame = chain[0].frame()
    yield "the task is on the stack", exit_frame[0] != 0, slot["construct"] != 0
    yield "flags", exit_frame[1], 0x10 if exit_frame[0] else 0
    waits = slot["state"].startswith("wait")
    yield "the runtime was entered", (enter_frame[0] != 0, enter_frame[1] == 0x10), (waits, waits)


def of_process(walk: Walk, slot: dict[str, Any]) -> Iterator[Fact]:
    process = walk.process
    for name, key in {
        "stacksize-var": "stack_size",
        "cancel-var": "cancellation",
        "max-task-priority-var": "max_task_priority",
        "num-procs-var": "num_procs",
    }.items():
        yield name, walk.icv(process, name), slot[key]
    yield "a text", walk.text(process, "affinity-format-var"), "level %L thread %n"
    yield "settings", "OMP_STACKSIZE=1M" in process.display_control_vars(), True
    newest = int(os.environ.get("TINY_OMPD_VERSION", "202411"))
    yield "version", (walk.library.agreed_version, process.omp_version()), (newest, newest)
    yield "names from 5.1 on", "team-size-var" in walk.icvs, newest >= 202011
    yield "names until 5.2", "ompd-team-size-var" in walk.icvs, newest <= 202111
    yield "implicit-task-var", "implicit-task-var" in walk.icvs, newest == 202011
    yield "explicit-task-var", "explicit-task-var" in walk.icvs, newest >= 202111
    yield "its name", process.omp_version_string(), "tiny OpenMP"
    yield "a scope that has none", code_of(process.tool_data, SPACE), "ompd_rc_unsupported"
    none = code_of(process.thread, _native.THREAD_ID_PTHREAD, 0x7777)
    yield "an id that no thread has", none, "ompd_rc_unavailable"


def waiting(walk: Walk, slot: dict[str, Any]) -> Iterator[Fact]:
    if slot["state"] == "wait_lock":
        gate = int(gdb.parse_and_eval("(unsigned long) &gate"))
        thread = walk.process.thread(_native.THREAD_ID_PTHREAD, slot["pthread_id"])
        yield "the lock", thread.state()[1], gate


def facts() -> list[Fact]:
    walk, truth = Walk(), read_truth()
    found: list[Fact] = []
    for slot in truth["slots"]:
        for what, said, true in [*of_thread(walk, slot, truth), *waiting(walk, slot)]:
            found.append((f"thread {slot['lwp']}: {what}", said, true))
    found += of_process(walk, truth["slots"][0])
    return found


def tell(stops: Optional[int] = None) -> None:
    """Tell the facts at each of the program's stops, or of a core file."""
    if stops is None:
        print("TINY " + json.dumps(facts()))
        return
    core = os.environ["TINY_CORE"]
    gdb.execute("break truth_stop")
    gdb.execute("run")
    for number in range(stops):
        print("TINY " + json.dumps(facts()))
        gdb.execute(f"gcore {core}.{number}", to_string=True)
        gdb.execute("continue")
