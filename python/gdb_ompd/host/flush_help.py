# SPDX-License-Identifier: Apache-2.0
"""Help that is flush left whatever reads the docstrings: Python 3.13 takes their margin away, GDB
that of commands only."""

from __future__ import annotations

import textwrap
from typing import Optional

import gdb


def flush_left(docstring: Optional[str]) -> str:
    """Return a docstring without the margin of the lines that follow its first one."""
    first, end, others = (docstring or "").partition("\n")
    return first + end + textwrap.dedent(others)


class HelpedFunction(gdb.Function):
    """A convenience function, NAME, with its docstring as its help."""

    def __init__(self, name: str) -> None:
        self.__doc__ = flush_left(self.__doc__)
        super().__init__(name)
