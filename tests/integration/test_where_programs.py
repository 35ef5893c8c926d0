# SPDX-License-Identifier: Apache-2.0
"""Where it works: executables of each kind, libraries that bring the runtime, fork and exec.

Each time the program itself is asked: gdb calls omp_get_* in every thread.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from support.build import Build, PROGRAMS, binary
from support.comparing import COMPARE, assert_compared
from support.gdb_session import run_gdb
from support.runtimes import VERSIONS, runtime_folder

THREADS = ["echo \\nTHREADS\\n", "ompd threads -json"]
NONE_MAPPED = "no OpenMP runtime is mapped: "
OTHER = {"14": "19", "19": "14"}


def compiled(source: str, folder: Path, runtime: str | None, *flags: str) -> Path:
    """Return the binary of SOURCE: on libomp, or without OpenMP where RUNTIME is None."""
    binary = folder / f"{Path(source).stem}{runtime or ''}"
    argv = ["clang", "-g", "-Wall", "-Wextra", "-Werror", *flags, str(PROGRAMS / source)]
    if runtime is not None:
        lib = runtime_folder(runtime)
        argv += ["-fopenmp", f"-L{lib}", f"-Wl,-rpath,{lib}"]
    subprocess.run([*argv, "-o", str(binary)], check=True)
    return binary


def run(commands: Sequence[str], program: Path, env: Mapping[str, str] | None = None) -> str:
    settings = ["set confirm off", "set breakpoint pending on"]
    done = run_gdb([*settings, *commands], program, env=env)
    for bug in ("Traceback", "Python Exception", "Error occurred in Python"):
        assert bug not in done.stdout + done.stderr, done.stdout + done.stderr
    return done.stdout + done.stderr


def assert_true(said: str, stops: int) -> None:
    assert_compared(said, stops, at_least=20)


def documents(said: str) -> list[list[dict[str, Any]]]:
    """Return the threads of each listing in SAID."""
    parts = said.split("THREADS\n")[1:]
    return [json.JSONDecoder().raw_decode(part)[0]["threads"] for part in parts]


@pytest.mark.parametrize("runtime", VERSIONS)
@pytest.mark.parametrize("flags", ["-pie -fPIE", "-no-pie", "-g0 -s", "-O2", "-gdwarf-4 -gz"])
def test_executables_of_each_kind(flags: str, runtime: str, tmp_path: Path) -> None:
    program = compiled("forks.c", tmp_path, runtime, *flags.split())
    # Temporary: gdb calls the function itself when it asks the program.
    stop = ["tbreak omp_get_num_threads", "run"]
    said = run([*stop, *COMPARE, *THREADS, "kill"], program)
    assert_true(said, 1)
    assert len(documents(said)[0]) == 4


def test_a_shell_whose_child_has_a_runtime(tmp_path: Path) -> None:
    """Who attaches to a script that has begun the program learns which process to attach to."""
    source = tmp_path / "sleeper.c"
    source.write_text(
        "#include <stdio.h>\n"
        "#include <unistd.h>\n"
        "int main(void) {\n"
        "#pragma omp parallel\n"
        "    ;\n"
        '    puts("ready");\n'
        "    fclose(stdout);\n"
        "    return pause();\n"
        "}\n"
    )
    argv = ["sh", "-c", '"$0"; :', str(compiled(str(source), tmp_path, "19"))]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, start_new_session=True) as shell:
        try:
            assert shell.stdout is not None and shell.stdout.readline() == b"ready\n"
            said = run([f"attach {shell.pid}", "ompd threads", "detach"], Path("/bin/sh"))
        finally:
            os.killpg(shell.pid, signal.SIGKILL)
    has_one = r"\. Its child, process (\d+) \(sleeper19\), has one: 'gdb -p \1'"
    assert re.search(NONE_MAPPED + ".*" + has_one, said), said


def test_the_environment_of_a_program_that_has_a_copy_of_the_pointer_to_it(tmp_path: Path) -> None:
    """The linker gives "environ" to one that uses it and is not position-independent."""
    source = tmp_path / "own.c"
    source.write_text(
        "extern char **environ;\n"
        "int main(void) {\n"
        "    char *first = environ[0];\n"
        "#pragma omp parallel\n"
        '    __asm__ volatile("" : : "r"(first));\n'
        "    return 0;\n"
        "}\n"
    )
    program = compiled(str(source), tmp_path, "19", "-no-pie", "-fno-pic")
    said = run(
        ["break 5", "run", "ompd env OMP_SCHEDULE", "kill"], program, {"OMP_SCHEDULE": "guided,3"}
    )
    assert "OMP_SCHEDULE=guided,3  environment" in said


@pytest.mark.parametrize("runtime", VERSIONS)
def test_without_libthread_db(runtime: str, tmp_path: Path) -> None:
    """GDB then knows no pthread_t: the C library's list of its threads has them."""
    program = compiled("forks.c", tmp_path, runtime)
    hide = "set libthread-db-search-path /nonexistent"
    said = run([hide, "break inner", "run", *COMPARE, *THREADS, "kill"], program)
    assert_true(said, 1)
    known = [row["pthread_id"] for row in documents(said)[0]]
    assert len(known) == 4 and None not in known and len(set(known)) == 4


