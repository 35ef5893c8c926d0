# SPDX-License-Identifier: Apache-2.0
"""The ``ompd`` commands: each parses, asks and writes, nothing else.

They import what they ask when they run, so that GDB's start does not wait for it.
"""

from __future__ import annotations

import gdb

from . import bt, listings, loop, running, sample, saving, status, thread, threads, values, why
from .base import OmpdCommand


def are_known() -> bool:
    """Tell whether GDB still has them: LLVM's plugin brings a prefix of the same name."""
    try:
        shown = gdb.execute("help ompd", to_string=True)
    except gdb.error:
        return False
    return bool(shown.startswith((status.OmpdPrefix.__doc__ or "").splitlines()[0]))


def register() -> tuple[OmpdCommand, ...]:
    """Make the commands known to GDB; return those that front ends ask, too."""
    status.OmpdPrefix()
    modules = (bt, listings, loop, running, sample, saving, status, thread, threads, values, why)
    kinds = {id(kind): kind for module in modules for kind in vars(module).values()}.values()
    commands = [kind() for kind in kinds if isinstance(kind, type) and _is_command(kind)]
    return tuple(command for command in commands if command.is_for_front_ends)


def _is_command(kind: type) -> bool:
    """Tell a command from what several of them derive from."""
    return issubclass(kind, OmpdCommand) and bool(kind.name)
