# SPDX-License-Identifier: Apache-2.0
"""Whatever a user gets wrong, or the machine lacks, is told in one line and nothing else."""

from __future__ import annotations

import functools
import json
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from support.asking import Answer, ask
from support.build import build
from support.gdb_session import run_gdb
from support.gdb_ways import finds_libraries
from support.runtimes import VERSIONS, runtime_folder

QUESTIONS = (
    "ompd threads",
    "ompd threads -all -no-location -json",
    "ompd thread 0",
    "ompd parallel",
    "ompd parallel -all -json",
    "ompd tasks",
    "ompd tasks -all -json",
    "ompd icvs",
    "ompd icvs -all -json",
    "ompd env",
)
RESUMING = ("ompd step", "ompd next 2", "ompd finish", "ompd finish task")
PLAIN = "int main(void) { return 0; }\n"
# At "break work" the runtime has started, at "break main" not yet.
OPENMP = """
#include <omp.h>

__attribute__((noinline)) static void work(void) {
#pragma omp parallel num_threads(2)
    { (void)omp_get_thread_num(); }
}

int main(void) {
    (void)omp_get_max_threads();
    work();
    return 0;
}
"""
AT_MAIN = ("break main", "run")
AT_WORK = ("break work", "run")
NO_PROCESS = "no process: start one with 'run', attach, or load a core file"


@functools.lru_cache(maxsize=None)
def exit_code(command: str) -> int:
    """Return with what a gdb without the extension ends after COMMAND."""
    return run_gdb([command], extension=False).returncode


def assert_each_says(
    text: str,
    setup: Sequence[str],
    commands: Sequence[str] = QUESTIONS,
    program: Path | None = None,
) -> None:
    """Each of COMMANDS says TEXT as its error, prints nothing, and fails as gdb's own do."""
    session = ask(setup, commands, program)
    for command, answer in zip(commands, session.answers):
        assert (command, answer) == (command, Answer("", f"{text}\n"))
    assert session.returncode == exit_code("info line nonsense")


def assert_status_says(text: str, setup: Sequence[str], program: Path | None = None) -> None:
    """The status names the same trouble, without failing."""
    session = ask(setup, ["ompd status", "ompd status -json"], program)
    shown, as_json = session.answers
    assert (shown.stderr, as_json.stderr) == ("", "")
    assert text in shown.stdout
    document = json.loads(as_json.stdout)
    problems = [runtime["problem"] for runtime in document["runtimes"]]
    assert text in [*problems, *document["notes"]]
    assert session.returncode == exit_code("print 1")


def compiled(source: str, folder: Path, *flags: str) -> Path:
    """Return the binary of SOURCE; FLAGS begin with the compiler."""
    file = folder / "program.c"
    file.write_text(source, encoding="ascii")
    binary = folder / "program"
    subprocess.run([flags[0], "-g", str(file), "-o", str(binary), *flags[1:]], check=True)
    return binary


def on_libomp(folder: Path, version: str = "19") -> Path:
    """Return a program on libomp that has no code of the test harness."""
    lib = runtime_folder(version)
    return compiled(OPENMP, folder, "clang", "-fopenmp", f"-L{lib}", f"-Wl,-rpath,{lib}")


def with_runtime_in(folder: Path) -> tuple[str, ...]:
    """Return commands that stop the program on the runtime in FOLDER."""
    # What was recovered from a sound file with that build-id must not help.
    return ("set ompd cache off", f"set environment LD_LIBRARY_PATH {folder}", *AT_WORK)


def test_exit_codes_of_gdb_itself_differ() -> None:
    """Else the comparisons with them would show nothing."""
    assert exit_code("info line nonsense") != exit_code("print 1")


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("before", [(), AT_MAIN], ids=["no process", "at main"])
def test_init_goes_on_until_there_is_something_to_ask(
    version: str, before: tuple[str, ...], tmp_path: Path
) -> None:
    after = [
        r'printf "LAST %d\n", $bpnum',
        "ompd threads",
        "break program.c:7",
        "continue",
        "ompd init",
    ]
    session = run_gdb([*before, "ompd init", *after], on_libomp(tmp_path, version))
    # LLVM's plugin takes the first two numbers as well: scripts name the later ones.
    assert "Temporary breakpoint 2, ompd_dll_locations_valid ()" in session.stdout
    assert session.stdout.count("Loaded OMPD lib successfully!\nOMPD library /") == 2
    assert "\nLAST 2\n" in session.stdout
    assert "is still starting" in session.stderr.splitlines()[-1]


def test_no_process() -> None:
    assert_each_says(NO_PROCESS, [], [*QUESTIONS, *RESUMING])
    assert_status_says(f"There is {NO_PROCESS}.", [])


def test_program_that_has_not_started(tmp_path: Path) -> None:
    assert_each_says(NO_PROCESS, [], program=on_libomp(tmp_path))


