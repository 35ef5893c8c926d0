# SPDX-License-Identifier: Apache-2.0
"""OMPD events are on in what gdb starts, unless the user has said otherwise."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from support.build import Build, binary
from support.gdb_session import clean_environment, run_gdb
from support.runtimes import ROOT, VERSIONS, runtime_folder

STATUS = ("echo STATUS\\n", "ompd status -json")
STATES = ("echo THREADS\\n", "ompd threads -json")


def said(commands: Sequence[str], runtime: str, env: Mapping[str, str] | None = None) -> str:
    done = run_gdb(commands, binary(Build("nested.c", "clang", "O0", runtime)), env=env)
    assert "Traceback" not in done.stderr
    return done.stdout


def events(output: str) -> list[bool | None]:
    """Return whether each status in OUTPUT says that events are on."""
    documents = [part.split("\n", 1)[1] for part in output.split("STATUS")[1:]]
    decoder = json.JSONDecoder()
    found = [decoder.raw_decode(document)[0] for document in documents]
    return [document["runtimes"][0]["events_enabled"] for document in found]


@pytest.mark.parametrize("runtime", VERSIONS)
def test_on_by_default_in_every_run(runtime: str) -> None:
    asked = ["set confirm off", "break truth_stop", "run", *STATUS, "run", *STATUS, *STATES]
    output = said(asked, runtime)
    assert events(output) == [True, True]
    threads = json.loads(output.split("THREADS\n", 1)[1])["threads"]
    assert [thread["state"] for thread in threads if thread["state"] is None] == []


@pytest.mark.parametrize("runtime", VERSIONS)
def test_off_when_the_setting_is_off(runtime: str) -> None:
    asked = ["set ompd auto-enable off", "break truth_stop", "run", *STATUS, *STATES]
    shown = ["echo SHOWN\\n", "ompd bt", "ompd threads", "ompd parallel", "ompd bt"]
    output = said([*asked, *shown], runtime)
    output, listings = output.split("SHOWN\n")
    assert events(output) == [False]
    assert listings.count("not tracked") == 1, listings
    document = json.loads(output.split("THREADS\n", 1)[1])
    # What the stack shows: no states of waiting that the runtime alone records.
    assert {thread["state"] for thread in document["threads"]} <= {None, "idle", "work_parallel"}
    assert any("not tracked" in note for note in document["notes"])


@pytest.mark.parametrize("value, expected", [("disabled", False), ("enabled", True)])
def test_the_users_own_omp_debug_wins(value: str, expected: bool) -> None:
    asked = ["break truth_stop", "run", *STATUS]
    assert events(said(asked, "19", {"OMP_DEBUG": value})) == [expected]


def test_a_script_may_delete_all_breakpoints() -> None:
    delete = "python [each.delete() for each in gdb.breakpoints()]"
    asked = ["break main", "run", delete, "ompd break parallel-begin", "continue", *STATUS]
    output = said(asked, "19")
    assert "OpenMP parallel region begins at nested.c:" in output
    assert events(output) == [True]


# What a user may have in ~/.gdbinit: whatever happens, it is asked. "cont" is not among the
# first: GDB takes an error of any command there for the end of the run.
HANDLERS = """
import gdb
asked = []
def ask(commands):
    def handler(*event):
        for command in commands:
            try:
                asked.append(gdb.execute(command, to_string=True))
            except gdb.error:
                pass
    return handler
for name in ("new_objfile", "stop", "memory_changed", "breakpoint_created", "exited"):
    getattr(gdb.events, name).connect(ask(["ompd threads", "ompd why", "ompd status"]))
