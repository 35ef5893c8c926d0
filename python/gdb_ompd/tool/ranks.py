# SPDX-License-Identifier: Apache-2.0
"""Stops of many processes, saved beside each rank of a job and folded into a few lines or a page."""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Iterator, Optional, Sequence
from urllib.parse import quote

from ..errors import OmpdToolError, printable
from ..host import files
from .debugger import extension, no_such_debugger


def snapshot(parser: argparse.ArgumentParser, chosen: argparse.Namespace) -> int:
    """Save the stops that the arguments choose; return the exit status."""
    ways = (chosen.pid is not None, chosen.program is not None, chosen.core is not None)
    if sum(ways) != 1 or (chosen.core is None) != (chosen.exe is None):
        parser.error("one of -p PID, --program NAME, and CORE EXE is wanted")
    if shutil.which(chosen.gdb) is None:
        raise no_such_debugger(chosen.gdb)
    folder = Path(chosen.folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OmpdToolError(f"{folder}: {error.strerror}") from error
    if chosen.core is not None:
        name = f"{os.uname().nodename}-{os.path.basename(chosen.core)}.json"
        return _save(chosen, ["--core", chosen.core, chosen.exe], folder / name)
    pids = [chosen.pid] if chosen.pid is not None else list(_processes(chosen.program))
    if not pids:
        raise OmpdToolError(f"no process of yours is called {chosen.program}")
    saved = [
        _save(chosen, ["-p", str(pid)], folder / f"{os.uname().nodename}-{pid}.json")
        for pid in pids
    ]
    return max(saved)


def _save(chosen: argparse.Namespace, what: Sequence[str], path: Path) -> int:
    """Have gdb save a stop; complain in one line where there is none."""
    before = path.stat().st_mtime_ns if path.exists() else None
    quoted = str(path).replace("\\", "\\\\").replace(" ", "\\ ")
    argv = [chosen.gdb, "-nx", "-batch", "-iex", "set debuginfod enabled off"]
    argv += ["-iex", "set pagination off", "-ex", f"source {extension()}"]
    argv += ["-ex", f"ompd save {quoted}", *what]
    try:
        done = subprocess.run(
            argv,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=chosen.timeout,
            errors="replace",
        )
        errors = [e for e in done.stderr.strip().splitlines() if not e.startswith("no process:")]
        said = errors[-1:] or ["gdb cannot attach, and does not say why"]
    except subprocess.TimeoutExpired:
        said = [f"gdb took longer than {chosen.timeout:.0f} s"]
    if path.exists() and path.stat().st_mtime_ns != before:
        print(f"Saved to {path}.")
        return 0
    print(f"gdb-ompd: {' '.join(what)}: {printable(said[0])}", file=sys.stderr)
    return 1


def _processes(name: str) -> Iterator[int]:
    """Yield the user's processes of a program: that of our own rank, where we have one."""
    from ..saved.document import rank_in

    own = rank_in(os.environ)
    for entry in sorted(filter(str.isdecimal, os.listdir("/proc")), key=int):
        process = Path("/proc") / entry
        try:
            mine = process.stat().st_uid == os.geteuid() and int(entry) != os.getpid()
            if not mine or os.path.basename(os.readlink(process / "exe")) != name:
                continue
            environment = _environment(process)
        except OSError:
            continue  # it has ended, or is somebody's
        rank = rank_in(environment)
        if own is None or rank is None or rank.number == own.number:
            yield int(entry)


def _environment(process: Path) -> dict[str, str]:
    entries = (process / "environ").read_bytes().split(b"\0")
    pairs = (os.fsdecode(entry).partition("=") for entry in entries)
    return {name: value for name, _, value in pairs}


def report(folder: str, page: Optional[str], of_all: bool) -> int:
    """Fold the stops in a FOLDER, into a PAGE or into lines; return the exit status. A page leads to
    others: one for each state, or OF_ALL ranks."""
    from ..render import job
    from ..saved.job import folded

    found = folded(folder)
    if page is not None:
        names = {fold.one.name for fold in found.folds}
        names.update(found.files.values() if of_all else ())
        files.replace(page, job.html(found, _pages(folder, sorted(names), Path(page))))
        print(f"Written to {page}.")
        return 0
    encoding = sys.stdout.encoding or "ascii"
    for line in job.lines(found):
        print(line.encode(encoding, "backslashreplace").decode(encoding))
    return 0


def _pages(folder: str, names: Sequence[str], page: Path) -> dict[str, str]:
    """Write a page for each saved stop of these NAMES into a folder beside PAGE; return where they
    are from there. One that cannot be shown has none."""
    from ..render.page import html
    from ..saved.sources import excerpts
    from ..saved.stop import load
    from ..saved.taking import whole

    beside = page.with_name(f"{page.stem}-ranks")
    try:
        beside.mkdir(exist_ok=True)
    except OSError as error:
        raise OmpdToolError(f"{beside}: {error.strerror}") from error
    found = {}
    for name in names:
        try:
            stop = load(os.path.join(folder, name))
            shown = whole(stop, stop.circumstances)
        except OmpdToolError as error:
            print(f"gdb-ompd: {name}: {printable(str(error))}", file=sys.stderr)
            continue
        own = beside / f"{Path(name).stem}.html"
        files.replace(str(own), html(shown, excerpts(shown)))
        found[name] = quote(f"{beside.name}/{own.name}")
    return found
