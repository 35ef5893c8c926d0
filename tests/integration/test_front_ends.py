# SPDX-License-Identifier: Apache-2.0
"""Front ends get the documents that -json prints: by MI commands, and as a debug adapter's
requests where this GDB is one."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from support.build import build
from support.front_ends import Adapter, result, words
from support.gdb_session import EXTENSION, START, clean_environment, run_gdb
from support.runtimes import ROOT

ASKED = (
    ("status", []),
    ("threads", []),
    ("threads", ["-state", "working", "-no-location"]),
    ("parallel", []),
    ("parallel", ["-all"]),
    ("tasks", ["-all"]),
    ("why", []),
    ("icvs", ["nthreads-var", "num-procs-var"]),
)


PAGE = (ROOT / "docs" / "editors.md").read_text("utf-8")
WRITTEN, HERE = "/path/to/gdb-ompd/gdb-scripts/ompd.py", str(EXTENSION)
PACKAGE = json.loads((ROOT / "editors" / "vscode" / "package.json").read_text("utf-8"))
LAUNCH, CPPTOOLS = (
    json.loads(block.replace(WRITTEN, HERE))
    for block in re.findall(r"```json\n(.*?)```", PAGE, flags=re.DOTALL)
)


def is_adapter() -> bool:
    """Tell whether GDB is a debug adapter, and one whose requests are answered in its thread."""
    ask = "from gdb.dap.server import request; print(request.__kwdefaults__)"
    return "on_dap_thread" in run_gdb([f"python {ask}"], extension=False).stdout


def as_fields(value: Any) -> Any:
    """Return a document as the machine interface has it: no null, no space in a name, all text."""
    if isinstance(value, dict):
        return {k.replace(" ", "_"): as_fields(v) for k, v in value.items() if v is not None}
    if isinstance(value, list):
        return ["" if each is None else as_fields(each) for each in value]
    return str(value).lower() if isinstance(value, bool) else str(value)


def test_the_machine_interface_has_the_documents() -> None:
    asked = ["break truth_stop", "run", "thread 1"]
    for name, options in ASKED:
        asked += ["echo @@", f"ompd {name}{words(options)} -json", "echo @@"]
        asked += [f'interpreter-exec mi "-ompd-{name}{words(options)}"']
    asked += ["echo @@", 'interpreter-exec mi "-ompd-tasks --thread 2"']
    asked += ["echo @@", "thread apply 2 -q ompd tasks -json"]
    asked += ["echo @@", 'interpreter-exec mi "-ompd-icvs \\"a b\\""']
    parts = run_gdb(asked, build("nested.c")).stdout.split("@@")[1:]
    for (name, options), said, document in zip(ASKED, parts[1::2], parts[::2]):
        expected = as_fields(json.loads(document))
        assert result(said.strip()) == expected, (name, options)
    of_two, own, mistake = parts[2 * len(ASKED) :]
    assert result(of_two.strip()) == as_fields(json.loads(own))
    assert result(of_two.strip())["tasks"][0]["gdb_num"] == "2"
    assert mistake.startswith('^error,msg="no ICV is called \\"a b\\"'), mistake


def test_the_machine_interface_says_why_there_is_nothing() -> None:
    said = run_gdb(['interpreter-exec mi "-ompd-why"']).stdout
    assert said.startswith('^error,msg="no process: start one with '), said


def test_cpptools_loads_it_by_what_the_page_says() -> None:
    [setup] = CPPTOOLS["configurations"][0]["setupCommands"]
    done = subprocess.run(
        ["gdb", *START, "-q", "-i=mi"],
        input=f"{setup['text']}\n-ompd-status\n-gdb-exit\n",
        env=clean_environment(),
        capture_output=True,
        text=True,
        timeout=60,
    )
    [said] = [line for line in done.stdout.splitlines() if "schema" in line]
    assert result(said)["runtimes"] == [], done.stdout


@pytest.mark.skipif(not is_adapter(), reason="this GDB is no debug adapter")
def test_the_debug_adapter_has_the_documents() -> None:
    [debugger] = PACKAGE["contributes"]["debuggers"]
    assert debugger["type"] == LAUNCH["configurations"][0]["type"]
    with Adapter(["-i=dap", "-iex", f"source {EXTENSION}"]) as adapter:
        adapter.stopped_in(build("nested.c"), "truth_stop")
        for name, options in ASKED:
            told = adapter.ask(f"ompd-{name}", options=options)
            typed = adapter.ask(
                "evaluate", expression=f"ompd {name}{words(options)} -json", context="repl"
            )
            assert told["success"], told
            assert told["body"] == json.loads(typed["body"]["result"]), (name, options)
        threads = adapter.ask("threads")["body"]["threads"]
        second = adapter.ask("ompd-tasks", threadId=threads[1]["id"])["body"]["tasks"]
        assert {task["gdb_num"] for task in second} == {threads[1]["id"]}
        for arguments, why in (
            ({"options": ["-no-such"]}, "Unrecognized option at: -no-such."),
            ({"options": [1]}, "value for 'options' does not have expected type"),
            ({"threadId": 99}, "There is no thread 99."),
        ):
            told = adapter.ask("ompd-threads", **arguments)
            assert not told["success"] and told["message"].startswith(why), told


def names_listed(text: str) -> list[str]:
    """Return the names in what "info threads" wrote, by GDB's numbers."""
    rows = re.findall(r'^[* ] +(\d+) +Thread .*?"([^"]*)"', text, flags=re.MULTILINE)
    return [name for _, name in sorted(rows, key=lambda row: int(row[0]))]


