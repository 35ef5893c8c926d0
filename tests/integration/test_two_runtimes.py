# SPDX-License-Identifier: Apache-2.0
"""A process with libomp and libgomp: a thread is in the region that it has begun last, whose ever
that is, and a cycle over both runtimes is found."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from support.build import PROGRAMS
from support.gdb_session import run_gdb

FOLDER = PROGRAMS / "two_runtimes"
TRIES = 6


def _built(folder: Path, opt: str) -> list[Path]:
    """Return the host, the library on LLVM's runtime and that on GCC's."""
    made = [folder / "host", folder / "libouter.so", folder / "libinner.so"]
    shared = ["-shared", "-fPIC", "-fopenmp"]
    for compiler, file, how in zip(("gcc", "clang", "gcc"), made, ([], shared, shared)):
        source = FOLDER / f"{file.name.removeprefix('lib').removesuffix('.so')}.c"
        command = [compiler, "-g", f"-{opt}", *how, str(source), "-o", str(file), "-ldl"]
        subprocess.run(command, check=True)
    return made


@pytest.mark.parametrize("opt", ["O0", "O2"])
def test_a_cycle_over_two_runtimes(opt: str, tmp_path: Path) -> None:
    command = [str(path) for path in _built(tmp_path, opt)]
    with subprocess.Popen(command) as process:
        try:
            for _ in range(TRIES):  # it comes to its hang soon
                said = run_gdb([f"attach {process.pid}", "ompd why", "detach"]).stdout
                if "Deadlock" in said:
                    break
        finally:
            process.kill()
    assert "Deadlock: GDB thread 1 waits at end of region at inner.c" in said, said
    for lock, holder in (("log", "1"), ("table", "[23]")):
        assert f'waits for critical "{lock}" at' in said, said
        held = rf'critical "{lock}": GDB thread .*held by GDB thread {holder} \(inferred from the'
        assert re.search(held, said), said
    assert said.count(" -> GDB thread") == 3, said
    for runtime in ("libomp.so.5, run at outer.c", "libgomp.so.1, update_in_team at inner.c"):
        assert f"Team of 2, level 1, {runtime}" in said, said


def test_a_setting_says_whose_it_is(tmp_path: Path) -> None:
    host, *libraries = _built(tmp_path, "O0")
    saved = tmp_path / "stop.json"
    started = [f"run {' '.join(map(str, libraries))}", f"ompd save {saved}"]
    asked = ["ompd env OMP_NUM_THREADS", "ompd icvs affinity-format-var stacksize-var"]
    asked += [f"{each} -from {saved}" for each in asked]
    stop = ["set breakpoint pending on", "break about_to_wait", *started]
    said = run_gdb([*stop, *asked], host, env={"OMP_NUM_THREADS": "2"}).stdout
    for runtime in ("libomp.so.5", "libgomp.so.1"):
        assert said.count(f"* OMP_NUM_THREADS=2  environment, {runtime}\n") == 2, said
        assert len(re.findall(rf"%A\S* +{runtime}\n", said)) == 2, said
    assert len(re.findall(r"  stacksize-var .* libomp.so.5\n", said)) == 2, said
