# SPDX-License-Identifier: Apache-2.0
"""Two moments of one program that is attached to twice."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.gdb_session import run_gdb
from support.hangs import Setting, compiled

DRIVER = Path(__file__).resolve().parents[1] / "support" / "moved_in_gdb.py"


@pytest.mark.parametrize(
    ("name", "outcomes", "words"),
    [
        ("lock_order_two.c", {"deadlock"}, "and nobody can; deadlock: GDB thread 1"),
        ("blocked_in_recv.c", {"stuck"}, "nobody was seen to move in"),
        ("endless_loop.c", {"again", "unclear"}, ""),
        ("healthy/regions.c", {"again", "goes on", "unclear"}, ""),
    ],
)
def test_what_has_moved(name: str, outcomes: set[str], words: str, tmp_path: Path) -> None:
    program = compiled(name, Setting("O0", "19", "symtab"))
    asked = [f"source {DRIVER}", f"python moved({str(program)!r})"]
    done = run_gdb(asked, env={"SAVED_OUT": str(tmp_path)}, timeout=60)
    said = json.loads(done.stdout.splitlines()[-1])
    assert said["same"]["outcome"] == "one stop"
    assert {thread["change"] for thread in said["same"]["threads"]} == {"not moved"}
    now = said["now"]
    assert now["outcome"] in outcomes and words in now["text"], now
    assert 0.5 < now["seconds"] < 30
    assert said["text"].lower().startswith(now["text"][:12])
    # The earlier file is the first one, whatever their order.
    files = said["files"]
    assert (files["outcome"], files["threads"]) == (now["outcome"], now["threads"])
    if now["outcome"] in ("deadlock", "stuck", "unclear"):
        assert {thread["change"] for thread in now["threads"]} == {"not moved"}
    else:
        moved = [t for t in now["threads"] if t["change"] != "not moved"]
        assert moved and all(thread["changed"] for thread in moved)


def test_two_processes_and_none(tmp_path: Path) -> None:
    program = compiled("lock_order_two.c", Setting("O0", "19", "symtab"))
    files = [tmp_path / "one.json", tmp_path / "other.json"]
    stops = [each for file in files for each in ("run", f"ompd save {file}", "kill")]
    asked = ["break omp_set_lock", *stops, f"ompd compare {files[0]} {files[1]}"]
    done = run_gdb([*asked, f"ompd compare {files[0]}"], program, timeout=60)
    assert "Two processes, of which neither tells of the other: " in done.stdout, done.stdout
    assert "Not one process: " in done.stdout and "live-lock" not in done.stdout, done.stdout
    assert "goes on" not in done.stdout, done.stdout
    assert done.stderr.endswith("no process: start one with 'run', attach, or load a core file\n")


def test_one_step_is_no_loop(tmp_path: Path) -> None:
    program = compiled("lock_order_two.c", Setting("O0", "19", "symtab"))
    file = tmp_path / "before.json"
    asked = ["break main", "run", f"ompd save {file}", "next", f"ompd compare {file}"]
    done = run_gdb(asked, program, timeout=60)
    assert "It goes on: in " in done.stdout and "1 thread went on" in done.stdout, done.stdout
    assert "live-lock" not in done.stdout, done.stdout
