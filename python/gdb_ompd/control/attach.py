# SPDX-License-Identifier: Apache-2.0
"""What is done when a runtime is loaded. GDB is given the recovered symbols of a stripped one, of
GCC's names for the places in its code where events are. OMPD events are switched on.

A generated debug file is attached to the runtime's object file. From then on
GDB knows the names itself: breakpoints on them are set anew at each run, and
whoever reads the runtime's symbols finds that file as its debug information.

The runtime reads OMP_DEBUG once, at its start, and then calls
``ompd_dll_locations_valid``. A breakpoint there, never shown and never stopping
the program, does what OMP_DEBUG=enabled does, but for the line that this
setting makes the runtime print into the program's error output.
"""

from __future__ import annotations

import os
import re
import traceback
from typing import Iterator, Optional, TYPE_CHECKING

import gdb

from .. import _native
from .._native import unbroken
from ..errors import NoRuntime, OmpdToolError, UsageError
from ..host import parameters
from ..host.charset import decoded
from ..host.fetch import fetch, local_file, plain
from ..host.protocols import READ_ERRORS
from ..host.selection import decode_line, selected_inferior
from ..host.runtimes.event_functions import RUNTIME_FILE
from ..host.sessions.registry import session_of

if TYPE_CHECKING:
    from ..host.modules import MappedModule
    from ..host.sessions.session import Session

FUNCTION = "ompd_dll_locations_valid"
# GDB reads the list of what is mapped by this library's symbols.
DYNAMIC_LINKER = re.compile(r"^ld(-|64\.|\.)")


class _RuntimeStarts(gdb.Breakpoint):
    """Stops nothing: switches events on when a runtime has just started. It is hidden from
    users, but not from scripts that delete all of ``gdb.breakpoints()``."""

    def __init__(self) -> None:
        super().__init__(FUNCTION, internal=True)
        self.silent = True

    @unbroken
    def stop(self) -> bool:
        """Write the two variables and let the program go on."""
        if parameters.value("auto-enable"):
            try:
                decoded(lambda: session_of().enable_events_at_start())
            except (OmpdToolError, *READ_ERRORS):
                pass  # "ompd status" says what is missing; a start is no place to complain
            except Exception:  # a bug, for which GDB would stop the program
                gdb.write(traceback.format_exc(), gdb.STDERR)
        return False


_breakpoint: list[_RuntimeStarts] = []
_is_awaited: list[bool] = []  # that the program goes on without it


def starts_with(objfile: gdb.Objfile) -> None:
    """Wait for the runtime's start, once one is loaded that can say so."""
    if _is_runtime(objfile):
        wait_for_start()


def objfile_freed(objfile: gdb.Objfile) -> None:
    """Wait no more if that was the last runtime: GDB would complain of a breakpoint whose
    function is gone, as after a core file, and disable it."""
    if not _breakpoint or not _is_runtime(objfile):
        return
    loaded = (other for space in gdb.progspaces() for other in space.objfiles())
    if not any(_is_runtime(other) for other in loaded if other != objfile):
        gone = _breakpoint.pop()
        if gone.is_valid():
            gone.delete()


@unbroken
def breakpoint_deleted(breakpoint: gdb.Breakpoint) -> None:
    """Make the breakpoint again that a script has deleted, before the program goes on."""
    if isinstance(breakpoint, _RuntimeStarts) and breakpoint in _breakpoint:
        _breakpoint.clear()
        if not _is_awaited:
            _is_awaited.append(True)
            gdb.events.cont.connect(_make_again)


@unbroken
def _make_again(_event: object) -> None:
    if _is_awaited:  # once, if Ctrl-C has this done twice
        _is_awaited.clear()
        gdb.events.cont.disconnect(_make_again)
    if any(_is_runtime(objfile) for space in gdb.progspaces() for objfile in space.objfiles()):
        wait_for_start()


def _is_runtime(objfile: gdb.Objfile) -> bool:
    # Looking into every library would cost each start.
    name = os.path.basename(objfile.filename or "")
    return RUNTIME_FILE.match(name) is not None and not (
        name.startswith("libgomp") and _is_gnu(objfile)
    )


def _is_gnu(objfile: gdb.Objfile) -> bool:
    """Tell whether it is GCC's runtime, which has no switch for events."""
    try:
        elf = _native.Elf(local_file(objfile))
        return _native.runtime_family(elf, False) == "gnu"
    except (OSError, ValueError):
        return False


def wait_for_start() -> None:
    """Wait for a runtime's start in this run or, where it has started, in the next."""
    if not _breakpoint or not _breakpoint[0].is_valid():
        try:
            decode_line(FUNCTION)
        except gdb.error:
            return  # of a breakpoint that is pending GDB would say so
        if not any(_is_misread(o) for o in gdb.current_progspace().objfiles() if _is_runtime(o)):
            _breakpoint[:] = [_RuntimeStarts()]


def _is_misread(objfile: gdb.Objfile) -> bool:
    """Tell whether another file is mapped than OBJFILE, in whose code GDB would set a breakpoint."""
    session, build_id = _session_with(objfile), objfile.build_id
    if session is None or build_id is None:
        return False
    return session.files.is_misread(_names_of(objfile), build_id)


# Runtimes whose names do not show it, once they have been found.
_others: set[str] = set()
# Loaded before the dynamic linker was, as when GDB attaches.
_too_early: list[gdb.Objfile] = []


