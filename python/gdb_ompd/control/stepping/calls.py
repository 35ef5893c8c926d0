# SPDX-License-Identifier: Apache-2.0
"""The runtime's functions that stepping waits for, by their exported names, and which
argument of each is a construct's body, or the task's record that holds it."""

from __future__ import annotations

from typing import Iterator, Optional

from ... import _native
from ...host.modules import MappedModule
from ...stop.session import Session

_ENTRIES = _native.entry_points()

BODY_ARGUMENT = {name: body for name, _, _, body, _ in _ENTRIES if body >= 0}
REGION_BODY_ARGUMENT = {
    name: body for name, body in BODY_ARGUMENT.items() if not _native.makes_task(name)
}
# clang's code hands over a record, made before, that holds the body.
TASK_RECORD_ARGUMENT = {name: record for name, _, _, _, record in _ENTRIES if record >= 0}
# Of a ``kmp_task_t`` compilers know: a pointer to shared variables, then the body's.
BODY_IN_RECORD = POINTER = 8

# clang's code calls a serialized region's body itself, after this.
SERIALIZED_BEGIN = "__kmpc_serialized_parallel"

# Where a thread waits for others. With scheduler-locking "step" GDB's own
# commands hold those back even while a call is stepped over.
WAITS = frozenset(name for name, kind, _, _, _ in _ENTRIES if kind) - BODY_ARGUMENT.keys()
# Of these, those that nobody leaves before the whole team has come.
BARRIERS = WAITS & {name for name, kind, _, _, _ in _ENTRIES if kind.endswith("barrier")}

HANDED_OVER = BODY_ARGUMENT.keys() | TASK_RECORD_ARGUMENT.keys() | {SERIALIZED_BEGIN}
MAY_WAIT = WAITS | BODY_ARGUMENT.keys() | TASK_RECORD_ARGUMENT.keys()
KNOWN = WAITS | HANDED_OVER

# The registers of integer arguments (the psABIs), in GDB's names.
ARGUMENT_REGISTERS = {
    "i386:x86-64": ("rdi", "rsi", "rdx", "rcx", "r8", "r9"),
    "aarch64": ("x0", "x1", "x2", "x3", "x4", "x5"),
}


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
        names = KNOWN if static else set(home.module.elf.imports())
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
