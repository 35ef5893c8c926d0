# SPDX-License-Identifier: Apache-2.0
"""``ompd enable`` and ``ompd disable``."""

from __future__ import annotations

from typing import Iterable

from .base import Arguments, OmpdCommand


class EnableCommand(OmpdCommand):
    """Switch OMPD's events on in the program.

    Usage: ompd enable

    Event breakpoints stop and thread states are known only while they are on.
    Programs that GDB starts have them on from the beginning (see "help set ompd
    auto-enable"); this is for programs that GDB has attached to.  In the middle
    of a run events are complete from the next outermost parallel region on."""

    name = "ompd enable"
    is_question = False

    def run(self, arguments: Arguments) -> Iterable[str]:
        """Switch, and say from when events are complete."""
        from ..control import set_event

        return set_event.enable()


class DisableCommand(OmpdCommand):
    """Switch OMPD's events off in the program.

    Usage: ompd disable

    Event breakpoints stop no more, and thread states are not known, until
    "ompd enable"."""

    name = "ompd disable"
    is_question = False

    def run(self, arguments: Arguments) -> Iterable[str]:
        """Switch, and say so."""
        from ..control import set_event

        return set_event.disable()
