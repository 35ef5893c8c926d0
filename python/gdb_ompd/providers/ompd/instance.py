# SPDX-License-Identifier: Apache-2.0
"""The OMPD library for a mapped runtime: where it is, a private instance of it, and contexts to
ask it by.

The runtime says where by ``ompd_dll_locations`` (OpenMP 5.0, section 5.2.2), a list of
paths and bare names in the program's memory. A bare name is looked for beside the
runtime and in the system's folders, never along the debugger's own path. Whether
what is found may be loaded is not the program's to say (``gdb_ompd.host.trust``).

libompd keeps its type sizes, event flag and offsets in globals, keyed by the
context pointer and never forgotten. So each runtime of each inferior has an
instance of its own, and a context is used again only for the very same layout.
"""

from __future__ import annotations

import glob
import os
from contextlib import contextmanager
from typing import Callable, Iterator, NamedTuple, Optional, Sequence

from ... import _native
from ...errors import LibraryFailed, NoOmpdLibrary
from ...host.moments import command_number, forget_by
from ...host.trust import Found, Trust

NAME = "libompd.so"
LOCATIONS = "ompd_dll_locations"
SYSTEM_PLACES = (
    "/usr/lib/llvm-*/lib",
    "/usr/lib/*-linux-gnu",
    "/usr/lib64",
    "/usr/lib",
    "/usr/local/lib",
)


class Candidates(NamedTuple):
    """The OMPD libraries there are, best first, and of each that must not be loaded a
    line that says why, and what allows it."""

    paths: tuple[str, ...]
    refused: tuple[str, ...]


def candidates(runtime: Optional[str], named: Sequence[str], trust: Trust) -> Candidates:
    """Find the OMPD libraries for the runtime's file, which names NAMED.

    What the runtime names comes first, then what is beside it, then the system's; a
    library that would load an OpenMP runtime into the debugger (LLVM 15 to 17) after
    those that would not. One library can serve other versions, since every offset
    comes from the program.
    """
    found: list[str] = []
    refused: dict[str, str] = {}
    for path, by in _places(runtime, named):
        real = os.path.realpath(path)
        why = trust.objection(path, by)
        if why is not None:
            refused.setdefault(real, _refusal(path, real, why))
        elif real not in found:
            found.append(real)
    lines = tuple(line for real, line in refused.items() if real not in found)
    return Candidates(tuple(sorted(found, key=_needs_runtime)), lines)


def locate(runtime: Optional[str], setting: str, named: Sequence[str], trust: Trust) -> Candidates:
    """Return the libraries to try; NoOmpdLibrary says where was searched, or why what
    was found there must not be loaded."""
    if setting:
        if not os.path.isfile(setting):
            raise NoOmpdLibrary(
                f"no OMPD library at {setting}: mend it with 'set ompd library PATH'"
            )
        # A bare name would be looked for elsewhere.
        return Candidates((os.path.abspath(setting),), ())
    found = candidates(runtime, named, trust)
    if found.paths:
        return found
    if found.refused:
        raise NoOmpdLibrary("; ".join(found.refused))
    places = ", ".join([*_beside(runtime), *SYSTEM_PLACES])
    raise NoOmpdLibrary(
        f"no {NAME} found (searched {places}): install the runtime's OMPD library"
        " (Debian: libomp-VERSION-dev) or 'set ompd library PATH'"
    )


def _refusal(path: str, real: str, why: str) -> str:
    allow = f"'add-auto-load-safe-path {os.path.dirname(real)}' or 'set ompd library {path}'"
    return f"{path} is not loaded, for {why}: {allow} allows it"


def _places(runtime: Optional[str], named: Sequence[str]) -> Iterator[tuple[str, Found]]:
    """Yield each library that there is, and by whose word it is looked for there."""
    names = dict.fromkeys(os.path.basename(name) for name in named) or [NAME]
    bare = [name for name in names if name not in ("", ".", "..")]
    system = [path for place in SYSTEM_PLACES for name in bare for path in _in(place, name)]
    folders = _beside(runtime)
    beside = [path for place in folders for name in bare for path in _in(glob.escape(place), name)]
    systems = {os.path.realpath(path) for path in system}
    there = [path for path in named if os.path.isabs(path) and os.path.exists(path)]
    for path in [*there, *beside, *system]:
        if os.path.realpath(path) in systems:
            yield path, Found.IN_SYSTEM
        elif os.path.dirname(os.path.realpath(path)) in folders or path in beside:
            yield path, Found.BESIDE_RUNTIME
        else:
            yield path, Found.IN_MEMORY


def _in(place: str, name: str) -> list[str]:
    """Return the libraries in a folder, or in those that a pattern stands for."""
    pattern = os.path.join(place, glob.escape(name))
    return sorted(glob.glob(pattern), key=_version_key, reverse=True)


