# SPDX-License-Identifier: Apache-2.0
"""Having each GDB load the extension, and taking that back. It is loaded by a line in the user's
init file, or by scripts that GDB loads with the OpenMP runtimes of this machine for every user."""

from __future__ import annotations

import argparse
import os
import stat
import sys
from contextlib import contextmanager
from glob import glob
from pathlib import Path
from typing import Iterator

from ..errors import OmpdToolError
from ..host import files
from .debugger import debugger, extension, init_file, loading_problem

# What uninstalling knows the lines by: GDB takes a comment for its line only.
MARK = "# The OpenMP commands (gdb-ompd install)"
RUNTIMES = ("libomp.so*", "libgomp.so*")
FOLDERS = (
    "/usr/lib",
    "/usr/lib64",
    "/usr/lib/*-linux-gnu",
    "/usr/lib/llvm-*/lib",
    "/usr/local/lib",
)
SUFFIX = "-gdb.py"
AUTO_LOAD = "auto-load"  # in GDB's data directory


def install(chosen: argparse.Namespace) -> int:
    """Have GDB load the extension from now on; return the exit status."""
    if chosen.system:
        return _link(chosen)
    path, line = init_file(), f"source {extension()}"
    before = _text(path)
    problem = loading_problem(debugger(chosen.gdb))
    if problem is not None:
        raise OmpdToolError(f"this gdb cannot load it: {problem}")
    if line in before.splitlines():
        print(f"{path} loads it already.")
        return 0
    if not chosen.yes and not _agrees(f"Add this line to {path}?\n  {line}"):
        print("Nothing was changed.")
        return 1
    kept = _without_ours(before)  # an older copy's line
    end = "" if not kept or kept.endswith("\n") else "\n"
    try:
        _write(path, f"{kept}{end}{MARK}\n{line}\n")
    except OmpdToolError as error:
        raise OmpdToolError(f"{error}: type in gdb each time: {line}") from error
    print(f'{path} loads it: start gdb and type "help ompd".')
    return 0


def uninstall(chosen: argparse.Namespace) -> int:
    """Take back what install did; return the exit status."""
    if chosen.system:
        return _unlink(Path(debugger(chosen.gdb).data) / AUTO_LOAD)
    path = init_file()
    text = _text(path)
    kept = _without_ours(text)
    if kept == text:
        print(f"{path} has no line of ours.")
        return 0
    if kept or path.is_symlink():
        _write(path, kept)
    else:
        with _changing(path):
            path.unlink()
    print(f"{path} loads it no more.")
    return 0


def loads(path: Path) -> bool:
    """Tell whether the init file at PATH sources the extension, this copy or another."""
    lines = map(str.split, _text(path).splitlines())
    return any(words[:1] == ["source"] and words[-1].endswith("ompd.py") for words in lines)


def ours(folder: Path) -> Iterator[Path]:
    """Yield the scripts below GDB's auto-load FOLDER that load this extension."""
    for above, _, names in os.walk(folder):
        for name in sorted(names):
            link = Path(above) / name
            if name.endswith(SUFFIX) and os.path.realpath(link) == str(_auto_load_script()):
                yield link


def runtimes() -> list[str]:
    """Return the OpenMP runtimes in the system's folders, each file once."""
    folders = [*FOLDERS, *os.environ.get("LD_LIBRARY_PATH", "").split(":")]
    found = (glob(os.path.join(folder, name)) for folder in folders if folder for name in RUNTIMES)
    real = {os.path.realpath(path) for paths in found for path in paths}
    return sorted(path for path in real if os.path.isfile(path) and not path.endswith(SUFFIX))


def _link(chosen: argparse.Namespace) -> int:
    """Link a script for each runtime into GDB's auto-load folder; return the exit status."""
    folder, script = Path(debugger(chosen.gdb).data) / AUTO_LOAD, _auto_load_script()
    links = [Path(f"{folder}{path}{SUFFIX}") for path in runtimes()]
    wanted = [link for link in links if not link.exists()]
    if not wanted:
        print("Each runtime has its script." if links else "This machine has no OpenMP runtime.")
        return 0
    listed = "\n".join(f"  {link}" for link in wanted)
    if not chosen.yes and not _agrees(f"Make these links to {script}?\n{listed}"):
        print("Nothing was changed.")
        return 1
    for link in wanted:
        with _changing(link):
            link.parent.mkdir(parents=True, exist_ok=True)
            link.unlink(missing_ok=True)  # one that leads nowhere
            link.symlink_to(script)
        print(f"Made {link}.")
    return 0


def _unlink(folder: Path) -> int:
    """Remove our scripts from GDB's auto-load FOLDER; return the exit status."""
    links = list(ours(folder))
    for link in links:
        with _changing(link):
            link.unlink()
        print(f"Removed {link}.")
        above = link.parent
        while above != folder and not any(above.iterdir()):
            with _changing(above):
                above.rmdir()
            above = above.parent
    if not links:
        print("No runtime has a script of ours.")
    return 0


def _auto_load_script() -> Path:
    return extension().parent / "libomp.so-gdb.py"


def _agrees(question: str) -> bool:
    """Ask the user. Raises OmpdToolError where nobody can answer."""
    if not sys.stdin.isatty():
        raise OmpdToolError("nobody can be asked, as the input is no terminal: use --yes")
    print(f"{question}\n(y or n) ", end="", flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _without_ours(text: str) -> str:
    """Return the TEXT of an init file without the lines that install adds."""
    lines = text.splitlines(keepends=True)
    marked = [n for n, line in enumerate(lines) if line.rstrip() == MARK]
    dropped = {*marked, *(n + 1 for n in marked)}
    return "".join(line for n, line in enumerate(lines) if n not in dropped)


def _text(path: Path) -> str:
    try:
        with files.opened(str(path)) as file:
            return file.read().decode("utf-8", "surrogateescape")
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise OmpdToolError(f"{path}: {error.strerror}") from error


def _write(path: Path, text: str) -> None:
    """Write an init file, which keeps its mode. Raises OmpdToolError."""
    mode = path.stat().st_mode if path.exists() else None
    files.replace(str(path), text)
    if mode is not None:
        with _changing(path):
            path.chmod(stat.S_IMODE(mode))


@contextmanager
def _changing(path: Path) -> Iterator[None]:
    """Raise what the system refuses for PATH as OmpdToolError."""
    try:
        yield
    except PermissionError as error:
        raise OmpdToolError(f"{path}: {error.strerror}: only root may change it") from error
    except OSError as error:
        raise OmpdToolError(f"{path}: {error.strerror}") from error
