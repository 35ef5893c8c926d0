# SPDX-License-Identifier: Apache-2.0
"""Runtimes that GDB reads through its connection: a copy of them on this machine.

Only GDB itself can open such a file. A local file of the same name and build-id
does as well; else GDB fetches it once, and it is kept by its build-id.
"""

from __future__ import annotations

import os
from typing import Callable, Optional

import gdb

from .. import _native

TARGET_PREFIX = "target:"
# Where the contents are of what GDB calls so.
_copies: dict[str, str] = {}


def plain(filename: Optional[str]) -> str:
    """Return the path of a file, without GDB's mark of one read through its connection."""
    return (filename or "").removeprefix(TARGET_PREFIX)


def local_file(filename: str) -> str:
    """Return the file on this machine for what GDB calls FILENAME.

    Nothing is fetched: it may not be there, or be another build.
    """
    return _copies.get(filename, plain(filename))


def fetch(objfile: gdb.Objfile, keep: bool, is_mapped: Callable[[str], bool]) -> Optional[str]:
    """Return a file on this machine with the contents of OBJFILE, fetched if need be.

    KEEP says whether a copy is kept for other debuggers, IS_MAPPED tells whether
    a file can be the one in the program's memory. Returns None where there is no
    such file; raises gdb.error where the other side refuses, OSError where a copy
    cannot be written.
    """
    filename = objfile.filename
    if not filename.startswith(TARGET_PREFIX):
        return str(filename)
    _copies.pop(filename, None)
    build_id, path = objfile.build_id, plain(filename)
    if build_id is None:
        return None
    if _build_id(path) == build_id:
        return path
    copy = _kept_copy(path, build_id) if keep else None
    if copy is None:
        copy = _fetched(path)
        if _build_id(copy) != build_id or not is_mapped(copy):
            return None
        copy = _keep(copy, path, build_id) if keep else copy
    _copies[filename] = copy
    return copy


def _kept_copy(path: str, build_id: str) -> Optional[str]:
    from .symbols import cache

    place = cache.runtime_place(build_id, path)
    return place if place is not None and _build_id(place) == build_id else None


def _fetched(path: str) -> str:
    import shlex

    from .symbols import cache

    if not path.isprintable():
        # GDB takes what follows a newline for a command, whoever named the file.
        raise OSError(f"no file has the name {path!r}")
    out = cache.private_place(path)
    gdb.execute(f"remote get {shlex.quote(path)} {shlex.quote(out)}", to_string=True)
    return out


def _keep(copy: str, path: str, build_id: str) -> str:
    """Return where COPY is kept, COPY itself if it cannot be."""
    import shutil

    from .symbols import cache

    place = cache.runtime_place(build_id, path)
    if place is None:
        return copy
    try:
        with cache.written(place, lambda path: _build_id(path) == build_id) as out:
            shutil.copyfile(copy, out)
    except OSError:
        return copy
    return place


def _build_id(path: str) -> Optional[str]:
    """Return the build-id of a file; None for one that is not there or has none."""
    if not os.path.isfile(path):
        return None
    try:
        return _native.Elf(path).build_id
    except (OSError, ValueError):
        return None
