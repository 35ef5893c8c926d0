# SPDX-License-Identifier: Apache-2.0
"""The ``set/show ompd`` settings."""

from __future__ import annotations

from typing import Any, Callable

import gdb

from .. import _native
from .front_end import is_machine_interface


class Prefix(gdb.Command):
    """Base of the commands that only have others below them."""

    name = ""
    kind = gdb.COMMAND_SUPPORT

    def __init__(self) -> None:
        super().__init__(self.name, self.kind, gdb.COMPLETE_NONE, True)

    def invoke(self, argument: str, from_tty: bool) -> None:
        """List the subcommands; complain about one that does not exist."""
        if argument:
            raise gdb.GdbError(
                f'Undefined {self.name} command: "{argument}".  Try "help {self.name}".'
            )
        self.list(from_tty)

    def list(self, from_tty: bool) -> None:
        """Write what there is below the prefix."""
        gdb.execute(f"help {self.name}", from_tty)


class _SetPrefix(Prefix):
    """Change settings of the OpenMP debugging extension."""

    name = "set ompd"


class _ShowPrefix(Prefix):
    """Show settings of the OpenMP debugging extension."""

    name = "show ompd"
    kind = gdb.COMMAND_STATUS

    def list(self, from_tty: bool) -> None:
        for name, value in settings():
            gdb.write(f"{name}:  {value}\n")


class _Setting(gdb.Parameter):
    """Base of the settings; the docstring of one is its help, ABOUT the first line of that."""

    name = ""
    about = ""
    shown = ""  # what "show" says, with the value
    kind = gdb.PARAM_BOOLEAN
    default: Any = True

    def __init__(self) -> None:
        self.set_doc, self.show_doc = f"Set {self.about}.", f"Show {self.about}."
        self.__doc__ = (self.__doc__ or "").partition("\n\n")[2].strip()  # that was its first line
        super().__init__(f"ompd {self.name}", gdb.COMMAND_SUPPORT, self.kind)
        self.value: Any = self.default

    def get_set_string(self) -> str:
        """Say nothing when it is set."""
        self.changed()
        return ""

    def changed(self) -> None:
        """Have what follows from another value."""

    def get_show_string(self, value: str) -> str:
        """Answer ``show``."""
        return self.shown.format(self.in_words())

    def in_words(self) -> str:
        """Return the value as ``ompd status`` lists it."""
        return "on" if self.value else "off"


class _AutoEnable(_Setting):
    """Whether a program that starts under GDB has OMPD events switched on.

    On, the default, makes states, waits and event breakpoints work without
    OMP_DEBUG in the program's environment. OMP_DEBUG=disabled there wins."""

    name = "auto-enable"
    about = "whether programs that GDB starts have OMPD events"
    shown = "Switching OMPD events on in programs started by GDB is {}."


class _Cache(_Setting):
    """Whether symbols that were recovered from a stripped runtime are kept.

    On, the default, keeps them by the runtime's build id in the user's cache
    folder ($XDG_CACHE_HOME/gdb-ompd, else ~/.cache/gdb-ompd), so that the next
    start costs nothing.  Off neither reads nor writes there: they are made for
    this GDB alone, and go with it.  What is loaded already stays as it is."""

    name = "cache"
    about = "whether recovered symbols are kept in the user's cache"
    shown = "Keeping recovered symbols in the user's cache folder is {}."

    def in_words(self) -> str:
        """Say also why it is not used."""
        from .symbols.cache import objection

        why = objection() if self.value else None
        return super().in_words() if why is None else f"on, but not used: {why}"


class _Corrections(_Setting):
    """Whether what an OMPD library is known to get wrong is put right.

    On by default.  Off, listings show what the library says, and nothing that it
    has no word for: for people who work on a runtime or its library."""

    name = "corrections"
    about = "whether faults of OMPD libraries are corrected"
    shown = "Correcting the known faults of OMPD libraries is {}."

    def changed(self) -> None:
        """Find runtimes anew, each with the reader that is asked for."""
        _choice_changed()