def test_threads_have_names_of_what_they_do_and_get_their_own_back() -> None:
    asked = [
        "break truth_stop",
        "run",
        "info threads",
        "echo @@",
        "thread apply 1 thread name mine",
    ]
    asked += ["set ompd thread-names on", "info threads", "thread apply 2 thread name yours"]
    asked += ["echo @@", "set ompd thread-names off", "info threads", "echo @@"]
    asked += ["set ompd thread-names on", "delete", "break truth_stop", "continue", "info threads"]
    own, named, back, later = (
        names_listed(part)
        for part in run_gdb([*asked, "kill"], build("nested.c"), merged=True).stdout.split("@@")
    )
    program = own[1]
    assert set(own) == {program}, own
    assert named[0].endswith(", working [mine]"), named
    for name in named[1:]:
        assert re.fullmatch(rf"(.* of \d, )?.+ \[{program}\]", name), named
    assert back == ["mine", "yours", *own[2:]]
    assert later[0].endswith("[mine]") and later[1].endswith("[yours]"), later


def test_threads_of_a_core_have_names(tmp_path: Path) -> None:
    core = tmp_path / "core"
    program = build("nested.c")
    run_gdb(["break truth_stop", "run", f"generate-core-file {core}", "kill"], program)
    said = run_gdb(["set ompd thread-names on", "info threads"], program, core=core).stdout
    assert " of 2, working" in said, said


def test_front_ends_have_the_names_by_themselves() -> None:
    asked = "-break-insert truth_stop\n-exec-run\n"
    with subprocess.Popen(
        ["gdb", *START, "-q", "-i=mi", "-ex", f"source {EXTENSION}", str(build("nested.c"))],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=clean_environment(),
        text=True,
    ) as gdb:
        assert gdb.stdin is not None and gdb.stdout is not None
        gdb.stdin.write(asked)
        gdb.stdin.flush()
        assert any(line.startswith("*stopped") for line in gdb.stdout)
        gdb.stdin.write("-thread-info\n-gdb-exit\n")
        gdb.stdin.flush()
        [said] = [line for line in gdb.stdout if "threads=[" in line]
    names = [each["name"] for each in result(said)["threads"]]
    assert any(re.match(r"0 of 2.*, working \[", name) for name in names), names


@pytest.mark.skipif(not is_adapter(), reason="this GDB is no debug adapter")
def test_the_debug_adapter_has_the_variables_of_a_region() -> None:
    with Adapter(["-i=dap", "-iex", f"source {EXTENSION}", "-iex", "ompd bt on"]) as adapter:
        adapter.stopped_in(build("values/loop_kinds.c"), "probe")
        thread = adapter.told(event="stopped")["body"]["threadId"]
        probe, region = adapter.ask("stackTrace", threadId=thread)["body"]["stackFrames"][:2]
        assert region["name"] == "worksharing [parallel region]"
        told = {each["name"]: each["value"] for each in variables_in(adapter, probe["id"])}
        own = {each["name"]: each["value"] for each in variables_in(adapter, region["id"])}
        assert own == {"i": told["value"], "count": "12"}, (own, told)


def variables_in(adapter: Adapter, frame: int) -> list[dict[str, Any]]:
    """Return the arguments and locals that the adapter has of a frame."""
    scopes = adapter.ask("scopes", frameId=frame)["body"]["scopes"]
    asked = [each for each in scopes if each["name"] in ("Arguments", "Locals")]
    return [
        each
        for scope in asked
        for each in adapter.ask("variables", variablesReference=scope["variablesReference"])[
            "body"
        ]["variables"]
    ]
