# SPDX-License-Identifier: Apache-2.0
"""A gdbserver that listens on a port which nobody else has."""

from __future__ import annotations

import os
import re
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

from support.gdb_session import clean_environment


@contextmanager
def gdbserver(option: str, *program: str) -> Iterator[tuple[int, str]]:
    """Start one with OPTION, and PROGRAM under it; yield its process and address when it
    listens. At the block's end it is killed, and what it debugs with it."""
    with subprocess.Popen(
        ["gdbserver", option, "127.0.0.1:0", *program],
        env=clean_environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as server:
        try:
            said = map(re.compile(r"Listening on port (\d+)").search, server.stderr or ())
            listening = next(filter(None, said), None)
            assert listening is not None, "gdbserver has ended"
            yield server.pid, f"127.0.0.1:{listening.group(1)}"
        finally:
            os.killpg(server.pid, signal.SIGKILL)
