# SPDX-License-Identifier: Apache-2.0
"""The settings that the program was started with."""

from __future__ import annotations

from ... import _native
from ...host.protocols import READ_ERRORS

PREFIXES = ("OMP_", "KMP_", "LIBOMP", "GOMP_")
MAX_ENVIRONMENT = 10_000


def environment_variable(space: _native.AddressSpace, name: str) -> str | None:
    """Return a variable of the program's environment, None if it has none or if it
    cannot be read."""
    try:
        return _environment(space).get(name)
    except READ_ERRORS:
        return None


def _environment(space: _native.AddressSpace) -> dict[str, str]:
    """Read OpenMP's variables from the C library's ``environ`` in the program.

    Memory that cannot be read is an error: a default would be shown as what holds.
    """
    address = space.symbol_address("environ", "libc.so.6") or space.symbol_address("environ")
    if address is None:
        return {}
    found: dict[str, str] = {}
    entry = space.read_pointer(address)
    for _ in range(MAX_ENVIRONMENT):
        pointer = space.read_pointer(entry) if entry else 0
        if pointer == 0:
            break
        text = (space.read_string(pointer) or b"").decode("utf-8", "replace")
        name, _, value = text.partition("=")
        if name.startswith(PREFIXES):
            found[name] = value
        entry += space.pointer_size
    return found
