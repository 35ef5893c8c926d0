# SPDX-License-Identifier: Apache-2.0
"""Where it works: attached, remote, run again, two inferiors, non-stop, fork and exec.

Each time the program itself is asked: gdb calls omp_get_* in every thread.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from support.build import Build, binary
from support.comparing import COMPARE, assert_compared
from support.gdb_session import clean_environment, run_gdb
from support.gdbserver import gdbserver
from support.runtimes import VERSIONS

STATUS = ["echo \\nSTATUS\\n", "ompd status -json"]
STOP = ["set confirm off", "break inner"]


def program(name: str, runtime: str) -> Path:
    return binary(Build(name, "clang", "O0", runtime))


def checked_facts(said: str, stops: int = 1) -> None:
    assert_compared(said, stops, at_least=10)


def run(commands: Sequence[str], name: str, runtime: str, **more: object) -> str:
    done = run_gdb(commands, program(name, runtime), **more)  # type: ignore[arg-type]
    assert "Traceback" not in done.stdout + done.stderr
    assert "Python Exception" not in done.stderr, done.stderr
    return done.stdout


@pytest.mark.parametrize("runtime", VERSIONS)
def test_run_again_and_again(runtime: str) -> None:
    again = ["run", *COMPARE]
    said = run([*STOP, "ignore 1 5", *again, *again, *again, "kill"], "restless.c", runtime)
    checked_facts(said, 3)


def test_another_runtime_in_the_next_run() -> None:
    other = f"file {program('restless.c', '14')}"
    said = run([*STOP, "run", *COMPARE, "kill", other, "run", *COMPARE], "restless.c", "19")
    checked_facts(said, 2)


@pytest.fixture(params=[(version, debug) for version in VERSIONS for debug in (None, "enabled")])
def restless(request: pytest.FixtureRequest) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """A program that runs outside of gdb, with and without OMP_DEBUG."""
    runtime, debug = request.param
    env = clean_environment({"OMP_DEBUG": debug} if debug else {})
    process = subprocess.Popen([program("restless.c", runtime)], env=env, stderr=subprocess.DEVNULL)
    try:
        yield runtime, process
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()


def test_attach(restless: tuple[str, subprocess.Popen[bytes]]) -> None:
    runtime, process = restless
    commands = [f"attach {process.pid}", *STOP, "continue", *COMPARE, *STATUS, "detach"]
    said = run(commands, "restless.c", runtime)
    checked_facts(said)
    enabled = b"OMP_DEBUG=enabled" in Path(f"/proc/{process.pid}/environ").read_bytes()
    document, _ = json.JSONDecoder().raw_decode(said.split("STATUS\n", 1)[1])
    assert document["runtimes"][0]["events_enabled"] is enabled
    assert process.poll() is None


@pytest.mark.parametrize("runtime", VERSIONS)
def test_gdbserver_by_a_pipe(runtime: str) -> None:
    target = f"target remote | gdbserver --once - {program('restless.c', runtime)}"
    said = run([target, *STOP, "continue", *COMPARE, "kill"], "restless.c", runtime)
    checked_facts(said)


def test_extended_remote_run_twice() -> None:
    path = program("restless.c", "19")
    with gdbserver("--multi") as (_, address):
        commands = [f"target extended-remote {address}", f"set remote exec-file {path}"]
        commands += [*STOP, "run", *COMPARE, "run", *COMPARE]
        checked_facts(run([*commands, "kill"], "restless.c", "19"), 2)


def test_two_inferiors_with_different_runtimes() -> None:
    second = program("restless.c", "14")
    commands = [*STOP, "run", *COMPARE, f"add-inferior -exec {second}", "inferior 2", "run"]
    commands += [*COMPARE, "echo \\nTHREADS\\n", "ompd threads -json", "echo \\nTEXT\\n"]
    commands += ["ompd threads", "inferior 1", *COMPARE, "kill inferiors 1 2"]
    said = run(commands, "restless.c", "19")
    checked_facts(said, 3)
    document, _ = json.JSONDecoder().raw_decode(said.split("THREADS\n", 1)[1])
    inferiors = {row["inferior"] for row in document["threads"] if row["level"] is not None}
    assert inferiors == {1, 2}
    assert "1.1" in said.split("TEXT\n", 1)[1]


def test_non_stop_shows_running_threads_as_running() -> None:
    commands = ["set non-stop on", *STOP, "run", "echo \\nTHREADS\\n", "ompd threads -json"]
    commands += ["echo \\nTEXT\\n", "ompd threads", "ompd parallel", "kill"]
    said = run(commands, "restless.c", "19")
    document, _ = json.JSONDecoder().raw_decode(said.split("THREADS\n", 1)[1])
    stopped = [row for row in document["threads"] if not row["running"]]
    running = [row for row in document["threads"] if row["running"]]
    assert any(row["location"]["function"] == "inner" for row in stopped if row["location"])
    for row in running:
        assert row["error"] == "the thread is running"
        assert row["level"] is None and row["state"] is None


def test_non_stop_says_where_running_threads_belong() -> None:
    commands = ["set non-stop on", "break truth_stop", "run", "echo \\nREGIONS\\n"]
    commands += ["ompd parallel -all -json", "echo \\nWHY\\n", "ompd why", "ompd bt -all"]
    commands += ["echo \\nEND\\n", "thread 2", "ompd whatis me", "ompd print -up me", "ompd locals"]
    done = run_gdb([*commands, "kill"], program("nested.c", "19"))
    document, _ = json.JSONDecoder().raw_decode(done.stdout.split("REGIONS\n", 1)[1])
    outer, inner = (region["threads"] for region in document["regions"])
    assert outer == [1, 2] and inner[0] == 1 and inner[1] in (3, 4)
    said = done.stdout.split("WHY\n", 1)[1].split("END\n", 1)[0]
    assert "1 (GDB thread 2): not stopped" in said and "no such thread" not in said
    assert "no stack: GDB thread 2\n" in said
    assert done.stderr.count("GDB thread 2 is running: 'interrupt' stops it") == 3
    assert "Python" not in done.stderr


def test_a_child_that_is_followed(tmp_path: Path) -> None:
    source = tmp_path / "forks.c"
    source.write_text(
        "#include <unistd.h>\n#include <sys/wait.h>\n"
        "int main(int argc, char **argv) {\n"
        "    if (fork() == 0) { execv(argv[1], argv + 1); _exit(1); }\n"
        "    return wait(0) < 0;\n}\n",
        encoding="ascii",
    )
    subprocess.run(["cc", "-g", "-o", "forks", "forks.c"], cwd=tmp_path, check=True)
    child = program("restless.c", "19")
    commands = ["set confirm off", "set breakpoint pending on", "set follow-fork-mode child"]
    commands += [f"set args {child}", "break inner", "run", *COMPARE, "kill"]
    done = run_gdb(commands, tmp_path / "forks")
    assert "Traceback" not in done.stderr
    checked_facts(done.stdout)


def kernel_writes_cores_here() -> bool:
    pattern = Path("/proc/sys/kernel/core_pattern").read_text(encoding="ascii").strip()
    return not pattern.startswith("|") and "/" not in pattern


@pytest.mark.parametrize("runtime", VERSIONS)
def test_a_core_of_the_kernel(runtime: str, tmp_path: Path) -> None:
    if not kernel_writes_cores_here():
        pytest.skip("the kernel does not write core files into the working folder")
    path = program("restless.c", runtime)
    # The program runs for ever: a timer of its own ends it, with a core.
    limited = f"ulimit -c unlimited; ulimit -S -t 2; exec {path}"
    subprocess.run(["bash", "-c", limited], cwd=tmp_path, env=clean_environment(), check=False)
    [core] = [tmp_path / name for name in os.listdir(tmp_path) if name.startswith("core")]
    done = run_gdb(["ompd threads -json", *STATUS], path, core)
    threads = json.JSONDecoder().raw_decode(done.stdout[done.stdout.index('{"schema"') :])[0]
    assert "Traceback" not in done.stderr
    assert any(row["kind"] == "initial" for row in threads["threads"])
    assert [row["error"] for row in threads["threads"] if row["kind"] == "initial"] == [None]


def test_a_core_without_its_executable_says_what_to_load(tmp_path: Path) -> None:
    path = program("restless.c", "19")
    core = tmp_path / "core"
    run([*STOP, "run", f"gcore {core}", "kill"], "restless.c", "19")
    done = run_gdb([f"core-file {core}", "ompd threads"])
    # Newer debuggers look for it by the name in the core.
    is_found = "inner at restless.c" in done.stdout
    assert is_found or "GDB has no executable for this" in done.stderr
    done = run_gdb([f"core-file {core}", "ompd print -up nothing"])
    assert is_found or "GDB has no executable for this" in done.stderr
    done = run_gdb([f"file {path}", f"core-file {core}", "ompd threads"])
    assert "inner at restless.c" in done.stdout
