# SPDX-License-Identifier: Apache-2.0
"""Run inside gdb: start programs one after the other, attach, ask `ompd why -json`, let the
program go, and do so again.

ask_all(PLAN) runs the programs of PLAN, a JSON file; each answer is one line of
HANGS_OUT.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import gdb

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from generator import agree  # noqa: E402
from generator.findings import Findings  # noqa: E402

Document = dict[str, Any]
TRIES = 6
# In a forked process, and in a target region on libgomp, OpenMP begins anew inside of a region.
AT_LEVEL_0 = {"forked_child.c", "target_in_read.c"}


def _quiet(command: str) -> None:
    gdb.execute(command, to_string=True)


def _why(name: str, how: str, shown: bool = True) -> Document:
    """Return the answer; what is SHOWN goes with it if wanted, and with each deadlock."""
    document: Document = json.loads(gdb.execute("ompd why -json", to_string=True))
    if shown or document["verdict"] == "deadlock":
        document["shown"] = gdb.execute("ompd why", to_string=True)
    return {**document, "name": name, "how": how}


def _contradictions(why: Document) -> list[str]:
    """Return where what other commands say at this stop differs from each other or from WHY."""
    found, selected = Findings(), gdb.selected_thread()
    threads = json.loads(gdb.execute("ompd threads -json", to_string=True))
    agree.threads_and_why(threads, why, found)
    tree = json.loads(gdb.execute("ompd bt -all -json", to_string=True))
    agree.threads_and_tree(threads, tree, found)
    for each in tree["trees"]:  # of threads that stand still
        found.same("stack and runtime", "do not agree", each["unplaced"], [])
    states = agree.text_of_threads(threads, gdb.execute("ompd threads -all", to_string=True), found)
    for row in threads["threads"]:
        _quiet(f"thread {row['gdb_num']}")
        stack = json.loads(gdb.execute("ompd bt -json", to_string=True))
        if why["name"] not in AT_LEVEL_0:
            agree.threads_and_stack(row, stack, found)
        text = gdb.execute("ompd bt", to_string=True)
        agree.text_of_stack(row["gdb_num"], text, states, found)
    selected.switch()
    return found.contradictions


def _write(document: Document) -> None:
    with open(os.environ["HANGS_OUT"], "a", encoding="utf-8") as out:
        out.write(json.dumps(document) + "\n")


def _come_to_its_place(process: "subprocess.Popen[str]") -> int:
    """Wait until the program says that it is ready; return whom to attach to."""
    pid = process.pid
    assert process.stdout is not None
    for line in process.stdout:
        if line.startswith("child "):
            pid = int(line.split()[1])
        if line == "ready\n":
            break
    return pid


def _attached(pid: int, name: str, shown: bool = True) -> Document:
    _quiet(f"attach {pid}")
    return _why(name, "live", shown)


def _hung(plan: Document, pid: int) -> None:
    """Ask until the program has come to its hang, then in a core if one is wanted."""
    for attempt in range(TRIES):
        time.sleep(0.2 * (attempt + 1))
        answer = _attached(pid, plan["name"])
        if answer["verdict"] in plan["verdicts"] or attempt == TRIES - 1:
            break
        _quiet("detach")
    _write({**answer, "contradictions": _contradictions(answer)})
    if not plan["core"]:
        _quiet("detach")
        return
    _quiet(f"gcore {plan['core']}")
    _quiet("detach")
    _quiet(f"core-file {plan['core']}")
    _quiet("info threads")  # has gdb say what it misses in the core
    _write(_why(plan["name"], "core"))
    _quiet("core-file")
    os.unlink(plan["core"])


def _busy(plan: Document, pid: int) -> None:
    for number in range(plan["stops"]):
        time.sleep(0.02 * (number % 3))  # at different moments
        _write(_attached(pid, plan["name"], shown=False))
        _quiet("detach")


def _ask(plan: Document) -> None:
    _quiet(f"file {plan['path']}")
    # LLVM's runtime leaves a file of its process's number behind where it is killed, and takes it
    # for another runtime in the process that has the number next.
    own = {"PATH": os.environ["PATH"], "KMP_DUPLICATE_LIB_OK": "TRUE"}
    environment = {**plan["environment"], **own}
    with subprocess.Popen(
        [plan["path"]],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
        start_new_session=True,
    ) as process:
        try:
            pid = _come_to_its_place(process)
            (_busy if plan["stops"] else _hung)(plan, pid)
        finally:
            os.killpg(process.pid, signal.SIGKILL)  # a forked child too


def ask_all(plan: str) -> None:
    """Ask of each program of the plan."""
    with open(plan, encoding="utf-8") as file:
        programs = json.load(file)
    _quiet("set confirm off")
    for program in programs:
        _ask(program)
