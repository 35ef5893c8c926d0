# SPDX-License-Identifier: Apache-2.0
"""Stopping a program where OpenMP begins and ends, and stepping through it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Callable

if TYPE_CHECKING:
    from ..render.style import Style


def register(style: Callable[[], "Style"]) -> None:
    """Make event breakpoints known to GDB. STYLE returns the style that GDB has now."""
    from . import announce, event_breakpoint, watch

    event_breakpoint.register()
    event_breakpoint.connect()
    announce.connect(style)
    watch.connect(style)