@pytest.mark.parametrize("runtime", VERSIONS)
def test_numbers_in_enclosing_teams_without_libthread_db(runtime: str) -> None:
    """Of a gdb that attaches while the program is loaded, too."""
    program = binary(Build("nested.c", "clang", "O0", runtime))
    hide = "set libthread-db-search-path /nonexistent"
    said = run([hide, "break record_and_stop if $_omp_level() == 2", "run", *THREADS], program)
    enclosing = [row["memberships"][1:-1] for row in documents(said)[0] if row["level"] == 2]
    assert enclosing, said
    assert {tuple(each) for (each,) in enclosing} <= {(0, 2), (1, 2)}, said


def test_at_the_very_first_instruction(tmp_path: Path) -> None:
    program = compiled("forks.c", tmp_path, "19")
    said = run(["starti", "ompd threads", "break inner", "continue", *COMPARE, "kill"], program)
    assert "the list of the program's libraries is not in memory: it has not loaded" in said
    assert_true(said, 1)


@pytest.mark.parametrize("runtime", VERSIONS)
def test_the_other_runtimes_ompd_library_serves_too(runtime: str, tmp_path: Path) -> None:
    library = runtime_folder(OTHER[runtime]) / "libompd.so"
    program = compiled("forks.c", tmp_path, runtime)
    said = run(
        [f"set ompd library {library}", "break inner", "run", *COMPARE, "ompd init", "kill"],
        program,
    )
    assert_true(said, 1)
    assert f"OMPD library {library} serves {runtime_folder(runtime)}/libomp.so.\n" in said


def test_a_library_that_is_chosen_at_a_stop_serves_at_once(tmp_path: Path) -> None:
    """Each answer comes from the library that "show ompd library" names."""
    own, other = (runtime_folder(version) / "libompd.so" for version in ("19", "14"))
    chosen = [f"set ompd library {other}", "ompd init", "set ompd library", "ompd init"]
    chosen += ["set ompd library /nonexistent", "ompd init"]
    program = compiled("forks.c", tmp_path, "19")
    said = run(["break inner", "run", "ompd init", *chosen, "kill"], program)
    lines = [line for line in said.splitlines() if "OMPD library" in line]
    assert [line.split()[2] for line in lines[:3]] == [str(own), str(other), str(own)]
    assert lines[3:] == ["no OMPD library at /nonexistent: mend it with 'set ompd library PATH'"]


