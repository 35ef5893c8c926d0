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

from .._native import questions_under_way, unbroken

_forget: list[Callable[[], None]] = []
_listening = False
moment = 0  # another one whenever the program has gone on

_postponed: list[Callable[[], None]] = []


def forget_by(forget: Callable[[], None]) -> Callable[[], None]:
    """Have FORGET, which is returned, called when the program goes on after something was read of it."""
    _forget.append(forget)
    return forget


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


def between_questions(drop: Callable[[], None]) -> None:
    """Call DROP, which forgets what was read: now or, where native code is in the middle of a
    question, when the command ends or, outside of one, the next begins. GDB may find, while it
    answers, that the program is gone: what native code has in its hands must not be dropped
    before it has the answer."""
    _postponed.append(drop)
    _settle()


def _settle() -> None:
    while _postponed and questions_under_way() == 0:
        _postponed[0]()  # once more if Ctrl-C ends it
        del _postponed[0]


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
            _settle()  # what was postponed outside of a command, as in a condition
        self._inside += 1

    def __exit__(self, *_: object) -> None:
        self._inside -= 1
        if self._inside == 0:
            _settle()


one_command = _OneCommand()
