# SPDX-License-Identifier: Apache-2.0
"""Whether GDB serves a front end: its machine interface, or its debug adapter."""

from __future__ import annotations

import functools
import re

MACHINE_INTERFACE = re.compile(
    rb"\0--?i(nterpreter)?(=|\0)(mi|dap)\d*\0|\0--?(ex|iex|eval-command|init-eval-command)(=|\0)"
    rb"\s*new-ui\s+mi"
)


@functools.lru_cache(maxsize=None)
def is_machine_interface() -> bool:
    """Tell whether GDB was started for a front end: ``-i=mi``, or a terminal with
    ``-ex "new-ui mi TTY"`` beside it. GDB has no way to ask; its command line says so.
    """
    try:
        with open("/proc/self/cmdline", "rb") as file:
            return MACHINE_INTERFACE.search(file.read()) is not None
    except OSError:
        return False
