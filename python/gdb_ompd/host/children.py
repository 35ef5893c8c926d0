# SPDX-License-Identifier: Apache-2.0
"""Processes that the program has begun, as the kernel of this machine lists them."""

from __future__ import annotations

import os
from collections import deque
from typing import Iterator, NamedTuple, Pattern

import gdb

from .selection import connection_type

MOST = 64  # processes that are looked at


class Child(NamedTuple):
    """A process that another one has begun, and the name of its program."""

    pid: int
    name: str


def that_map(inferior: gdb.Inferior, file: Pattern[str]) -> list[Child]:
    """Return the processes that an inferior has begun, or those have, which map a file with a name
    that FILE matches; none of a core, or of a process of another machine."""
    if connection_type(inferior) != "native" or not inferior.pid:
        return []
    return [_named(pid) for pid in _below(inferior.pid) if _maps(pid, file)]


def _below(pid: int) -> Iterator[int]:
    waiting = deque([pid])
    for _ in range(MOST):
        if not waiting:
            return
        children = _children(waiting.popleft())
        waiting.extend(children)
        yield from children


def _children(pid: int) -> list[int]:
    found: list[int] = []
    try:
        for thread in os.listdir(f"/proc/{pid}/task"):
            found += map(int, _text(f"/proc/{pid}/task/{thread}/children").split())
    except OSError:
        pass  # it has ended
    return found


def _maps(pid: int, file: Pattern[str]) -> bool:
    names = (line.rpartition("/")[2] for line in _text(f"/proc/{pid}/maps").splitlines())
    return any(file.match(name) for name in names)


def _named(pid: int) -> Child:
    return Child(pid, _text(f"/proc/{pid}/comm").strip())


def _text(path: str) -> str:
    """Return a file's text, "" of a process that has ended or is somebody's."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""
