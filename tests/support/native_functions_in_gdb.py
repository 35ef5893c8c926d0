# SPDX-License-Identifier: Apache-2.0
"""Run inside gdb: call each function of OMPD through gdb_ompd._native on a real process.

Sourced after the truth driver. ``tell`` prints one line of JSON: groups of facts,
each fact being what was said and what gdb or the program knows.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from typing import Any, Optional

import gdb
from gdb_ompd import _native
from gdb_ompd.providers.ompd.provider import OmpdProvider
from gdb_ompd.registry import session_of
from gdb_ompd.target import GdbTarget

# The driver's, which is sourced into the same namespace.
from __main__ import read_truth

PTHREAD, LWP = _native.THREAD_ID_PTHREAD, _native.THREAD_ID_LWP
IMPLICIT, TASK, THREAD = _native.SCOPE_IMPLICIT_TASK, _native.SCOPE_TASK, _native.SCOPE_THREAD
PARALLEL, SPACE = _native.SCOPE_PARALLEL, _native.SCOPE_ADDRESS_SPACE
Fact = tuple[str, Any, Any]  # what, said, truth


class FailingTarget(GdbTarget):
    """The target of the stopped process, until it is told what to raise."""

    failure: Optional[BaseException] = None

    def read_memory(self, address: int, size: int) -> memoryview:
        if self.failure is not None:
            raise self.failure
        return super().read_memory(address, size)


def the_provider() -> OmpdProvider:
    """Return the only runtime's."""
    (provider,) = session_of().providers()
    assert isinstance(provider, OmpdProvider)
    return provider


class Scene:
    """The stop: libompd's process handle, gdb's threads, and the program's record."""

    def __init__(self) -> None:
        self.provider = provider = the_provider()
        self.stop = provider.stop()
        self.process, self.space = self.stop.process(), self.stop.space
        self.icvs = {name: (i, scope) for i, name, scope in self.process.enumerate_icvs()}
        self.gdb_threads = {thread.ptid[1]: thread for thread in gdb.selected_inferior().threads()}
        slots = [s for s in read_truth()["slots"] if not s["idle"]]
        self.slots = sorted(slots, key=lambda s: (s["level"], s["thread_num"]))

    def thread(self, slot: dict[str, Any]) -> Any:
        return self.process.thread(PTHREAD, slot["pthread_id"])

    def primary(self) -> dict[str, Any]:
        """Return the record of the initial thread, which is in both regions."""
        return next(slot for slot in self.slots if slot["thread_kind"] == 0)

    def icv(self, handle: Any, name: str) -> int:
        return int(handle.icv_or_incomplete(*self.icvs[name])[0])


def outcome(call: Callable[..., Any], *arguments: Any) -> str:
    """Return which error a call met, or "ok"."""
    try:
        call(*arguments)
    except _native.OmpdError as error:
        return f"{error.call} {error.code_name}"
    except (Exception, KeyboardInterrupt) as error:
        return f"{type(error).__module__}.{type(error).__name__}: {error}"
    return "ok"


def threads(scene: Scene) -> Iterator[Fact]:
    """Thread handles: made by either id, and compared."""
    handles = [scene.thread(slot) for slot in scene.slots]
    for slot, handle in zip(scene.slots, handles):
        by_lwp = scene.process.thread(LWP, slot["lwp"], 4)
        yield "thread_id", handle.thread_id(PTHREAD), slot["pthread_id"]
        yield "thread_id of the one by LWP", by_lwp.thread_id(PTHREAD), slot["pthread_id"]
        yield "both compare as equal", handle.compare(by_lwp), 0
        yield "state", scene.process.enumerate_states()[handle.state()[0]], "ompt_state_" + slot[
            "state"
        ]
        for name, key in {
            "thread-num-var": "thread_num",
            "nthreads-var": "max_threads",
            "dyn-var": "dynamic",
        }.items():
            yield name, scene.icv(handle, name), slot[key]
    signs = [handles[0].compare(handles[1]), handles[1].compare(handles[0])]
    yield "others compare as different", 0 not in signs and signs[0] * signs[1] < 0, True
    lwp, pthread_id = scene.slots[0]["lwp"], scene.slots[0]["pthread_id"]
    made, asked = scene.process.thread, handles[0].thread_id
    call = "ompd_get_thread_handle "
    yield "a pthread of 4 bytes", outcome(made, PTHREAD, pthread_id, 4), call + "ompd_rc_bad_input"
    yield "an LWP of 2 bytes", outcome(made, LWP, lwp, 2), call + "ompd_rc_bad_input"
    yield "an id of 99 bytes", outcome(made, LWP, lwp, 99), call + "ompd_rc_bad_input"
    yield "a Windows thread", outcome(made, 2, lwp), call + "ompd_rc_unsupported"
    yield "a kind that is none", outcome(made, 77, lwp), call + "ompd_rc_unsupported"
    yield "an LWP that is none", outcome(made, LWP, 1, 4).startswith(call), True
    call = "ompd_get_thread_id "
    yield "asked for an LWP", outcome(asked, LWP, 4), call + "ompd_rc_unsupported"
    yield "asked for 4 bytes", outcome(asked, PTHREAD, 4), call + "ompd_rc_bad_input"
    yield "asked for 99 bytes", outcome(asked, PTHREAD, 99), call + "ompd_rc_bad_input"


