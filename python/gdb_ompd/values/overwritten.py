# SPDX-License-Identifier: Apache-2.0
"""The registers that a call need not keep, in which a frame that has called has a variable."""

from __future__ import annotations

from typing import Optional, Sequence

import gdb

from .._native import WaitReader
from ..host.inlined import called_in


def overwritten(registers: Sequence[str], frame: gdb.Frame, code: WaitReader) -> Optional[str]:
    """Return the first of the REGISTERS, by GDB's names, that what FRAME has called may have
    changed. GCC keeps variables in such ones across the call of a function of the same file that
    does not write them."""
    if not registers:
        return None
    inner = called_in(frame)
    if inner is None:
        return registers[0]
    at = code.at(frame.pc())
    return next((name for name in registers if not at.is_kept(name, inner)), None)
