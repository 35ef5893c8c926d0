# SPDX-License-Identifier: Apache-2.0
"""What there is on this machine for debugging OpenMP, what does not fit, and what to do."""

from __future__ import annotations

import argparse
import os
import re
from pathlib import Path
from typing import Iterator, NamedTuple, Optional

from .. import __version__
from ..errors import OmpdToolError
from .debugger import Debugger, debugger, extension, init_file, loading_problem
from .installing import AUTO_LOAD, loads, ours, runtimes

FIRST_WITH_OMPD = 14  # of LLVM's releases
PTRACE_SCOPE = "/proc/sys/kernel/yama/ptrace_scope"


class Finding(NamedTuple):
    """One line of the account: what was looked at, what it is, and the FIX if it does not do."""

    subject: str
    state: str
    fix: Optional[str] = None


def doctor(chosen: argparse.Namespace) -> int:
    """Write the account; return the exit status, which is 0 if all fits."""
    print(f"gdb-ompd {__version__}")
    problems = 0
    for finding in _findings(chosen.gdb):
        print(f"  {finding.subject:<11}{finding.state}")
        if finding.fix is not None:
            problems += 1
            print(f"  {'':<11}-> {finding.fix}")
    print("All fits." if not problems else f"To mend: {problems}, marked by ->.")
    return 1 if problems else 0


def _findings(name: str) -> Iterator[Finding]:
    try:
        found = debugger(name)
    except OmpdToolError as error:
        yield Finding("gdb", str(error), "apt-get install gdb, dnf install gdb, or the like")
        return
    yield Finding("gdb", f"{found.version} ({found.path}), with Python {found.python} inside")
    yield _extension(found)
    yield _start(found)
    known = runtimes()
    for path in known:
        yield _runtime(path)
    if not known:
        yield Finding("runtime", "none in the system's folders; a program may bring its own")
    yield _attaching()


def _extension(found: Debugger) -> Finding:
    problem = loading_problem(found)
    if problem is None:
        return Finding("extension", f"{extension()} can be loaded")
    said, _, fix = problem.partition(": install ")
    return Finding("extension", said, f"install {fix or 'it again'}")


def _start(found: Debugger) -> Finding:
    """Tell what has GDB load the extension."""
    path, scripts = init_file(), list(ours(Path(found.data) / AUTO_LOAD))
    if loads(path):
        return Finding("at start", f"{path} loads it")
    if scripts:
        return Finding("at start", f"gdb loads it with {_names(scripts)}")
    fix = f"gdb-ompd install, or type in gdb: source {extension()}"
    return Finding("at start", f"gdb does not load it: {path} has no line for it", fix)


def _names(scripts: list[Path]) -> str:
    return ", ".join(sorted({script.name.replace("-gdb.py", "") for script in scripts}))


def _runtime(path: str) -> Finding:
    """Tell which OMPD library serves the runtime at PATH."""
    name = os.path.basename(path)
    if name.startswith("libgomp"):
        return Finding("libgomp", f"{path}, served by this extension's own OMPD library")
    if os.path.exists(os.path.join(os.path.dirname(path), "libompd.so")):
        return Finding("libomp", f"{path}, with its OMPD library libompd.so")
    release = re.search(r"llvm-(\d+)", path)
    if release and int(release[1]) < FIRST_WITH_OMPD:
        return Finding(
            "libomp", f"{path}, not served: LLVM has an OMPD library from {FIRST_WITH_OMPD} on"
        )
    package = f"libomp-{release[1]}-dev" if release else "the package that has libompd.so"
    return Finding("libomp", f"{path}, without its OMPD library", f"install {package}")


def _attaching() -> Finding:
    """Tell whether GDB may attach to processes of the user's."""
    try:
        scope = Path(PTRACE_SCOPE).read_text("ascii").strip()
    except (OSError, ValueError):
        return Finding("attaching", "allowed to your own processes")
    if scope == "0" or os.geteuid() == 0:
        return Finding("attaching", "allowed")
    fix = f"as root: echo 0 > {PTRACE_SCOPE}; or start programs from gdb"
    return Finding("attaching", f"refused by the kernel (ptrace_scope is {scope})", fix)