def regions(scene: Scene) -> Iterator[Fact]:
    """Parallel handles, and what is reached from them."""
    primary = scene.primary()
    inner = scene.thread(primary).curr_parallel()
    outer = inner.enclosing_parallel()
    initial = outer.enclosing_parallel()
    for depth, handle in enumerate((inner, outer, initial)):
        level = primary["level"] - depth
        active = sum(primary["team_size"][n] > 1 for n in range(1, level + 1))
        yield f"levels-var at {level}", scene.icv(handle, "levels-var"), level
        yield f"active-levels-var at {level}", scene.icv(handle, "active-levels-var"), active
        size = primary["team_size"][level]
        yield f"team-size-var at {level}", scene.icv(handle, "team-size-var"), size
    beyond = "ompd_get_enclosing_parallel_handle ompd_rc_unsupported"
    yield "no region around the initial one", outcome(initial.enclosing_parallel), beyond
    yield "equal to itself", inner.compare(scene.thread(primary).curr_parallel()), 0
    yield "not equal to another", inner.compare(outer) != 0, True
    for slot in scene.slots:
        handle = inner if slot["level"] == primary["level"] else outer
        yield "curr_parallel of a member", scene.thread(slot).curr_parallel().compare(handle), 0
        member = handle.thread_in_parallel(slot["thread_num"])
        yield "thread_in_parallel", member.thread_id(PTHREAD), slot["pthread_id"]
        implicit = handle.task_in_parallel(slot["thread_num"])
        yield "task_in_parallel is of the region", implicit.task_parallel().compare(handle), 0
        if slot is not primary:
            same = implicit.compare(scene.thread(slot).curr_task())
            yield "task_in_parallel is the member's task", same, 0
    size = primary["num_threads"]
    call = "ompd_get_thread_in_parallel ompd_rc_bad_input"
    yield "a number beyond the team", outcome(inner.thread_in_parallel, size), call
    call = "ompd_get_task_in_parallel ompd_rc_bad_input"
    yield "a task beyond the team", outcome(inner.task_in_parallel, size), call


def tasks(scene: Scene) -> Iterator[Fact]:
    """Task handles: explicit, implicit, explicit, implicit, initial."""
    task = scene.thread(scene.primary()).curr_task()
    current = task
    bases, begins = frames()
    implicit = []
    chain = [task]
    while len(chain) < 6 and outcome(chain[-1].generating_task) == "ok":
        chain.append(chain[-1].generating_task())
    for each in chain:
        implicit.append(scene.icv(each, "implicit-task-var"))
        exit_frame, enter_frame = each.frame()
        yield "flags of the frames", (exit_frame[1], enter_frame[1]), (0, 0)
        if exit_frame[0]:
            yield "exit is a frame", exit_frame[0] in bases, True
        if enter_frame[0]:
            yield "enter is a frame", enter_frame[0] in bases, True
        if each is not chain[-1]:
            yield "the function is on the stack", each.function() in begins, True
    yield "explicit and implicit", implicit, [0, 1, 0, 1, 1]
    yield "the initial task's function", chain[-1].function(), 0
    last = "ompd_get_generating_task_handle ompd_rc_unsupported"
    yield "nothing generated the initial task", outcome(chain[-1].generating_task), last
    yield "the scheduling task", current.scheduling_task().compare(chain[1]), 0
    none = "ompd_get_scheduling_task_handle ompd_rc_unavailable"
    yield "no scheduling task of an implicit one", outcome(chain[1].scheduling_task), none
    yield "the region of an explicit task", task.task_parallel().compare(
        scene.thread(scene.primary()).curr_parallel()
    ), 0
    yield "equal to itself", task.compare(scene.thread(scene.primary()).curr_task()), 0
    yield "not equal to another", task.compare(chain[1]) != 0, True
    yield "final-task-var", scene.icv(task, "final-task-var"), scene.primary()["in_final"]
    yield "max-active-levels-var", scene.icv(task, "max-active-levels-var"), scene.primary()[
        "max_active_levels"
    ]
    schedule = task.icv_string(*scene.icvs["run-sched-var"])
    yield "run-sched-var", schedule, os.environ["OMP_SCHEDULE"]


