# SPDX-License-Identifier: Apache-2.0
"""Runs inside gdb: at the program's first stop, time how long the first question of libgomp's
provider takes until the layout is proved, and print the processor's seconds."""

from __future__ import annotations

import sys
import time

import gdb
from gdb_ompd import _native
from gdb_ompd.host.runtimes.provider import Provider

_asked = Provider.reader


def timed(self: Provider) -> _native.RuntimeReader:
    """Ask as always, and tell what that took."""
    began = time.process_time()
    reader = _asked(self)
    print(f"LAYOUT {time.process_time() - began}", file=sys.__stdout__, flush=True)
    return reader


gdb.execute("break team_is_here", to_string=True)
gdb.execute("run", to_string=True)
Provider.reader = timed  # type: ignore[method-assign]
gdb.execute("ompd threads -no-location", to_string=True)
gdb.execute("kill", to_string=True)