@pytest.mark.parametrize("runtime", VERSIONS)
def test_a_library_that_brings_the_runtime_and_takes_it_away(runtime: str, tmp_path: Path) -> None:
    loader = compiled("loader.c", tmp_path, None)
    plugin = compiled("plugin.c", tmp_path, runtime, "-shared", "-fPIC")
    stops = ["break main", "break loaded", "break reached", "break unloaded"]
    ask = ["continue", "ompd threads"]
    commands = [*stops, f"run {plugin}", "ompd threads", *ask]
    commands += [*ask, *COMPARE, *THREADS, *ask, "kill"]
    done = run_gdb(["set breakpoint pending on", "set confirm off", *commands], loader)
    assert "Traceback" not in done.stderr
    assert_true(done.stdout, 1)
    (threads,) = documents(done.stdout)
    older = threads.pop(1)
    assert (older["kind"], older["location"]["function"]) == ("native", "older")
    assert [row["thread_num"] for row in threads] == [0, 1, 2]
    assert threads[1]["location"]["function"] == "reached"
    refused = [line for line in done.stderr.splitlines() if " OpenMP " in line]
    before, after = refused
    assert before.startswith(NONE_MAPPED)
    assert "is not initialised yet" in done.stdout
    assert after.startswith(NONE_MAPPED)


@pytest.mark.parametrize("runtime", VERSIONS)
@pytest.mark.parametrize("followed, sizes", [("parent", [4, 2]), ("child", [4, 3])])
def test_the_process_that_is_followed_through_a_fork(
    followed: str, sizes: list[int], runtime: str, tmp_path: Path
) -> None:
    program = compiled("forks.c", tmp_path, runtime)
    again = [*COMPARE, *THREADS]
    said = run(
        [f"set follow-fork-mode {followed}", "break inner", "run", *again, "continue", *again],
        program,
    )
    assert_true(said, 2)
    found = documents(said)
    for threads, size in zip(found, sizes):
        assert {row["team_size"] for row in threads if row["level"]} == {size}


@pytest.mark.parametrize("runtime", VERSIONS)
def test_both_processes_of_a_fork(runtime: str, tmp_path: Path) -> None:
    program = compiled("forks.c", tmp_path, runtime)
    commands = ["set detach-on-fork off", "break inner", "run", *COMPARE, "tbreak waitpid"]
    commands += ["continue", "inferior 2", "continue", *COMPARE, *THREADS, "continue"]
    said = run([*commands, "inferior 1", "continue", *COMPARE, "kill"], program)
    assert_true(said, 3)
    (threads,) = documents(said)
    assert {row["inferior"] for row in threads} == {1, 2}
    assert {row["team_size"] for row in threads if row["inferior"] == 2} == {3}


@pytest.mark.parametrize("runtime", VERSIONS)
def test_a_program_that_becomes_one_on_another_runtime(runtime: str, tmp_path: Path) -> None:
    other = OTHER[runtime]
    program = compiled("forks.c", tmp_path, runtime)
    last = compiled("forks.c", tmp_path, other)
    go_on = ["continue", *COMPARE]
    status = ["echo STATUS\\n", "ompd status -json", "kill"]
    said = run(["break inner", f"run {last}", *COMPARE, *go_on, *go_on, *status], program)
    assert_true(said, 3)
    (known,) = json.JSONDecoder().raw_decode(said.split("STATUS\n")[1])[0]["runtimes"]
    assert known["file"] == f"{runtime_folder(other)}/libomp.so"
    assert (known["problem"], known["events_enabled"]) == (None, True)


@pytest.mark.parametrize("opt", ("O0", "O2"))
@pytest.mark.parametrize("arguments, lines", (("", [19, 22]), ("more", [32, 35])))
def test_a_call_that_was_made_of_several_has_no_line(
    arguments: str, lines: list[int], opt: str
) -> None:
    """GDB says the line of the code before it, of both threads."""
    program = binary(Build("barriers_in_branches.c", "clang", opt, "14"))
    asked = ["break barriers_in_branches.c:12", f"run {arguments}", "ompd threads", "ompd why"]
    said = run_gdb([*asked, "thread 1", "ompd bt"], program).stdout
    rows = re.findall(
        r"at barrier +implicit +(\w+)(?: at barriers_in_branches\.c(.*))?$", said, re.M
    )
    assert [line for _, line in rows] == [f":{line}" if opt == "O0" else "" for line in lines], said
    assert {name for name, _ in rows} == {"more_follows" if arguments else "branches_end"}
    assert (f"barriers_in_branches.c:{lines[1]}" in said) == (opt == "O0"), said