def frames() -> tuple[set[int], set[int]]:
    """Return the base pointer and the function's begin of each frame of the selected thread."""
    bases, begins = set(), set()
    frame = gdb.newest_frame()
    while frame is not None:
        bases.add(int(frame.read_register("rbp")))
        if frame.function() is not None:
            begins.add(int(frame.function().value().address))
        frame = frame.older()
    return bases, begins


def scopes(scene: Scene) -> Iterator[Fact]:
    """ICVs and tool data: each scope its handle, and no other."""
    thread = scene.thread(scene.primary())
    handles = {
        SPACE: scene.process,
        THREAD: thread,
        PARALLEL: thread.curr_parallel(),
        TASK: thread.curr_task(),
    }
    for name, (icv_id, scope) in scene.icvs.items():
        for other, handle in handles.items():
            if other == scope:
                continue
            for call, ask in {
                "ompd_get_icv_from_scope": handle.icv,
                "ompd_get_icv_string_from_scope": handle.icv_string,
            }.items():
                refused = f"{call} ompd_rc_bad_input"
                yield f"{name} of a handle of scope {other}", outcome(ask, icv_id, scope), refused
    strings = {
        "run-sched-var",
        "affinity-format-var",
        "tool-libraries-var",
        "tool-verbose-init-var",
    }
    for name in strings:
        icv_id, scope = scene.icvs[name]
        refused = "ompd_get_icv_from_scope ompd_rc_incompatible"
        yield f"{name} as an integer", outcome(handles[scope].icv, icv_id, scope), refused
    for number in (0, 9999):
        refused = "ompd_get_icv_from_scope ompd_rc_bad_input"
        yield f"ICV {number}", outcome(scene.process.icv, number, SPACE), refused
    yield "num-procs-var", scene.icv(scene.process, "num-procs-var"), scene.primary()["num_procs"]
    yield "stacksize-var", scene.icv(scene.process, "stacksize-var"), scene.primary()["stack_size"]
    format_ = scene.process.icv_string(*scene.icvs["affinity-format-var"])
    in_memory = gdb.parse_and_eval("(char *) __kmp_affinity_format").string()
    yield "affinity-format-var", format_, in_memory
    for scope, handle in handles.items():
        if scope != SPACE:
            yield f"tool_data of scope {scope}", handle.tool_data(scope), (0, 0)
        wrong = THREAD if scope != THREAD else TASK
        refused = "ompd_get_tool_data ompd_rc_bad_input"
        yield f"tool_data of scope {scope} asked as {wrong}", outcome(
            handle.tool_data, wrong
        ), refused


def tool_data_of_a_tool(scene: Scene) -> Iterator[Fact]:
    """What a tool would keep with the initial thread, written where gdb finds its place."""
    place = "(unsigned long) &__kmp_threads[0]->th.ompt_thread_info.thread_data"
    address = int(gdb.parse_and_eval(place))
    for value in (77, 2**40 + 1, 0):
        scene.space.write(address, value.to_bytes(8, "little"))
        anew = Scene()  # a write ends what was known of the stop
        thread = anew.thread(anew.primary())
        yield f"tool data {value}", thread.tool_data(THREAD), (value, value)