def test_program_that_has_ended(tmp_path: Path) -> None:
    assert_each_says(NO_PROCESS, ["run"], program=on_libomp(tmp_path))


def test_a_core_cannot_be_stepped(tmp_path: Path) -> None:
    core = tmp_path / "core"
    text = "a core file cannot be resumed: run the program to step through it"
    setup = [*AT_WORK, f"generate-core-file {core}", "kill", f"core-file {core}"]
    assert_each_says(text, setup, RESUMING, on_libomp(tmp_path))


def test_program_without_openmp(tmp_path: Path) -> None:
    text = (
        "no OpenMP runtime is mapped: the program is not built with OpenMP,"
        " or has not loaded its libraries yet"
    )
    program = compiled(PLAIN, tmp_path, "gcc")
    assert_each_says(text, AT_MAIN, program=program)
    assert_status_says(text, AT_MAIN, program)


@pytest.mark.parametrize("version", VERSIONS)
def test_runtime_that_has_not_started(version: str, tmp_path: Path) -> None:
    text = (
        f"{runtime_folder(version)}/libomp.so is not initialised yet: go on to the first"
        " OpenMP construct or call"
    )
    program = on_libomp(tmp_path, version)
    assert_each_says(text, AT_MAIN, program=program)
    assert_status_says(text, AT_MAIN, program)


@pytest.mark.parametrize("version", VERSIONS)
def test_the_advice_for_a_runtime_that_has_not_started(version: str, tmp_path: Path) -> None:
    """Where the message sends the user, commands answer."""
    program = on_libomp(tmp_path, version)
    refused = ask(AT_MAIN, ["ompd threads"], program).answers[0].stderr
    for place in ["work", *re.findall(r"'break (\w+)'", refused)]:
        setup = [*AT_MAIN, f"break {place}", "continue"]
        answer = ask(setup, ["ompd threads"], program).answers[0]
        assert (place, answer.stderr) == (place, "")
        assert "initial" in answer.stdout


@pytest.mark.parametrize("version", VERSIONS)
def test_runtime_that_has_shut_down(version: str, tmp_path: Path) -> None:
    text = f"{runtime_folder(version)}/libomp.so has shut down: the program is exiting"
    program = on_libomp(tmp_path, version)
    setup = ["catch syscall exit_group", "run"]
    assert_each_says(text, setup, program=program)
    assert_status_says(text, setup, program)


def stripped_with(folder: Path, version: str, old: bytes, new: bytes) -> Path:
    """Return a folder with a stripped libomp in which the string OLD is NEW."""
    stripped = folder / "stripped"
    stripped.mkdir()
    library, original = stripped / "libomp.so", runtime_folder(version) / "libomp.so"
    subprocess.run(["strip", "-o", str(library), str(original)], check=True)
    contents = library.read_bytes()
    assert contents.count(old) == 1
    library.write_bytes(contents.replace(old, new))
    return stripped


@pytest.mark.parametrize("version", VERSIONS)
def test_stripped_runtime_that_is_not_understood(version: str, tmp_path: Path) -> None:
    stripped = stripped_with(tmp_path, version, b"OMP_CANCELLATION\0", b"OMP_CANCELLATIOX\0")
    text = (
        f"{stripped}/libomp.so is stripped of the symbols that OMPD needs, and they cannot be"
        " recovered (0 entries of the settings table are called OMP_CANCELLATION): install its"
        " debug symbols (debuginfod, or the package libomp5-VERSION-dbgsym), or use a runtime"
        " built with symbols ('sh scripts/build-libomp.sh 19' makes one)"
    )
    program = on_libomp(tmp_path, version)
    assert_each_says(text, with_runtime_in(stripped), program=program)
    assert_status_says(text, with_runtime_in(stripped), program)


def test_stripped_runtime_without_ompd(tmp_path: Path) -> None:
    """What OMPD support leaves in a stripped file is this text."""
    stripped = stripped_with(tmp_path, "19", b"OMP_OMPD active", b"OMP_DMPO active")
    text = (
        f"{stripped}/libomp.so was built without OMPD support: use another libomp, such as the"
        " distribution's, or one that 'sh scripts/build-libomp.sh 19' makes"
    )
    program = on_libomp(tmp_path)
    assert_each_says(text, with_runtime_in(stripped), program=program)
    assert_status_says(text, with_runtime_in(stripped), program)


def test_no_ompd_library_anywhere(tmp_path: Path) -> None:
    """The system's folders are emptied for our eyes only: another runtime may be installed."""
    alone = tmp_path / "alone"
    alone.mkdir()
    shutil.copy(runtime_folder("19") / "libomp.so", alone)
    hide = "python import gdb_ompd.providers.ompd.locate as l; l.SYSTEM_PLACES = ()"
    text = (
        f"no libompd.so found (searched {alone}): install the runtime's OMPD library"
        " (Debian: libomp-VERSION-dev) or 'set ompd library PATH'"
    )
    program = on_libomp(tmp_path)
    assert_each_says(text, [hide, *with_runtime_in(alone)], program=program)
    assert_status_says(text, [hide, *with_runtime_in(alone)], program)


