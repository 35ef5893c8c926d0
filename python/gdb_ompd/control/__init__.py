# SPDX-License-Identifier: Apache-2.0
"""Stopping a program where OpenMP begins and ends, and stepping through it."""

from __future__ import annotations


def register() -> None:
    """Make event breakpoints, watchpoints, names of threads and the window known to GDB, and
    listen to its events."""
    from . import event_breakpoint, events, thread_names, watch, window

    events.connect()
    event_breakpoint.register()
    event_breakpoint.connect()
    events.announce()
    watch.connect()
    thread_names.register()
    window.register()
