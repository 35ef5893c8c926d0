# SPDX-License-Identifier: Apache-2.0
"""What was recovered of a stripped runtime: kept for the next gdb, and exported for others."""

from __future__ import annotations

import re
import signal
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from support.build import Build, binary
from support.gdb_session import run_gdb
from support.runtimes import runtime_folder
from support.stripped import BEGIN, QUIET, STATUS, THREADS, Stripped, assert_recovered

TOGETHER = 3
# Each gdb keeps what it has recovered when all have recovered it.
MEET = """
import os, time
from gdb_ompd.host.symbols import cache
put, folder = cache._put, {folder!r}
def meet(name, place, removed, is_sound):
    open(os.path.join(folder, "met-" + str(os.getpid())), "x").close()
    end = time.monotonic() + 60
    while sum(n.startswith("met-") for n in os.listdir(folder)) < {count} and time.monotonic() < end:
        time.sleep(0.001)
    put(name, place, removed, is_sound)
    with open(os.path.join(folder, "put-" + str(os.getpid())), "x") as file:
        file.write(str(os.stat(place).st_ino))
cache._put = meet
"""


def test_the_second_debugger_takes_it_from_the_cache(stripped: Stripped) -> None:
    asked = ["break truth_stop", "run", *STATUS, *THREADS]
    first = stripped.gdb(asked).stdout
    assert len(stripped.kept) == 1 and stripped.kept[0].endswith(".debug")
    never = "python from gdb_ompd import _native; _native.recover = None"
    second = stripped.gdb([never, *asked]).stdout
    assert_recovered(first, stripped.version)
    assert_recovered(second, stripped.version)


def test_debuggers_that_start_together_keep_one(stripped: Stripped, tmp_path: Path) -> None:
    """None has found one kept, and the one that is first stays where all of them use it."""
    met, together = tmp_path / "met", tmp_path / "together.py"
    met.mkdir()
    together.write_text(MEET.format(folder=str(met), count=TOGETHER), encoding="ascii")
    asked = [f"source {together}", "break truth_stop", "run", *STATUS]
    with ThreadPoolExecutor(TOGETHER) as pool:
        said = [done.stdout for done in pool.map(stripped.gdb, [asked] * TOGETHER)]
    for each in said:
        assert_recovered(each, stripped.version)
    (entry,) = stripped.cache.rglob("*.debug")
    kept = [path.read_text("ascii") for path in met.glob("put-*")]
    assert kept == [str(entry.stat().st_ino)] * TOGETHER


