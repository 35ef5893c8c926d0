# SPDX-License-Identifier: Apache-2.0
"""Code that has no name: a stripped library that is called from a stripped program."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from support.build import PROGRAMS
from support.gdb_session import run_gdb
from support.runtimes import GNU, runtime_folder

FILES = PROGRAMS / "unnamed"
MARK = "@@"
BODY = {"gcc": "begin_work._omp_fn.0", "clang": ".omp_outlined."}


@dataclass(frozen=True)
class Unnamed:
    """The program, and what the functions of its files are called that have lost their names."""

    program: Path
    library: Path
    names: dict[str, str]

    def asked(self, *commands: str) -> list[str]:
        """Return what each of COMMANDS says where all threads are at their places."""
        marked = (part for command in commands for part in (f"echo {MARK}\\n", command))
        begin = ["set breakpoint pending on", "break all_there", "run"]
        done = run_gdb([*begin, *marked, "kill"], self.program, merged=True, timeout=60)
        assert "Traceback" not in done.stdout, done.stdout
        return done.stdout.split(f"{MARK}\n")[1:]


@pytest.fixture(
    name="unnamed",
    scope="module",
    params=[("gcc", "O0", GNU), ("gcc", "O2", GNU), ("clang", "O2", "19")],
    ids="-".join,
)
def fixture_unnamed(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Unnamed:
    compiler, opt, runtime = request.param
    folder = tmp_path_factory.mktemp("unnamed")
    library, program = folder / "libunnamed.so", folder / "host"
    link = ["-fopenmp"]
    if runtime != GNU:
        link += [f"-L{runtime_folder(runtime)}", f"-Wl,-rpath,{runtime_folder(runtime)}"]
    flags = [compiler, f"-{opt}", "-Wall", "-Wextra", "-Werror"]
    shared = ["-shared", "-fPIC", str(FILES / "library.c"), "-o", str(library)]
    subprocess.run([*flags, *link, *shared], check=True)
    own = [f"-L{folder}", "-lunnamed", f"-Wl,-rpath,{folder}", "-o", str(program)]
    subprocess.run([*flags, str(FILES / "host.c"), *own], check=True)
    names = {**_names(library), **_names(program)}
    for file in (library, program):
        shutil.copy(file, f"{file}.whole")
        subprocess.run(["strip", str(file)], check=True)
    return Unnamed(program, library, {**names, "body": names[BODY[compiler]]})


def _names(file: Path) -> dict[str, str]:
    """Return what the functions of a file are called without their names."""
    said = subprocess.run(["nm", str(file)], stdout=subprocess.PIPE, text=True, check=True).stdout
    found = re.findall(r"^([0-9a-f]+) [tT] (\S+)$", said, re.MULTILINE)
    return {name: f"{file.name}+{int(address, 16):#x}" for address, name in found}


def test_each_listing_names_code_by_its_file(unnamed: Unnamed) -> None:
    names = unnamed.names
    asked = ["thread 3", "ompd bt", "ompd bt -team", "ompd parallel", "ompd tasks", "ompd sample 1"]
    _, stack, team, region, tasks, sampled = unnamed.asked(*asked)
    for said in (stack, team, region, tasks, sampled):
        assert "??" not in said, said
    own = re.findall(r"^#\d+ +0x[0-9a-f]+ in (\S+) \(\)$", stack, re.MULTILINE)
    assert own == [names["count_up"], names["work"], names["body"]], stack
    for said in (stack, team):
        assert names["body"] in said, said
    for said in (region, tasks):  # one that has jumped to the runtime has left no name
        assert "begin_work from libunnamed.so" in said or names["body"] in said, said
    # Two threads are somewhere in one function, and one in another.
    assert re.search(
        rf"[ *] 1-2 \(GDB [\d,-]+\) +{re.escape(names['count_up'])}$", team, re.M
    ), team
    assert re.search(rf"[ *] 3 \(GDB \d+\) +{re.escape(names['count_down'])}$", team, re.M), team
    for name in (names["body"], names["work"], names["count_up"], names["count_down"]):
        assert len(re.findall(rf"% +{re.escape(name)}$", sampled, re.MULTILINE)) == 1, sampled


def test_a_function_of_a_library_has_its_file(unnamed: Unnamed) -> None:
    stack, document = unnamed.asked("ompd bt", "ompd bt -json")
    assert re.search(r"^#0 +0x[0-9a-f]+ in all_there \(\) from libunnamed.so$", stack, re.M), stack
    assert re.search(rf"#\d+ +0x[0-9a-f]+ in {re.escape(unnamed.names['main'])} \(\)$", stack, re.M)
    frames: list[dict[str, Any]] = json.JSONDecoder().raw_decode(document)[0]["stack"]
    assert frames[0]["function"] == "all_there"
    assert frames[0]["code"]["module"] == str(unnamed.library)
    work = frames[1]
    assert work["function"] is None
    name = f"libunnamed.so+{work['code']['offset']:#x}"
    assert name == unnamed.names["work"] and not work["code"]["executable"]
    assert frames[-1]["code"]["executable"]
