# SPDX-License-Identifier: Apache-2.0
"""Whether LLVM's runtime can be asked at all: symbols, initialisation, shutdown."""

from __future__ import annotations

from typing import Callable, Optional, Sequence

from ... import _native
from ...errors import NoSymbols, NotInitialized

# The recovery's word for a runtime that debug symbols would not help.
NO_OMPD = "the library was built without OMPD support"
GET_SYMBOLS = (
    "install its debug symbols (debuginfod, or the package libomp5-VERSION-dbgsym), or use a"
    " runtime built with symbols ('sh scripts/build-libomp.sh 19' makes one)"
)

# By the state that native code tells.
NOT_RUNNING = {
    "before start": "is not initialised yet: go on to the first OpenMP construct or call",
    "unstarted": "is still starting, or has shut down: stop in an OpenMP construct",
    "ended": "has shut down: the program is exiting",
}


def check_symbols(
    elf: _native.Elf,
    runtime: str,
    refusal: Sequence[str],
    why_not_loaded: Callable[[], Optional[str]],
) -> None:
    """Raise NoSymbols with the fix if the runtime's OMPD symbols are not there.

    REFUSAL says why they could not be recovered either, if that was tried, WHY_NOT_LOADED
    tells why the debugger has read no symbols of the file.
    """
    try:
        missing, is_stripped = _native.missing_symbols(elf)
    except ValueError as error:  # damaged, or replaced since the program started
        raise NoSymbols(f"the symbols of {runtime} cannot be read: {error}") from error
    if not missing:
        return
    if NO_OMPD in refusal:
        raise NoSymbols(
            f"{runtime} was built without OMPD support: use another libomp, such as the"
            " distribution's, or one that 'sh scripts/build-libomp.sh 19' makes"
        )
    if is_stripped:
        unread = why_not_loaded()
        if unread is not None:
            raise NoSymbols(f"GDB has read no symbols of {runtime}: {unread}")
        why = f", and they cannot be recovered ({'; '.join(refusal)})" if refusal else ""
        raise NoSymbols(f"{runtime} is stripped of the symbols that OMPD needs{why}: {GET_SYMBOLS}")
    raise NoSymbols(
        f"{runtime} lacks {len(missing)} of the symbols that OMPD needs"
        f" (such as {missing[0]}): it was built without OMPD support, or is of another"
        " version than LLVM 14 to 24"
    )


def check_initialized(space: _native.AddressSpace, runtime: str) -> None:
    """Raise NotInitialized before the runtime's start and after its end."""
    state = _native.runtime_state(space)
    if state != "running":
        raise NotInitialized(f"{runtime} {NOT_RUNNING[state]}")
