# SPDX-License-Identifier: Apache-2.0
"""What gdb_ompd.inquiry says of the whole process, and that all of its functions are asked."""

from __future__ import annotations

import ast
import ctypes
import json
import re

import pytest
from support.build import build
from support.gdb_session import DRIVER, run_gdb
from support.inquiry import SCRIPT, stops_of
from support.runtimes import ROOT, VERSIONS, runtime_folder

OLDER_NAMES = {
    "parallel_pre_execute": "parallel_begin",
    "parallel_post_execute": "parallel_end",
    "task_pre_execute": "task_begin",
    "task_post_execute": "task_end",
}
# Functions whose answers the in-gdb script has no row for: asked in tests of their own.
ASKED_ALONE = {"error_string", "display_control_vars", "enable"}


def test_breakpoints_are_where_gdb_has_them(runtime: str) -> None:
    for stop in stops_of("nested.c", runtime):
        events: dict[str, int] = stop.said["events"]
        truth = {name.replace("_", "-"): address for name, address in events.items()}
        truth.update({old: events[new] for old, new in OLDER_NAMES.items()})
        assert stop.said["first"]["process"]["breakpoints"] == truth
        assert len(set(events.values())) == 6


def test_versions_are_the_librarys_own(runtime: str) -> None:
    library = ctypes.CDLL(str(runtime_folder(runtime) / "libompd.so"))
    text, version = ctypes.c_char_p(), ctypes.c_int64()
    assert library.ompd_get_version_string(ctypes.byref(text)) == 0
    assert library.ompd_get_api_version(ctypes.byref(version)) == 0
    assert text.value
    for stop in stops_of("nested.c", runtime):
        process = stop.said["first"]["process"]
        assert process["version_string"] == text.value.decode()
        assert process["version_compatibility"] == version.value == 201811


def test_control_variables(runtime: str) -> None:
    for stop in stops_of("icvs.c", runtime):
        lines = stop.said["first"]["control"].splitlines()
        parsed = [re.fullmatch(r"((?:OMP|KMP|LIBOMP)_[A-Z0-9_]+)=(.*)", line) for line in lines]
        assert all(parsed), [line for line, match in zip(lines, parsed) if not match]
        names = [match[1] for match in parsed if match]
        assert len(set(names)) == len(names)
        assert {"OMP_NUM_THREADS", "OMP_DYNAMIC", "KMP_BLOCKTIME"} <= set(names)
        assert "OMP_SCHEDULE=guided,7" in lines


@pytest.mark.parametrize("version", VERSIONS)
def test_enable_switches_events_and_states(version: str) -> None:
    done = run_gdb(
        [f"source {DRIVER}", f"source {SCRIPT}", "python switch_events()"],
        program=build("restless.c", runtime=version),
    )
    lines = [line for line in done.stdout.splitlines() if line.startswith("EVENTS ")]
    assert lines, f"{done.stdout[-2000:]}\n{done.stderr[-2000:]}"
    on, off, on_again = json.loads(lines[0].removeprefix("EVENTS "))
    for row in (on, on_again):
        assert row["met"] > 0
        assert (row["ompd_state"], row["events_enabled"]) == (1, True)
        assert row["state"] == "work_parallel"
    assert (off["met"], off["ompd_state"], off["events_enabled"]) == (0, 0, False)
    assert off["state"] == "work_parallel"  # by its stack


def test_each_error_has_words_of_its_own() -> None:
    script = "import gdb_ompd.inquiry, json; print('WORDS ' + json.dumps([*map("
    script += "gdb_ompd.inquiry.error_string, range(14))]))"
    done = run_gdb([f"python {script}"])
    lines = [line for line in done.stdout.splitlines() if line.startswith("WORDS ")]
    assert lines, done.stderr
    words = json.loads(lines[0].removeprefix("WORDS "))
    assert all(words) and len(set(words)) == 14


def public_functions() -> dict[str, str]:
    """Return inquiry's public functions, each with its docstring."""
    source = (ROOT / "python" / "gdb_ompd" / "inquiry.py").read_text(encoding="utf-8")
    return {
        node.name: ast.get_docstring(node) or ""
        for node in ast.parse(source).body
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")
    }


def documented() -> dict[str, str]:
    """Return the documentation's table: the 2014 name by the function that answers it."""
    text = (ROOT / "docs" / "python-api.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(omp[dt]_\w+)` \| `(\w+)\(", text, re.MULTILINE)
    return {function: report for report, function in rows}


def documented_handles() -> set[str]:
    """Return the functions that give the OMPD library's own handles, as documented."""
    text = (ROOT / "docs" / "python-api.md").read_text(encoding="utf-8")
    return set(re.findall(r"^\| `(\w+)\([\w, ]*\)` \|", text, re.MULTILINE))


def test_documentation_and_module_name_the_same_functions() -> None:
    functions, table = public_functions(), documented()
    assert set(table) | documented_handles() == set(functions)
    assert {name: report for name, report in table.items() if report not in functions[name]} == {}


def test_every_function_is_asked_here() -> None:
    said = stops_of("nested.c", VERSIONS[0])[0].said["first"]
    handles = (ROOT / "tests" / "support" / "handles_in_gdb.py").read_text(encoding="utf-8")
    asked = set(said["process"]) | ASKED_ALONE
    asked |= {name for name in documented_handles() if f"inquiry.{name}" in handles}
    for rows in (said["threads"], said["regions"]):
        asked |= {name for row in rows.values() for name in row}
    asked |= {name for rows in said["tasks"].values() for row in rows for name in row}
    assert asked == set(public_functions())
