# SPDX-License-Identifier: Apache-2.0
"""That a question is refused in one line, as gdb refuses its own, and programs for that."""

from __future__ import annotations

import functools
import json
import subprocess
from collections.abc import Sequence
from pathlib import Path

from support.asking import Answer, ask
from support.gdb_session import run_gdb
from support.runtimes import runtime_folder

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
        assert answer == Answer("", f"{text}\n"), (command, answer)
    assert session.returncode == exit_code("info line nonsense"), session


def assert_each_tells(text: str, setup: Sequence[str], program: Path) -> None:
    """Each question is answered with TEXT and what is known without OpenMP, which ends no
    script; a thread cannot be chosen by a number that nobody knows."""
    session = ask(setup, QUESTIONS, program)
    for command, answer in zip(QUESTIONS, session.answers):
        if command.startswith("ompd thread "):
            assert answer == Answer("", f"{text}\n"), (command, answer)
            continue
        assert answer.stderr == "", (command, answer)
        if "-json" not in command:
            last = f"{text}\n" if "threads" in command else f"Nothing to show: {text}\n"
            assert answer.stdout.endswith(last), (command, answer)
            continue
        document = json.loads(answer.stdout)
        assert (document["schema"], document["notes"]) == (1, [text])
        listed = next(value for key, value in document.items() if key not in ("schema", "notes"))
        assert len(listed) == ("threads" in command), (command, answer)
    plain = session.answers[QUESTIONS.index("ompd threads")].stdout
    assert plain.splitlines()[1].startswith("*   1 "), plain


def assert_status_says(text: str, setup: Sequence[str], program: Path | None = None) -> None:
    """The status names the same trouble, without failing."""
    session = ask(setup, ["ompd status", "ompd status -json"], program)
    shown, as_json = session.answers
    assert (shown.stderr, as_json.stderr) == ("", ""), session
    assert text in shown.stdout, shown
    document = json.loads(as_json.stdout)
    problems = [runtime["problem"] for runtime in document["runtimes"]]
    assert text in [*problems, *document["notes"]], document
    assert session.returncode == exit_code("print 1"), session


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
