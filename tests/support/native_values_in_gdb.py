# SPDX-License-Identifier: Apache-2.0
"""Run inside gdb: what libompd says of ICVs, tool data and the process, and its memory."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Optional

import gdb
from gdb_ompd import _native
from gdb_ompd.host.sessions.registry import session_of
from gdb_ompd.host.target import GdbTarget
from support.native_scene_in_gdb import (
    LWP,
    PARALLEL,
    PTHREAD,
    SPACE,
    TASK,
    THREAD,
    Fact,
    Scene,
    outcome,
)


class FailingTarget(GdbTarget):
    """The target of the stopped process, until it is told what to raise."""

    failure: Optional[BaseException] = None

    def read_memory(self, address: int, size: int) -> memoryview:
        if self.failure is not None:
            raise self.failure
        return super().read_memory(address, size)


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
    library, process = scene.library, scene.process
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
    yield "the agreed API version", library.agreed_version, library.api_version()
    other = _native.Library(library.path)
    other.finalize()
    yield "a finalized library", outcome(
        other.process_initialize, scene.space.clone_context()
    ), "ompd_process_initialize ompd_rc_unavailable"
    yield "finalizing twice", outcome(other.finalize), "ompd_finalize ompd_rc_unsupported"


def memory(scene: Scene) -> Iterator[Fact]:
    """The space reads and writes the program, and finds its symbols."""
    space = scene.space
    truth_stop_number = int(gdb.parse_and_eval("(unsigned long) &truth_stop_number"))
    yield "symbol_address", space.symbol_address("truth_stop_number"), truth_stop_number
    before = space.read_uint(truth_stop_number, 4)
    yield "read_uint", before, int(gdb.parse_and_eval("(int) truth_stop_number"))
    space.write(truth_stop_number, (before + 5).to_bytes(4, "little"))
    yield "written", int(gdb.parse_and_eval("*(int *) &truth_stop_number")), before + 5
    yield "the write ended the stop", session_of()._this_stop, None
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
    space.set_modules(session_of().files.readable(), scene.provider.mapped.name)
    process = _native.Library(scene.library.path).process_initialize(space)
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