def assert_library_refused(library: Path | str, text: str, folder: Path) -> None:
    """Every question and the status say TEXT of the chosen OMPD library."""
    setup = [f"set ompd library {library}", *AT_WORK]
    program = on_libomp(folder)
    assert_each_says(text, setup, program=program)
    assert_status_says(text, setup, program)


def not_loaded(library: Path, why: str) -> str:
    """Return the error for a library that is there but of no use."""
    return f"no OMPD library can be loaded: {library}: {why}: 'set ompd library PATH' names another"


def test_chosen_library_that_is_not_there(tmp_path: Path) -> None:
    text = "no OMPD library at /nonexistent: mend it with 'set ompd library PATH'"
    assert_library_refused("/nonexistent", text, tmp_path)


def test_chosen_library_is_another_library(tmp_path: Path) -> None:
    other = tmp_path / "libother.so"
    compiled(PLAIN, tmp_path, "gcc", "-shared", "-fPIC").rename(other)
    assert_library_refused(other, not_loaded(other, "not an OMPD library"), tmp_path)


def test_chosen_library_is_text(tmp_path: Path) -> None:
    notes = tmp_path / "notes.txt"
    notes.write_text("This is no library.\n" * 100, encoding="ascii")
    assert_library_refused(notes, not_loaded(notes, "not an ELF file"), tmp_path)


def test_chosen_library_is_cut_off(tmp_path: Path) -> None:
    cut = tmp_path / "libompd.so"
    cut.write_bytes((runtime_folder("19") / "libompd.so").read_bytes()[:20000])
    why = "damaged ELF file (it ends before its segments do)"
    assert_library_refused(cut, not_loaded(cut, why), tmp_path)


def test_chosen_library_is_of_another_api_version(tmp_path: Path) -> None:
    """A fake: no libompd refuses the version that all of LLVM's have."""
    real = runtime_folder("19") / "libompd.so"
    listed = subprocess.run(["nm", "-D", str(real)], stdout=subprocess.PIPE, text=True, check=True)
    names = re.findall(r" T (ompd_\w+)$", listed.stdout, re.MULTILINE)
    unsupported = 5  # ompd_rc_unsupported
    source = "".join(f"int {name}(void) {{ return {unsupported}; }}\n" for name in names)
    fake = tmp_path / "libompd.so"
    compiled(source, tmp_path, "gcc", "-shared", "-fPIC").rename(fake)
    setup = [f"set ompd library {fake}", *AT_WORK]
    session = ask(setup, QUESTIONS, on_libomp(tmp_path))
    said = {(answer.stdout, answer.stderr) for answer in session.answers}
    assert len(said) == 1
    stdout, stderr = said.pop()
    assert stdout == ""
    assert re.fullmatch(rf"no OMPD library can be loaded: {fake}: [^\n]*version[^\n]*\n", stderr)
    assert session.returncode == exit_code("info line nonsense")


def test_libgomp(tmp_path: Path) -> None:
    why = (
        "GCC's libgomp has no OMPD library: build the program with clang, or link it"
        " with LLVM's libomp (-lomp), which takes GCC's calls too"
    )
    program = compiled(OPENMP, tmp_path, "gcc", "-fopenmp")
    session = ask(AT_WORK, QUESTIONS, program)
    for answer in session.answers:
        assert answer.stdout == ""
        assert re.fullmatch(rf"/\S*/libgomp\.so\.1: {re.escape(why)}\n", answer.stderr)
    assert session.returncode == exit_code("info line nonsense")
    assert_status_says(why, AT_WORK, program)


def test_core_without_executable(tmp_path: Path) -> None:
    core = tmp_path / "core"
    program = on_libomp(tmp_path)
    made = run_gdb([*AT_WORK, f"generate-core-file {core}"], program)
    assert core.exists(), made.stdout + made.stderr
    program.unlink()  # newer debuggers look for it by the name in the core
    if finds_libraries(core):
        (answer,) = ask([f"core-file {core}"], ["ompd threads"], None).answers
        assert answer.stderr == ""
        assert re.search(r"^\* +1 +\d+ +0 of 1 +0 +working \(serial\)", answer.stdout, re.M)
        return
    text = (
        "GDB has no executable for this: load both, 'file PROGRAM' first, then"
        " 'core-file CORE' (or 'attach PID')"
    )
    assert_each_says(text, [f"core-file {core}"])
    assert_status_says(text, [f"core-file {core}"])


