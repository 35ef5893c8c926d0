# SPDX-License-Identifier: Apache-2.0
"""A stripped runtime, in each of the ways a program on it can be debugged.

GDB itself knows the recovered names: event functions can be broken at before
the runtime is loaded, and in every run.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from support.build import Build, binary
from support.gdb_session import GdbResult, clean_environment, run_gdb
from support.runtimes import ROOT, VERSIONS, runtime_folder

BEGIN = "ompd_bp_parallel_begin"
QUIET = ("set confirm off", "set breakpoint pending on")
STATUS = ("echo STATUS\\n", "ompd status -json")
THREADS = ("echo THREADS\\n", "ompd threads -json")
# Waits in a region until it is told to go on, and begins another one then.
WAITING = """
#include <stdio.h>
#include <unistd.h>

static volatile int go;

int main(void) {
#pragma omp parallel num_threads(3)
    {
#pragma omp master
        {
            puts("ready");
            fflush(stdout);
            while (!go)
                usleep(1000);
        }
    }
#pragma omp parallel num_threads(2)
    { __asm__ volatile(""); }
    return 0;
}
"""


@dataclass(frozen=True)
class Stripped:
    """A stripped libomp, its libompd beside it, and where to keep what is recovered."""

    version: str
    folder: Path
    cache: Path

    def gdb(
        self,
        commands: Sequence[str],
        program: Path | None = None,
        core: Path | None = None,
        extension: bool = True,
        env: Mapping[str, str] | None = None,
    ) -> GdbResult:
        """Run COMMANDS on the program, nested.c if none is named, with this runtime."""
        chosen = program or binary(Build("nested.c", "clang", "O0", self.version))
        own = {"LD_LIBRARY_PATH": str(self.folder), "XDG_CACHE_HOME": str(self.cache)}
        own.update(env or {})
        done = run_gdb([*QUIET, *commands], chosen, core, extension, own)
        assert "Traceback" not in done.stderr and "Python Exception" not in done.stderr
        return done

    @property
    def kept(self) -> list[str]:
        """What the cache holds."""
        return sorted(path.name for path in self.cache.rglob("*") if path.is_file())


@pytest.fixture
def stripped(runtime: str, tmp_path: Path) -> Stripped:
    """Each version's runtime, stripped, and an empty cache."""
    folder = tmp_path / "runtime"
    folder.mkdir()
    original = runtime_folder(runtime)
    shutil.copy(original / "libompd.so", folder)
    out = str(folder / "libomp.so")
    subprocess.run(["strip", "-o", out, str(original / "libomp.so")], check=True)
    return Stripped(runtime, folder, tmp_path / "cache")


def documents(said: str, mark: str) -> list[dict[str, Any]]:
    """Return the JSON documents that follow MARK in what gdb said."""
    decoder = json.JSONDecoder()
    found = []
    for part in said.split(f"{mark}\n")[1:]:
        assert part.startswith("{"), part
        found.append(decoder.raw_decode(part)[0])
    return found


def assert_recovered(said: str, version: str, count: int = 1) -> None:
    """Each status in SAID, COUNT of them, has symbols that were recovered and verified."""
    statuses = documents(said, "STATUS")
    assert len(statuses) == count
    for status in statuses:
        (runtime,) = status["runtimes"]
        assert (runtime["symbols"], runtime["problem"]) == ("recovered", None)
        assert (runtime["profile"], runtime["layout_verified"]) == (f"LLVM {version}", True)


def assert_team_of(said: str, size: int) -> None:
    """The listing shows a team of that size, each of its threads once, without an error."""
    (listing,) = documents(said, "THREADS")
    threads = listing["threads"]
    assert [thread["error"] for thread in threads if thread["error"]] == []
    team = [thread["thread_num"] for thread in threads if thread["team_size"] == size]
    assert sorted(team) == list(range(size))


