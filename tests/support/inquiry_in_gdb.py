# SPDX-License-Identifier: Apache-2.0
"""Run inside gdb: at each truth_stop, what inquiry answers and what the program answers.

Sourced after the truth driver, whose record of a stop it completes: "said" holds
the answers of inquiry, "called" those of the OpenMP routines that gdb calls in
each thread, "frames" what gdb's own unwinder knows. Writes to TRUTH_OUT.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import Any

import gdb
from gdb_ompd import inquiry
from gdb_ompd.host.sessions.registry import session_of

# The driver's, which is sourced into the same namespace.
from __main__ import _gdb_threads, read_truth

OF_THREAD = (
    "innermost_region thread_limit thread_handle osthread state max_threads thread_num in_parallel"
    " dynamic nested max_active_levels schedule proc_bind"
)
OF_REGION = (
    "threads_in_region enclosing_region implicit_tasks num_threads level active_level parallel_id"
    " parallel_function"
)
OF_TASK = "ancestor_task task_id in_final task_frame task_function"
OF_PROCESS = "threads num_procs version_string version_compatibility breakpoints"
ROUTINES = (
    "omp_get_thread_num omp_get_num_procs omp_get_thread_limit omp_get_max_threads omp_in_parallel"
    " omp_in_final omp_get_dynamic omp_get_nested omp_get_max_active_levels omp_get_proc_bind"
)


def generating_chain(tasks: tuple[Any, ...]) -> int:
    """Return how many of a thread's tasks each generated the one before it."""
    return next((t.depth + 1 for t in tasks if t.generating != t.depth + 1), 0)


def plain(value: Any) -> Any:
    """Turn an answer into what JSON can hold."""
    if hasattr(value, "_asdict"):
        return {name: plain(part) for name, part in value._asdict().items()}
    if isinstance(value, tuple):
        return [plain(item) for item in value]
    return value


def ask(function: Callable[..., Any], *arguments: Any) -> Any:
    """Return the answer, or which error there was instead."""
    try:
        return plain(function(*arguments))
    except Exception as error:  # the test judges which error is right
        return f"{type(error).__name__} raised"


def ask_all(names: str, *arguments: Any) -> dict[str, Any]:
    """Return the answers of these functions, by name."""
    return {name: ask(getattr(inquiry, name), *arguments) for name in names.split()}


def look() -> dict[str, Any]:
    """Ask every question that only reads, of everything there is."""
    numbers = sorted(thread.num for thread in gdb.selected_inferior().threads())
    regions = sorted(region.id for region in session_of().snapshot(locations=False).regions)
    chains = {number: generating_chain(session_of().tasks([number])) for number in numbers}
    return {
        "process": ask_all(OF_PROCESS),
        "control": inquiry.display_control_vars(),
        "threads": {number: ask_all(OF_THREAD + " innermost_task", number) for number in numbers},
        "regions": {region: ask_all(OF_REGION, region) for region in regions},
        "tasks": {
            number: [ask_all(OF_TASK, number, depth) for depth in range(length)]
            for number, length in chains.items()
        },
        "beyond": {
            "thread": ask_all(OF_THREAD + " innermost_task", max(numbers) + 1),
            "region": ask_all(OF_REGION, max(regions, default=0) + 1),
            "task": {
                number: [
                    ask_all(OF_TASK, number, d) for d in (-1, len(session_of().tasks([number])))
                ]
                for number in chains
            },
        },
    }


def the_programs_answers(lwps: set[int]) -> dict[int, dict[str, int]]:
    """Call the OpenMP routines in these threads."""
    found = {}
    for thread in gdb.selected_inferior().threads():
        if thread.ptid[1] not in lwps:
            continue
        thread.switch()
        found[thread.num] = {
            name: int(gdb.parse_and_eval(f"((int (*)(void)) {name})()"))
            for name in ROUTINES.split()
        }
    return found


