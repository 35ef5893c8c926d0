# SPDX-License-Identifier: Apache-2.0
"""The command-line tool ``gdb-ompd``: stops of many processes, saved and folded.

It needs no GDB to report; to save it runs one in batch, as a launcher's process beside each rank.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Iterator, Optional, Sequence

from ..errors import OmpdToolError, printable
from ..host import files

# Above this file: in a checkout, where it is installed, and where pip puts it.
EXTENSION = (
    (3, "gdb-scripts/ompd.py"),
    (2, "ompd.py"),
    (2, "share/gdb-ompd/ompd.py"),
    (5, "share/gdb-ompd/ompd.py"),
)


def snapshot(parser: argparse.ArgumentParser, chosen: argparse.Namespace) -> int:
    """Save the stops that the arguments choose; return the exit status."""
    ways = (chosen.pid is not None, chosen.program is not None, chosen.core is not None)
    if sum(ways) != 1 or (chosen.core is None) != (chosen.exe is None):
        parser.error("one of -p PID, --program NAME, and CORE EXE is wanted")
    if shutil.which(chosen.gdb) is None:
        raise OmpdToolError(f"there is no {chosen.gdb}: --gdb names the debugger")
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
    argv += ["-iex", "set pagination off", "-ex", f"source {_extension()}"]
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


def _extension() -> Path:
    above = Path(__file__).resolve().parents
    for levels, name in EXTENSION:
        if levels < len(above) and (above[levels] / name).is_file():
            return above[levels] / name
    raise OmpdToolError("the file that loads the extension into gdb is not beside it")


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


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Run the tool; return its exit status."""
    parser = _parser()
    chosen = parser.parse_args(arguments)
    try:
        if chosen.command == "report":
            return _report(chosen.folder, chosen.page)
        return snapshot(parser, chosen)
    except OmpdToolError as error:
        print(f"gdb-ompd: {error}", file=sys.stderr)
        return 1
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # nobody reads what is left
        return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="gdb-ompd", description="OpenMP stops of many processes")
    commands = parser.add_subparsers(dest="command", required=True)
    saving = commands.add_parser(
        "snapshot",
        help="save the stop of a process or core",
        description="Save a stop, as 'ompd save' does in gdb. Started by a launcher beside each"
        " rank (mpirun, srun --overlap), --program takes the process of its own rank.",
    )
    saving.add_argument("-p", dest="pid", type=int, metavar="PID", help="attach to this process")
    saving.add_argument("--program", metavar="NAME", help="attach to the processes of that name")
    saving.add_argument("core", nargs="?", metavar="CORE", help="load this core file")
    saving.add_argument("exe", nargs="?", metavar="EXE", help="the program that CORE is of")
    saving.add_argument("-o", dest="folder", required=True, metavar="DIR", help="where to save")
    saving.add_argument("--gdb", default="gdb", help="the debugger (gdb)")
    saving.add_argument(
        "--timeout", type=float, default=300, metavar="SECONDS", help="for each process (300)"
    )
    report = commands.add_parser("report", help="fold the saved stops of many ranks")
    report.add_argument("folder", metavar="DIR", help="where the stops were saved")
    report.add_argument(
        "-o", dest="page", metavar="FILE.html", help="write a page for a browser instead"
    )
    return parser


def _report(folder: str, page: Optional[str]) -> int:
    from ..render import job
    from ..saved.job import folded

    found = folded(folder)
    if page is not None:
        files.replace(page, job.html(found))
        print(f"Written to {page}.")
        return 0
    encoding = sys.stdout.encoding or "ascii"
    for line in job.lines(found):
        print(line.encode(encoding, "backslashreplace").decode(encoding))
    return 0
