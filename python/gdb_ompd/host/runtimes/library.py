# SPDX-License-Identifier: Apache-2.0
"""The OMPD library for a mapped runtime: where it is, and a private instance of it.

Native code looks for it, by what the runtime says (``ompd_dll_locations``; OpenMP 5.0, section
5.2.2), and says what may be loaded.

libompd keeps its type sizes, event flag and offsets in globals, keyed by the
context pointer and never forgotten. So each runtime of each inferior has an
instance of its own, and each that reads it a context of its own.
"""

from __future__ import annotations

import os
from typing import Callable, NamedTuple, Optional, Sequence

from ... import _native
from ...errors import LibraryFailed, NoOmpdLibrary
from ..moments import forget_by, one_command

SYSTEM_PLACES = (
    "/usr/lib/llvm-*/lib",
    "/usr/lib/*-linux-gnu",
    "/usr/lib64",
    "/usr/lib",
    "/usr/local/lib",
)


class Choice(NamedTuple):
    """What a library is chosen by: the runtime's file, the user's setting, what the runtime
    names by ``ompd_dll_locations``, and what decides whom to trust."""

    runtime: str
    setting: str
    named: tuple[str, ...]
    trust: _native.Trust

    def refused(self) -> tuple[str, ...]:
        """Return a line for each library that must not be loaded: why, and what allows it."""
        return () if self.setting else self._found()[1]

    def _found(self) -> tuple[list[str], tuple[str, ...]]:
        """Return the libraries that there are, best first, and these lines."""
        found = _native.find_libraries(self.runtime, self.named, self.trust, SYSTEM_PLACES)
        return found.paths, tuple(
            f"{one.path} is not loaded, for {one.why}: 'add-auto-load-safe-path"
            f" {os.path.dirname(one.file)}' or 'set ompd library {one.path}' allows it"
            for one in found.refused
        )

    def libraries(self) -> list[str]:
        """Return the libraries to try; NoOmpdLibrary says where was searched, or why what
        was found there must not be loaded."""
        if self.setting:
            if not os.path.isfile(self.setting):
                raise NoOmpdLibrary(
                    f"no OMPD library at {self.setting}: mend it with 'set ompd library PATH'"
                )
            # A bare name would be looked for elsewhere.
            return [os.path.abspath(self.setting)]
        paths, refused = self._found()
        if paths:
            return paths
        if refused:
            raise NoOmpdLibrary("; ".join(refused))
        beside = os.path.dirname(os.path.realpath(self.runtime))
        raise NoOmpdLibrary(
            f"no libompd.so found (searched {', '.join([beside, *SYSTEM_PLACES])}): install the"
            " runtime's OMPD library (LLVM has one from 14 on; Debian: libomp-VERSION-dev) or 'set ompd"
            " library PATH'"
        )


class Instance:
    """The loaded library, kept from run to run."""

    def __init__(self, space: _native.AddressSpace) -> None:
        self.space = space
        self.library: Optional[_native.Library] = None
        self._chosen_by: Optional[tuple[Choice, int]] = None
        self._lasting: Optional[_native.ProcessHandle] = None
        self._failure: Optional[str] = None
        self._failed_in = 0  # the number of the command
        forget_by(self._end_lasting)

    def note_failure(self, failure: LibraryFailed) -> None:
        """Have all else that the command being answered asks of the library fail at once."""
        self._failure, self._failed_in = str(failure), one_command.number

    def check(self) -> None:
        """Raise LibraryFailed if the library has failed in the command being answered."""
        if self._failure is not None and self._failed_in == one_command.number:
            raise LibraryFailed(self._failure)

    def load(self, choice: Choice) -> _native.Library:
        """Load the library for the runtime's file, or the one that the user's setting names.

        Another is looked for only when the choice or the loaded file has changed.
        NoOmpdLibrary says why none can be loaded.
        """
        if self.library is not None and self.library.failure is None:
            if self._chosen_by == (choice, _stamp(self.library.path)):
                return self.library
        self.library = None
        failures = []
        for path in choice.libraries():
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

    def lasting(self, begin: Callable[[], _native.ProcessHandle]) -> _native.ProcessHandle:
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
        self.space.set_modules(modules, runtime)
        self.space.drop_cache()


class Asking:
    """Around what may ask a library. LibraryFailed where it fails, and at once for the rest of the
    command in which it has."""

    __slots__ = ("_guard", "_instance")

    def __init__(self, instance: Instance) -> None:
        self._instance = instance
        self._guard = _native.Guarded()

    def __enter__(self) -> None:
        self._instance.check()
        self._guard.__enter__()

    def __exit__(self, kind: object, error: Optional[BaseException], traceback: object) -> None:
        self._guard.__exit__(kind, error, traceback)
        if isinstance(error, LibraryFailed):
            self._instance.note_failure(error)


def _stamp(path: str) -> int:
    """Return what changes when the file is replaced."""
    try:
        return os.stat(path).st_mtime_ns
    except OSError:
        return 0


def _named(path: str, reason: str) -> str:
    """Return REASON with the file's name in front, once."""
    return reason if path in reason else f"{path}: {reason}"
