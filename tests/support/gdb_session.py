# SPDX-License-Identifier: Apache-2.0
"""Run gdb in batch mode, in an environment of the tests' own."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from support.runtimes import ROOT, newer_libcs

EXTENSION = ROOT / "gdb-scripts" / "ompd.py"
# Of scripts/build-libomp.sh.
BUILT_RUNTIMES = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "gdb-ompd"
DRIVER = Path(__file__).with_name("truth_driver.py")


def _if_there(*settings: str) -> list[str]:
    """Return the options that have gdb do the first of SETTINGS that it knows."""
    tries = " try:\\n  gdb.execute(each)\\n  break\\n except gdb.error: pass"
    return ["-iex", f"""python exec("for each in {settings}:\\n{tries}")"""]


# What every gdb of the tests is started with: whoever runs them may want them on a debugger that
# has less, such as one that does not find the C library's debug file (scripts/deprived.sh).
START = [
    *("-nx", *_if_there("set debuginfod enabled off")),
    *shlex.split(os.environ.get("GDB_OMPD_TESTS_GDB", "")),
]
# What gdb finds out of a file's debug information is kept from one gdb to the next: reading
# the C library's takes two thirds of each start of a program.
INDEX_CACHE = [
    *("-iex", f"set index-cache directory {ROOT / 'build' / 'gdb-index'}"),
    *_if_there("set index-cache enabled on", "set index-cache on"),
]


@dataclass(frozen=True)
class GdbResult:
    """What one gdb said, and how it ended."""

    stdout: str
    stderr: str
    returncode: int


class GdbTimeout(Exception):
    """gdb did not end in time; the message holds what it had said."""


class CannotCall(Exception):
    """gdb could not call a function of the program: GDB 13 cannot set registers where the kernel
    has more of them than it knows, as on processors with AMX. It fails without the extension, too.
    """

    SAID = "Couldn't write extended state status"


def clean_environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return an environment without settings of Python, OpenMP or a user's."""
    environment = {
        "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        "HOME": os.environ.get("HOME", "/"),
        "LC_ALL": "C.UTF-8",
        "TERM": "dumb",
    }
    # libgomp of GCC 10 and before executes nested regions by one thread each without this.
    if "OMP_NESTED" in os.environ:
        environment["OMP_NESTED"] = os.environ["OMP_NESTED"]
    environment.update(extra or {})
    return environment


def run_gdb(
    commands: Sequence[str],
    program: Path | None = None,
    core: Path | None = None,
    extension: bool = True,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    timeout: float = 120,
    merged: bool = False,
    gdb: str = "gdb",
    arguments: Sequence[object] = (),
) -> GdbResult:
    """Run COMMANDS in one `gdb -batch`, with the extension sourced first.

    With MERGED, what goes to standard error is in its place in the standard output. ARGUMENTS
    are those of gdb that come last.
    """
    argv = [gdb, *START, "-batch", *INDEX_CACHE, *_trusted()]
    if extension:
        argv += ["-ex", f"source {EXTENSION}"]
    for command in commands:
        argv += ["-ex", command]
    argv += [str(path) for path in (program, core) if path is not None]
    argv += [str(argument) for argument in arguments]
    return _run(argv, clean_environment(env), cwd, timeout, merged)


def _trusted() -> list[str]:
    """Have gdb find the libthread_db of each C library that a program may have with it, and
    load the OMPD libraries that the tests have built: a core alone never has one loaded."""
    return [*_thread_libraries(), "-iex", f"add-auto-load-safe-path {BUILT_RUNTIMES}"]


def _thread_libraries() -> list[str]:
    folders = [str(folder) for folder in newer_libcs()]
    if not folders:
        return []
    places = ":".join([*folders, "$sdir", "$pdir"])
    trusted = ":".join(["$debugdir", "$datadir/auto-load", *folders])
    return [
        *("-iex", f"set libthread-db-search-path {places}"),
        *("-iex", f"set auto-load safe-path {trusted}"),
    ]


def _run(
    argv: Sequence[str],
    env: Mapping[str, str],
    cwd: Path | None,
    timeout: float,
    merged: bool,
) -> GdbResult:
    process = subprocess.Popen(
        argv,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT if merged else subprocess.PIPE,
        text=True,
        errors="replace",
        env=dict(env),
        cwd=cwd,
        start_new_session=True,
    )
    try:
        stdout, stderr = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        # The session holds the debugged program too, unless gdb gave it its own group.
        os.killpg(process.pid, signal.SIGKILL)
        stdout, stderr = process.communicate()
        raise GdbTimeout(f"no end after {timeout} s\n{stdout}\n{stderr}") from None
    if CannotCall.SAID in stdout + (stderr or ""):
        raise CannotCall(CannotCall.SAID)
    return GdbResult(stdout, stderr or "", process.returncode)
