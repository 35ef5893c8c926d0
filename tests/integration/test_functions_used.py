# SPDX-License-Identifier: Apache-2.0
"""Each function of OMPD has a use in a command or in the documented Python API."""

from __future__ import annotations

import json
import re
from pathlib import Path

from support import tiny
from support.gdb_session import run_gdb
from support.runtimes import ROOT
from support.shim import shim

SCRIPT = Path(__file__).resolve().parents[1] / "support" / "uses_in_gdb.py"
HEADER = ROOT / "native" / "src" / "base" / "ompd_functions.hpp"
IMPORT = "python import gdb_ompd; from gdb_ompd import _native, inquiry"
STATUS, THREADS, PARALLEL = "ompd status", "ompd threads", "ompd parallel -all"
TASKS, ICVS, ENV, NEXT = "ompd tasks -all", "ompd icvs -all", "ompd env", "next"
FRESH = "python _native.Library(library).finalize()"
COMPARE = "python inquiry.handle_of_thread(1).compare(inquiry.handle_of_thread(2))"
IMPLICIT = "python inquiry.implicit_tasks(2)"
DATA = "python inquiry.tool_data(inquiry.handle_of_thread(1))"
DEVICE = "python device()"
# Commands ask this once of each library that is loaded.
STATES = "python inquiry.process_handle().enumerate_states()"
NAMES = "python inquiry.process_handle().enumerate_icvs()"

# Where each is used, on the tiny runtime, which has nothing but its OMPD library.
USES = {
    "initialize": FRESH,
    "get_api_version": STATUS,
    "get_version_string": STATUS,
    "finalize": FRESH,
    "process_initialize": THREADS,
    "device_initialize": DEVICE,
    "rel_address_space_handle": NEXT,
    "get_omp_version": STATUS,
    "get_omp_version_string": STATUS,
    "get_thread_in_parallel": PARALLEL,
    "get_thread_handle": THREADS,
    "rel_thread_handle": THREADS,
    "thread_handle_compare": COMPARE,
    "get_thread_id": PARALLEL,
    "get_curr_parallel_handle": THREADS,
    "get_enclosing_parallel_handle": PARALLEL,
    "get_task_parallel_handle": TASKS,
    "rel_parallel_handle": PARALLEL,
    "parallel_handle_compare": PARALLEL,
    "get_curr_task_handle": TASKS,
    "get_generating_task_handle": TASKS,
    "get_scheduling_task_handle": TASKS,
    "get_task_in_parallel": IMPLICIT,
    "rel_task_handle": TASKS,
    "task_handle_compare": TASKS,
    "get_task_function": TASKS,
    "get_task_frame": TASKS,
    "enumerate_states": STATES,
    "get_state": THREADS,
    "get_display_control_vars": ENV,
    "rel_display_control_vars": ENV,
    "enumerate_icvs": NAMES,
    "get_icv_from_scope": ICVS,
    "get_icv_string_from_scope": ICVS,
    "get_tool_data": DATA,
}


def test_each_function_is_used_where_it_is_said(tmp_path: Path) -> None:
    library = shim(tmp_path)
    # One leaves the stop, and one ends the library behind the shim for all.
    commands = [*sorted(set(USES.values()) - {NEXT, FRESH}), NEXT, FRESH]
    done = run_gdb(
        [
            f"set ompd library {library}",
            IMPORT,
            f"python library = {str(library)!r}",
            f"source {SCRIPT}",
            f"python tell(2, {str(tmp_path / 'trace')!r})",
        ],
        program=tiny.program(),
        env={"SHIM_LIBOMPD": str(tiny.library()), "USES": json.dumps(commands)},
    )
    lines = [line[5:] for line in done.stdout.splitlines() if line.startswith("USES ")]
    assert lines, f"{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    calls = json.loads(lines[0])
    assert {name: use for name, use in USES.items() if name not in calls[use]} == {}


def test_every_function_is_listed() -> None:
    names = re.findall(r"^    X\((\w+)", HEADER.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(names) == 35
    assert set(USES) == set(names)
