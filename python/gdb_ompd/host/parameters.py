# SPDX-License-Identifier: Apache-2.0
"""The ``set/show ompd`` settings."""

from __future__ import annotations

from typing import Callable, Optional

import gdb

from .. import _native


class _SetPrefix(gdb.Command):
    """Change settings of the OpenMP debugging extension."""

    def __init__(self) -> None:
        super().__init__("set ompd", gdb.COMMAND_SUPPORT, gdb.COMPLETE_NONE, True)

    def invoke(self, argument: str, from_tty: bool) -> None:
        """List the settings that can be changed."""
        if argument:
            raise gdb.GdbError(f'Undefined set ompd command: "{argument}".  Try "help set ompd".')
        gdb.execute("help set ompd", from_tty)


class _ShowPrefix(gdb.Command):
    """Show settings of the OpenMP debugging extension."""

    def __init__(self) -> None:
        super().__init__("show ompd", gdb.COMMAND_STATUS, gdb.COMPLETE_NONE, True)

    def invoke(self, argument: str, from_tty: bool) -> None:
        """List the settings, as GDB's own show prefixes do."""
        if argument:
            raise gdb.GdbError(f'Undefined show ompd command: "{argument}".  Try "help show ompd".')
        for name, value in settings():
            gdb.write(f"{name}:  {value}\n")


class _Library(gdb.Parameter):
    """The OMPD library to load, instead of the one that is found.

    Empty, the default, looks beside the mapped runtime first, then in the
    system's library folders."""

    set_doc = "Set the OMPD library to load."
    show_doc = "Show the OMPD library to load."

    def __init__(self) -> None:
        super().__init__("ompd library", gdb.COMMAND_SUPPORT, gdb.PARAM_OPTIONAL_FILENAME)
        self.value = ""

    def get_set_string(self) -> str:
        """Say nothing; what another library has answered is dropped."""
        _choice_changed()
        return ""

    def get_show_string(self, value: str) -> str:
        """Answer ``show ompd library``."""
        if not self.value:
            return "The OMPD library is looked for beside the runtime, then in system folders."
        return f'The OMPD library to load is "{value}".'


class _AutoEnable(gdb.Parameter):
    """Whether a program that starts under GDB has OMPD events switched on.

    On, the default, makes states, waits and event breakpoints work without
    OMP_DEBUG in the program's environment. OMP_DEBUG=disabled there wins."""

    set_doc = "Set whether OMPD events are switched on in programs started by GDB."
    show_doc = "Show whether OMPD events are switched on in programs started by GDB."

    def __init__(self) -> None:
        super().__init__("ompd auto-enable", gdb.COMMAND_SUPPORT, gdb.PARAM_BOOLEAN)
        self.value = True

    def get_set_string(self) -> str:
        """Say nothing when it is set."""
        return ""

    def get_show_string(self, value: str) -> str:
        """Answer ``show ompd auto-enable``."""
        return f"Switching OMPD events on in programs started by GDB is {value}."


class _Cache(gdb.Parameter):
    """Whether symbols that were recovered from a stripped runtime are kept.

    On, the default, keeps them by the runtime's build id in the user's cache
    folder ($XDG_CACHE_HOME/gdb-ompd, else ~/.cache/gdb-ompd), so that the next
    start costs nothing.  Off neither reads nor writes there: they are made for
    this GDB alone, and go with it.  What is loaded already stays as it is."""

    set_doc = "Set whether recovered symbols are kept in the user's cache folder."
    show_doc = "Show whether recovered symbols are kept in the user's cache folder."

    def __init__(self) -> None:
        super().__init__("ompd cache", gdb.COMMAND_SUPPORT, gdb.PARAM_BOOLEAN)
        self.value = True

    def get_set_string(self) -> str:
        """Say nothing when it is set."""
        return ""

    def get_show_string(self, value: str) -> str:
        """Answer ``show ompd cache``."""
        from .symbols.cache import objection

        why = objection() if self.value else None
        unused = f", but not used: {why}" if why is not None else ""
        return f"Keeping recovered symbols in the user's cache folder is {value}{unused}."