def whole_process(scene: Scene) -> Iterator[Fact]:
    """What is asked of the library and the process."""
    library, process = scene.stop.library, scene.process
    yield "api_version", library.api_version(), 201811
    yield "version_string", bool(library.version_string()), True
    version = int(gdb.parse_and_eval("*(int *) &__kmp_openmp_version"))
    yield "omp_version", process.omp_version(), version
    yield "omp_version_string", process.omp_version_string(), str(version)
    unavailable = "ompd_device_initialize ompd_rc_unavailable"
    yield "device_initialize", outcome(
        process.device_initialize, scene.space, 1, b"gpu"
    ), unavailable
    variables = process.display_control_vars()
    yield "control variables", all("=" in v or ":" in v for v in variables), True
    names = {v.strip().partition("=")[0] for v in variables}
    yield "known ones", {"OMP_NUM_THREADS", "KMP_BLOCKTIME"} <= names, True
    states = process.enumerate_states()
    yield "states have one name each", len(set(states.values())), len(states)
    yield "states", {"ompt_state_work_parallel", "ompt_state_idle"} <= set(states.values()), True
    icvs = process.enumerate_icvs()
    yield "ICVs have one id each", len({i for i, _, _ in icvs}), len(icvs)
    yield "ICVs have a scope", {scope for _, _, scope in icvs} <= {SPACE, THREAD, 4, 5, TASK}, True
    version_refused = "ompd_initialize ompd_rc_unsupported"
    yield "another API version", outcome(_native.Library, library.path, 201711), version_refused
    other = _native.Library(library.path)
    other.finalize()
    yield "a finalized library", outcome(
        other.process_initialize, scene.space.clone_context()
    ), "ompd_process_initialize ompd_rc_unavailable"
    yield "finalizing twice", outcome(other.finalize), "ok"


def lifetimes(scene: Scene) -> Iterator[Fact]:
    """Handles go in any order, and are refused once gone."""
    process = scene.stop.library.process_initialize(scene.space.clone_context())
    primary = scene.primary()

    def made() -> tuple[Any, Any, Any]:
        thread = process.thread(PTHREAD, primary["pthread_id"])
        return thread, thread.curr_parallel(), thread.curr_task()

    for handle in made():
        handle.release()
        yield "released", handle.valid, False
        yield "released twice", outcome(handle.release), "ok"
    thread, region, task = made()
    del thread
    yield "a region without its thread", outcome(region.enclosing_parallel), "ok"
    outer = region.enclosing_parallel()
    del region
    yield "a region without the one inside", outcome(outer.enclosing_parallel), "ok"
    yield "a task without its thread", outcome(task.generating_task), "ok"
    thread, region, task = made()
    calls = {
        "ompd_get_state": thread.state,
        "ompd_get_curr_parallel_handle": thread.curr_parallel,
        "ompd_get_curr_task_handle": thread.curr_task,
        "ompd_get_thread_id": lambda: thread.thread_id(PTHREAD),
        "ompd_get_enclosing_parallel_handle": region.enclosing_parallel,
        "ompd_get_thread_in_parallel": lambda: region.thread_in_parallel(0),
        "ompd_get_task_in_parallel": lambda: region.task_in_parallel(0),
        "ompd_get_task_parallel_handle": task.task_parallel,
        "ompd_get_generating_task_handle": task.generating_task,
        "ompd_get_scheduling_task_handle": task.scheduling_task,
        "ompd_get_task_function": task.function,
        "ompd_get_task_frame": task.frame,
        "ompd_thread_handle_compare": lambda: thread.compare(thread),
        "ompd_parallel_handle_compare": lambda: region.compare(region),
        "ompd_task_handle_compare": lambda: task.compare(task),
        "ompd_get_icv_from_scope": lambda: thread.icv(*scene.icvs["dyn-var"]),
        "ompd_get_icv_string_from_scope": lambda: task.icv_string(*scene.icvs["run-sched-var"]),
        "ompd_get_tool_data": lambda: task.tool_data(TASK),
        "ompd_get_omp_version": process.omp_version,
        "ompd_get_omp_version_string": process.omp_version_string,
        "ompd_get_thread_handle": lambda: process.thread(PTHREAD, primary["pthread_id"]),
        "ompd_enumerate_states": process.enumerate_states,
        "ompd_enumerate_icvs": process.enumerate_icvs,
        "ompd_get_display_control_vars": process.display_control_vars,
        "ompd_device_initialize": lambda: process.device_initialize(scene.space, 1, b""),
    }
    for name, call in calls.items():
        # The runtime has no device; everything else is answered while the process lives.
        alive = f"{name} ompd_rc_unavailable" if name == "ompd_device_initialize" else "ok"
        yield f"{name} before the end", outcome(call), alive
    process.end()
    for name, call in calls.items():
        yield f"{name} after the end", outcome(call), f"{name} ompd_rc_stale_handle"
    yield "valid after the end", [h.valid for h in (process, thread, region, task)], [False] * 4
    yield "released after the end", outcome(thread.release), "ok"


