# SPDX-License-Identifier: Apache-2.0
"""Files that GDB reads through its connection: where this machine has them, or a copy.

Of a process of this machine in a container the kernel gives them. Of another machine's runtimes,
which only GDB itself can open, a local file of the same name and build-id does as well. Else GDB
fetches it once, and it is kept by its build-id.
"""

from __future__ import annotations

import os
from typing import Callable, Optional

import gdb

from .. import _native
from .selection import connection_type

TARGET_PREFIX = "target:"
# Where the contents are of what GDB calls so, of which build.
_copies: dict[tuple[str, Optional[str]], str] = {}


def plain(filename: Optional[str]) -> str:
    """Return the path of a file, without GDB's mark of one read through its connection."""
    return (filename or "").removeprefix(TARGET_PREFIX)


def local_file(objfile: gdb.Objfile) -> str:
    """Return the file on this machine for OBJFILE, a file of the selected inferior's.

    Nothing is fetched: it may not be there, or be another build.
    """
    filename = objfile.filename or ""
    if not filename.startswith(TARGET_PREFIX):
        return filename
    copy = _copies.get((filename, objfile.build_id))
    return copy or _below_root(filename) or plain(filename)


def _below_root(filename: str) -> Optional[str]:
    """Return the name by which the kernel gives a file of a container's, None for a file of
    another machine."""
    inferior = gdb.selected_inferior()
    is_here = connection_type(inferior) == "native" and inferior.pid != 0
    return f"/proc/{inferior.pid}/root{plain(filename)}" if is_here else None


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
    build_id, path = objfile.build_id, _below_root(filename)
    if path is not None:
        return path
    _copies.pop((filename, build_id), None)
    if build_id is None:
        return None
    path = plain(filename)
    if _build_id(path) == build_id:
        return path
    copy = _kept_copy(path, build_id) if keep else None
    if copy is None:
        copy = _fetched(path)
        if _build_id(copy) != build_id or not is_mapped(copy):
            return None
        copy = _keep(copy, path, build_id) if keep else copy
    _copies[filename, build_id] = copy
    return copy


def remote_text(path: str) -> str:
    """Return what a small file of the machine of a remote process has, "" where its side does not
    give it out."""
    try:
        with open(_fetched(path), encoding="utf-8", errors="surrogateescape") as file:
            return file.read()
    except (gdb.error, OSError):
        return ""


def blocks_signal(inferior: gdb.Inferior, number: int) -> bool:
    """Tell whether the first thread of a process behind a stub blocks a signal; False where the
    stub does not give out what its kernel says of processes."""
    try:
        return bool(int(_status(inferior)["SigBlk"], 16) >> (number - 1) & 1)
    except (ValueError, KeyError):
        return False


def is_led_by_another(inferior: gdb.Inferior) -> bool:
    """Tell whether a process that a stub traces is in another one's process group: gdbserver sends
    Ctrl-C to the group that has the process's number. False as in blocks_signal."""
    status = _status(inferior)
    own, group, tracer = (status.get(n, "").split() for n in ("NStgid", "NSpgid", "TracerPid"))
    return tracer not in ([], ["0"]) and own[-1:] != group[-1:]


def _status(inferior: gdb.Inferior) -> dict[str, str]:
    said = remote_text(f"/proc/{inferior.pid}/status").splitlines()
    return dict(line.split(":", 1) for line in said if ":" in line)


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
