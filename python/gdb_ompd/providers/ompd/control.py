# SPDX-License-Identifier: Apache-2.0
"""Display control variables: what the runtime dumped, and the program's own."""

from __future__ import annotations

from ... import _native
from ...model import ControlVariable
from ...host.protocols import READ_ERRORS

PREFIXES = ("OMP_", "KMP_", "LIBOMP", "GOMP_")
MAX_ENVIRONMENT = 10_000


def control_variables(
    process: _native.Process, space: _native.AddressSpace
) -> list[ControlVariable]:
    """Return the control variables: LLVM's runtime dumps its defaults before it
    reads the environment, so what the program was started with comes on top."""
    own = _environment(space)
    found = []
    for line in process.display_control_vars():
        name, equals, value = line.strip().partition("=")
        name = name.partition(":")[0]  # "OMP_NESTED: deprecated; max-active-levels-var=1"
        if not equals:
            continue
        if name in own:
            found.append(ControlVariable(name, own.pop(name), "environment"))
        else:
            found.append(ControlVariable(name, value.strip("'"), "runtime default"))
    found.extend(ControlVariable(name, value, "environment") for name, value in own.items())
    return found


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