class _Library(_Setting):
    """The OMPD library to load, instead of the one that is found.

    Empty, the default, looks beside the mapped runtime first, then in the
    system's library folders."""

    name = "library"
    about = "the OMPD library to load"
    shown = 'The OMPD library to load is "{}".'
    kind = gdb.PARAM_OPTIONAL_FILENAME
    default = ""

    def changed(self) -> None:
        """Drop what another library has answered."""
        _choice_changed()

    def get_show_string(self, value: str) -> str:
        if not self.value:
            return "The OMPD library is looked for beside the runtime, then in system folders."
        return super().get_show_string(value)

    def in_words(self) -> str:
        return self.value or "(automatic)"


THREAD_NAMES = "thread-names"


class _ThreadNames(_Setting):
    """Whether GDB's own lists of threads say what each does in OpenMP.

    On, a thread in "info threads", the machine interface and the debug adapter has
    a name such as "0 of 8, at barrier [heat]".  Each stop then costs what
    "ompd threads" does.  "auto", the default, is on in front ends alone.  The
    names are GDB's: nothing in the program changes, and a name that you give by
    "thread name" stays, in brackets."""

    name = THREAD_NAMES
    about = "whether names of threads say what they do"
    shown = "Naming threads by what they do in OpenMP is {}."
    kind = gdb.PARAM_AUTO_BOOLEAN
    default = None

    def is_on(self) -> bool:
        """Tell what is meant; None is "auto"."""
        return is_machine_interface() if self.value is None else bool(self.value)

    def changed(self) -> None:
        """Give the names, or take them back."""
        for switch in _named:
            switch(self.is_on())

    def in_words(self) -> str:
        """Return the value, and what "auto" is here."""
        if self.value is None:
            return f'auto: {"on" if self.is_on() else "off"} in this GDB'
        return super().in_words()


class _Timeout(_Setting):
    """How many seconds one call into the OMPD library may take.

    A call that takes longer is ended, the command says so, and the next command loads a fresh copy
    of the library. 10 seconds by default; 0 or "unlimited" is for ever. Ctrl-C still ends it."""

    name = "timeout"
    about = "how long a call into the OMPD library may take"
    shown = "The time that a call into the OMPD library may take is {}."
    kind = gdb.PARAM_UINTEGER
    default = 10

    def changed(self) -> None:
        """Have it hold for what is loaded, too."""
        _native.set_call_timeout(self.value or 0)

    def in_words(self) -> str:
        """Return the seconds; 0 is for ever."""
        return f"{self.value} s" if self.value else "unlimited"


_settings: dict[str, _Setting] = {}
_changed: list[Callable[[], None]] = []


def choice_changed_by(forget: Callable[[], None]) -> None:
    """Have FORGET called when what a runtime is served by is chosen otherwise."""
    _changed.append(forget)


_named: list[Callable[[bool], None]] = []


def names_switched_by(switch: Callable[[bool], None]) -> None:
    """Have SWITCH called with whether threads are to have names: now, and when that is set."""
    _named.append(switch)
    names = _settings[THREAD_NAMES]
    assert isinstance(names, _ThreadNames)
    switch(names.is_on())


def _choice_changed() -> None:
    for forget in _changed:
        forget()


def register() -> None:
    """Make the settings known to GDB."""
    _SetPrefix()
    _ShowPrefix()
    for kind in (_AutoEnable, _Cache, _Corrections, _Library, _ThreadNames, _Timeout):
        _settings[kind.name] = kind()


def value(name: str) -> Any:
    """Return what the user has set as "ompd NAME"; None for "unlimited", and for no library."""
    return _settings[name].value or None


def settings() -> list[tuple[str, str]]:
    """Return each setting with its value, as ``ompd status`` lists them."""
    return [(name, each.in_words()) for name, each in _settings.items()]
