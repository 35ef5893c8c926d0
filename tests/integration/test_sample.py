# SPDX-License-Identifier: Apache-2.0
"""`ompd sample`: a program that is stopped several times, and where it was."""

from __future__ import annotations

import json
import subprocess
import time
from pathlib import Path

import pexpect
import pytest
from support.gdb_session import EXTENSION, START, clean_environment, run_gdb
from support.hangs import Setting, compiled
from support.runtimes import ROOT

MARK = "@@"


@pytest.fixture(name="program", scope="module")
def fixture_program() -> Path:
    """One thread at a time works under a lock that the others wait for."""
    path = compiled("healthy/long_under_lock.c", Setting("O0", "19", "symtab"))
    assert path is not None
    return path


@pytest.mark.parametrize("remote", [False, True], ids=["live", "gdbserver"])
def test_where_the_program_was(program: Path, remote: bool) -> None:
    begin = [f"target remote | gdbserver --once - {program}"] if remote else []
    asked = [
        *begin,
        "break long_under_lock.c:10",
        "continue" if remote else "run",
        "delete",
        f"echo {MARK}\\n",
        "ompd sample -every 0.3 -json 4",
        f"echo {MARK}\\n",
        "ompd sample -every 0.2 3",
        f"echo {MARK}\\n",
        "break work",
        "ompd sample -every 30",
        f"echo {MARK}\\n",
        "ompd sample 0",
        "kill",
        "ompd sample",
    ]
    done = run_gdb(asked, program, merged=True, timeout=60)
    said, text, ended, wrong = done.stdout.split(f"{MARK}\n")[1:]
    document = json.loads(said[said.index("{") :])  # behind what the program writes
    assert (document["samples"], document["ended"]) == (4, None), document
    branches = document["branches"]
    regions = [branch for branch in branches if branch["depth"] == 0 and branch["region"]]
    assert (
        sum(branch["stacks"] for branch in branches if branch["depth"] == 0) == document["stacks"]
    )
    assert [branch["region"]["line"] for branch in regions] == [10]
    waiting = [branch for branch in branches if branch["waits_for"]]
    assert {branch["waits_for"]["name"] for branch in waiting} == {"owned"}
    lines = text.splitlines()
    assert lines[0].startswith("3 samples in ") and "received signal" not in text
    assert any(
        line.endswith("Region  level 1, 4 threads: main at long_under_lock.c:10") for line in lines
    )
    assert any(line.endswith('waiting for lock "owned"') for line in lines)
    assert any('lock "owned" at long_under_lock.c:13 -> working at' in line for line in lines)
    assert lines[-1].startswith("The threads' time: ")
    assert lines[-1].endswith(".") and ". " in lines[-1]
    assert {"working", "waiting"} <= set(document["spent"]) and document["text"]
    if not remote:
        used = [b["nanoseconds"] for b in branches if b["function"] == "work"]
        assert 0 < sum(used) <= document["nanoseconds"]
    assert "Ended at breakpoint" in ended and "1 sample in " in ended
    assert "A number of samples is wanted" in wrong and "no process" in wrong


def test_a_program_that_ends(tmp_path: Path) -> None:
    """There is a sample of what was seen, or a line that says why not."""
    source = tmp_path / "short.c"
    source.write_text("int main(void) { return 0; }\n")
    program = tmp_path / "short"
    subprocess.run(["gcc", "-g", str(source), "-o", str(program)], check=True)
    done = run_gdb(["break main", "run", "ompd sample"], program, merged=True)
    assert done.stdout.splitlines()[-1] == "The program has ended"


def test_ctrl_c_shows_what_there_is(program: Path) -> None:
    session = pexpect.spawn(
        "gdb",
        [*START, "-q", "-ex", f"source {EXTENSION}", str(program)],
        env=clean_environment({"COLUMNS": "120"}),
        cwd=str(ROOT),
        encoding="utf-8",
        timeout=60,
    )
    try:
        for command in (
            "set style enabled off",
            "set pagination off",
            "break work",
            "run",
            "delete",
        ):
            session.expect_exact("(gdb) ")
            session.sendline(command)
        if session.expect_exact(["(y or n) ", "(gdb) "]) == 0:
            session.sendline("y")
            session.expect_exact("(gdb) ")
        # Between two waits the terminal is GDB's, while the program runs it is the program's.
        for delay in (0.0, 0.01, 0.03, 0.1, 0.15, 0.2):
            session.sendline("ompd sample -every 0.1 1000")
            session.expect("2 of 1000")
            time.sleep(delay)
            session.sendintr()
            session.expect(r"\d+ samples? in ")
            session.expect("Ended by Ctrl-C")
            session.expect_exact("(gdb) ")
        session.sendline("ompd why")
        session.expect("Team of 4")
    finally:
        session.close(force=True)
