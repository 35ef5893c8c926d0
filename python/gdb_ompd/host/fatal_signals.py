# SPDX-License-Identifier: Apache-2.0
"""Which threads a signal has stopped that ends the program, by GDB and the kernel.

A thread's ``$_siginfo`` tells it, live and in a core. To read it of every thread costs a
listing, so it is read where the last stop was by such a signal, or where that is not known.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Optional

import gdb

from .selection import connection_type, evaluate, kept_selection, threads_of

# Linux's numbers on x86-64 and aarch64.
FATAL = {
    4: "SIGILL",
    6: "SIGABRT",
    7: "SIGBUS",
    8: "SIGFPE",
    11: "SIGSEGV",
    31: "SIGSYS",
}
# Inferiors, by GDB's number, whose threads stand still for another reason.
_stopped_otherwise: set[int] = set()


class FatalSignal(NamedTuple):
    """A signal's name, its si_code, and for a fault the address that was used."""

    name: str
    code: int
    address: Optional[int]


def note_stop(event: Any) -> None:
    """Note why GDB has stopped the selected inferior."""
    number = gdb.selected_inferior().num
    if getattr(event, "stop_signal", None) in FATAL.values() or gdb.parameter("non-stop"):
        _stopped_otherwise.discard(number)
    else:
        _stopped_otherwise.add(number)


def forget(inferior: gdb.Inferior) -> None:
    """Forget an inferior whose process is gone."""
    _stopped_otherwise.discard(inferior.num)


def fatal_signals(inferior: gdb.Inferior) -> dict[int, FatalSignal]:
    """Return by GDB number the threads of the selected INFERIOR that such a signal has
    stopped. Keeps the selection."""
    found: dict[int, FatalSignal] = {}
    if not _may_be_stopped_by_one(inferior):
        return found
    with kept_selection():
        for thread in threads_of(inferior):
            if thread.is_valid() and not thread.is_running():
                thread.switch()
                signal = _of_selected()
                if signal is not None:
                    found[thread.num] = signal
    return found


def _may_be_stopped_by_one(inferior: gdb.Inferior) -> bool:
    if connection_type(inferior) == "core" and len(gdb.inferiors()) == 1:
        signal = gdb.convenience_variable("_exitsignal")  # of the core that was loaded last
        return signal is not None and int(signal) in FATAL
    return inferior.num not in _stopped_otherwise


def _of_selected() -> Optional[FatalSignal]:
    try:
        info = evaluate("$_siginfo")
        number = int(info["si_signo"])
        if number not in FATAL:
            return None
        code = int(info["si_code"])
        # Only the kernel's own, for a fault, come with an address.
        fault = 0 < code < 128 and number != 6
        at = int(info["_sifields"]["_sigfault"]["si_addr"]) if fault else None
        return FatalSignal(FATAL[number], code, at)
    except (gdb.error, ValueError):
        return None  # none is kept: in a core of the kernel's, of all threads but one