def test_a_breakpoint_before_the_first_run_is_hit_in_each(stripped: Stripped) -> None:
    asked = [f"break {BEGIN}", "run", "bt 2", *STATUS, "run", *STATUS, "info breakpoints"]
    said = stripped.gdb(asked).stdout
    assert f"Breakpoint 1 ({BEGIN}) pending." in said
    assert len(re.findall(rf"hit Breakpoint 1, 0x[0-9a-f]+ in {BEGIN} \(\)", said)) == 2
    assert "in __kmp_fork_call" in said  # functions after it keep their names
    assert_recovered(said, stripped.version, 2)
    events = [status["runtimes"][0]["events_enabled"] for status in documents(said, "STATUS")]
    assert events == [True, True]
    assert len(re.findall(r"^1\.?\d* +breakpoint", said, re.MULTILINE)) == 1  # one place


def test_a_breakpoint_on_the_loaded_runtime_is_set_anew(stripped: Stripped) -> None:
    asked = ["break truth_stop", "run", f"break {BEGIN}", "disable 1", "run", "bt 1"]
    said = stripped.gdb(asked).stdout
    assert "pending" not in said
    assert re.search(rf"hit Breakpoint 2, 0x[0-9a-f]+ in {BEGIN} \(\)", said)


def test_the_second_debugger_takes_it_from_the_cache(stripped: Stripped) -> None:
    asked = ["break truth_stop", "run", *STATUS, *THREADS]
    first = stripped.gdb(asked).stdout
    assert len(stripped.kept) == 1 and stripped.kept[0].endswith(".debug")
    never = "python from gdb_ompd import _native; _native.recover = None"
    second = stripped.gdb([never, *asked]).stdout
    assert_recovered(first, stripped.version)
    assert_recovered(second, stripped.version)


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


def test_a_home_that_cannot_be_written(stripped: Stripped) -> None:
    asked = ["break truth_stop", "run", *STATUS]
    said = stripped.gdb(asked, env={"XDG_CACHE_HOME": "/proc/nowhere"}).stdout
    assert_recovered(said, stripped.version)


