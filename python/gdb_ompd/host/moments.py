# SPDX-License-Identifier: Apache-2.0
"""What belongs together in time: what is read until the program goes on, and what one of
the user's commands asks.

GDB makes an event of each thread that it resumes, a thousand while a program starts a
thousand threads, but none while nobody listens. So this listens from the first thing
that is read of an inferior until the program goes on.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import Any, Callable, Iterator

import gdb

from .._native import unbroken

_forget: list[Callable[[], None]] = []
_listening = False
moment = 0  # another one whenever the program has gone on

_commands_inside = 0
_commands = 0


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


@contextmanager
def one_command() -> Iterator[None]:
    """What is asked inside belongs to one command, or to that which is around it.

    An OMPD library that has failed is not asked again by the same command, though it may
    ask a thousand times; the next command tries a fresh copy.
    """
    global _commands, _commands_inside
    if _commands_inside == 0:
        _commands += 1
    _commands_inside += 1
    try:
        yield
    finally:
        _commands_inside -= 1


def command_number() -> int:
    """Return the number of the command being answered, or of the last one."""
    return _commands
