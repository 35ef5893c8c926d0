# SPDX-License-Identifier: Apache-2.0
"""The user's machine code in one inferior: what reads it, shared by all who ask."""

from __future__ import annotations

from typing import Iterable, Sequence

from .. import _native
from .code_map import CodeMap
from .code_reader import CodeReader
from .entry_call import Calls, EntryPoints
from ..host.modules import MappedModule


class UserCode:
    """Functions and calls, shared until files change."""

    def __init__(
        self,
        space: _native.AddressSpace,
        machine: str,
        code: CodeMap,
        modules: Sequence[MappedModule],
        runtimes: Sequence[MappedModule],
    ) -> None:
        self.space = space
        self.machine = machine
        self.map = code
        self.modules = modules
        self.calls = Calls(space, machine)
        self.functions = CodeReader(space, modules)
        self._runtimes = runtimes

    def entry_points(self, names: Iterable[str]) -> EntryPoints:
        """Return those of the runtimes' entry points that NAMES names.

        Whoever asks has a table of its own: one address can have several names, of
        which each knows another.
        """
        return EntryPoints(self._runtimes, names)

    def ranges_of_runtimes_with(self, name: str) -> list[tuple[int, int]]:
        """Return the addresses of the runtimes that have a symbol of that NAME."""
        return [
            addresses
            for runtime in self._runtimes
            if runtime.module is not None and runtime.module.elf.symbol(name)
            for addresses in runtime.ranges
        ]
