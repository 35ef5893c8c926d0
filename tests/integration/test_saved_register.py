# SPDX-License-Identifier: Apache-2.0
"""The memory in which a variable's register is saved is not shown as the variable's own."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from support.build import Build, binary
from support.gdb_session import run_gdb
from support.runtimes import GNU, ROOT

VALUES = ROOT / "tests" / "programs" / "values"
ASKED = ["up", "ompd print -json -threads 1 given", "ompd print -json -up given"]
ASKED += ["ompd diff given", "ompd whatis given"]
TRUTH = "output (long)its_memory[1]"


def _addresses(said: str) -> list[Any]:
    decoder, found = json.JSONDecoder(), []
    for part in said.split('{"schema"')[1:]:
        document = decoder.raw_decode('{"schema"' + part)[0]
        found += [row["address"] for row in document["values"]]
    return found


@pytest.mark.parametrize("opt", ["O0", "O1", "O2"])
@pytest.mark.parametrize("compiler", ["clang", "gcc"])
def test_where_a_register_is_saved_is_not_the_variables_address(compiler: str, opt: str) -> None:
    program = binary(Build("values/saved_register.c", compiler, opt))
    commands = ["break stop if $_omp_thread_num() == 1", "run", *ASKED, "continue", *ASKED, TRUTH]
    said = run_gdb(commands, program).stdout
    print(said)
    own = int(said.rpartition("\n")[2])
    found = _addresses(said)
    assert len(found) >= 3 and set(found) <= {own, None}, said  # -up has none where it is lost
    assert opt != "O0" or set(found) == {own}
    assert "not in memory" not in said  # it is, at the second stop
    assert said.count("given: firstprivate") == 2, said


@pytest.mark.parametrize("opt", ["O0", "O2"])
def test_but_what_a_pointer_in_a_register_leads_to_is(opt: str) -> None:
    program = binary(Build("values/pointed_at.c", "gcc", opt))
    commands = ["break stop if $_omp_thread_num() == 1", "run", "up"]
    said = run_gdb([*commands, ASKED[1].replace("given", "common"), TRUTH], program).stdout
    assert _addresses(said) == [int(said.rpartition("\n")[2])], said


def test_a_register_is_a_variables_until_what_was_called_has_changed_it() -> None:
    stops = ("changed_not", "changed", "changed_further")
    asked = ("ompd print own", 'output $_omp_var("own")', "echo \\n")
    each = [command for stop in stops for command in (f"break *{stop}", "continue", "up", *asked)]
    commands = ["break main", "run", *each, "kill"]
    done = run_gdb(commands, binary(Build("values/clobbered.c", "gcc", "O2", GNU)))
    assert re.findall(r"^0: (.*)$", done.stdout, re.MULTILINE) == [
        "14",
        *["<not saved: a call may have overwritten $rdi>"] * 2,
    ], done.stdout
    assert "\n14\n" in done.stdout and done.stderr.count("own is not saved") == 2, done.stderr


def test_what_an_earlier_call_has_left_in_a_register_is_no_variables(tmp_path: Path) -> None:
    source, program = VALUES / "left_by_call.c", tmp_path / "left"
    # So GCC describes it where it has given up to follow a function's variables.
    command = ["gcc", "-g", "-Og", "-fno-var-tracking", "-fopenmp", str(source), "-o", str(program)]
    subprocess.run(command, check=True)
    asked = ["print result", "ompd print result", "ompd print own", "kill"]
    done = run_gdb(["break *stop", "run", "up", *asked], program)
    told = re.findall(r"^0: (.*)$", done.stdout, re.MULTILINE)
    why = "<not described: GCC tells result from a register that holds something else here>"
    assert told == [why, "0"], done.stdout
    assert "\n$1 = 1\n" in done.stdout, done.stdout  # what GDB says is wrong
