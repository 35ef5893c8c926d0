# SPDX-License-Identifier: Apache-2.0
"""Convenience functions whose help is flush left, as that of GDB's commands: of functions GDB
prints the docstring as it is written."""

from __future__ import annotations

import gdb


class HelpedFunction(gdb.Function):
    """A convenience function, NAME, with its docstring as its help."""

    def __init__(self, name: str) -> None:
        self.__doc__ = (self.__doc__ or "").replace("\n    ", "\n")
        super().__init__(name)
