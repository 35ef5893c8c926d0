# SPDX-License-Identifier: Apache-2.0
"""The files that GDB has read of a program, by the names that the program has for them."""

from __future__ import annotations

import os
from typing import Optional

import gdb

from .fetch import local_file, plain
from .protocols import MappedFile


class Objfiles:
    """Those of SPACE as they are now. Each is looked at once, however many are asked for: of a
    process with 300 libraries all are."""

    def __init__(self, space: gdb.Progspace) -> None:
        every = space.objfiles()
        self._own = [each for each in every if each.owner is None]
        self._debug: dict[gdb.Objfile, gdb.Objfile] = {}
        self._named: dict[str, gdb.Objfile] = {}
        for each in every:
            if each.owner is not None:
                self._debug.setdefault(each.owner, each)
        for each in self._own:
            for name in (each.username, each.filename):
                self._named.setdefault(plain(name), each)

    def of(self, name: str) -> Optional[gdb.Objfile]:
        """Return what GDB has read for the library that is mapped as NAME."""
        if name in self._named:
            return self._named[name]
        below = next((o for o in self._own if (o.username or "").endswith(name)), None)
        if below is not None or os.path.isfile(name):
            return below
        # What is in none of these places GDB looks for in "solib-search-path", by its last part.
        last = os.path.basename(name)
        found = [o for o in self._own if os.path.basename(o.filename or "") == last]
        return found[0] if len(found) == 1 else None

    def has(self, path: str) -> bool:
        """Tell whether GDB has read the file at PATH, as by "add-symbol-file"."""
        return any(each.filename == path for each in (*self._own, *self._debug.values()))

    def executable(self, name: str) -> MappedFile:
        """Return the main program's file, which GDB has read under NAME."""
        read = (each for each in self._own if each.filename == name)
        return self._mapped(plain(name), next(read, None))

    def library(self, name: str) -> MappedFile:
        """Return where GDB found the library that is mapped as NAME."""
        return self._mapped(name, self.of(name))

    def _mapped(self, name: str, objfile: Optional[gdb.Objfile]) -> MappedFile:
        """Return the file NAME, which GDB has read as OBJFILE, None if it has not."""
        path = local_file(objfile) if objfile is not None else name
        path_here = path if os.path.isfile(path) else None
        if objfile is None:
            return MappedFile(name, path_here, None)
        debug = self._debug.get(objfile)
        is_copy = path not in (name, objfile.filename)
        debug_path = debug.filename if debug is not None else None
        return MappedFile(name, path_here, debug_path, True, objfile.build_id, is_copy)
