# SPDX-License-Identifier: Apache-2.0
"""Who decides what the debugger loads: the user and the system, not the program.

A library that is loaded into the debugger runs with the user's rights. The
program names files by its memory and by where it lies, so that what lies there
is loaded only from where nobody but the user and root can put anything, and, if
it came with the program, only where GDB's own auto-load safe-path allows it.
"""

from __future__ import annotations

import fnmatch
import grp
import os
import pwd
import stat
from typing import Iterator, NamedTuple, Optional

MAX_LINKS = 40  # as the kernel follows


class Trust(NamedTuple):
    """What decides about files that the program names.

    SAFE_PATH holds the patterns of GDB's auto-load safe-path, expanded; FOREIGN
    the folders whose contents came with the program; NAME is the one by which
    the program has the file.
    """

    safe_path: tuple[str, ...] = ()
    foreign: tuple[str, ...] = ()
    name: str = ""

    def objection(self, path: str) -> Optional[str]:
        """Return why code must not be loaded from PATH, None if it may."""
        real = os.path.realpath(path)
        if is_in_safe_path(real, self.safe_path):
            return None
        if any(_is_below(each, folder) for each in (self.name, real) for folder in self.foreign):
            return "it came with the program"
        if self.name and not os.path.isabs(self.name):
            return "the program names its place by a relative path"
        return others_hand(path)


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


def others_hand(path: str) -> Optional[str]:
    """Return how somebody other than root and the user could change what is at PATH,
    or where it leads; None if nobody can. What does not exist is its folder's matter."""
    trusted = {0, os.stat("/").st_uid, os.geteuid()}  # a container's root may show as another
    for step, status in _steps(path):
        if status.st_uid not in trusted:
            return f"{step} belongs to another user"
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