MISTAKES = {
    "ompd nonsense": 'Undefined ompd command: "nonsense".  Try "help ompd".',
    "ompd threads -x": 'Unrecognized option at: -x. Try "help ompd threads".',
    "ompd threads --json": 'Unrecognized option at: --json. Try "help ompd threads".',
    "ompd icvs -": "Ambiguous option at: -. It may be -all or -json.",
    "ompd threads junk": 'Junk at end of command: "junk". Try "help ompd threads".',
    "ompd threads -json a b": 'Junk at end of command: "a b". Try "help ompd threads".',
    "ompd parallel 1": 'Junk at end of command: "1". Try "help ompd parallel".',
    "ompd tasks 1": 'Junk at end of command: "1". Try "help ompd tasks".',
    "ompd env OMP_SCHEDULE": 'Junk at end of command: "OMP_SCHEDULE". Try "help ompd env".',
    "ompd status all": 'Junk at end of command: "all". Try "help ompd status".',
    "ompd init now": 'Junk at end of command: "now". Try "help ompd init".',
    "ompd thread": 'one thread number is wanted. Try "help ompd thread".',
    "ompd thread 0 1": 'one thread number is wanted. Try "help ompd thread".',
    "ompd thread x": '"x" is not a thread number.',
    "ompd thread 1.5": '"1.5" is not a thread number.',
    "ompd thread $unset": '"$unset" is not a thread number.',
    "ompd thread -- -1": '"-1" is not a thread number.',
    "ompd thread 2": "the current team has threads 0 to 1, not 2",
    "ompd thread 99999999999999999999": (
        "the current team has threads 0 to 1, not 99999999999999999999"
    ),
    "ompd icvs no-such-var": 'no ICV is called "no-such-var": "ompd icvs" lists them.',
    "ompd icvs -all levels-var no-such-var": (
        'no ICV is called "no-such-var": "ompd icvs" lists them.'
    ),
    "set ompd nonsense": 'Undefined set ompd command: "nonsense".  Try "help set ompd".',
    "show ompd nonsense": 'Undefined show ompd command: "nonsense".  Try "help show ompd".',
}


def test_mistakes_in_a_command_line() -> None:
    """All in one gdb: a mistake must not spoil the next command either."""
    session = ask(["break truth_stop", "run"], list(MISTAKES), build("nested.c"))
    said = dict(zip(MISTAKES, session.answers))
    assert said == {command: Answer("", f"{text}\n") for command, text in MISTAKES.items()}
    assert session.returncode == exit_code("info line nonsense")


def test_a_good_command_after_a_bad_one_ends_gdb_well() -> None:
    setup = ["break truth_stop", "run"]
    session = ask(setup, ["ompd threads -x", "ompd threads"], build("nested.c"))
    assert session.answers[1].stderr == ""
    assert session.returncode == exit_code("print 1")


@pytest.mark.parametrize("version", VERSIONS)
def test_idle_worker_has_no_task(version: str) -> None:
    """At the third stop of idle.c all workers are out of work."""
    setup = ["break truth_stop", "run", "continue", "continue", "thread 5"]
    text = "thread 5 is an idle OpenMP worker: it is in no region and has no task"
    program = build("idle.c", runtime=version)
    assert_each_says(text, setup, ["ompd tasks", "ompd icvs", "ompd thread 0"], program)


FIND_NATIVE = """
import gdb

def holds(thread):
    thread.switch()
    frame = gdb.newest_frame()
    while frame is not None and frame.name() != "truth_hold_native":
        frame = frame.older()
    return frame is not None

NATIVE = next(thread for thread in gdb.selected_inferior().threads() if holds(thread))
NATIVE.switch()
"""


@pytest.mark.parametrize("version", VERSIONS)
def test_native_thread_has_no_task(version: str, tmp_path: Path) -> None:
    script = tmp_path / "find_native.py"
    script.write_text(FIND_NATIVE, encoding="ascii")
    asked = ["python print(NATIVE.num)", "ompd tasks", "ompd icvs", "ompd thread 0"]
    setup = ["break truth_stop", "run", f"source {script}"]
    number, *answers = ask(setup, asked, build("roots.c", runtime=version)).answers
    text = f"thread {number.stdout.strip()} is not an OpenMP thread: 'ompd threads' lists those\n"
    assert answers == [Answer("", text)] * 3


def test_outside_all_regions(tmp_path: Path) -> None:
    alone = "thread 1 is in no parallel region"
    said = {
        "ompd thread 0": f"{alone}: its team is itself alone",
        "ompd bt -team": f"{alone}: 'ompd bt' shows its stack",
    }
    session = ask(AT_WORK, list(said), on_libomp(tmp_path))
    assert session.answers == [Answer("", f"{text}\n") for text in said.values()]
    assert session.returncode == exit_code("info line nonsense")
