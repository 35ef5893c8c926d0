# SPDX-License-Identifier: Apache-2.0
"""The runtime's functions that stepping waits for, by their exported names, and which
argument of each is a construct's body, or the task's record that holds it."""

from __future__ import annotations

from ... import _native

_ENTRIES = _native.entry_points()

BODY_ARGUMENT = {name: body for name, _, _, body, _ in _ENTRIES if body >= 0}
REGION_BODY_ARGUMENT = {
    name: body for name, body in BODY_ARGUMENT.items() if not _native.makes_task(name)
}
# clang's code hands over a record, made before, that holds the body.
TASK_RECORD_ARGUMENT = {name: record for name, _, _, _, record in _ENTRIES if record >= 0}
# Of a ``kmp_task_t`` compilers know: a pointer to shared variables, then the body's.
BODY_IN_RECORD = 8

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
