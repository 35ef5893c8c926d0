# SPDX-License-Identifier: Apache-2.0
"""Whether LLVM's runtime can be asked at all: symbols, initialisation, shutdown."""

from __future__ import annotations

from typing import Sequence

from ... import _native
from ...errors import NoSymbols, NotInitialized
from ..base import require_symbol
from . import names

ENABLE_EVENTS = 1  # OMPD_ENABLE_BP, openmp/runtime/src/ompd-specific.h
# The recovery's word for a runtime that debug symbols would not help.
NO_OMPD = "the library was built without OMPD support"
GET_SYMBOLS = (
    "install its debug symbols (debuginfod, or the package libomp5-VERSION-dbgsym), or use a"
    " runtime built with symbols ('sh scripts/build-libomp.sh 19' makes one)"
)


def check_symbols(elf: _native.Elf, runtime: str, refusal: Sequence[str] = ()) -> None:
    """Raise NoSymbols with the fix if the runtime's OMPD symbols are not there.

    REFUSAL says why they could not be recovered either, if that was tried.
    """
    wanted = [*names.REQUIRED_VARIABLES, *names.meta_symbols()]
    try:
        missing = [name for name in wanted if elf.symbol(name) is None]
    except ValueError as error:  # damaged, or replaced since the program started
        raise NoSymbols(f"the symbols of {runtime} cannot be read: {error}") from error
    if not missing:
        return
    if NO_OMPD in refusal:
        raise NoSymbols(
            f"{runtime} was built without OMPD support: use another libomp, such as the"
            " distribution's, or one that 'sh scripts/build-libomp.sh 19' makes"
        )
    if set(missing) >= set(names.meta_symbols()):
        why = f", and they cannot be recovered ({'; '.join(refusal)})" if refusal else ""
        raise NoSymbols(f"{runtime} is stripped of the symbols that OMPD needs{why}: {GET_SYMBOLS}")
    raise NoSymbols(
        f"{runtime} lacks {len(missing)} of the symbols that OMPD needs"
        f" (such as {missing[0]}): it was built without OMPD support, or is of another"
        " version than LLVM 14 to 24"
    )


def check_initialized(space: _native.AddressSpace, runtime: str) -> None:
    """Raise NotInitialized before the runtime's start and after its end."""
    if space.read_pointer(require_symbol(space, "ompd_dll_locations")) == 0:
        raise NotInitialized(
            f"{runtime} is not initialised yet: go on to the first OpenMP construct or call"
        )
    if space.read_pointer(require_symbol(space, "__kmp_threads")) == 0:
        # The number of processors is found before the first region and never forgotten.
        if space.read_uint(require_symbol(space, "__kmp_avail_proc"), 4):
            raise NotInitialized(f"{runtime} has shut down: the program is exiting")
        raise NotInitialized(
            f"{runtime} is still starting, or has shut down: stop in an OpenMP construct"
        )


def events_enabled(space: _native.AddressSpace) -> bool:
    """Tell whether the runtime tracks states and announces events."""
    state = space.read_uint(require_symbol(space, "ompd_state"), 8)
    return bool(state & ENABLE_EVENTS)


def enable_events(space: _native.AddressSpace) -> None:
    """Do in the program what ``OMP_DEBUG=enabled`` does at its start.

    Both words are needed: with ``ompd_state`` alone the begin of a serialized
    region is not announced. The program prints nothing.
    """
    state = require_symbol(space, "ompd_state")
    enabled = require_symbol(space, "ompt_enabled")
    _set_bit(space, enabled, 4)
    _set_bit(space, state, 8)


def disable_events(space: _native.AddressSpace) -> None:
    """Stop events. The OMPT flag stays: clearing it inside a serialized region
    would leave a dangling record in the program."""
    state = require_symbol(space, "ompd_state")
    value = space.read_uint(state, 8) & ~ENABLE_EVENTS
    space.write(state, value.to_bytes(8, space.byte_order))


def _set_bit(space: _native.AddressSpace, address: int, size: int) -> None:
    value = space.read_uint(address, size) | 1
    space.write(address, value.to_bytes(size, space.byte_order))
