# SPDX-License-Identifier: Apache-2.0
"""What belongs together in time: what is read until the program goes on, and what one of
the user's commands asks.

GDB makes an event of each thread that it resumes, a thousand while a program starts a
thousand threads, but none while nobody listens. So this listens from the first thing
that is read of an inferior until the program goes on.
"""

from __future__ import annotations

from contextlib import ContextDecorator
from typing import Any, Callable

import gdb

from .._native import unbroken

_forget: list[Callable[[], None]] = []
_listening = False
moment = 0  # another one whenever the program has gone on


def forget_by(forget: Callable[[], None]) -> None:
    """Have FORGET called when the program goes on after something was read of it."""
    _forget.append(forget)


def begin_another() -> None:
    """Note that a program has stopped, or goes on: another moment begins."""
    global moment
    moment += 1


def note_reading() -> None:
    """Something is read of an inferior: it holds until the program goes on."""
    global _listening
    if not _listening:
        _listening = True
        gdb.events.cont.connect(_resumed)


@unbroken
def _resumed(_event: Any) -> None:
    global _listening
    if _listening:  # once, if Ctrl-C has this done twice
        _listening = False
        gdb.events.cont.disconnect(_resumed)
    begin_another()
    for forget in _forget:
        forget()


class _OneCommand(ContextDecorator):
    """What is asked inside belongs to one command, or to that which is around it.

    An OMPD library that has failed is not asked again by the same command, though it may
    ask a thousand times; the next command tries a fresh copy.
    """

    number = 0  # of the command being answered, or of the last one
    _inside = 0

    def __enter__(self) -> None:
        if self._inside == 0:
            self.number += 1
        self._inside += 1

    def __exit__(self, *_: object) -> None:
        self._inside -= 1


one_command = _OneCommand()
