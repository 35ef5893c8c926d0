# SPDX-License-Identifier: Apache-2.0
"""GDB's own word on what may be loaded: its auto-load safe-path, and whose folders are whose."""

from __future__ import annotations

import os
from typing import Optional

import gdb

from .trust import Trust

# Folders of programs in a tree with its libraries beside them.
_PROGRAMS = ("bin", "sbin", "libexec")
# What is there belongs to the system, whatever else is there.
_SYSTEM = ("/", "/usr", "/usr/local")


def trust(program: Optional[str], name: str, unconfirmed: Optional[str] = None) -> Trust:
    """Return what decides about the file that PROGRAM, if it is known, has as NAME."""
    return Trust(_safe_path(), tuple(_foreign(program)), name, unconfirmed)


def _safe_path() -> tuple[str, ...]:
    """Return the patterns of ``show auto-load safe-path``, with GDB's variables and
    ``~`` expanded, by its documentation (section "Security restriction for auto-loading")."""
    found: list[str] = []
    for pattern in _words(str(gdb.parameter("auto-load safe-path") or "")):
        if pattern.startswith("$debugdir"):
            places = _words(str(gdb.parameter("debug-file-directory") or ""))
            found += [place + pattern.removeprefix("$debugdir") for place in places]
        elif pattern.startswith("$datadir"):
            found.append(f"{gdb.parameter('data-directory')}{pattern.removeprefix('$datadir')}")
        else:
            found.append(os.path.expanduser(pattern))
    return tuple(found)


def _words(path: str) -> list[str]:
    return [word for word in path.split(os.pathsep) if word]


def _foreign(program: Optional[str]) -> list[str]:
    """Return the folders that came with the program: its own, or the whole tree if its own
    is a "bin"; and the copy of another machine's files that the user has named."""
    folders = []
    for path in {os.path.abspath(program), os.path.realpath(program)} if program else ():
        folder = os.path.dirname(path)
        above = os.path.dirname(folder)
        if os.path.basename(folder) in _PROGRAMS and above not in _SYSTEM:
            folder = above
        folders.append(folder)
    sysroot = str(gdb.parameter("sysroot") or "")
    if os.path.isabs(sysroot) and os.path.realpath(sysroot) != "/":
        folders += [sysroot, os.path.realpath(sysroot)]
    return sorted(set(folders))
