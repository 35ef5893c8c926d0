# SPDX-License-Identifier: Apache-2.0
"""Run inside gdb: what libompd says by its handles of threads, regions and tasks."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import gdb
from support.native_scene_in_gdb import LWP, PTHREAD, TASK, Fact, Scene, outcome


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
    yield "a pthread that is none", outcome(made, PTHREAD, lwp), call + "ompd_rc_unavailable"
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


def lifetimes(scene: Scene) -> Iterator[Fact]:
    """Handles go in any order, and are refused once gone."""
    process = scene.library.process_initialize(scene.space.clone_context())
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
