# SPDX-License-Identifier: Apache-2.0
"""Who decides what the debugger loads: the user and the system, not the program.

A library that is loaded into the debugger runs with the user's rights. The
program names files by its memory and by where it lies. What it names is loaded
from the system's folders and from where this extension is installed; from
elsewhere only if the kernel has mapped the runtime beside it into a process that
runs with the user's rights already, and nobody else can put anything there; or
if GDB's own auto-load safe-path allows it. docs/trust.md has the table.
"""

from __future__ import annotations

import fnmatch
import grp
import os
import pwd
import stat
from enum import Enum
from typing import Iterator, NamedTuple, Optional

MAX_LINKS = 40  # as the kernel follows
# Where a distribution, or root, installs libraries.
SYSTEM = tuple(
    above + folder
    for above in ("", "/usr", "/usr/local")
    for folder in ("/lib", "/lib32", "/lib64")
)
INSTALLED = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))


class Found(Enum):
    """By whose word a library was looked for where it is: the system's, that of the file
    that the program has mapped, or that of the program's memory alone."""

    IN_SYSTEM = "in system"
    BESIDE_RUNTIME = "beside runtime"
    IN_MEMORY = "in memory"


class Trust(NamedTuple):
    """What decides about files that the program names.

    SAFE_PATH holds the patterns of GDB's auto-load safe-path, expanded; FOREIGN
    the folders whose contents came with the program; NAME is the one by which
    the program has its runtime. UNCONFIRMED says why nothing but the program's
    memory tells that it executes that file; None where the kernel does.
    """

    safe_path: tuple[str, ...] = ()
    foreign: tuple[str, ...] = ()
    name: str = ""
    unconfirmed: Optional[str] = None

    def objection(self, path: str, found: Found) -> Optional[str]:
        """Return why code must not be loaded from PATH, None if it may. FOUND says by whose
        word it was looked for there."""
        real = os.path.realpath(path)
        if is_in_safe_path(real, self.safe_path) or _is_below(real, INSTALLED):
            return None
        if found is Found.IN_SYSTEM:
            return others_hand(path, but_the_user=False)
        if any(_is_below(each, folder) for each in (self.name, real) for folder in self.foreign):
            return "it came with the program"
        if self.name and not os.path.isabs(self.name):
            return "the program names its place by a relative path"
        if any(_is_below(real, folder) for folder in SYSTEM):
            return others_hand(path, but_the_user=False)
        if self.unconfirmed is None and found is Found.IN_MEMORY:
            return "only the program's memory says where it is"
        return self.unconfirmed or others_hand(path)


def why_unconfirmed(process: int, path: str) -> Optional[str]:
    """Return why the kernel does not confirm that PROCESS executes code of the file at PATH
    with the rights of the user who runs this debugger, None if it does."""
    try:
        if set(_users(process)) != {os.geteuid()}:
            return "the program runs with other rights than yours"
        spaces = [os.stat(f"/proc/{each}/ns/mnt").st_ino for each in (process, "self")]
        if spaces[0] != spaces[1]:
            return "the program runs in a container, which has other files"
        with open(f"/proc/{process}/maps", "rb") as maps:
            executed = {
                line.split(None, 5)[-1] for line in maps if line.split(None, 2)[1][2:3] == b"x"
            }
    except (OSError, ValueError, IndexError) as error:
        return f"the kernel does not say whether the program executes it ({error})"
    names = {name.rstrip(b"\n").replace(b"\\012", b"\n") for name in executed}
    if os.fsencode(os.path.realpath(path)) in names:
        return None
    return "the program does not execute the runtime beside it"


def _users(process: int) -> list[int]:
    """Return a process's real, effective, saved and file system user."""
    with open(f"/proc/{process}/status", "rb") as file:
        (line,) = (line for line in file if line.startswith(b"Uid:"))
    return [int(number) for number in line.split()[1:]]


def is_in_safe_path(path: str, patterns: tuple[str, ...]) -> bool:
    """Tell whether a resolved PATH is in GDB's auto-load safe-path, by GDB's rules: a
    pattern stands for all that is below it, and its wildcards never for a "/"."""
    parts = _parts(path)
    for pattern in patterns:
        for each in {pattern, os.path.realpath(pattern)}:
            wanted = _parts(each)
            if len(wanted) <= len(parts) and all(map(fnmatch.fnmatchcase, parts, wanted)):
                return True
    return False


def others_hand(path: str, but_the_user: bool = True) -> Optional[str]:
    """Return how somebody other than root and, unless BUT_THE_USER is false, the user could
    change what is at PATH, or where it leads; None if nobody can. What does not exist is
    its folder's matter."""
    trusted = {0, os.stat("/").st_uid}  # a container's root may show as another
    if but_the_user:
        trusted.add(os.geteuid())
    for step, status in _steps(path):
        if status.st_uid not in trusted:
            whose = "belongs to another user" if but_the_user else "does not belong to root"
            return f"{step} {whose}"
        if stat.S_ISLNK(status.st_mode):
            continue
        sticky = stat.S_ISDIR(status.st_mode) and status.st_mode & stat.S_ISVTX
        if not sticky and _others_may_write(status):
            return f"others can write to {step}"
    return None


def _steps(path: str) -> Iterator[tuple[str, os.stat_result]]:
    """Yield everything that is passed on the way to PATH, symbolic links too."""
    at, links = "/", 0
    pending = _parts(os.path.abspath(path))[::-1]
    yield at, os.lstat(at)
    while pending:
        part = pending.pop()
        if part == "..":
            at = os.path.dirname(at)
            continue
        step = os.path.join(at, part)
        try:
            status = os.lstat(step)
        except OSError:
            return
        yield step, status
        if not stat.S_ISLNK(status.st_mode):
            at = step
            continue
        links += 1
        if links > MAX_LINKS:
            return
        target = os.readlink(step)
        at = "/" if os.path.isabs(target) else at
        pending += _parts(target)[::-1]


def _others_may_write(status: os.stat_result) -> bool:
    if status.st_mode & stat.S_IWOTH:
        return True
    return bool(status.st_mode & stat.S_IWGRP) and not _is_own_group(status.st_gid)


def _is_own_group(group: int) -> bool:
    """Tell whether a group is root's, or the user's alone: many systems give each user
    one of the user's name, and let it write to what the user makes."""
    if group == 0:
        return True
    try:
        user, entry = pwd.getpwuid(os.geteuid()), grp.getgrgid(group)
    except KeyError:
        return False
    return entry.gr_name == user.pw_name and set(entry.gr_mem) <= {user.pw_name}


def _is_below(path: str, folder: str) -> bool:
    return folder == "/" or path == folder or path.startswith(folder.rstrip("/") + "/")


def _parts(path: str) -> list[str]:
    return [part for part in path.split("/") if part not in ("", ".")]