def frames_of(thread: gdb.InferiorThread) -> list[dict[str, Any]]:
    """Return gdb's frames of a thread: function, where its code begins, its registers."""
    thread.switch()
    found = []
    frame = gdb.newest_frame()
    while frame is not None and frame.is_valid():
        function = frame.function()
        if frame.type() == gdb.NORMAL_FRAME:
            found.append(
                {
                    "function": frame.name(),
                    "begins": int(function.value().address) if function else None,
                    "sp": int(frame.read_register("rsp")),
                    "bp": int(frame.read_register("rbp")),
                }
            )
        frame = frame.older()
    return found


def functions_in(answers: dict[str, Any]) -> dict[int, dict[str, Any]]:
    """Return what gdb knows of each address that was given as a task's or region's function."""
    rows = [*answers["regions"].values(), *sum(answers["tasks"].values(), [])]
    found = {}
    for row in rows:
        address = row.get("task_function") or row.get("parallel_function")
        if address:
            function = gdb.block_for_pc(address).function
            found[address] = {
                "name": function.name,
                "begins": int(function.value().address),
                "line": gdb.find_pc_line(address).line,
            }
    return found


def address_in_gdb(name: str) -> int:
    """Return where gdb itself finds a function of the runtime, mangled or not."""
    for spelled in (name, f"_Z{len(name)}{name}v"):
        try:
            return int(gdb.parse_and_eval(f"(unsigned long) &'{spelled}'"))
        except gdb.error:
            continue
    raise gdb.GdbError(f"gdb has no {name}")


def collect() -> None:
    """Add this stop to the file."""
    chosen = gdb.selected_thread()
    truth = read_truth()
    record = {
        "mode": "live",
        "truth": truth,
        "gdb_threads": _gdb_threads(),
        "selected": chosen.num,
        "said": {"first": look()},
    }
    session_of().end_stop()
    record["said"]["again"] = look()
    record["said"]["frames"] = {t.num: frames_of(t) for t in gdb.selected_inferior().threads()}
    record["said"]["functions"] = functions_in(record["said"]["first"])
    record["said"]["events"] = {
        name: address_in_gdb(f"ompd_bp_{name}")
        for kind in ("parallel", "task", "thread")
        for name in (f"{kind}_begin", f"{kind}_end")
    }
    gdb.execute("set scheduler-locking on")
    record["said"]["called"] = the_programs_answers(
        {slot["lwp"] for slot in truth["slots"] if not slot["idle"] and slot["construct"] >= 0}
    )
    gdb.execute("set scheduler-locking off")
    chosen.switch()
    with open(os.environ["TRUTH_OUT"], "a", encoding="utf-8") as out:
        out.write(json.dumps(record) + "\n")


def collect_to_the_end() -> None:
    """Collect at each truth_stop of the program."""
    gdb.execute("break truth_stop", to_string=True)
    gdb.execute("run", to_string=True)
    while gdb.selected_thread() is not None:
        collect()
        gdb.execute("continue", to_string=True)
    exit_code = int(gdb.parse_and_eval("$_exitcode"))
    with open(os.environ["TRUTH_OUT"], "a", encoding="utf-8") as out:
        out.write(json.dumps({"exit_code": exit_code}) + "\n")


def events_seen(passes: int) -> int:
    """Return how often the runtime's event function is met in so many passes of user code."""
    event, user = gdb.Breakpoint("ompd_bp_parallel_begin"), gdb.Breakpoint("inner")
    event.ignore_count, user.ignore_count = 1_000_000, passes
    gdb.execute("continue", to_string=True)
    met = int(event.hit_count)
    event.delete()
    user.delete()
    return met


def switch_events() -> None:
    """Switch events off and on in a restless program, and print what changed."""
    gdb.execute("break inner", to_string=True)
    gdb.execute("run", to_string=True)
    gdb.execute("delete", to_string=True)
    found = []
    for setting in (True, False, True):
        inquiry.enable(setting)
        met = events_seen(40)
        (status,) = session_of().status()
        found.append(
            {
                "setting": setting,
                "met": met,
                "ompd_state": int(gdb.parse_and_eval("*(unsigned long *) &ompd_state")),
                "events_enabled": status.events_enabled,
                "state": inquiry.state(gdb.selected_thread().num)[0],
            }
        )
    gdb.execute("kill", to_string=True)
    print("\nEVENTS " + json.dumps(found))
