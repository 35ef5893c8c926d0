# SPDX-License-Identifier: Apache-2.0
"""Where the OMPD library for a mapped runtime is.

The runtime's own word (``ompd_dll_locations``) is not followed: its first entry
is a bare name that loads whatever comes first on the debugger's path, and it is
memory of the program, which must not choose what the debugger loads. Where the
runtime lies is the program's word as well: what is beside it is loaded only if
it can be trusted (``gdb_ompd.host.trust``).
"""

from __future__ import annotations

import glob
import os
from typing import Optional

from ... import _native
from ...errors import NoOmpdLibrary
from ...host.trust import Trust

NAME = "libompd.so"
SYSTEM_PLACES = (
    "/usr/lib/llvm-*/lib",
    "/usr/lib/*-linux-gnu",
    "/usr/lib64",
    "/usr/lib",
    "/usr/local/lib",
)


def candidates(runtime: Optional[str], trust: Trust) -> tuple[list[str], list[str]]:
    """List the OMPD libraries there are, best first, for the runtime's file, and say
    of each that must not be loaded why, and how it may be.

    The one beside the runtime comes first, unless loading it would load an
    OpenMP runtime into the debugger as well (LLVM 15 to 17): then the others
    come before. One library can serve other versions, since every offset comes
    from the program.
    """
    found: list[str] = []
    refused: list[str] = []
    system = {os.path.realpath(path) for place in SYSTEM_PLACES for path in _in(place)}
    beside = [glob.escape(folder) for folder in _beside(runtime)]
    for place in [*beside, *SYSTEM_PLACES]:
        for path in _in(place):
            real = os.path.realpath(path)
            why = None if real in system else trust.objection(path)
            if why is not None:
                refused.append(_refusal(path, real, why))
            elif real not in found:
                found.append(real)
    return sorted(found, key=_needs_runtime), refused


def locate(runtime: Optional[str], setting: str, trust: Trust) -> list[str]:
    """Return the libraries to try; NoOmpdLibrary says where was searched, or why what
    was found there must not be loaded."""
    if setting:
        if not os.path.isfile(setting):
            raise NoOmpdLibrary(
                f"no OMPD library at {setting}: mend it with 'set ompd library PATH'"
            )
        return [os.path.abspath(setting)]  # a bare name would be looked for elsewhere
    found, refused = candidates(runtime, trust)
    if found:
        return found
    if refused:
        raise NoOmpdLibrary("; ".join(refused))
    places = ", ".join([*_beside(runtime), *SYSTEM_PLACES])
    raise NoOmpdLibrary(
        f"no {NAME} found (searched {places}): install the runtime's OMPD library"
        " (Debian: libomp-VERSION-dev) or 'set ompd library PATH'"
    )


def _refusal(path: str, real: str, why: str) -> str:
    allow = f"'add-auto-load-safe-path {os.path.dirname(real)}' or 'set ompd library {path}'"
    return f"{path} is not loaded, for {why}: {allow} allows it"


def _in(place: str) -> list[str]:
    """Return the libraries in a folder, or in those that a pattern stands for."""
    return sorted(glob.glob(os.path.join(place, NAME)), key=_version_key, reverse=True)


def _beside(runtime: Optional[str]) -> list[str]:
    return [os.path.dirname(os.path.realpath(runtime))] if runtime else []


def _version_key(path: str) -> list[int]:
    return [int("".join(filter(str.isdigit, part)) or 0) for part in path.split("/")]


def _needs_runtime(path: str) -> bool:
    try:
        return any(name.startswith("libomp.so") for name in _native.Elf(path).needed)
    except (OSError, ValueError):
        return True