gdb.events.cont.connect(ask(["ompd status"]))
"""
HOOKS = """
define hook-stop
ompd threads
ompd why
end
define hook-continue
ompd bt -all
end
define hookpost-run
ompd status
end
"""


@pytest.mark.parametrize("runtime", VERSIONS)
def test_handlers_and_hooks_that_ask(runtime: str, tmp_path: Path) -> None:
    handlers, hooks = tmp_path / "handlers.py", tmp_path / "hooks.gdb"
    handlers.write_text(HANDLERS, encoding="ascii")
    hooks.write_text(HOOKS, encoding="ascii")
    asked = [f"source {handlers}", f"source {hooks}", "break truth_stop", "run", "continue"]
    output = said([*asked, *STATUS, *STATES, "python print('ASKED', len(asked))"], runtime)
    assert events(output) == [True]
    threads = json.loads(output.split("THREADS\n", 1)[1].split("ASKED")[0])["threads"]
    assert len(threads) == 8 and all(thread["state"] == "work_parallel" for thread in threads)
    assert int(output.split("ASKED", 1)[1]) > 10


@pytest.mark.parametrize("copied", (False, True))
@pytest.mark.parametrize("runtime", VERSIONS)
def test_gccs_code_on_libomp_under_the_name_of_libgomp(
    runtime: str, copied: bool, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """The program asks for libgomp.so.1, which is a link to LLVM's runtime or a copy of it."""
    # What lies beside the program would not be loaded into gdb.
    folder, built = tmp_path_factory.mktemp("lib"), tmp_path / "tree"
    real = (runtime_folder(runtime) / "libomp.so").resolve()
    if copied:
        shutil.copy(real, folder / "libgomp.so.1")
        shutil.copy(real.parent / "libompd.so", folder)
    else:
        (folder / "libgomp.so.1").symlink_to(real)
    source = ROOT / "examples" / "tree.c"
    subprocess.run(["gcc", "-g", "-fopenmp", str(source), "-o", str(built)], check=True)
    asked = ["ompd break task-begin sum", "run", *STATUS, *STATES]
    output = run_gdb(asked, built, env={"LD_LIBRARY_PATH": str(folder)}).stdout
    assert "OpenMP task begins at tree.c:" in output, output
    status = json.JSONDecoder().raw_decode(output.split("STATUS\n")[1])[0]["runtimes"][0]
    library = (folder if copied else real.parent) / "libompd.so"
    assert status["events_enabled"] is True
    assert status["ompd_library"] == str(library), status
    threads = json.loads(output.split("THREADS\n", 1)[1])["threads"]
    assert [thread["state"] for thread in threads if thread["state"] is None] == []


def test_the_settings_are_shown() -> None:
    shown = [f"show ompd {name}" for name in ("auto-enable", "library", "timeout")]
    output = said(["ompd status", *shown, "set ompd auto-enable off"], "19")
    assert "auto-enable   on" in output
    assert "Switching OMPD events on in programs started by GDB is on." in output
    assert "looked for beside the runtime, then in system folders." in output
    assert "The time that a call into the OMPD library may take is 10 s." in output


@pytest.mark.parametrize("runtime", VERSIONS)
def test_the_program_prints_what_it_prints_alone(runtime: str, tmp_path: object) -> None:
    program = binary(Build("steps.c", "clang", "O0", runtime))
    alone = subprocess.run([program], capture_output=True, env=clean_environment(), text=True)
    under_gdb = run_gdb([f"run > {tmp_path}/out 2> {tmp_path}/err"], program)
    assert "exited normally" in under_gdb.stdout
    for stream, expected in (("out", alone.stdout), ("err", alone.stderr)):
        with open(f"{tmp_path}/{stream}", encoding="utf-8") as file:
            assert file.read() == expected
    assert alone.stdout == "5\n"


def test_loaded_with_the_runtime_by_gdbs_auto_load(tmp_path: Path) -> None:
    folder = str(runtime_folder("19"))
    place = tmp_path / folder.lstrip("/")
    place.mkdir(parents=True)
    (place / "libomp.so-gdb.py").symlink_to(ROOT / "gdb-scripts" / "libomp.so-gdb.py")
    asked = [f"add-auto-load-safe-path {tmp_path}", f"add-auto-load-scripts-directory {tmp_path}"]
    asked += ["break truth_stop", "run", *STATUS]
    done = run_gdb(asked, binary(Build("nested.c", "clang", "O0", "19")), extension=False)
    assert events(done.stdout) == [True]


def test_loaded_after_the_runtime_is_mapped() -> None:
    asked = ["catch load libomp", "run", f"source {ROOT / 'gdb-scripts' / 'ompd.py'}"]
    asked += ["break add", "continue", *STATUS]
    done = run_gdb(asked, binary(Build("steps.c", "clang", "O0", "19")), extension=False)
    assert events(done.stdout) == [True]


def test_on_in_a_program_after_a_core_of_another(tmp_path: Path) -> None:
    core, other = tmp_path / "core", binary(Build("steps.c", "clang", "O0", "14"))
    asked = ["set confirm off", "break truth_stop", "run", f"gcore {core}", "kill"]
    asked += [f"core-file {core}", "ompd threads", "core-file", f"file {other}"]
    asked += ["break add", "run", *STATUS]
    done = run_gdb(asked, binary(Build("nested.c", "clang", "O0", "19")))
    assert events(done.stdout) == [True]
    assert "ompd_dll_locations_valid" not in done.stdout + done.stderr