@pytest.fixture
def waiting(stripped: Stripped, tmp_path: Path) -> Iterator[tuple[Path, subprocess.Popen[str]]]:
    """A program outside of gdb, in a region on the stripped runtime."""
    source, program = tmp_path / "waiting.c", tmp_path / "waiting"
    source.write_text(WAITING, encoding="ascii")
    link = [f"-L{runtime_folder(stripped.version)}", f"-Wl,-rpath,{stripped.folder}"]
    command = ["clang", "-g", "-fopenmp", str(source), "-o", str(program), *link]
    subprocess.run(command, check=True)
    env = clean_environment({"OMP_DEBUG": "enabled"})
    process = subprocess.Popen(
        [program], env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    try:
        assert process.stdout is not None and process.stdout.readline() == "ready\n"
        yield program, process
    finally:
        process.send_signal(signal.SIGKILL)
        process.communicate()


def test_attached(stripped: Stripped, waiting: tuple[Path, subprocess.Popen[str]]) -> None:
    program, process = waiting
    asked = [f"attach {process.pid}", *STATUS, *THREADS, f"break {BEGIN}"]
    asked += ["set variable go = 1", "continue", "bt 1"]
    said = stripped.gdb(asked, program).stdout
    assert_recovered(said, stripped.version)
    assert_team_of(said, 3)
    assert re.search(rf"hit Breakpoint 1, 0x[0-9a-f]+ in {BEGIN} \(\)", said)


def test_a_file_that_was_replaced_since(
    stripped: Stripped, waiting: tuple[Path, subprocess.Popen[str]]
) -> None:
    """Symbols of another build would have GDB write into the wrong code."""
    program, process = waiting
    other = next(version for version in VERSIONS if version != stripped.version)
    file, new = stripped.folder / "libomp.so", stripped.folder / "new"
    subprocess.run(["strip", "-o", str(new), str(runtime_folder(other) / "libomp.so")], check=True)
    os.replace(new, file)
    asked = [f"attach {process.pid}", *STATUS, f"info address {BEGIN}"]
    done = stripped.gdb(asked, program)
    (status,) = documents(done.stdout, "STATUS")
    assert "differs from the one that is mapped" in json.dumps(status)
    assert f'No symbol "{BEGIN}" in current context.' in done.stdout + done.stderr
    assert stripped.kept == []


def test_core(stripped: Stripped, tmp_path: Path) -> None:
    core = tmp_path / "core"
    stripped.gdb(["break truth_stop", "run", "continue", f"generate-core-file {core}"])
    asked = [*STATUS, *THREADS, "info symbol ompd_bp_task_begin"]
    said = stripped.gdb(asked, core=core, env={"XDG_CACHE_HOME": str(tmp_path / "other")}).stdout
    assert_recovered(said, stripped.version)
    assert documents(said, "THREADS")[0]["threads"]
    assert "ompd_bp_task_begin in section .text" in said


def test_gdbserver(stripped: Stripped) -> None:
    program = binary(Build("nested.c", "clang", "O0", stripped.version))
    asked = [f"break {BEGIN}", f"target remote | gdbserver --once - {program}", "continue"]
    said = stripped.gdb([*asked, *STATUS, "kill"]).stdout
    assert re.search(rf"hit Breakpoint 1, 0x[0-9a-f]+ in {BEGIN} \(\)", said)
    assert_recovered(said, stripped.version)
    assert len(stripped.kept) == 1  # the file is on this machine: nothing is fetched


HIDING = ["unshare", "--mount", "--map-root-user"]


def can_hide() -> bool:
    return subprocess.run([*HIDING, "true"], capture_output=True).returncode == 0


@pytest.mark.skipif(not can_hide(), reason="mount namespaces are not allowed here")
@pytest.mark.parametrize("cache", ["on", "off"])
def test_a_runtime_that_only_the_other_machine_has(stripped: Stripped, cache: str) -> None:
    """gdbserver is given the folder of the runtime, which is empty for gdb."""
    program = binary(Build("nested.c", "clang", "O0", stripped.version))
    held = stripped.folder.with_name("held")
    stripped.folder.rename(held)
    stripped.folder.mkdir()
    inside = f"mount --bind {held} {stripped.folder} && exec gdbserver --once - {program}"
    server = f"{' '.join(HIDING)} sh -c '{inside}'"
    asked = [f"set ompd cache {cache}", f"break {BEGIN}", f"target remote | {server}", "continue"]
    ompd = f"set ompd library {held / 'libompd.so'}"
    said = stripped.gdb([*asked, ompd, *STATUS, "kill"]).stdout
    assert re.search(rf"hit Breakpoint 1, 0x[0-9a-f]+ in {BEGIN} \(\)", said)
    assert_recovered(said, stripped.version)
    assert ("libomp.so" in stripped.kept) == (cache == "on")
    assert list(stripped.folder.iterdir()) == []


NOTHING_KNOWN = "python import gdb_ompd.recovery.profiles as p; p.known = tuple"


def test_a_layout_of_no_known_version(stripped: Stripped) -> None:
    """It is believed where what runs agrees with it, and said to be unverified."""
    asked = [NOTHING_KNOWN, "break truth_stop", "run", "ompd status", *STATUS, *THREADS]
    said = stripped.gdb(asked).stdout
    assert "  Symbols       recovered (unverified layout)\n" in said
    (runtime,) = documents(said, "STATUS")[0]["runtimes"]
    assert (runtime["profile"], runtime["layout_verified"]) == (None, False)
    (listing,) = documents(said, "THREADS")
    assert max(thread["level"] or 0 for thread in listing["threads"]) >= 1
    assert [note for note in listing["notes"] if note.startswith("Unverified layout: ")]


def test_other_constants_in_the_program_than_in_the_file(stripped: Stripped) -> None:
    name = "ompd_access__kmp_base_team_t__t_nproc"
    asked = ["break truth_stop", "run", f"print (long){name}", f"set {{long}}&{name} = 8"]
    done = stripped.gdb([*asked, "ompd threads"])
    held = re.search(r"\$1 = (\d+)", done.stdout)
    assert held is not None
    assert (
        f"the runtime in memory is not the file {stripped.folder / 'libomp.so'}: {name} is 8 in"
        f" the program and {held.group(1)} in the file's code" in done.stderr
    )


def test_two_inferiors(stripped: Stripped) -> None:
    program = binary(Build("nested.c", "clang", "O0", stripped.version))
    asked = ["break truth_stop", "run", f"add-inferior -exec {program}", "inferior 2", "run"]
    asked += [*STATUS, "inferior 1", *STATUS]
    said = stripped.gdb(asked).stdout
    assert_recovered(said, stripped.version, 2)


def test_sourced_after_the_runtime_was_loaded(stripped: Stripped) -> None:
    asked = ["catch load libomp", "run", f"source {ROOT / 'gdb-scripts' / 'ompd.py'}"]
    asked += [f"break {BEGIN}", "continue", *STATUS]
    said = stripped.gdb(asked, extension=False).stdout
    assert re.search(rf"hit Breakpoint 2, 0x[0-9a-f]+ in {BEGIN} \(\)", said)
    assert_recovered(said, stripped.version)


def test_loaded_with_the_runtime_by_gdbs_auto_load(stripped: Stripped, tmp_path: Path) -> None:
    place = tmp_path / "auto" / str(stripped.folder).lstrip("/")
    place.mkdir(parents=True)
    (place / "libomp.so-gdb.py").symlink_to(ROOT / "gdb-scripts" / "libomp.so-gdb.py")
    asked = [f"add-auto-load-safe-path {tmp_path}"]
    asked += [f"add-auto-load-scripts-directory {tmp_path / 'auto'}"]
    asked += [f"break {BEGIN}", "run", *STATUS, "python print(len(gdb.objfiles()), 'files')"]
    asked += ["run", *STATUS, "python print(len(gdb.objfiles()), 'files')"]
    said = stripped.gdb(asked, extension=False).stdout
    assert len(re.findall(rf"hit Breakpoint 1, 0x[0-9a-f]+ in {BEGIN} \(\)", said)) == 2
    assert_recovered(said, stripped.version, 2)
    first, second = re.findall(r"(\d+) files", said)
    assert first == second  # attached once in each run


def test_a_runtime_under_another_name(stripped: Stripped) -> None:
    """It is found by what it exports, when it is first asked about."""
    vendor = stripped.folder / "vendor-rt.so"
    (stripped.folder / "libomp.so").rename(vendor)
    asked = [f"set environment LD_PRELOAD {vendor}", "break truth_stop", "run", *STATUS]
    asked += ["disable 1", f"break {BEGIN}", "run", "bt 1", *STATUS]
    said = stripped.gdb(asked).stdout
    assert_recovered(said, stripped.version, 2)
    assert re.search(rf"hit Breakpoint 2, 0x[0-9a-f]+ in {BEGIN} \(\)", said)


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


def test_the_distributions_own_runtime(tmp_path: Path) -> None:
    """What 'apt-get install clang libomp-dev' gives, and nothing else."""
    source, program = tmp_path / "waiting.c", tmp_path / "waiting"
    source.write_text(WAITING, encoding="ascii")
    subprocess.run(["clang", "-g", "-fopenmp", str(source), "-o", str(program)], check=True)
    asked = [*QUIET, "break usleep", "run", *STATUS, *THREADS]
    said = run_gdb(asked, program, env={"XDG_CACHE_HOME": str(tmp_path / "cache")}).stdout
    (runtime,) = documents(said, "STATUS")[0]["runtimes"]
    assert (runtime["symbols"], runtime["layout_verified"]) == ("recovered", True)
    assert runtime["problem"] is None
    assert_team_of(said, 3)
