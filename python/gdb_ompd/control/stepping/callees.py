# SPDX-License-Identifier: Apache-2.0
"""Where the runtime's functions are that a piece of user code can call."""

from __future__ import annotations

from typing import Iterator, Optional

from ...host.modules import MappedModule
from ...stop.session import Session
from . import calls


def callees(session: Session, pc: int) -> Iterator[tuple[str, int]]:
    """Yield name and address of each runtime function that the file with PC calls."""
    home = _module_at(session, pc)
    if home is None or home.module is None:
        return
    for provider in session.detected().providers:
        module = provider.runtime.module
        if module is None:
            continue
        # A runtime that is linked into the program is called by any name.
        static = provider.runtime is home
        names = calls.KNOWN if static else set(home.module.elf.imports())
        for name in sorted(names):
            if static or module.elf.exports(name):
                symbol = module.elf.symbol(name)
                if symbol is not None:
                    yield name, module.bias + symbol.value


def _module_at(session: Session, pc: int) -> Optional[MappedModule]:
    for module in session.modules():
        if any(start <= pc < end for start, end in module.ranges):
            return module
    return None