def memory(scene: Scene) -> Iterator[Fact]:
    """The space reads and writes the program, and finds its symbols."""
    space = scene.space
    truth_stop_number = int(gdb.parse_and_eval("(unsigned long) &truth_stop_number"))
    yield "symbol_address", space.symbol_address("truth_stop_number"), truth_stop_number
    before = space.read_uint(truth_stop_number, 4)
    yield "read_uint", before, int(gdb.parse_and_eval("(int) truth_stop_number"))
    space.write(truth_stop_number, (before + 5).to_bytes(4, "little"))
    yield "written", int(gdb.parse_and_eval("*(int *) &truth_stop_number")), before + 5
    yield "the write ended the stop", scene.process.valid, False
    yield "read after the write", space.read_uint(truth_stop_number, 4), before + 5
    space.write(truth_stop_number, before.to_bytes(4, "little"))
    text = int(gdb.parse_and_eval("(unsigned long) truth_constructs[1].function"))
    function = gdb.parse_and_eval("truth_constructs[1].function").string()
    yield "read_string", (space.read_string(text) or b"").decode(), function
    yield "read_string without an end", space.read_string(text, len(function)), None
    runtime = os.path.basename(scene.provider.file)
    threads_list = int(gdb.parse_and_eval("(unsigned long) &__kmp_threads"))
    for file in (None, scene.provider.file):
        yield f"__kmp_threads in {file and runtime}", space.symbol_address(
            "__kmp_threads", file
        ), threads_list
    yield "no such symbol", space.symbol_address("no_such_symbol_anywhere"), None
    target = GdbTarget(gdb.selected_inferior())
    chosen = gdb.selected_thread()
    for thread in gdb.selected_inferior().threads():
        thread.switch()
        own = int(gdb.parse_and_eval("(unsigned long) &__kmp_gtid"))
        for kind, number in (
            (PTHREAD, int.from_bytes(thread.handle(), "little")),
            (LWP, thread.ptid[1]),
        ):
            pointer = target.thread_pointer(kind, number)
            for file in (None, scene.provider.file):
                said = space.symbol_address("__kmp_gtid", file, pointer)
                yield f"__kmp_gtid of thread {thread.num}, {file and runtime}", said, own
    chosen.switch()
    yield "__kmp_gtid of no thread", space.symbol_address("__kmp_gtid"), None


def failures(scene: Scene) -> Iterator[Fact]:
    """What the target raises comes out of the call as it went in."""
    target = FailingTarget(gdb.selected_inferior())
    space = _native.AddressSpace(target)
    space.set_modules(
        [module.module for module in session_of().modules() if module.module is not None],
        scene.provider.runtime.name,
    )
    process = _native.Library(scene.stop.library.path).process_initialize(space)
    thread = process.thread(PTHREAD, scene.primary()["pthread_id"])
    for failure in (KeyboardInterrupt("stop it"), gdb.MemoryError("it is gone")):
        for call in (thread.state, thread.curr_parallel, process.omp_version):
            space.drop_cache()
            target.failure = failure
            try:
                call()
                met: Optional[BaseException] = None
            except (Exception, KeyboardInterrupt) as error:
                met = error
            target.failure = None
            yield f"{failure!r} out of {call.__name__}", met is failure, True
    space.drop_cache()
    yield "all is well again", outcome(thread.state), "ok"
    yield "low memory", outcome(scene.space.read, 8, 8).startswith("gdb.MemoryError"), True


GROUPS = (
    threads,
    regions,
    tasks,
    scopes,
    tool_data_of_a_tool,
    whole_process,
    lifetimes,
    memory,
    failures,
)


def tell() -> None:
    """Print the facts of all groups."""
    found: dict[str, Any] = {}
    for group in GROUPS:
        facts: list[Fact] = []
        found[group.__name__] = facts
        try:
            facts.extend(group(Scene()))
        except Exception as error:  # the other groups still have something to say
            facts.append((f"{group.__name__} raised", repr(error), None))
    print("\nNATIVE " + json.dumps(found))


def tell_live(stop: int) -> None:
    """Run the program to its truth_stop number STOP, and tell."""
    gdb.execute("break truth_stop", to_string=True)
    gdb.execute("run", to_string=True)
    for _ in range(stop - 1):
        gdb.execute("continue", to_string=True)
    tell()
    gdb.execute("kill", to_string=True)


def write_in_core() -> None:
    """Try to write into a core file, and print what came of it."""
    provider = the_provider()
    address = int(gdb.parse_and_eval("(unsigned long) &truth_stop_number"))
    before = provider.space.read_uint(address, 4)
    said = outcome(provider.space.write, address, b"\x63\0\0\0")
    after = provider.space.read_uint(address, 4)
    print("\nCORE " + json.dumps({"said": said, "before": before, "after": after}))