def objfile_loaded(objfile: gdb.Objfile) -> None:
    """Attach recovered symbols to a runtime that has just been loaded.

    Other files cost the look at their name. A runtime with an unusual name is
    found by what it exports, once the program is asked about (``mapped``).
    """
    if _is_named_like_a_runtime(objfile):
        _attach(objfile)
    elif _too_early and DYNAMIC_LINKER.match(os.path.basename(objfile.filename or "")):
        waiting = [early for early in _too_early if early.is_valid()]
        _too_early.clear()
        for early in waiting:
            _attach(early)


def all_loaded() -> None:
    """Do the same for every file that was loaded before this extension."""
    for inferior in gdb.inferiors():
        runtimes = [o for o in inferior.progspace.objfiles() if _is_named_like_a_runtime(o)]
        if runtimes:
            with selected_inferior(inferior):
                for objfile in runtimes:
                    _attach(objfile)


def mapped(mapped: MappedModule) -> Optional[str]:
    """Return the file with symbols for the runtime that is MAPPED in the selected inferior, None
    if they cannot be recovered. GDB is given it, unless it has read another runtime there."""
    from ..host.symbols import debug_files

    path = mapped.module.elf.path if mapped.module is not None else None
    for objfile in gdb.current_progspace().objfiles():
        if objfile.owner is None and local_file(objfile) == path:
            _others.add(objfile.filename)
            attached = _attach(objfile)
            wait_for_start()
            if not attached:
                return None
    return debug_files.debug_file(path, _keeps()).path if path is not None else None


def _keeps() -> bool:
    """Tell whether what is made is kept for other debuggers."""
    return bool(parameters.value("cache"))


def runtime(name: str) -> _native.Elf:
    """Return the one LLVM runtime that is loaded whose file name has NAME in it.

    It need not run. NoRuntime where there is none, UsageError where there are several.
    """
    if gdb.selected_inferior().threads():
        session_of().files.modules()  # finds runtimes with unusual names, too
    found = [elf for elf in _loaded_runtimes() if name in elf.path]
    if not found:
        loaded = "whose name has that in it is" if name else "is"
        lives = bool(gdb.selected_inferior().threads())
        do = "'ompd status' has those that are" if lives else "run the program first"
        raise NoRuntime(f"no OpenMP runtime of LLVM {loaded} loaded: {do}")
    if len(found) > 1:
        names = ", ".join(elf.path for elf in found)
        raise UsageError(f"more than one OpenMP runtime is loaded ({names}): say which")
    return found[0]


def _loaded_runtimes() -> Iterator[_native.Elf]:
    objfiles = gdb.current_progspace().objfiles()
    debug_files = {o.owner.filename: o.filename for o in objfiles if o.owner is not None}
    for objfile in objfiles:
        if objfile.owner is not None or not objfile.filename:
            continue
        try:
            path = local_file(objfile)
            elf = _native.Elf(path, debug_files.get(objfile.filename))
            if _native.runtime_family(elf, False) == "llvm":
                yield elf
        except (OSError, ValueError):
            continue  # no file, such as the vDSO


def _is_named_like_a_runtime(objfile: gdb.Objfile) -> bool:
    name = objfile.filename or ""
    is_named = RUNTIME_FILE.match(os.path.basename(name)) is not None or name in _others
    return is_named and objfile.owner is None


def _attach(objfile: gdb.Objfile) -> bool:
    """Attach recovered symbols to a runtime that has none; tell whether it was done.

    Why it was not is asked of ``host.symbols.debug_files`` by whoever needs them.
    """
    from ..host.symbols import debug_files

    session = _session_with(objfile)
    if session is not None and not session.files.is_mapping_known():
        _too_early.append(objfile)
        return False
    keep = _keeps()
    try:
        path = fetch(objfile, keep, lambda copy: _can_be_mapped(objfile, copy))
    except (gdb.error, OSError):
        return False  # "ompd status" says that the file is not on this machine
    # GDB may have a separate debug file: the runtime's own, or ours.
    has_one = any(other.owner is objfile for other in objfile.progspace.objfiles())
    if path is None or has_one or not _lacks_symbols(path):
        return False
    if not _can_be_mapped(objfile, path):
        return False  # "ompd status" says that the file was replaced
    outcome = debug_files.debug_file(path, keep)
    if outcome.path is None:
        return False
    objfile.add_separate_debug_file(outcome.path)
    return True


def _lacks_symbols(path: str) -> bool:
    """Tell whether PATH is an OpenMP runtime without what OMPD needs."""
    try:
        return _native.is_stripped_runtime(_native.Elf(path))
    except (OSError, ValueError):
        return False


def _can_be_mapped(objfile: gdb.Objfile, path: str) -> bool:
    """Tell whether PATH can be what the program has mapped: it may have been replaced
    since, and a breakpoint by its symbols would then damage the program."""
    session = _session_with(objfile)
    return session is None or session.files.can_be_mapped(_names_of(objfile), path)


def _names_of(objfile: gdb.Objfile) -> set[str]:
    return {plain(objfile.filename), plain(objfile.username)}


def _session_with(objfile: gdb.Objfile) -> Optional[Session]:
    """Return the process that OBJFILE is loaded in, None if nothing runs."""
    inferior = gdb.selected_inferior()
    if inferior.progspace is not objfile.progspace or not inferior.threads():
        return None
    return session_of(inferior)