def test_a_damaged_cache_is_mended(stripped: Stripped) -> None:
    asked = ["break truth_stop", "run", *STATUS]
    stripped.gdb(asked)
    (entry,) = (path for path in stripped.cache.rglob("*.debug"))
    good = entry.read_bytes()
    entry.write_bytes(good[: len(good) // 2])
    assert_recovered(stripped.gdb(asked).stdout, stripped.version)
    assert entry.read_bytes() == good


def test_without_the_cache(stripped: Stripped, tmp_path: Path) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    asked = ["set ompd cache off", "show ompd cache", f"break {BEGIN}", "run", *STATUS]
    asked += ["run", *STATUS, f"python import os; print(os.listdir({str(temporary)!r}))"]
    done = stripped.gdb(asked, env={"TMPDIR": str(temporary)})
    assert "Keeping recovered symbols in the user's cache folder is off." in done.stdout
    assert_recovered(done.stdout, stripped.version, 2)
    assert stripped.kept == []
    assert "['gdb-ompd-" in done.stdout
    assert list(temporary.iterdir()) == []


def test_a_debugger_that_is_terminated_leaves_nothing(stripped: Stripped, tmp_path: Path) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    asked = [*QUIET, "set ompd cache off", f"break {BEGIN}", "run", "ompd status"]
    asked += [f"python import os; print(os.listdir({str(temporary)!r}))", "shell kill $PPID"]
    env = {"LD_LIBRARY_PATH": str(stripped.folder), "TMPDIR": str(temporary)}
    done = run_gdb(asked, binary(Build("nested.c", "clang", "O0", stripped.version)), env=env)
    assert "['gdb-ompd-" in done.stdout
    assert list(temporary.iterdir()) == []
    assert "gdb_ompd" not in done.stderr  # GDB's own code may be interrupted, and says so


def test_a_home_that_cannot_be_written(stripped: Stripped) -> None:
    asked = ["break truth_stop", "run", *STATUS]
    said = stripped.gdb(asked, env={"XDG_CACHE_HOME": "/proc/nowhere"}).stdout
    assert_recovered(said, stripped.version)


def test_exported_symbols_are_what_other_debuggers_need(stripped: Stripped, tmp_path: Path) -> None:
    out = tmp_path / "with space.debug"
    export = f'ompd export-symbols "{out}"'
    first = stripped.gdb(["break truth_stop", "run", export, export])
    runtime = stripped.folder / "libomp.so"
    assert (
        f"Recovered symbols of {runtime} (profile LLVM {stripped.version}) written to {out}."
        in first.stdout
    )
    assert f"{out} exists, and is not replaced: remove it, or name another file\n" in first.stderr
    checked = subprocess.run(["readelf", "-aW", out], capture_output=True, text=True, check=True)
    assert checked.stderr == "" and "ompd_bp_task_end" in checked.stdout
    # Another gdb, without this extension.
    find = "python runtime = [o for o in gdb.objfiles() if o.filename.endswith('libomp.so')][0]"
    load = f"python runtime.add_separate_debug_file({str(out)!r})"
    asked = ["break truth_stop", "run", find, load, "print (long)ompd_state", f"break {BEGIN}"]
    said = stripped.gdb(asked, extension=False, env={"OMP_DEBUG": "enabled"}).stdout
    assert "$1 = 1\n" in said
    assert re.search(r"Breakpoint 2 at 0x[0-9a-f]+", said)


@pytest.mark.parametrize(
    "where", ["add-symbol-file {out} -o {bias}", "symbol-file -o {bias} {out}"]
)
def test_exported_symbols_load_by_gdbs_own_commands(
    stripped: Stripped, where: str, tmp_path: Path
) -> None:
    out = tmp_path / "exported"
    said = stripped.gdb([f"ompd export-symbols {out}"], stripped.folder / "libomp.so").stdout
    assert f"written to {out}." in said
    load = where.format(out=out, bias=0x1000000)
    known = subprocess.run(["nm", str(out)], capture_output=True, text=True, check=True).stdout
    value = next(
        int(line.split()[0], 16) for line in known.splitlines() if line.endswith(f" {BEGIN}")
    )
    done = run_gdb([*QUIET, load, f"info symbol {value + 0x1000000:#x}"], extension=False)
    assert f"{BEGIN} in section .text" in done.stdout


def test_real_symbols_are_not_exported(runtime: str, tmp_path: Path) -> None:
    out = tmp_path / "out"
    asked = ["break truth_stop", "run", f"ompd export-symbols {out}", "ompd export-symbols"]
    done = run_gdb(asked, binary(Build("nested.c", "clang", "O0", runtime)))
    file = runtime_folder(runtime) / "libomp.so"
    assert (
        f"{file} has real symbols, nothing is recovered: 'objcopy --only-keep-debug" in done.stderr
    )
    assert "Requires the name of the file to write." in done.stderr
    assert not out.exists()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_debugger_that_is_told_to_end_leaves_nothing(
    stripped: Stripped, tmp_path: Path, number: signal.Signals
) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    asked = [f"python import tempfile; tempfile.tempdir = {str(temporary)!r}"]
    asked += ["set ompd cache off", "break truth_stop", "run", *THREADS, f"shell ls {temporary}"]
    program = binary(Build("nested.c", "clang", "O0", stripped.version))
    env = {"LD_LIBRARY_PATH": str(stripped.folder)}
    done = run_gdb([*asked, f"shell kill -{int(number)} $PPID", "shell sleep 1"], program, env=env)
    assert "gdb-ompd-" in done.stdout
    assert list(temporary.iterdir()) == []
