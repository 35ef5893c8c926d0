# SPDX-License-Identifier: Apache-2.0
"""The OMPD library for libgomp is any debugger's: LLVM's own plugin for GDB, and one of a
hundred lines without GDB, list the threads of a program of gcc's by it."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from support.build import PROGRAMS
from support.gdb_session import run_gdb
from support.runtimes import runtime_folder

LIBRARY = Path(__file__).resolve().parents[2] / "python" / "gdb_ompd" / "libgompd.so"
DRIVER = Path(__file__).resolve().parents[1] / "support" / "plugin_in_gdb.py"
PROGRAM = """
#define _GNU_SOURCE
#include <omp.h>
#include <stdio.h>
#include <unistd.h>
__attribute__((noinline)) void reached(void) { puts("ready"); fflush(stdout); pause(); }
int main(void) {
    #pragma omp parallel num_threads(4)
    {
        #pragma omp critical
        printf("%d %d %d\\n", (int)gettid(), omp_get_thread_num(), omp_get_num_threads());
        #pragma omp barrier
        #pragma omp master
        reached();
        #pragma omp barrier
    }
    return 0;
}
"""


@pytest.fixture(name="program", scope="module")
def _program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("clients")
    (folder / "four.c").write_text(PROGRAM, encoding="ascii")
    argv = ["gcc", "-g", "-fopenmp", str(folder / "four.c"), "-o", str(folder / "four")]
    subprocess.run(argv, check=True)
    return folder / "four"


def test_llvms_plugin(program: Path) -> None:
    plugin = runtime_folder("19").parent / "share" / "gdb" / "python" / "ompd"
    if not (plugin / "ompdModule.so").exists():
        pytest.skip("LLVM's plugin is not built")
    call = f"python listed({str(plugin)!r}, {str(LIBRARY)!r}, 4)"
    asked = ["break reached", "run", f"source {DRIVER}", call]
    done = run_gdb(asked, program, extension=False)
    members, threads = json.loads(done.stdout.partition("LISTED ")[2].splitlines()[0])
    assert len(set(members)) == 4 and set(members) == set(threads)
    assert members[0] == threads[0]


def test_a_debugger_of_a_hundred_lines(program: Path, tmp_path: Path) -> None:
    reader = tmp_path / "reader"
    argv = ["gcc", "-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror", str(PROGRAMS / "reader.c")]
    subprocess.run([*argv, "-o", str(reader), "-ldl"], check=True)
    with subprocess.Popen([str(program)], stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        own = [running.stdout.readline() for _ in range(4)]
        assert running.stdout.readline() == "ready\n"
        said = subprocess.run(
            [str(reader), str(LIBRARY), str(running.pid)], stdout=subprocess.PIPE, text=True
        )
        running.kill()
    assert said.returncode == 0
    assert sorted(said.stdout.splitlines(keepends=True)) == sorted(own)
