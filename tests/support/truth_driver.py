# SPDX-License-Identifier: Apache-2.0
"""Runs inside gdb: at each truth_stop, write what gdb-ompd says and what is true.

Set TRUTH_OUT (a file, one JSON document a line) and, for cores, TRUTH_CORE (a
path with {} for the stop's number) in gdb's environment, then source this and
call collect_live() and collect_cores() after it, collect_remote() or
collect_here(). With TRUTH_PLAIN set the extension is not asked.
"""

from __future__ import annotations

import json
import os
from typing import Any, Union

import gdb

cores: list[str] = []  # that were written
Json = Union[None, int, str, list["Json"], dict[str, "Json"]]

COMMANDS = (
    "ompd threads -json",
    "ompd parallel -all -json",
    "ompd tasks -all -json",
    "ompd icvs -all -json",
)

# Convenience functions by what they are compared with; N stands for a level.
FUNCTIONS = (
    "thread_num()",
    "num_threads()",
    "level()",
    "active_level()",
    "in_parallel()",
    "in_explicit_task()",
    "state()",
    "ancestor_thread_num(N)",
    "team_size(N)",
)
LEVELS = range(-1, 8)
ICVS = (
    "nthreads-var",
    "dyn-var",
    "max-active-levels-var",
    "thread-limit-var",
    "thread-num-var",
    "final-task-var",
    "levels-var",
    "active-levels-var",
    "bind-var",
    "stacksize-var",
    "num-procs-var",
)


def _plain(value: gdb.Value) -> Json:
    """Turn a value of the program into what JSON can hold."""
    kind = value.type.strip_typedefs()
    if kind.code == gdb.TYPE_CODE_STRUCT:
        return {str(field.name): _plain(value[field]) for field in kind.fields()}
    if kind.code == gdb.TYPE_CODE_ARRAY:
        if kind.target().sizeof == 1:
            return str(value.string())
        low, high = kind.range()
        return [_plain(value[index]) for index in range(low, high + 1)]
    return int(value)


def _global(name: str) -> gdb.Value:
    symbol = gdb.lookup_global_symbol(name)
    if symbol is None:
        raise gdb.GdbError(f"the program has no {name}")
    return symbol.value()


def read_truth() -> dict[str, Json]:
    """Return what the program recorded for the stop it is at."""
    slots, constructs = _global("truth_slots"), _global("truth_constructs")
    return {
        "stop": int(_global("truth_stop_number")),
        "slots": _elements(slots, int(_global("truth_slot_count"))),
        "constructs": _elements(constructs, int(_global("truth_construct_count"))),
    }


def _elements(array: gdb.Value, count: int) -> list[Json]:
    """Return the first COUNT of ARRAY, each read as a whole: gdbserver is asked once for it
    instead of once for each number in it."""
    elements = [array[index] for index in range(count)]
    for element in elements:
        element.fetch_lazy()
    return [_plain(element) for element in elements]


def _gdb_threads() -> list[Json]:
    found: list[Json] = []
    for thread in gdb.selected_inferior().threads():
        try:
            handle = int.from_bytes(thread.handle(), "little")
        except RuntimeError:
            handle = None  # the stub does not say, and no library of the target's is loaded
        found.append({"gdb_num": thread.num, "lwp": thread.ptid[1], "pthread_id": handle})
    return found


def _selection() -> list[Any]:
    return [
        gdb.selected_inferior().num,
        gdb.selected_thread().num,
        gdb.selected_frame(),
        gdb.execute("show language", to_string=True),
    ]


def _ask(command: str) -> dict[str, Json]:
    before = _selection()
    try:
        answer: dict[str, Json] = {"text": gdb.execute(command, to_string=True)}
    except gdb.error as error:
        answer = {"error": str(error)}
    answer["selection_kept"] = _selection() == before
    return answer


def _answer(call: str) -> Json:
    from gdb_ompd.host.selection import setting  # is not there with TRUTH_PLAIN

    try:
        with setting("language", "c"):
            value = gdb.parse_and_eval("$_omp_" + call)
    except gdb.error as error:
        return {"error": str(error)}
    if value.type.code == gdb.TYPE_CODE_VOID:
        return None
    return str(value.string()) if value.type.code == gdb.TYPE_CODE_ARRAY else int(value)


def _functions(mode: str) -> dict[str, dict[str, Json]]:
    """Return what each convenience function answers in each thread. Each answer takes up to a
    hundred questions to a gdbserver: there each fourth at each stop, in one thread of eight,
    unless TRUTH_ALL is set."""
    calls = [call for call in FUNCTIONS if "N" not in call]
    calls += [call.replace("N", str(n)) for call in FUNCTIONS if "N" in call for n in LEVELS]
    calls += [f'icv("{name}")' for name in ICVS]
    before, frame = gdb.selected_thread(), gdb.selected_frame()
    found: dict[str, dict[str, Json]] = {}
    threads = gdb.selected_inferior().threads()
    if mode == "gdbserver" and not os.environ.get("TRUTH_ALL"):
        calls, threads = calls[int(_global("truth_stop_number")) % 4 :: 4], threads[::8]
    for thread in threads:
        thread.switch()
        found[str(thread.num)] = {call: _answer(call) for call in calls}
    before.switch()
    frame.select()
    return found


def _collect_stop(mode: str) -> None:
    asked = () if os.environ.get("TRUTH_PLAIN") else COMMANDS
    record = {
        "mode": mode,
        "truth": read_truth(),
        "gdb_threads": _gdb_threads(),
        "selected": gdb.selected_thread().num,
        "functions": _functions(mode) if asked else {},
        "said": {command: _ask(command) for command in asked},
    }
    _write(record)


def _write(record: Any) -> None:
    with open(os.environ["TRUTH_OUT"], "a", encoding="utf-8") as out:
        out.write(json.dumps(record) + "\n")


def _until_exit(mode: str) -> None:
    core = os.environ.get("TRUTH_CORE")
    while gdb.selected_thread() is not None:
        name = gdb.newest_frame().name()
        if name != "truth_stop":
            raise gdb.GdbError(f"stopped in {name}, not in truth_stop")
        _collect_stop(mode)
        if core:
            number = int(_global("truth_stop_number"))
            cores.append(core.format(number))
            gdb.execute("gcore " + cores[-1], to_string=True)
        gdb.execute("continue", to_string=True)
    _write({"mode": mode, "exit_code": int(gdb.parse_and_eval("$_exitcode"))})


def collect_live() -> None:
    """Run the program, and collect at each of its stops."""
    gdb.execute("break truth_stop", to_string=True)
    gdb.execute("run", to_string=True)
    _until_exit("live")


def collect_cores() -> None:
    """Collect in two of the cores that were written: of a stop in the middle and the last."""
    for core in sorted({cores[len(cores) // 2], cores[-1]}):
        gdb.execute(f"core-file {core}", to_string=True)
        collect_here()
        gdb.execute("core-file", to_string=True)


def collect_remote() -> None:
    """The same for a program that a gdbserver has started."""
    gdb.execute("break truth_stop", to_string=True)
    gdb.execute("continue", to_string=True)
    _until_exit("gdbserver")


def collect_here(mode: str = "core") -> None:
    """Collect at the one moment a core file holds, or an attached program is at."""
    # Whenever gdb reads registers anew it repeats its warnings of what it misses in
    # the kernel's cores; they are no part of the answers.
    gdb.execute("info threads", to_string=True)
    _collect_stop(mode)