class _Corrections(gdb.Parameter):
    """Whether what an OMPD library is known to get wrong is put right.

    On by default.  Off, listings show what the library says, and nothing that it
    has no word for: for people who work on a runtime or its library."""

    set_doc = "Set whether known faults of OMPD libraries are corrected."
    show_doc = "Show whether known faults of OMPD libraries are corrected."

    def __init__(self) -> None:
        super().__init__("ompd corrections", gdb.COMMAND_SUPPORT, gdb.PARAM_BOOLEAN)
        self.value = True

    def get_set_string(self) -> str:
        """Say nothing; runtimes are found anew, each with the reader that is asked for."""
        _choice_changed()
        return ""

    def get_show_string(self, value: str) -> str:
        """Answer ``show ompd corrections``."""
        return f"Correcting the known faults of OMPD libraries is {value}."


class _Timeout(gdb.Parameter):
    """How many seconds one call into the OMPD library may take.

    A call that takes longer is ended, the command says so, and the next command
    loads a fresh copy of the library.  10 by default; 0 or "unlimited" is for
    ever, and Ctrl-C still ends it."""

    set_doc = "Set how many seconds a call into the OMPD library may take."
    show_doc = "Show how many seconds a call into the OMPD library may take."

    def __init__(self) -> None:
        super().__init__("ompd timeout", gdb.COMMAND_SUPPORT, gdb.PARAM_UINTEGER)
        self.value: Optional[int] = 10

    def get_set_string(self) -> str:
        """Say nothing; it holds for what is loaded, too."""
        _native.set_call_timeout(call_timeout())
        return ""

    def get_show_string(self, value: str) -> str:
        """Answer ``show ompd timeout``."""
        return f"The time that a call into the OMPD library may take is {_seconds()}."


_changed: list[Callable[[], None]] = []


def choice_changed_by(forget: Callable[[], None]) -> None:
    """Have FORGET called when what a runtime is served by is chosen otherwise."""
    _changed.append(forget)


def _choice_changed() -> None:
    for forget in _changed:
        forget()


_library: _Library
_auto_enable: _AutoEnable
_cache: _Cache
_corrections: _Corrections
_timeout: _Timeout


def register() -> None:
    """Make the settings known to GDB."""
    global _library, _auto_enable, _cache, _corrections, _timeout
    _SetPrefix()
    _ShowPrefix()
    _library, _auto_enable, _cache = _Library(), _AutoEnable(), _Cache()
    _corrections, _timeout = _Corrections(), _Timeout()


def ompd_library() -> str:
    """Return the library the user chose, "" if none."""
    return _library.value or ""


def auto_enable() -> bool:
    """Tell whether programs started by GDB get their events switched on."""
    return bool(_auto_enable.value)


def cache() -> bool:
    """Tell whether recovered symbols are kept for the next start."""
    return bool(_cache.value)


def corrections() -> bool:
    """Tell whether known faults of OMPD libraries are corrected."""
    return bool(_corrections.value)


def _cache_in_words() -> str:
    from .symbols.cache import objection

    why = objection() if cache() else None
    if why is not None:
        return f"on, but not used: {why}"
    return "on" if cache() else "off"


def call_timeout() -> int:
    """Return how many seconds a call into the OMPD library may take, 0 for ever."""
    return _timeout.value or 0


def _seconds() -> str:
    return f"{call_timeout()} s" if call_timeout() else "unlimited"


def settings() -> list[tuple[str, str]]:
    """Return each setting with its value, as ``ompd status`` lists them."""
    return [
        ("auto-enable", "on" if auto_enable() else "off"),
        ("cache", _cache_in_words()),
        ("corrections", "on" if corrections() else "off"),
        ("library", ompd_library() or "(automatic)"),
        ("timeout", _seconds()),
    ]