def _beside(runtime: Optional[str]) -> list[str]:
    return [os.path.dirname(os.path.realpath(runtime))] if runtime else []


def _version_key(path: str) -> list[int]:
    return [int("".join(filter(str.isdecimal, part)) or 0) for part in path.split("/")]


def _needs_runtime(path: str) -> bool:
    try:
        return any(name.startswith("libomp.so") for name in _native.Elf(path).needed)
    except (OSError, ValueError):
        return True


class Choice(NamedTuple):
    """What a library is chosen by: the runtime's file, the user's setting, what the runtime
    names by ``ompd_dll_locations``, and what decides whom to trust."""

    runtime: Optional[str]
    setting: str
    named: tuple[str, ...]
    trust: Trust

    def refused(self) -> tuple[str, ...]:
        """Return a line for each library that must not be loaded: why, and what allows it."""
        found = None if self.setting else candidates(self.runtime, self.named, self.trust)
        return () if found is None else found.refused


class Instance:
    """The loaded library, kept from run to run, and its contexts by layout."""

    def __init__(self, space: _native.AddressSpace) -> None:
        self.space = space
        self.library: Optional[_native.Library] = None
        self._chosen_by: Optional[tuple[Choice, int]] = None
        self._contexts: dict[tuple[int, ...], _native.AddressSpace] = {}
        self._lasting: Optional[_native.Process] = None
        self._failure: Optional[str] = None
        self._failed_in = 0  # the number of the command
        forget_by(self._end_lasting)

    @contextmanager
    def guarded(self) -> Iterator[None]:
        """Around what may ask the library. LibraryFailed where it fails, and at once for
        the rest of the command in which it has."""
        self.check()
        try:
            with _native.Guarded():
                yield
        except _native.LibraryFailure as failure:
            self._failure, self._failed_in = str(failure), command_number()
            raise LibraryFailed(self._failure) from failure

    def check(self) -> None:
        """Raise LibraryFailed if the library has failed in the command being answered."""
        if self._failure is not None and self._failed_in == command_number():
            raise LibraryFailed(self._failure)

    def load(self, choice: Choice) -> _native.Library:
        """Load the library for the runtime's file, or the one that the user's setting names.

        Another is looked for only when the choice or the loaded file has changed.
        NoOmpdLibrary says why none can be loaded.
        """
        if self.library is not None and self.library.failure is None:
            if self._chosen_by == (choice, _stamp(self.library.path)):
                return self.library
        self.library, self._contexts = None, {}
        failures = []
        for path in locate(*choice).paths:
            try:
                self.library = _native.Library(path)
                self._chosen_by = choice, _stamp(path)
                return self.library
            except _native.OmpdError as error:  # only ompd_initialize was called
                oldest, newest = _native.OMPD_API_VERSIONS
                speaks = f"it speaks none of OMPD's versions {oldest} to {newest}"
                failures.append(f"{path}: {speaks} ({error.code_name})")
            except (OSError, ValueError) as error:
                failures.append(_named(path, str(error)))
        raise NoOmpdLibrary(
            "no OMPD library can be loaded: "
            + "; ".join(failures)
            + ": 'set ompd library PATH' names another"
        )

    def process(self, layout: dict[str, int]) -> _native.Process:
        """Begin to ask the loaded library at this stop."""
        assert self.library is not None, "load comes first"
        with _native.Guarded():
            return self.library.process_initialize(self.context(layout))

    def lasting(self, begin: Callable[[], _native.Process]) -> _native.Process:
        """Return a handle of the process that lasts until the program goes on, whatever is
        asked and forgotten at this stop. BEGIN makes it."""
        if self._lasting is None or not self._lasting.valid:
            self._lasting = begin()
        return self._lasting

    def _end_lasting(self) -> None:
        process, self._lasting = self._lasting, None
        if process is not None:
            process.end()

    def set_modules(self, modules: Sequence[_native.Module], runtime: str) -> None:
        """Take note of what the process has mapped, and which file is the runtime."""
        for space in {id(s): s for s in (self.space, *self._contexts.values())}.values():
            space.set_modules(modules, runtime)
            space.drop_cache()

    def context(self, layout: dict[str, int]) -> _native.AddressSpace:
        """Return the context for a runtime with this layout."""
        key = tuple(layout.values())
        if key not in self._contexts:
            used = self.space in self._contexts.values()
            self._contexts[key] = self.space.clone_context() if used else self.space
        return self._contexts[key]


def _stamp(path: str) -> int:
    """Return what changes when the file is replaced."""
    try:
        return os.stat(path).st_mtime_ns
    except OSError:
        return 0


def _named(path: str, reason: str) -> str:
    """Return REASON with the file's name in front, once."""
    return reason if path in reason else f"{path}: {reason}"
